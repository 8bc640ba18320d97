"""Casino Hold'em: one seat against the dealer, one decision a round.

The seat antes, sees its two cards and the flop, and folds or calls with twice the ante. The dealer's hand
has to qualify; each bet is settled on its own, as the base profile of seeds 000, 001 and 004 has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from croupier.rules.actions import Action, Call, Fold, LegalAction, LegalCall
from croupier.rules.cards import Card, cards
from croupier.rules.game import (
    MAX_AMOUNT,
    BetName,
    Chair,
    DealerSettlement,
    DealerView,
    Finish,
    IllegalAction,
    InvalidOption,
    Meter,
    NotEnoughSeats,
    NotYourTurn,
    Posting,
    RoundView,
    SeatSettlement,
    SeatView,
    Settlement,
    SideBets,
    Table,
    Transition,
)
from croupier.rules.hands import Hand, best_hand, strength
from croupier.rules.options import Between, check_limits
from croupier.rules.postings import lose, push, win
from croupier.rules.tables import CASINO_HOLDEM_ANTE, EVEN

CALL_MULTIPLE = 2
"""The call, in antes."""

QUALIFYING_STRENGTH = strength(cards("4c 4d 5h 3s 2c"))
"""The dealer's weakest hand that qualifies: a pair of fours with the worst of kickers."""


