"""``croupier verify``: sessions audited against the rules, whole or one by one."""

import asyncio
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from croupier.cli.opened import opened
from croupier.sessions.audit import findings
from croupier.sessions.errors import StoreUnavailable, Unreadable
from croupier.settings import WrongSetting, read
from croupier.store import EmbeddedStoreError, RedisStore

_ATTEMPTS = 5
"""How often a session that is played on while it is read is read again."""
_GONE = ["there is no such session"]


def verify(
    sessions: Annotated[list[str] | None, typer.Argument(help="Ids of sessions.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Every session in the store.")] = False,
) -> None:
    """Deal and settle every round again, and check each ledger's hashes, payouts and sums.

    Finds its store and its secrets as `croupier serve` does. Prints a line a session that is not right, and a
    closing count. Exits with 1 if any is not.
    """
    if not sessions and not every:
        raise typer.BadParameter("name sessions, or give --all")
    try:
        wrong = asyncio.run(_verify(sessions or [], every=every))
    except WrongSetting as reason:
        typer.echo(f"croupier: {reason}", err=True)
        raise typer.Exit(2) from None
    except (EmbeddedStoreError, StoreUnavailable) as reason:
        typer.echo(f"croupier: {reason}", err=True)
        raise typer.Exit(2) from None
    if wrong:
        raise typer.Exit(1)


async def _verify(named: list[str], *, every: bool) -> int:
    console = Console(width=None if sys.stdout.isatty() else 240, highlight=False, markup=False)
    count = wrong = rounds = 0
    async with opened(read()) as store:
        ids = [one async for one in store.every_session()] if every else named
        with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
            for session_id in progress.track(ids, description="Verifying"):
                found, played = await _audit(store, session_id)
                if every and found is _GONE:
                    continue  # deleted, at the end of its retention, since it was listed
                count, rounds, wrong = count + 1, rounds + played, wrong + bool(found)
                for what in found:
                    console.print(f"{session_id}: {what}", soft_wrap=True)
    console.print(f"{count} sessions, {rounds} rounds: {wrong or 'nothing'} wrong")
    return wrong


async def _audit(store: RedisStore, session_id: str) -> tuple[list[str], int]:
    """The findings of one session, and how many deals it has archived."""
    try:
        for _ in range(_ATTEMPTS):
            session = (await store.load(session_id)).session
            if session is None:
                return _GONE, 0
            entries = await store.ledger(session_id, 0, session.ledger_length)
            archived = session.rounds_played + len(session.voided)
            rounds = await store.rounds(session_id, 0, archived)
            again = (await store.load(session_id)).session
            if again is not None and again.version == session.version:
                return findings(session, entries, rounds), len(rounds)
    except Unreadable as broken:
        return [str(broken)], 0
    return ["it is played on too fast to be read whole; try again"], 0
