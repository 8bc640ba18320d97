"""``croupier doctor``: is everything right here, and if not, what to do about it."""

import asyncio
import platform
import statistics
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Literal, TypeAlias

import typer
from rich.console import Console
from rich.table import Table

from croupier import __version__
from croupier.cli.opened import opened
from croupier.cli.where import HERE, Unreachable, Url
from croupier.sessions.errors import StoreUnavailable
from croupier.settings import Settings, WrongSetting, read, variable
from croupier.store import EmbeddedStoreError, RedisStore

Verdict: TypeAlias = Literal["good", "note", "wrong"]
_MARKS = {"good": "[green]✓[/]", "note": "[yellow]![/]", "wrong": "[red]✗[/]"}
_PINGS = 50
_SLOW_MILLISECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: how it is, and what to do if it is not as it should be."""

    verdict: Verdict
    what: str
    said: str
    remedy: str = ""


def doctor(
    server: Annotated[bool, typer.Option(help="Ask the running server at --url too.")] = True,
    url: Url = HERE,
) -> None:
    """Look at the settings, the store and the running server; say what is wrong and what to do.

    Reads the settings as `croupier serve` does. Exits with 1 if anything is wrong.
    """
    findings = asyncio.run(_findings(url if server else None))
    table = Table(show_header=False, box=None, pad_edge=False)
    for one in findings:
        table.add_row(
            _MARKS[one.verdict], one.what, one.said + (f"\n[bold]{one.remedy}[/]" if one.remedy else "")
        )
    Console(highlight=False, width=None if sys.stdout.isatty() else 200).print(table)
    if any(one.verdict == "wrong" for one in findings):
        raise typer.Exit(1)


async def _findings(url: str | None) -> list[Finding]:
    found = [Finding("good", "version", f"croupier {__version__}, {_versions()}")]
    try:
        settings = read()
    except WrongSetting as wrong:
        return [*found, Finding("wrong", "settings", str(wrong), "Set it as the line says, or unset it.")]
    found += _settings(settings)
    found += [one async for one in _store(settings)]
    if url is not None:
        found += [one async for one in _server(url)]
    return found


def _versions() -> str:
    names = ("litestar", "pydantic", "redis", "uvicorn", "numba")
    return f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in names)


def _settings(settings: Settings) -> list[Finding]:
    found = [Finding("good", "settings", f"listens on {settings.host} port {settings.port}")]
    if settings.sandbox:
        found.append(
            Finding(
                "note",
                "sandbox",
                "sessions may choose their own cards",
                "" if settings.open_mode else f"Unset {variable('sandbox')} where people play.",
            )
        )
    return found


async def _store(settings: Settings) -> AsyncIterator[Finding]:
    kind = "the embedded store" if settings.redis_url is None else "the store of CROUPIER_REDIS_URL"
    try:
        async with opened(settings) as store:
            spans = await _pings(store)
            keyed = sorted({key.operator for key in await store.operators.every()})
    except EmbeddedStoreError as failure:
        yield Finding("wrong", "store", str(failure))
        return
    except StoreUnavailable as failure:
        yield Finding(
            "wrong",
            "store",
            f"{kind} does not take writes: {failure.detail}",
            f"See that it runs and that {variable('redis_url')} names it; look at its own log.",
        )
        return
    middle = statistics.median(spans)
    slow = middle > _SLOW_MILLISECONDS
    yield Finding(
        "note" if slow else "good",
        "store",
        f"{kind} answers in {middle:.2f} ms ({max(spans):.2f} ms at worst of {_PINGS})",
        "Every change waits for it twice: move it nearer, or give it a faster disk." if slow else "",
    )
    if keyed:
        yield Finding("good", "access", f"operator keys of {', '.join(keyed)} in the store")
    elif settings.open_mode:
        yield Finding("note", "access", "no operator key anywhere: open mode, on this machine only")


async def _pings(store: RedisStore) -> list[float]:
    spans = []
    for _ in range(_PINGS):
        since = time.perf_counter()
        await store.ping()
        spans.append((time.perf_counter() - since) * 1000)
    return spans


async def _server(url: str) -> AsyncIterator[Finding]:
    from croupier.cli.remote import Remote  # noqa: PLC0415

    async with Remote(url) as remote:
        try:
            ready = await remote.raw("/health/ready")
            document = (await remote.raw("/openapi.json")).json()
        except (Unreachable, ValueError) as failure:
            yield Finding(
                "note",
                "server",
                str(failure) or "it does not answer as Croupier does",
                "Start it, or give --url.",
            )
            return
        if ready.status_code != 200:
            yield Finding(
                "wrong",
                "server",
                f"{url} says that it is not ready (HTTP {ready.status_code})",
                "See its log.",
            )
            return
        theirs = document["info"]["version"]
        same = theirs == __version__
        yield Finding(
            "good" if same else "note",
            "server",
            f"{url} is ready, version {theirs}",
            "" if same else f"This program is {__version__}: install the same version for both.",
        )
        skew = abs(_server_time(ready.headers.get("date", "")) - time.time())
        if skew > 5:
            yield Finding(
                "wrong", "clock", f"the server's clock is {skew:.0f} s off this one", "Set both by NTP."
            )


def _server_time(date: str) -> float:
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - for this one header

    return parsedate_to_datetime(date).timestamp() if date else time.time()
