"""What the bots of one run note down: every try, every acknowledged change, and what is not as promised."""

import hashlib
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import quantiles
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request sent; the *status* is 0 where no answer came."""

    began: float
    seconds: float
    status: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """An acknowledged change: what was asked, and the digest of the bytes that were answered."""

    path: str
    body: Json
    token: str | None
    key: str
    status: int
    digest: bytes
    version: int
    settled: tuple[Any, ...] | None
    """Round, deal and nets by seat, where the change settled a round."""
    asked: float
    acknowledged: float


@dataclass(slots=True)
class Match:
    """One session: its credentials and what was acknowledged of it, in order."""

    id: str
    table: str
    seats: list[str]
    timed: bool = False
    """Whether the clock decides, too."""
    receipts: list[Receipt] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.id}"


class Broken(Exception):
    """A promise was broken in a way that leaves a bot nothing to go on with."""


class Journal:
    """Shared by the bots of one run."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.attempts: list[Attempt] = []
        self.matches: list[Match] = []
        self.complaints: list[str] = []
        self.bots = 0
        self._codes: dict[str, int] = defaultdict(int)

    def complain(self, what: str) -> None:
        """Note what must not be; the first hundred do."""
        if len(self.complaints) < 100:
            self.complaints.append(what)

    def refused(self, code: str) -> None:
        """Note a refusal that asks for another try."""
        self._codes[code] += 1

    @property
    def receipts(self) -> Iterable[Receipt]:
        """Every acknowledged change."""
        return (receipt for match in self.matches for receipt in match.receipts)

    def rate(self) -> float:
        """Requests a second, over the whole run."""
        span = max((one.began + one.seconds for one in self.attempts), default=self.began) - self.began
        return len(self.attempts) / span if span else 0.0

    def refusals(self) -> str:
        """How often the bots were told to try again, and how often they were not told anything."""
        silent = sum(1 for one in self.attempts if not one.status)
        told = [f"{count} {code}" for code, count in sorted(self._codes.items())]
        return ", ".join([*told, f"{silent} unanswered"])

    def slowest(self, since: float, until: float, statuses: Iterable[int] | None = None) -> float:
        """The longest that an attempt begun in this time took; *statuses* says which count."""
        wanted = None if statuses is None else set(statuses)
        return max(
            (
                one.seconds
                for one in self.attempts
                if since <= one.began < until and (wanted is None or one.status in wanted)
            ),
            default=0.0,
        )

    def recovery(self, since: float | None = None) -> float:
        """The longest that a change had to wait until it was acknowledged, from *since* on where it is given.

        In seconds, from the first time it was asked for.
        """
        return max(
            (
                one.acknowledged - max(one.asked, since or 0.0)
                for one in self.receipts
                if since is None or one.asked <= since < one.acknowledged
            ),
            default=0.0,
        )

    def p99(self, since: float, until: float) -> float | None:
        """The 99th percentile of what answered attempts begun in this time took; None for fewer than 50."""
        took = [one.seconds for one in self.attempts if since <= one.began < until and one.status]
        return quantiles(took, n=100)[98] if len(took) >= 50 else None


def digest(content: bytes) -> bytes:
    """What an answer is compared by."""
    return hashlib.sha256(content).digest()
