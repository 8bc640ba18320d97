"""What a session is: immutable values. A round is kept as what was put into it, never as what came out.

The table, the seeds and the decisions determine a round wholly, so its cards, its view and its settlement are
computed from them by the rules whenever they are wanted (see :mod:`croupier.sessions.replay`): what is shown,
what was paid and what can be verified cannot drift apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from croupier.rules.actions import Action
from croupier.rules.cards import Card
from croupier.rules.game import Meter, SideBets, Table

Status: TypeAlias = Literal["open", "finished", "closed"]
SeatStatus: TypeAlias = Literal["playing", "sitting_out", "busted", "left"]
DecidedBy: TypeAlias = Literal["seat", "clock", "away"]
Millis: TypeAlias = int
"""Milliseconds since the Unix epoch, UTC."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One action of one seat, and who took it: the seat, the clock, or the table for a seat that is away.

    ``meter`` is the operator's progressive meter as it stood, kept where the decision may have settled on it.
    """

    seat: int
    action: Action
    by: DecidedBy = "seat"
    meter: Meter | None = None


@dataclass(frozen=True, slots=True)
class Void:
    """Why and when a round was voided, and whether it had been settled before."""

    reason: str
    at: Millis
    was_settled: bool


@dataclass(frozen=True, slots=True)
class Round:
    """Everything that was put into one deal of one round.

    ``deal`` counts from 1 and up when a voided round is dealt again. ``script`` is a sandbox's chosen top of
    the deck. ``version`` is the session's at the round's last change. ``away`` are the seats that left or sat
    out while the round was open: their turns are passed until it ends.
    """

    number: int
    deal: int
    table: Table
    server_seed: bytes
    client_seed: str
    dealt_at: Millis
    version: int
    side_bets: tuple[SideBets, ...] = ()
    script: tuple[Card, ...] | None = None
    decisions: tuple[Decision, ...] = ()
    deadline: Millis | None = None
    meter: Meter | None = None
    away: tuple[int, ...] = ()
    settled: bool = False
    void: Void | None = None

    @property
    def open(self) -> bool:
        """Whether somebody still has to decide."""
        return not self.settled and self.void is None


@dataclass(frozen=True, slots=True)
class Totals:
    """One seat's counted rounds; amounts in the smallest unit."""

    rounds: int = 0
    won: int = 0
    lost: int = 0
    tied: int = 0
    staked: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat between rounds. ``balance`` is the net of settled rounds; ``stack`` is no-limit's, else None.

    ``generation`` counts the seat's renewed tokens; ``client_seed`` waits for the next deal.
    """

    seat: int
    status: SeatStatus = "playing"
    balance: int = 0
    stack: int | None = None
    totals: Totals = field(default_factory=Totals)
    generation: int = 0
    client_seed: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """One session at one version.

    ``options`` is the game's own dataclass. ``round`` is the latest dealt round, settled or not.
    ``next_seed`` is the committed server seed of the next deal. ``button_from`` is where the search for the
    next button starts. ``voided`` holds the number of every voided deal, in order. ``stacks_moved``: whether
    a seat left or bought in since the latest deal. ``ledger_length`` and ``ledger_hash`` are the head of the
    hash chain.
    """

    id: str
    operator: str
    game: str
    options: Any
    created_at: Millis
    changed_at: Millis
    next_seed: bytes
    seats: tuple[Seat, ...]
    version: int = 0
    status: Status = "open"
    result: str | int | None = None
    rounds_played: int = 0
    round: Round | None = None
    button_from: int = 1
    voided: tuple[int, ...] = ()
    stacks_moved: bool = False
    house_net: int = 0
    ledger_length: int = 0
    ledger_hash: str = "0" * 64
    metadata: Mapping[str, str] = field(default_factory=dict)
    players: tuple[str, ...] | None = None
    advice: bool = True
    decision_seconds: int | None = None
    sandbox: bool = False

    def position(self, number: int, deal: int) -> int:
        """Where the archive of rounds holds a deal: one place a counted round, one more a voided deal."""
        return number - 1 + sum(1 for voided in self.voided if voided < number) + deal - 1