@dataclass(frozen=True, slots=True)
class CasinoHoldemOptions:
    """What a session fixes; raises :class:`InvalidOption`.

    The limits keep what one round can return (a royal flush: 105 antes) within 10^12, and the sums of a whole
    session below 2^53, which every reader of JSON holds exactly.
    """

    ante: Annotated[int, Between(1, MAX_AMOUNT // 200)] = 1
    rounds: Annotated[int, Between(1, 10_000)] = 20

    def __post_init__(self) -> None:
        check_limits(self)


# ── A round ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Dealt:
    """What every phase knows: the ante and the whole deal."""

    stage: ClassVar[str]

    seat: int
    ante: int
    hole: tuple[Card, ...]
    dealer: tuple[Card, ...]
    board: tuple[Card, ...]

    @property
    def call(self) -> int:
        """What calling costs."""
        return CALL_MULTIPLE * self.ante


@dataclass(frozen=True, slots=True)
class Flop(_Dealt):
    """Hole cards and flop dealt; fold or call."""

    stage: ClassVar[str] = "flop"


@dataclass(frozen=True, slots=True)
class Folded(_Dealt):
    """The seat has given up its ante; no further card is opened."""

    stage: ClassVar[str] = "settled"

    settlement: Settlement


@dataclass(frozen=True, slots=True)
class Showdown(_Dealt):
    """The seat has called, every card is open, and both bets are settled."""

    stage: ClassVar[str] = "settled"

    dealer_hand: Hand
    settlement: Settlement


CasinoHoldemState: TypeAlias = Flop | Folded | Showdown


class CasinoHoldem:
    """The game, as :class:`croupier.rules.game.Game` asks for it."""

    name: str = "casino-holdem"
    options: type[CasinoHoldemOptions] = CasinoHoldemOptions
    stages: tuple[str, ...] = (Flop.stage, Showdown.stage)
    bets: tuple[BetName, ...] = ("ante", "call")
    actions: tuple[str, ...] = ("fold", "call")
    private_seeds: bool = False

    def chairs(self, options: CasinoHoldemOptions) -> tuple[Chair, ...]:
        """The one seat."""
        return (Chair(1),)

    def table(self, options: CasinoHoldemOptions, chairs: Sequence[Chair], button_from: int) -> Table:
        """The one seat, if it is there: a house game has no button. Raises :class:`NotEnoughSeats`."""
        if not chairs:
            raise NotEnoughSeats("There is nobody to deal in.")
        return Table(tuple(chair.seat for chair in chairs))

    def deal(
        self,
        options: CasinoHoldemOptions,
        table: Table,
        deck: Sequence[Card],
        side_bets: Sequence[SideBets] = (),
        meter: Meter | None = None,
    ) -> Transition[CasinoHoldemState]:
        """Deal the seat two cards, the dealer two, the board five.

        Raises :class:`InvalidOption` with a path such as ``bets/0/trips`` for any side bet.
        """
        _refuse_side_bets(table, side_bets)
        (seat,) = table.seats
        return Transition(Flop(seat, options.ante, tuple(deck[:2]), tuple(deck[2:4]), tuple(deck[4:9])))

    def to_act(self, state: CasinoHoldemState) -> tuple[int, ...]:
        """The seat, until it has decided."""
        return (state.seat,) if isinstance(state, Flop) else ()

    def legal_actions(self, state: CasinoHoldemState, seat: int) -> tuple[LegalAction, ...]:
        """Fold or call; empty when *seat* has nothing to decide."""
        return (Fold(), LegalCall(state.call)) if seat in self.to_act(state) else ()

    def decide(
        self, state: CasinoHoldemState, seat: int, action: Action, meter: Meter | None = None
    ) -> Transition[CasinoHoldemState]:
        """Take the seat's one decision and settle. Raises :class:`NotYourTurn`, :class:`IllegalAction`."""
        if not isinstance(state, Flop) or seat != state.seat:
            raise NotYourTurn(seat, self.to_act(state))
        match action:
            case Fold():
                return _fold(state)
            case Call():
                return _showdown(state)
            case _:
                raise IllegalAction(
                    f"casino hold'em is played by fold or call, not {action.type}",
                    self.legal_actions(state, seat),
                )

    def view(self, state: CasinoHoldemState, seat: int | None) -> RoundView:
        """What *seat*, or with None a bystander, may know.

        The seat's cards are its own until the round is settled. The dealer's cards, the turn and the river
        are shown after a call alone.
        """
        match state:
            case Showdown():
                board, dealer = state.board, DealerView(state.dealer, state.dealer_hand)
            case Flop() | Folded():
                board, dealer = state.board[:3], DealerView(None, None)
        return RoundView(
            stage=state.stage,
            board=board,
            seats=(_seat_view(state, seat),),
            to_act=self.to_act(state),
            legal_actions=() if seat is None else self.legal_actions(state, seat),
            settlement=None if isinstance(state, Flop) else state.settlement,
            dealer=dealer,
        )

    def result(
        self, options: CasinoHoldemOptions, chairs: Sequence[Chair], balances: Sequence[int], rounds: int
    ) -> Finish | None:
        """Over after the agreed number of rounds, won by the sign of the seat's balance."""
        if rounds < options.rounds:
            return None
        balance = sum(balances)
        return Finish("player" if balance > 0 else "house" if balance < 0 else "tie")


# ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────


def _refuse_side_bets(table: Table, side_bets: Sequence[SideBets]) -> None:
    for index, bets in enumerate(side_bets):
        if index or bets.seat not in table.seats:
            raise InvalidOption(f"bets/{index}/seat", "may only name the one seat dealt in, and once")
        for name, stake in (("trips", bets.trips), ("hole_card_bonus", bets.hole_card_bonus)):
            if stake:
                raise InvalidOption(f"bets/{index}/{name}", "casino hold'em has no side bets")


def _fold(state: Flop) -> Transition[CasinoHoldemState]:
    lost = lose(state.seat, "ante", state.ante)
    settlement = Settlement((SeatSettlement(state.seat, None, (lost,)),), DealerSettlement(None, None))
    folded = Folded(state.seat, state.ante, state.hole, state.dealer, state.board, settlement)
    return Transition(folded, settlement)


def _showdown(state: Flop) -> Transition[CasinoHoldemState]:
    hand, dealer = best_hand(state.hole + state.board), best_hand(state.dealer + state.board)
    qualified = dealer.strength >= QUALIFYING_STRENGTH
    settlement = Settlement(
        (SeatSettlement(state.seat, hand, _bets(state, hand, dealer, qualified)),),
        DealerSettlement(qualified, dealer),
    )
    shown = Showdown(state.seat, state.ante, state.hole, state.dealer, state.board, dealer, settlement)
    return Transition(shown, settlement)


def _bets(state: Flop, hand: Hand, dealer: Hand, qualified: bool) -> tuple[Posting, Posting]:
    """The ante and the call. Only a bet that wins has odds: those it was paid at."""
    seat, ante, call = state.seat, state.ante, state.call
    ante_odds = CASINO_HOLDEM_ANTE[hand.category]
    if not qualified:
        return win(seat, "ante", ante, ante_odds), push(seat, "call", call)
    if hand.strength > dealer.strength:
        return win(seat, "ante", ante, ante_odds), win(seat, "call", call, EVEN)
    if hand.strength == dealer.strength:
        return push(seat, "ante", ante), push(seat, "call", call)
    return lose(seat, "ante", ante), lose(seat, "call", call)


# ── Sight ────────────────────────────────────────────────────────────────────────────────────────────────


def _seat_view(state: CasinoHoldemState, viewer: int | None) -> SeatView:
    bets = {"ante": state.ante}
    match state:
        case Flop():
            return SeatView(state.seat, state.hole if viewer == state.seat else None, "deciding", bets)
        case Folded():
            return SeatView(state.seat, state.hole, "folded", bets)
        case Showdown():
            return SeatView(state.seat, state.hole, "done", bets | {"call": state.call})
