"""What is measured: every metric with its labels, as data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds of the histograms, in seconds; one more bucket has no bound."""

WIDTH = len(BUCKETS) + 2
"""Numbers of a histogram: its buckets, not yet added up, and the sum of what was observed."""

NOWHERE = "none"
"""The operation of a request that reached none: no such path, or refused before."""
STATUSES = (
    *("200", "201", "204", "304"),
    *("400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "429"),
    *("500", "503", "other"),
)
CALLS = (
    *("load", "commit", "ledger", "rounds", "events", "meter", "sessions_of"),
    *("due", "remind", "repair", "ping", "other"),
)
"""Calls to the store; each but ``other`` is one round trip, as a rule."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name without the suffixes of its kind, what it says, its labels and all their values.

    *sparse*: a line is shown only once there is something to count.
    """

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    text: str
    labels: tuple[str, ...] = ()
    values: tuple[Sequence[str], ...] = ()
    sparse: bool = False

    @property
    def width(self) -> int:
        """How many numbers it takes for each choice of labels."""
        return WIDTH if self.kind == "histogram" else 1

    def choices(self) -> Iterator[tuple[str, ...]]:
        """Every choice of its labels' values; the empty one where it has no labels."""
        return product(*self.values)


def metrics(operations: Sequence[str], games: Sequence[str]) -> tuple[Metric, ...]:
    """Everything that is measured, on a server that has these *operations* and *games*."""
    operations = (*operations, NOWHERE)
    return (
        Metric(
            "croupier_requests",
            "counter",
            "Requests that were answered, by operation and HTTP status.",
            ("operation", "status"),
            (operations, STATUSES),
            sparse=True,
        ),
        Metric(
            "croupier_request_seconds",
            "histogram",
            "Seconds from the head of a request to the head of its answer.",
            ("operation",),
            (operations,),
            sparse=True,
        ),
        Metric("croupier_requests_in_work", "gauge", "Requests that are not answered yet."),
        Metric("croupier_replays", "counter", "Requests that got an answer kept for their Idempotency-Key."),
        Metric("croupier_commits", "counter", "Changes that were committed."),
        Metric("croupier_conflicts", "counter", "Commits that lost a race and were tried anew, or refused."),
        Metric(
            "croupier_store_call_seconds",
            "histogram",
            "Seconds that a call to the store took, answered or not.",
            ("call",),
            (CALLS,),
        ),
        Metric("croupier_store_errors", "counter", "Calls that the store failed.", ("call",), (CALLS,)),
        Metric("croupier_sessions_started", "counter", "Sessions started.", ("game",), (games,)),
        Metric("croupier_sessions_ended", "counter", "Sessions finished or closed.", ("game",), (games,)),
        Metric(
            "croupier_rounds_settled", "counter", "Rounds settled, without sandboxes.", ("game",), (games,)
        ),
        Metric("croupier_rounds_voided", "counter", "Rounds voided, without sandboxes.", ("game",), (games,)),
        Metric(
            "croupier_house_won_units",
            "counter",
            "What rounds won for the house, in units, without sandboxes. Its net is this less what it lost.",
            ("game",),
            (games,),
        ),
        Metric(
            "croupier_house_lost_units",
            "counter",
            "What rounds cost the house, in units, without sandboxes.",
            ("game",),
            (games,),
        ),
        Metric("croupier_event_streams", "gauge", "Event streams that are open."),
        Metric("croupier_odds_waiting", "gauge", "Questions at the odds' threads, answered one by one."),
        Metric("croupier_worker_starts", "counter", "Starts of worker processes."),
    )
