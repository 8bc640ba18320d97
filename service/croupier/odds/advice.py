"""What each legal action of a house game is worth, exactly, to a seat that sees its own cards and the board.

Nothing is estimated: every deal that the seat's cards leave open is counted, and later decisions are taken
as is best. numba is loaded with the first spot that has to be counted (see :func:`croupier.odds.warm`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from operator import itemgetter
from typing import ClassVar

from croupier.odds.figures import shipped
from croupier.odds.given import check_cards
from croupier.odds.starting_hands import STARTING_HANDS, starting_hand
from croupier.rules.actions import Action, Call, Check, Fold, Play
from croupier.rules.cards import Card
from croupier.rules.game import InvalidOption
from croupier.rules.tables import PROFILES, Profile
from croupier.rules.ultimate_texas_holdem import FLOP_MULTIPLES, PREFLOP_MULTIPLES, RIVER_MULTIPLES

_FLOP_DEALS = comb(47, 2) * comb(45, 2)
_PREFLOP_DEALS = comb(50, 3) * _FLOP_DEALS
_RIVER_DEALS = comb(45, 2)


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal action: its expected *net* and what choosing it gives away against the best, both whole
    numbers of ``1 / parts`` antes, so that nothing is rounded.

    The net counts every main bet, those already staked too; side bets are left out.
    """

    action: Action
    net: int
    given_away: int
    parts: int

    @property
    def value(self) -> Fraction:
        """The expected net in antes."""
        return Fraction(self.net, self.parts)

    @property
    def cost(self) -> Fraction:
        """What choosing it gives away against the best, in antes."""
        return Fraction(self.given_away, self.parts)

    @property
    def best(self) -> bool:
        """Whether no other action is worth more."""
        return not self.given_away


@dataclass(frozen=True, slots=True)
class Advice:
    """Every legal action, the most valuable first, worked out over all *deals* that may follow."""

    exact: ClassVar[bool] = True

    actions: tuple[Choice, ...]
    deals: int


def casino_holdem(hole: Sequence[Card], board: Sequence[Card]) -> Advice:
    """Casino Hold'em's one decision: *hole* are two cards, *board* the three of the flop.

    Raises :class:`croupier.rules.game.InvalidOption` for anything else.
    """
    (advice,) = casino_holdem_flops([casino_holdem_flop(hole, board)])
    return advice


def casino_holdem_flop(hole: Sequence[Card], board: Sequence[Card]) -> tuple[Card, ...]:
    """The same decision as :func:`casino_holdem_flops` takes it: five cards, checked, the hole's two first.

    Raises :class:`croupier.rules.game.InvalidOption` for anything else.
    """
    check_cards([("hole", hole, (2,)), ("board", board, (3,))])
    return *hole, *board


def casino_holdem_flops(flops: Sequence[tuple[Card, ...]]) -> list[Advice]:
    """Many decisions of Casino Hold'em at once, which costs less than one by one."""
    # numba takes a third of a second to load, which only those who ask for odds need wait for.
    from croupier.odds.decisions import CASINO_PARTS, casino_calls  # noqa: PLC0415

    fold = Fold(), -CASINO_PARTS
    return [_advice(_FLOP_DEALS, CASINO_PARTS, (Call(), net), fold) for net in casino_calls(flops)]


def ultimate_texas_holdem(
    hole: Sequence[Card],
    board: Sequence[Card],
    profile: str = "seed",
    preflop_multiples: Sequence[int] = PREFLOP_MULTIPLES[0],
) -> Advice:
    """The decision of Ultimate Texas Hold'em before the flop, on it or at the river: a *board* of 0, 3 or 5.

    *preflop_multiples* matters before the flop alone. Raises :class:`croupier.rules.game.InvalidOption` for
    other numbers of cards, the same card twice, or a profile or multiples that the rules do not have.
    """
    check_cards([("hole", hole, (2,)), ("board", board, (0, 3, 5))])
    if profile not in PROFILES:
        raise InvalidOption("profile", f"must be one of {', '.join(PROFILES)}")
    if tuple(preflop_multiples) not in PREFLOP_MULTIPLES:
        raise InvalidOption("preflop_multiples", "must be [4], [3, 4] or [3]")
    match len(board):
        case 0:
            return _preflop(hole, profile, preflop_multiples)
        case 3:
            return _flop(hole, board, PROFILES[profile])
        case _:
            return _river(hole, board, PROFILES[profile])


def _preflop(hole: Sequence[Card], profile: str, multiples: Sequence[int]) -> Advice:
    hand = shipped().preflop[profile][STARTING_HANDS[starting_hand(*hole)]]
    plays = [(Play(multiple), hand.play_net(multiple)) for multiple in multiples]
    return _advice(_PREFLOP_DEALS, hand.deals * hand.unit, *plays, (Check(), hand.check))


def _flop(hole: Sequence[Card], board: Sequence[Card], profile: Profile) -> Advice:
    from croupier.odds.decisions import FLOP_PARTS, ultimate_flop  # noqa: PLC0415

    (multiple,) = FLOP_MULTIPLES
    play, check = ultimate_flop(hole, board, profile)
    return _advice(_FLOP_DEALS, FLOP_PARTS, (Play(multiple), play), (Check(), check))


def _river(hole: Sequence[Card], board: Sequence[Card], profile: Profile) -> Advice:
    from croupier.odds.decisions import RIVER_PARTS, ultimate_river  # noqa: PLC0415

    (multiple,) = RIVER_MULTIPLES
    play = ultimate_river(hole, board, profile)
    return _advice(_RIVER_DEALS, RIVER_PARTS, (Play(multiple), play), (Fold(), -2 * RIVER_PARTS))


def _advice(deals: int, parts: int, *nets: tuple[Action, int]) -> Advice:
    ranked = sorted(nets, key=itemgetter(1), reverse=True)
    best = ranked[0][1]
    return Advice(tuple(Choice(action, net, best - net, parts) for action, net in ranked), deals)
