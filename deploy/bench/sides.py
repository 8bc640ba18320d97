"""Two servers asked in turns: a round of ours, a round of theirs. Each pair of rounds gives one ratio; the
figure is the median of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

import load
import processes
from figures import Figure
from load import Speaker
from processes import Places, Server

CONNECTIONS = 32
_WARM_UP = 1.5
P99_OF_P50 = 4.0
"""At half of the highest rate the slowest hundredth may take this many times what the middle takes."""


@dataclass(slots=True)
class Side:
    """One of the two, and what its rounds found."""

    server: Server
    speakers: Sequence[Speaker]
    rounds: list[load.Round] = field(default_factory=list)
    work: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Answers a second, of all that could be answered."""
        return median(one.rate for one in self.rounds)

    def warm_up(self) -> None:
        """A round that is not counted."""
        load.run(self.server.port, self.speakers, _WARM_UP)

    def play(self, generator: int | None, seconds: float) -> None:
        """A round of all that can be answered."""
        before = self.server.seconds()
        with processes.on_core(generator):
            found = load.run(self.server.port, self.speakers, seconds)
        after = self.server.seconds()
        self.rounds.append(found)
        if before is not None and after is not None:
            self.work.append((after - before) / len(found.latencies) * 1e6)


def in_turns(places: Places | None, rounds: int, seconds: float, *sides: Side) -> None:
    """Warm every side up, then let them play *rounds* in turns."""
    for side in sides:
        side.warm_up()
    for _ in range(rounds):
        for side in sides:
            side.play(places.generator if places else None, seconds)


def compared(
    group: str,
    ours: Side,
    theirs: Side,
    reference: str,
    target: float | None,
    *,
    latencies: bool = True,
    work: bool = True,
) -> list[Figure]:
    """Requests a second with their *target*, latencies, the worker's processor time; ours beside theirs."""

    def beside(name: str, value: Callable[[load.Round], float], goal: float | None = None) -> Figure:
        a, b = [value(one) for one in ours.rounds], [value(one) for one in theirs.rounds]
        ratio = median(x / y for x, y in zip(a, b, strict=True))
        unit = "ms" if name.startswith("p") else "req/s"
        return Figure(group, name, median(a), unit, reference, median(b), ratio, goal)

    found = [beside("requests", lambda one: one.rate, target)]
    if latencies:
        found.append(beside("p50, all connections busy", lambda one: one.percentiles[0]))
        found.append(beside("p99, all connections busy", lambda one: one.percentiles[1]))
    if work and ours.work and theirs.work:
        mine, yours = median(ours.work), median(theirs.work)
        found.append(
            Figure(group, "processor time of the worker", mine, "µs/req", reference, yours, mine / yours)
        )
    return found


def at_half(
    group: str, ours: Side, theirs: Side, reference: str, places: Places | None, seconds: float
) -> list[Figure]:
    """The latencies of each side at half of the rate that it reached, for so many seconds."""
    (p50, p99), (their_p50, their_p99) = (
        _half(side, places.generator if places else None, seconds) for side in (ours, theirs)
    )
    return [
        Figure(group, f"p50 at half of the most, {seconds:g} s", p50, "ms", reference, their_p50),
        Figure(group, "p99 there", p99, "ms", reference, their_p99),
        Figure(
            group,
            "p99 over p50",
            p99 / p50,
            "times",
            reference,
            their_p99 / their_p50,
            None,
            P99_OF_P50,
            most=True,
        ),
    ]


def _half(side: Side, generator: int | None, seconds: float) -> tuple[float, float]:
    with processes.on_core(generator):
        return load.run(side.server.port, side.speakers, seconds, side.rate / 2).percentiles
