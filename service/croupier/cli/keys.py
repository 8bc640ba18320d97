"""``croupier keys``: make, list and revoke the operator keys in the store."""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table

from croupier.cli.opened import opened
from croupier.cli.system import SystemClock, SystemEntropy
from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ledger import rfc3339
from croupier.sessions.operators import FRESH, KeyStore, OperatorKey, new_key
from croupier.sessions.session import Millis
from croupier.settings import Settings, WrongSetting, operator_name, read
from croupier.store import EmbeddedStoreError

T = TypeVar("T")

_LABEL = 100
_SPAN = re.compile(r"([1-9][0-9]{0,4})([dh])")
_MILLIS = {"d": 86_400_000, "h": 3_600_000}
_LONGEST: Millis = 36_500 * _MILLIS["d"]

app = typer.Typer(
    help="Make, list and revoke operator keys in the store: every server on it takes them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="The operator: letters, digits, - and _.")],
    label: Annotated[str, typer.Option(help="What the key is for.")] = "",
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help="90d, 12h, or a date in UTC like 2030-01-31.")
    ] = None,
) -> None:
    """Make a key for an operator and print it, this once.

    An operator may have several. To rotate one: make another, use it everywhere, revoke the first.
    """
    clock = SystemClock()
    try:
        operator = operator_name(name)
        ends = None if expires is None else expiry(expires, clock.now())
    except ValueError as wrong:
        raise typer.BadParameter(f"must be {wrong}") from None
    if len(label) > _LABEL or not label.isprintable():
        raise typer.BadParameter(f"--label must be at most {_LABEL} characters that can be printed")
    key, kept = new_key(operator, label, ends, clock, SystemEntropy())
    _run(lambda keys: keys.add(kept))
    until = "" if ends is None else f" until {rfc3339(ends)}"
    typer.echo(f"Key {kept.id} of operator {operator} is good{until}. It is shown this once:", err=True)
    typer.echo(key)


@app.command("list")
def listed(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """List the keys in the store: whose they are, since and until when, and when they were last used."""
    now = SystemClock().now()
    rows = [_row(key, now) for key in _run(lambda keys: keys.every())]
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    table = Table("id", "operator", "label", "created", "last used", "expires", box=None, pad_edge=False)
    for row in rows:
        ends = (row["expires_at"] or "never") + (", is expired" if row["expired"] else "")
        created, used = row["created_at"], row["last_used_at"] or "never"
        table.add_row(row["id"], row["operator"], row["label"], created, used, ends)
    width = None if sys.stdout.isatty() else 240
    Console(width=width, highlight=False, markup=False).print(table)


@app.command("revoke")
def revoke(key_id: Annotated[str, typer.Argument(metavar="ID", help="The id of a key.")]) -> None:
    """Revoke a key: within seconds no server takes it any more."""

    async def forgotten(keys: KeyStore) -> tuple[bool, int]:
        return await keys.revoke(key_id), len(await keys.every())

    known, left = _run(forgotten)
    if not known:
        typer.echo(f"croupier: there is no key {key_id}; see croupier keys list", err=True)
        raise typer.Exit(1)
    typer.echo(f"Key {key_id} is revoked; every server refuses it within {FRESH:g} seconds.", err=True)
    if not left:
        typer.echo("It was the last key in the store.", err=True)


def expiry(text: str, now: Millis) -> Millis:
    """When a key ends, told by a number of days or hours or by a date. Raises ``ValueError``."""
    wrong = "--expires 90d or 12h, or a date to come like 2030-01-31"
    if span := _SPAN.fullmatch(text):
        ends = now + int(span[1]) * _MILLIS[span[2]]
    else:
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(wrong) from None
        ends = int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)
    if not now < ends <= now + _LONGEST:
        raise ValueError(wrong)
    return ends


def _row(key: OperatorKey, now: Millis) -> dict[str, Any]:
    return {
        "id": key.id,
        "operator": key.operator,
        "label": key.label,
        "created_at": rfc3339(key.created_at),
        "last_used_at": None if key.used_at is None else rfc3339(key.used_at),
        "expires_at": None if key.expires_at is None else rfc3339(key.expires_at),
        "expired": key.expired(now),
    }


def _run(use: Callable[[KeyStore], Awaitable[T]]) -> T:
    """What *use* makes of the keys in the settings' store; exits with 2 where there is none."""

    async def used(settings: Settings) -> T:
        async with opened(settings) as store:
            return await use(store.operators)

    try:
        return asyncio.run(used(read()))
    except (WrongSetting, EmbeddedStoreError, StoreUnavailable) as reason:
        typer.echo(f"croupier: {reason}", err=True)
        raise typer.Exit(2) from None
