"""``deal`` and ``decide`` over HTTP beside the bare handler: throughput, latency, processor time.

One worker of each, on a store of its own, 32 connections, in turns.
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
from sides import CONNECTIONS, Side, at_half, compared, in_turns

from croupier.store.embedded import Durability

TARGET = 0.7
"""Of the bare handler's requests a second; 0.5 was the first goal, which the dearer variants are held to."""
FIRST_TARGET = 0.5
_GROUPS: dict[Durability, str] = {
    "memory": "deal + decide, store in memory",
    "everysec": "deal + decide, store written every second",
    "always": "deal + decide, store with fsync at every write",
}
_BARE = "bare Litestar handler"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a stored state, of an answer on average, and of a ledger's page: the bare handlers' too."""

    state: int
    answer: int
    ledger: int


def measure(
    durability: Durability,
    places: Places | None,
    sizes: Sizes,
    *,
    rounds: int,
    seconds: float,
    target: float,
    keys: bool = False,
    hold: float = 0.0,
) -> list[Figure]:
    """Requests a second, their latencies and their processor time, ours beside the bare handler's.

    Besides, with *hold*, our latencies at half of our highest rate, for that many seconds.
    """
    core = places.server if places else None
    with ExitStack() as running:
        url = running.enter_context(processes.store(durability, places.store if places else None))
        ours = running.enter_context(processes.croupier(url, core))
        theirs = running.enter_context(processes.reference(url, core, sizes.state, sizes.answer))
        ids = [f"{number:022}" for number in range(CONNECTIONS)]
        mine = _side(ours, lambda one: traffic.matches(ours.host, one, keys=keys), ids)
        yours = _side(theirs, lambda one: traffic.bare(theirs.host, one), ids)
        in_turns(places, rounds, seconds, mine, yours)
        name = _GROUPS[durability] + (", with Idempotency-Key" if keys else "")
        found = compared(name, mine, yours, _BARE, target, latencies=not keys)
        if not keys:
            busy, there = (median(one.busy for one in side.rounds) * 100 for side in (mine, yours))
            found.append(Figure(name, "generator busy", busy, "%", _BARE, there))
        return found + at_half(name, mine, yours, _BARE, places, hold) if hold else found


def _side(server: Server, talk: Callable[[str], load.Conversation], ids: Sequence[str]) -> Side:
    return Side(server, [Speaker(talk(one)) for one in ids])


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
