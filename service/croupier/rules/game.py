"""What a game is: four pure functions over frozen dataclasses, and the words they share.

A game never sees a clock, a seed or a request. It gets a deck and a table, and answers with a new value
(:class:`Transition`) or raises a :class:`RuleViolation`. Amounts are integers in the smallest unit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from croupier.rules.actions import Action, LegalAction
from croupier.rules.cards import Card
from croupier.rules.hands import Hand

MAX_AMOUNT = 10**12

# ── What a round does to the accounts ────────────────────────────────────────────────────────────────────

BetName: TypeAlias = Literal["ante", "call", "blind", "play", "trips", "hole_card_bonus", "pots"]
Outcome: TypeAlias = Literal["win", "lose", "push"]


@dataclass(frozen=True, slots=True)
class Posting:
    """One settled bet of one seat: what it staked, what came back, and the odds it was paid at, if any."""

    seat: int
    bet: BetName
    staked: int
    returned: int
    odds: str | None = None

    @property
    def net(self) -> int:
        """``returned - staked``."""
        return self.returned - self.staked

    @property
    def outcome(self) -> Outcome:
        """By the sign of the net."""
        return "win" if self.net > 0 else "lose" if self.net < 0 else "push"


@dataclass(frozen=True, slots=True)
class SeatSettlement:
    """What one dealt-in seat got: its best hand where it was compared, and a posting a bet it made."""

    seat: int
    hand: Hand | None
    bets: tuple[Posting, ...]

    @property
    def net(self) -> int:
        """The sum of the bets' nets."""
        return sum(posting.net for posting in self.bets)


@dataclass(frozen=True, slots=True)
class DealerSettlement:
    """The dealer's side of a house game; both are None when the dealer's hand was not opened."""

    qualified: bool | None
    hand: Hand | None


@dataclass(frozen=True, slots=True)
class PotShare:
    """What one winner takes from one pot."""

    seat: int
    amount: int


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot, the seats that may win it, and, once settled, who did."""

    amount: int
    seats: tuple[int, ...]
    winners: tuple[PotShare, ...] = ()


@dataclass(frozen=True, slots=True)
class Settlement:
    """A settled round: a row for exactly the seats that were dealt in, in seat order.

    ``jackpot_net`` is by how many whole units the operator's meter grew (None where no progressive bet is
    offered); its fraction of a unit stays with the house until it is whole.
    """

    seats: tuple[SeatSettlement, ...]
    dealer: DealerSettlement | None = None
    pots: tuple[Pot, ...] | None = None
    jackpot_net: int | None = None

    @property
    def house_net(self) -> int:
        """The house's side: with the seats' nets and ``jackpot_net`` it sums to zero."""
        return -sum(row.net for row in self.seats) - (self.jackpot_net or 0)


# ── The table and the round ──────────────────────────────────────────────────────────────────────────────

SeatState: TypeAlias = Literal["deciding", "waiting", "done", "all_in", "folded"]


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat that wants to be dealt in, between rounds. ``stack`` is None in the house games."""

    seat: int
    stack: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Who is dealt into a round: seats in seat order, their stacks and the button where the game has them."""

    seats: tuple[int, ...]
    stacks: tuple[int, ...] | None = None
    button: int | None = None


@dataclass(frozen=True, slots=True)
class SideBets:
    """The optional bets that one seat makes with the deal; 0 is none."""

    seat: int
    trips: int = 0
    hole_card_bonus: int = 0


@dataclass(frozen=True, slots=True)
class Meter:
    """An operator's progressive meter as it stands, in hundredths of a unit, and its settings.

    ``contribution`` is in hundredths of the stake (5: five per cent). ``seed_amount`` and ``stake`` are
    whole units.
    """

    hundredths: int
    contribution: int = 5
    seed_amount: int = 1000
    stake: int = 1


State = TypeVar("State")
Options = TypeVar("Options")


class Transition(NamedTuple, Generic[State]):
    """What a pure step gives: the new state, the settlement it reached if it ended the round, and the
    operator's meter afterwards, in hundredths (None where the step did not touch it).

    A named tuple, because one is made at every step.
    """

    state: State
    settlement: Settlement | None = None
    meter: int | None = None


# ── What a caller may know of a round ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class SeatView:
    """One dealt-in seat. ``hole`` is None where the viewer may not see it; ``bets`` maps bets to stakes.

    ``stack`` and ``street_bet`` are no-limit's.
    """

    seat: int
    hole: tuple[Card, ...] | None
    state: SeatState
    bets: Mapping[str, int] = field(default_factory=dict)
    stack: int | None = None
    street_bet: int | None = None


@dataclass(frozen=True, slots=True)
class DealerView:
    """The dealer of a house game; each part None while hidden."""

    hole: tuple[Card, ...] | None
    hand: Hand | None


@dataclass(frozen=True, slots=True)
class BettingView:
    """What no-limit adds: the button, the bet to match, and the pots as they stand."""

    button: int
    current_bet: int
    pots: tuple[Pot, ...]


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round as one seat, or a bystander, may know it. ``legal_actions`` are the viewer's own."""

    stage: str
    board: tuple[Card, ...]
    seats: tuple[SeatView, ...]
    to_act: tuple[int, ...]
    legal_actions: tuple[LegalAction, ...]
    settlement: Settlement | None
    dealer: DealerView | None = None
    betting: BettingView | None = None


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────


