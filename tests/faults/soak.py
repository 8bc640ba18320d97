"""Half of what the server can do, for a long time: neither its memory nor its latency grows.

Matches of Casino Hold'em from the benchmark's load generator make the load; bots at all three games play
beside it in spells, each of which is audited at its end.
"""

import asyncio
import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from faults.audit import audited
from faults.bots import crowd
from faults.ground import Ground, Row, concluded
from serving import Server

_BENCH = Path(__file__).parents[2] / "deploy" / "bench"
_CONNECTIONS = 16
_BOTS = 10
_KEPT = "60"
"""Seconds that answers and ended matches are kept, so that the store does not grow either."""
_GROWTH = 1.1
"""Times its size after the warm-up that a worker may have in the end, at most."""
_FLOOR_MILLIS = 25.0
"""What the 99th percentile may take on a busy machine, whatever it was before."""


@dataclass(frozen=True, slots=True)
class _Spell:
    """What was measured in one stretch of load: latencies in milliseconds, and bytes."""

    requests: int
    half: float
    p99: float
    worker: int
    store: int


async def soak(ground: Ground, seconds: float, spells: int, slower: float = 1.5, matches: int = 5000) -> Row:
    """So many seconds at half load, in *spells* between which the server is only audited.

    Before, *matches* are started, more than a worker remembers. The first fifth of the spells warms up; of
    the rest the first third is held against the last, which may be *slower* as many times.
    """
    sys.path.insert(0, str(_BENCH))
    load, traffic = importlib.import_module("load"), importlib.import_module("traffic")
    server = ground.start(CROUPIER_ANSWER_SECONDS=_KEPT, CROUPIER_RETENTION_SECONDS=_KEPT)
    address = urlsplit(server.url)
    speakers = [
        load.Speaker(traffic.matches(address.netloc, f"soak{number}", keys=True))
        for number in range(_CONNECTIONS)
    ]

    starting = [
        load.Speaker(traffic.same(load.post(address.netloc, "/v1/sessions", b'{"game": "casino-holdem"}')))
        for _ in speakers
    ]

    async def loaded(whose: list[Any], length: float, rate: float | None = None) -> Any:
        return await asyncio.to_thread(load.run, address.port, whose, length, rate)

    started = 0
    while started < matches:
        started += len((await loaded(starting, 1.0)).latencies)
    rate = (await loaded(speakers, min(5.0, seconds / 5))).rate / 2
    found: list[_Spell] = []
    acknowledged = 0
    for _ in range(spells):
        async with crowd(server.url, _BOTS) as journal:
            one = await loaded(speakers, seconds / spells, rate)
        acknowledged += (await audited(server.url, journal, replays=200)).acknowledged
        if journal.complaints:
            break
        found.append(_Spell(len(one.latencies), *one.percentiles, *_sizes(server)))
    warm = found[len(found) // 5 :]
    third = max(1, len(warm) // 3)
    early, late = warm[:third], warm[-third:]
    for what, then, now, limit in (
        ("a worker's memory", *_medians("worker", early, late), 0.0),
        ("the latency of half of the requests", *_medians("half", early, late), _FLOOR_MILLIS / 5),
        ("the 99th percentile of latencies", *_medians("p99", early, late), _FLOOR_MILLIS),
    ):
        if now > max(limit, then * (_GROWTH if "memory" in what else slower)):
            journal.complain(f"{what} grew from {then:.4g} to {now:.4g}: {found}")
    row = await concluded(
        f"soak: {seconds / 60:.3g} min at half load",
        journal,
        server,
        recovery=None,
        notes=f"{sum(one.requests for one in found)} requests beside the bots'; "
        + "; ".join(
            f"{what} {then / unit:.1f} then {now / unit:.1f} {sign}"
            for what, sign, unit, (then, now) in (
                ("worker", "MB", 1e6, _medians("worker", early, late)),
                ("store", "MB", 1e6, _medians("store", early, late)),
                ("p50", "ms", 1, _medians("half", early, late)),
                ("p99", "ms", 1, _medians("p99", early, late)),
            )
        ),
    )
    row.acknowledged = acknowledged
    row.load = f"{_CONNECTIONS} connections, {rate:.0f}/s, and {_BOTS} bots"
    return row


def _medians(name: str, early: list[_Spell], late: list[_Spell]) -> tuple[float, float]:
    return median(getattr(one, name) for one in early), median(getattr(one, name) for one in late)


def _sizes(server: Server) -> tuple[int, int]:
    """The resident bytes of the worker and of the store."""
    (worker,) = server.workers()
    store = server.store()
    assert store is not None
    return _resident(worker), _resident(store)


def _resident(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"{pid} has no memory")
