"""What a fault is tried on, and what came of it."""

import asyncio
import contextlib
import os
import re
import secrets
import subprocess
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from faults.audit import audited
from faults.journal import Journal
from serving import CROUPIER, Server, Start, servers
from store.topologies import Node

_VERIFIED = re.compile(r"(\d+) sessions, \d+ rounds: nothing wrong")


@dataclass(slots=True)
class Row:
    """One line of the table."""

    fault: str
    load: str
    acknowledged: int
    lost: int
    doubled: int
    ledgers: str
    """How many ledgers were verified, or what ``croupier verify`` said instead."""
    recovery: float | None
    """Seconds from the fault, or from its end, until the last request that met it was acknowledged."""
    notes: str
    complaints: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether everything is as promised."""
        return not (self.complaints or self.lost or self.doubled) and self.ledgers.isdigit()


@dataclass(frozen=True, slots=True)
class Ground:
    """A folder of its own for one run, and the servers started in it."""

    folder: Path
    start: Start

    @classmethod
    @contextlib.contextmanager
    def taken(cls, folder: Path) -> Iterator["Ground"]:
        """The ground in an empty *folder*; what is left running at the end is killed."""
        with servers(folder) as start:
            yield cls(folder, start)

    @contextlib.contextmanager
    def store(self, *flags: str) -> Iterator[Node]:
        """A Valkey of its own, which keeps everything at once."""
        node = Node(self.folder / "store", *flags, durable=True)
        node.start()
        try:
            yield node
        finally:
            node.kill()


def elsewhere(url: str) -> dict[str, str]:
    """The settings of servers on the store at *url*."""
    return {"CROUPIER_REDIS_URL": url, "CROUPIER_SECRET_KEYS": secrets.token_hex(32)}


async def concluded(
    fault: str,
    journal: Journal,
    server: Server,
    environment: dict[str, str] | None = None,
    *,
    recovery: float | None,
    notes: str = "",
    timed: bool = False,
    replays: int = 2000,
) -> Row:
    """Audit what was played, verify every ledger, and sum it up.

    *timed*: the clock has to have decided, too.
    """
    found = await audited(server.url, journal, replays=replays)
    if not found.acknowledged:
        journal.complain("nothing was acknowledged")
    if timed and not found.by_clock:
        journal.complain("the clock never decided")
    if "Traceback" in server.errors.read_text():
        journal.complain(f"the server's log shows a mistake: {server.errors.read_text()[-2000:]}")
    ledgers = await asyncio.to_thread(_verified, server, environment or {})
    return Row(
        fault,
        f"{journal.bots} bots, {journal.rate():.0f}/s",
        found.acknowledged,
        found.lost,
        found.doubled,
        ledgers,
        recovery,
        "; ".join(
            part
            for part in (journal.refusals(), f"{found.by_clock} changes by the clock" if timed else "", notes)
            if part
        ),
        journal.complaints,
    )


def _verified(server: Server, environment: dict[str, str]) -> str:
    """What ``croupier verify --all`` says of the store of *server*."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    said = subprocess.run(
        [CROUPIER, "verify", "--all"],
        env={**bare, "CROUPIER_DATA": str(server.data), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    found = _VERIFIED.search(said.stdout)
    return found[1] if found and said.returncode == 0 else (said.stdout + said.stderr)[-500:]


Scenario: TypeAlias = Callable[[Ground], Coroutine[Any, Any, Row]]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in two lengths: *short* takes some seconds, *full* is what was promised to be shown."""

    name: str
    short: Scenario
    full: Scenario