class RuleViolation(Exception):
    """The rules refuse; nothing has changed.

    RuleViolation
    ├── InvalidOption     an option, or a bet made with the deal, that the game cannot take
    ├── NotEnoughSeats    nobody (no-limit: fewer than two) to deal in
    ├── NotYourTurn       the seat has nothing to decide now
    └── IllegalAction     well formed, but not legal now
    """


class InvalidOption(RuleViolation):
    """*field* (a path such as ``ante`` or ``stacks/2``) cannot have this value; *reason* says why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class NotEnoughSeats(RuleViolation):
    """Fewer seats want cards, or can pay for them, than the game needs."""


class NotYourTurn(RuleViolation):
    """*seat* has nothing to decide now; *to_act* are the seats that have."""

    def __init__(self, seat: int, to_act: tuple[int, ...]) -> None:
        super().__init__(f"seat {seat} is not in turn")
        self.seat = seat
        self.to_act = to_act


class IllegalAction(RuleViolation):
    """The action is not among *legal*; *reason* says why in a sentence."""

    def __init__(self, reason: str, legal: tuple[LegalAction, ...]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.legal = legal


# ── The game itself ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Finish:
    """A session is over. *result* is ``player``, ``house``, ``tie``, a seat's number, or None."""

    result: str | int | None


class Game(Protocol[Options, State]):
    """One card game. Everything here is pure; *options* is the game's own frozen dataclass.

    A state is immutable and knows all the cards; only :meth:`view` may be shown to anyone.
    """

    name: str
    options: type[Options]
    stages: tuple[str, ...]
    bets: tuple[BetName, ...]
    actions: tuple[str, ...]
    private_seeds: bool
    """Whether server seeds stay secret until the session ends (they would show folded hands)."""

    def chairs(self, options: Options) -> tuple[Chair, ...]:
        """Every seat of a new session, in seat order, with what it brings."""

    def table(self, options: Options, chairs: Sequence[Chair], button_from: int) -> Table:
        """Who of *chairs* is dealt in, and the button: the first of them at or after seat *button_from*.

        Raises :class:`NotEnoughSeats`.
        """

    def deal(
        self,
        options: Options,
        table: Table,
        deck: Sequence[Card],
        side_bets: Sequence[SideBets] = (),
        meter: Meter | None = None,
    ) -> Transition[State]:
        """Deal a round from the top of *deck*. Raises :class:`InvalidOption` for a side bet not on offer."""

    def to_act(self, state: State) -> tuple[int, ...]:
        """The seats that may decide now; empty once settled."""

    def legal_actions(self, state: State, seat: int) -> tuple[LegalAction, ...]:
        """What *seat* may do now; empty when it has nothing to decide."""

    def decide(
        self, state: State, seat: int, action: Action, meter: Meter | None = None
    ) -> Transition[State]:
        """Take *action* for *seat* and pass through every stage that has nobody left to decide.

        Raises :class:`NotYourTurn`, :class:`IllegalAction`. *meter* matters to progressive bets alone.
        """

    def view(self, state: State, seat: int | None) -> RoundView:
        """What *seat*, or with None a bystander, may know."""

    def result(
        self, options: Options, chairs: Sequence[Chair], balances: Sequence[int], rounds: int
    ) -> Finish | None:
        """Whether the session is over after *rounds* counted rounds, and who won it."""
