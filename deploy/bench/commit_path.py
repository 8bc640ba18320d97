"""``deal`` and ``decide`` over HTTP beside the bare handler: throughput, latency, processor time.

One worker of each, on a store of its own, 32 connections, in turns: a round of ours, a round of theirs. Each
round gives one ratio; the figure is the median of them.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

import load
import processes
import traffic
from figures import Figure
from load import Speaker
from processes import Places, Server

from croupier.store.embedded import Durability

CONNECTIONS = 32
_WARM_UP = 1.5
_GROUPS: dict[Durability, str] = {
    "memory": "deal + decide, store in memory",
    "everysec": "deal + decide, store written every second",
    "always": "deal + decide, store with fsync at every write",
}
_BARE = "bare Litestar handler"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a stored state, and of an answer on average: what the bare handler gets too."""

    state: int
    answer: int


@dataclass(slots=True)
class _Side:
    """One of the two, and what its rounds found."""

    server: Server
    speakers: Sequence[Speaker]
    rounds: list[load.Round]
    work: list[float]

    def play(self, generator: int | None, seconds: float) -> None:
        before = self.server.seconds()
        with processes.on_core(generator):
            found = load.run(self.server.port, self.speakers, seconds)
        after = self.server.seconds()
        self.rounds.append(found)
        if before is not None and after is not None:
            self.work.append((after - before) / len(found.latencies) * 1e6)


def measure(
    durability: Durability,
    places: Places | None,
    sizes: Sizes,
    *,
    rounds: int,
    seconds: float,
    keys: bool = False,
    target: float | None = None,
) -> list[Figure]:
    """Requests a second, their latencies and their processor time, ours beside the bare handler's."""
    server, generator = (places.server, places.generator) if places else (None, None)
    with ExitStack() as running:
        url = running.enter_context(processes.store(durability, places.store if places else None))
        ours = running.enter_context(processes.croupier(url, server))
        theirs = running.enter_context(processes.reference(url, server, sizes.state, sizes.answer))
        ids = [f"{number:022}" for number in range(CONNECTIONS)]
        sides = (
            _side(ours, lambda one: traffic.matches(ours.host, one, keys=keys), ids),
            _side(theirs, lambda one: traffic.bare(theirs.host, one), ids),
        )
        for side in sides:
            load.run(side.server.port, side.speakers, _WARM_UP)
        for _ in range(rounds):
            for side in sides:
                side.play(generator, seconds)
    name = _GROUPS[durability] + (", with Idempotency-Key" if keys else "")
    return _figures(name, *sides, target, brief=keys)


def _side(server: Server, talk: Callable[[str], load.Conversation], ids: Sequence[str]) -> _Side:
    return _Side(server, [Speaker(talk(one)) for one in ids], [], [])


def _figures(group: str, ours: _Side, theirs: _Side, target: float | None, *, brief: bool) -> list[Figure]:
    def beside(
        name: str, unit: str, value: Callable[[load.Round], float], goal: float | None = None
    ) -> Figure:
        a, b = [value(one) for one in ours.rounds], [value(one) for one in theirs.rounds]
        ratio = median(x / y for x, y in zip(a, b, strict=True))
        return Figure(group, name, median(a), unit, _BARE, median(b), ratio, goal)

    found = [beside("requests", "req/s", lambda one: one.rate, target)]
    if not brief:
        found.append(beside("p50, all connections busy", "ms", lambda one: one.percentiles[0]))
        found.append(beside("p99, all connections busy", "ms", lambda one: one.percentiles[1]))
    if ours.work:
        mine, yours = median(ours.work), median(theirs.work)
        found.append(
            Figure(group, "processor time of the worker", mine, "µs/req", _BARE, yours, mine / yours)
        )
    if brief:
        return found
    busy = median(one.busy for one in ours.rounds) * 100
    there = median(one.busy for one in theirs.rounds) * 100
    found.append(Figure(group, "generator busy", busy, "%", _BARE, there))
    return found


def ceiling(places: Places | None, answer_bytes: int, busiest: float, seconds: float) -> Figure:
    """What the generator can do against a socket that answers at once; the ratio to its *busiest* use."""
    with processes.echo(places.server if places else None, answer_bytes) as server:
        request = load.post(server.host, "/", traffic.CALL)
        speakers = [Speaker(traffic.same(request)) for _ in range(CONNECTIONS)]
        with processes.on_core(places.generator if places else None):
            rate = load.run(server.port, speakers, seconds).rate
    return Figure(
        "load generator", "against a socket that answers at once", rate, "req/s", "the most it was asked for",
        busiest, rate / busiest, target=2.0,
    )  # fmt: skip
