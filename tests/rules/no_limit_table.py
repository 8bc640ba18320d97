"""A no-limit hand to play in a test: stacked decks, and a driver that keeps the latest state."""

from collections.abc import Mapping

from croupier.rules.actions import AllIn, Bet, Call, Check, Fold, LegalAction, Raise
from croupier.rules.cards import DECK, Card, cards
from croupier.rules.game import RoundView, SeatView, Settlement, Table
from croupier.rules.no_limit_holdem import NoLimitHoldem, NoLimitHoldemOptions, NoLimitState

GAME = NoLimitHoldem()
PLAIN = {"fold": Fold(), "check": Check(), "call": Call(), "all_in": AllIn()}
SIZED = {"bet": Bet, "raise": Raise}


def stacked(order: tuple[int, ...], holes: Mapping[int, str], board: str) -> tuple[Card, ...]:
    """A deck that gives each seat of *order* (from the button's left) its hole cards, then *board*."""
    named = {seat: cards(text) for seat, text in holes.items()}
    used = {card for hole in named.values() for card in hole} | set(cards(board))
    rest = iter([card for card in DECK if card not in used])
    for seat in order:
        named.setdefault(seat, (next(rest), next(rest)))
    dealt = [named[seat][place] for place in (0, 1) for seat in order]
    return (*dealt, *cards(board), *rest)


class Hand:
    """One hand, with a stack for each seat of *stacks*; the button is on the last of them unless named."""

    def __init__(
        self,
        stacks: Mapping[int, int],
        *,
        button: int | None = None,
        holes: Mapping[int, str] | None = None,
        board: str = "2c 7d 9h Js Kc",
        small_blind: int = 50,
        big_blind: int = 100,
        ante: int = 0,
    ) -> None:
        options = NoLimitHoldemOptions(
            seats=10,
            small_blind=small_blind,
            big_blind=big_blind,
            ante=ante,
            buy_in=max(big_blind, *stacks.values()),
        )
        seats = tuple(sorted(stacks))
        button = seats[-1] if button is None else button
        left = seats.index(button) + 1
        self.order = seats[left:] + seats[:left]
        table = Table(seats, tuple(stacks[seat] for seat in seats), button)
        step = GAME.deal(options, table, stacked(self.order, holes or {}, board))
        self.state: NoLimitState = step.state
        self.settlement: Settlement | None = step.settlement

    @property
    def turn(self) -> int | None:
        to_act = GAME.to_act(self.state)
        return to_act[0] if to_act else None

    @property
    def legal(self) -> tuple[LegalAction, ...]:
        return GAME.legal_actions(self.state, self.turn or 0)

    def play(self, *actions: str) -> "Hand":
        """Each action is taken by the seat in turn: ``call``, ``raise 300``."""
        for text in actions:
            assert self.turn is not None
            kind, _, to = text.partition(" ")
            step = GAME.decide(self.state, self.turn, SIZED[kind](int(to)) if to else PLAIN[kind])
            self.state, self.settlement = step.state, step.settlement
        return self

    def view(self, seat: int | None = None) -> RoundView:
        return GAME.view(self.state, seat)

    def seat_views(self, viewer: int | None = None) -> dict[int, SeatView]:
        return {row.seat: row for row in self.view(viewer).seats}

    @property
    def nets(self) -> dict[int, int]:
        assert self.settlement is not None
        return {row.seat: row.net for row in self.settlement.seats}

    @property
    def pots(self) -> list[tuple[int, tuple[int, ...], dict[int, int]]]:
        """Each pot's amount, seats, and what its winners take."""
        assert self.settlement is not None and self.settlement.pots is not None
        return [
            (pot.amount, pot.seats, {share.seat: share.amount for share in pot.winners})
            for pot in self.settlement.pots
        ]
