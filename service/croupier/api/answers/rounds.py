"""Rounds, and how they were settled."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from pydantic import Field, RootModel

from croupier.api.answers.base import Amount, Answered, Board, Digest, Hand, Hole, Natural, Number, Time
from croupier.rules.actions import LegalAllIn, LegalBet, LegalCall, LegalPlay, LegalRaise
from croupier.rules.game import BetName, Outcome
from croupier.rules.registry import GAMES


class SettledBet(Answered):
    """One settled bet: `net` is `returned` less `staked`."""

    bet: Annotated[BetName, Field(title="BetName")]
    staked: Amount
    returned: Natural
    net: int
    outcome: Annotated[Outcome, Field(title="Outcome")]
    odds: str | None


class SeatSettlement(Answered):
    """What one dealt-in seat got."""

    seat: Number
    hand: Hand | None
    bets: list[SettledBet]
    net: int


class DealerSettlement(Answered):
    """The dealer's side; nulls where its hand was not opened."""

    qualified: bool | None
    hand: Hand | None


class PotShare(Answered):
    """What one winner takes from a pot."""

    seat: Number
    amount: Amount


class SettledPot(Answered):
    """A pot, who could win it and who did."""

    amount: Amount
    seats: list[Number]
    winners: list[PotShare]


class HouseSettlement(Answered):
    """A settled round against the dealer. All nets and `house_net` (and `jackpot_net`) sum to 0."""

    seats: list[SeatSettlement]
    dealer: DealerSettlement
    house_net: int
    jackpot_net: int | None = None


class NoLimitSettlement(Answered):
    """A settled hand between seats; the nets sum to 0."""

    seats: list[SeatSettlement]
    pots: list[SettledPot]
    house_net: int


# ── Rounds ───────────────────────────────────────────────────────────────────────────────────────────────

HouseStage = Annotated[Literal["preflop", "flop", "river", "settled", "voided"], Field(title="HouseStage")]
NoLimitStage = Annotated[
    Literal["preflop", "flop", "turn", "river", "settled", "voided"], Field(title="NoLimitStage")
]
HouseSeatState = Annotated[
    Literal["deciding", "waiting", "done", "folded", "sitting_out"], Field(title="HouseSeatState")
]
NoLimitSeatState = Annotated[
    Literal["deciding", "waiting", "done", "all_in", "folded", "sitting_out"], Field(title="NoLimitSeatState")
]


class LegalFold(Answered):
    """A fold."""

    type: Literal["fold"]


class LegalCheck(Answered):
    """A check."""

    type: Literal["check"]


LegalAction: TypeAlias = Annotated[
    LegalFold | LegalCheck | LegalCall | LegalAllIn | LegalBet | LegalRaise | LegalPlay,
    Field(title="LegalAction", discriminator="type"),
]


class Proof(Answered):
    """What makes the shuffle checkable; `server_seed` is null until it is revealed."""

    commitment: Digest
    client_seed: str
    server_seed: Digest | None
    scripted: bool


class HouseSeat(Answered):
    """One seat of a round against the dealer; `hole` is null where the caller may not see it."""

    seat: Number
    hole: Hole | None
    bets: dict[str, Amount]
    state: HouseSeatState


class NoLimitSeat(Answered):
    """One seat of a hand; `bets` is always empty, the chips are `street_bet` and `stack`."""

    seat: Number
    hole: Hole | None
    bets: dict[str, Amount]
    state: NoLimitSeatState
    street_bet: Amount
    stack: Amount


class Dealer(Answered):
    """The dealer; nulls while hidden."""

    hole: Hole | None
    hand: Hand | None


class Pot(Answered):
    """A pot as it stands and the seats that may win it."""

    amount: Amount
    seats: list[Number]


class Voided(Answered):
    """Why and when a round was voided."""

    reason: str
    at: Time


class _Round(Answered):
    number: Number
    deal: Number
    version: Number
    board: Board
    to_act: list[Number]
    legal_actions: list[LegalAction]
    deadline: Time | None
    next_commitment: Digest | None
    fairness: Proof
    clocked: Annotated[
        list[Number] | None, Field(description="Seats that the clock decided for, one entry a decision.")
    ] = None
    void: Voided | None = None


if TYPE_CHECKING:
    _HouseGame: TypeAlias = str
    _NoLimitGame: TypeAlias = str
else:
    _HouseGame = Literal[tuple(name for name, game in GAMES.items() if not game.private_seeds)]
    _NoLimitGame = Literal[tuple(name for name, game in GAMES.items() if game.private_seeds)]


class HouseRound(_Round):
    """A round against the dealer, as the caller may see it."""

    game: _HouseGame
    stage: HouseStage
    seats: list[HouseSeat]
    dealer: Dealer
    settlement: HouseSettlement | None


class NoLimitRound(_Round):
    """A hand of no-limit, as the caller may see it."""

    game: _NoLimitGame
    stage: NoLimitStage
    seats: list[NoLimitSeat]
    button: Number
    current_bet: Amount
    pots: list[Pot]
    settlement: NoLimitSettlement | None


class Round(RootModel[Annotated[HouseRound | NoLimitRound, Field(discriminator="game")]]):
    """A round, as the caller may see it: of a house game with its `dealer`, of no-limit with its `button`."""


class Rounds(Answered):
    """A page of round records, oldest first."""

    rounds: list[Round]
    next_after: int | None
