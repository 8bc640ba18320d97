"""High Card: a fourth game, as small as a game can be. docs/adding-a-game.md walks through this file.

One seat against the dealer, a card each. The seat antes, looks at its card, and folds or calls with another
ante. The higher rank wins both bets at even money; equal ranks push.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from croupier.rules.actions import Action, Call, Fold, LegalAction, LegalCall
from croupier.rules.cards import Card
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
from croupier.rules.options import Between, check_limits
from croupier.rules.postings import lose, push, win
from croupier.rules.tables import EVEN


@dataclass(frozen=True, slots=True)
class HighCardOptions:
    """What a session fixes; raises :class:`InvalidOption`."""

    ante: Annotated[int, Between(1, MAX_AMOUNT // 4)] = 1
    rounds: Annotated[int, Between(1, 10_000)] = 20

    def __post_init__(self) -> None:
        check_limits(self)


# ── A round: one dataclass a phase ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Looking:
    """A card each; the seat has seen its own. Fold or call."""

    stage: ClassVar[str] = "flop"

    ante: int
    mine: Card
    dealers: Card


@dataclass(frozen=True, slots=True)
class Settled:
    """The round is over; the dealer's card is open unless the seat folded."""

    stage: ClassVar[str] = "settled"

    before: Looking
    settlement: Settlement
    folded: bool


class HighCard:
    """The game, as :class:`croupier.rules.game.Game` asks for it."""

    name: str = "high-card"
    options: type[HighCardOptions] = HighCardOptions
    stages: tuple[str, ...] = (Looking.stage, Settled.stage)
    bets: tuple[BetName, ...] = ("ante", "call")
    actions: tuple[str, ...] = ("fold", "call")
    private_seeds: bool = False

    def chairs(self, options: HighCardOptions) -> tuple[Chair, ...]:
        return (Chair(1),)

    def table(self, options: HighCardOptions, chairs: Sequence[Chair], button_from: int) -> Table:
        if not chairs:
            raise NotEnoughSeats("There is nobody to deal in.")
        return Table((1,))

    def deal(
        self,
        options: HighCardOptions,
        table: Table,
        deck: Sequence[Card],
        side_bets: Sequence[SideBets] = (),
        meter: Meter | None = None,
    ) -> Transition[Looking | Settled]:
        if side_bets:
            raise InvalidOption("bets", "high card has no side bets")
        return Transition(Looking(options.ante, mine=deck[0], dealers=deck[1]))

    def to_act(self, state: Looking | Settled) -> tuple[int, ...]:
        return (1,) if isinstance(state, Looking) else ()

    def legal_actions(self, state: Looking | Settled, seat: int) -> tuple[LegalAction, ...]:
        return (Fold(), LegalCall(state.ante)) if isinstance(state, Looking) and seat == 1 else ()

    def decide(
        self, state: Looking | Settled, seat: int, action: Action, meter: Meter | None = None
    ) -> Transition[Looking | Settled]:
        if not isinstance(state, Looking) or seat != 1:
            raise NotYourTurn(seat, self.to_act(state))
        match action:
            case Fold():
                return _settled(state, lose(1, "ante", state.ante), folded=True)
            case Call():
                return _settled(state, *_showdown(state), folded=False)
            case _:
                raise IllegalAction("high card is played by fold or call", self.legal_actions(state, seat))

    def view(self, state: Looking | Settled, seat: int | None) -> RoundView:
        before = state if isinstance(state, Looking) else state.before
        over = isinstance(state, Settled)
        shown = over and not state.folded
        bets = {"ante": before.ante} | ({"call": before.ante} if shown else {})
        return RoundView(
            stage=state.stage,
            board=(),
            seats=(
                SeatView(
                    1,
                    (before.mine,) if over or seat == 1 else None,
                    "deciding" if not over else "done" if shown else "folded",
                    bets,
                ),
            ),
            to_act=self.to_act(state),
            legal_actions=() if seat is None else self.legal_actions(state, seat),
            settlement=state.settlement if over else None,
            dealer=DealerView((before.dealers,) if shown else None, None),
        )

    def result(
        self, options: HighCardOptions, chairs: Sequence[Chair], balances: Sequence[int], rounds: int
    ) -> Finish | None:
        if rounds < options.rounds:
            return None
        return Finish("player" if sum(balances) > 0 else "house" if sum(balances) < 0 else "tie")


def _settled(state: Looking, *bets: Posting, folded: bool) -> Transition[Looking | Settled]:
    settlement = Settlement((SeatSettlement(1, None, bets),), DealerSettlement(None, None))
    return Transition(Settled(state, settlement, folded), settlement)


def _showdown(state: Looking) -> tuple[Posting, Posting]:
    """Both bets by the ranks alone: a card is four times its rank and its suit."""
    mine, dealers = state.mine >> 2, state.dealers >> 2
    if mine == dealers:
        return push(1, "ante", state.ante), push(1, "call", state.ante)
    if mine > dealers:
        return win(1, "ante", state.ante, EVEN), win(1, "call", state.ante, EVEN)
    return lose(1, "ante", state.ante), lose(1, "call", state.ante)
