"""The clock of the machine is set back and forth under tables with deadlines."""

import asyncio
import itertools
import struct
import sys
import time
from pathlib import Path

from croupier.store import EmbeddedStore, connect
from croupier.store.embedded import secret
from faults.bots import Manner, crowd
from faults.ground import Ground, Row, concluded
from faults.journal import Journal
from serving import Server

SECONDS = 1
"""To decide in."""
PATIENCE = 45.0
"""Seconds in which every seat of every street has let its time pass, one after the other."""
JUMPS = (0, -3600, 0, -5, 0, 2, 0, -86_400, -86_390, 0)
"""By how many seconds the clock is off, in turn."""
_TABLES = tuple(
    {"game": "no-limit-holdem", "seats": seats, "buy_in": 1000, "decision_seconds": SECONDS}
    for seats in (2, 3)
)
_CLOCKED = Path(__file__).with_name("clocked.py")


async def clock_set(ground: Ground, jumps: int, bots: int = 50) -> Row:
    """Set the clock as many times; some seats decide, some leave it to the clock."""
    file = ground.folder / "clock"
    file.write_bytes(struct.pack("<q", 0))
    server = ground.start("--workers", "2", command=(sys.executable, _CLOCKED, file, "serve"))

    def turn(seconds: int) -> None:
        with file.open("r+b") as clock:
            clock.write(struct.pack("<q", seconds * 1_000_000_000))

    async with crowd(server.url, bots, Manner(starts=_TABLES, dozes=0.15)) as journal:
        await asyncio.sleep(1)
        for jump in itertools.islice(itertools.cycle(JUMPS), 1, jumps + 1):
            await asyncio.to_thread(turn, jump)
            await asyncio.sleep(1.2)
        turn(0)
        await asyncio.sleep(1)
    # Nobody asks for anything now: whatever is left of the open hands is for the clock to decide by itself.
    stopped = time.monotonic()
    await _all_settled(server, journal)
    return await concluded(
        f"clock set {jumps} times, tables with a clock",
        journal,
        server,
        timed=True,
        recovery=time.monotonic() - stopped,
    )


async def _all_settled(server: Server, journal: Journal) -> None:
    """Wait until no hand is open, by looking into the store: who asks the server has it look at the clock."""
    store = connect(EmbeddedStore(server.data).url, (secret(server.data),))
    open_hands = {match.id for match in journal.matches}
    deadline = time.monotonic() + PATIENCE
    try:
        while open_hands and time.monotonic() < deadline:
            await asyncio.sleep(0.5)
            for session_id in list(open_hands):
                session = (await store.load(session_id)).session
                if session is None or session.round is None or not session.round.open:
                    open_hands.discard(session_id)
    finally:
        await store.close()
    if open_hands:
        journal.complain(f"the clock forgot {open_hands}")
