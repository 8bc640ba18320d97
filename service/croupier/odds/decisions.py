"""The decisions of the house games, each over every card that may still come.

The kernels answer with totals over the deals, in whole units of a stake: nothing is rounded.
"""

from collections.abc import Sequence

import numpy as np

from croupier.odds.evaluate import value
from croupier.odds.kernel import kernel
from croupier.odds.runouts import (
    BOARDS,
    DEALERS,
    NOT_STRONGER,
    STRENGTH,
    UNQUALIFIED,
    WEAKER,
    WEIGHT,
    showdowns,
)
from croupier.odds.stakes import PROFILE_ORDER, UNIT, Stakes, play_net, stakes
from croupier.odds.tables import NO_CARDS, Int64s, Tables, tables
from croupier.rules.cards import Card
from croupier.rules.tables import Profile

_LINES = 91 + BOARDS


@kernel
def _casino_call(tables: Tables, stakes: Stakes, hole: Int64s, flop: Int64s) -> int:
    """What a call in Casino Hold'em wins over all 1,070,190 deals behind a *flop*, in antes."""
    lines = np.empty((_LINES, 5), np.int32)
    used = showdowns(tables, hole[0], hole[1], flop, stakes.casino_qualifies, lines)
    category, win, unqualified = tables.category, stakes.casino_win, stakes.casino_unqualified
    net = 0
    for line in lines[:used]:
        kind = category[line[STRENGTH]]
        none = int(line[UNQUALIFIED])
        won = max(line[WEAKER] - none, 0)
        lost = DEALERS - max(line[NOT_STRONGER], none)
        net += line[WEIGHT] * (none * unqualified[kind] + won * win[kind] - lost * stakes.casino_lose)
    return net


@kernel
def _casino_calls(tables: Tables, stakes: Stakes, spots: Int64s, nets: Int64s) -> None:
    """The same for each of *spots*, five cards in a row, into *nets*."""
    for place in range(len(spots)):
        nets[place] = _casino_call(tables, stakes, spots[place, :2], spots[place, 2:])


@kernel
def _ultimate_flop(
    tables: Tables, stakes: Stakes, hole: Int64s, flop: Int64s, pushes: int
) -> tuple[int, int]:
    """What a play and a check on the *flop* of Ultimate win over all 1,070,190 deals, in units.

    After a check every river is played or folded, whichever is worth more there.
    """
    lines = np.empty((_LINES, 5), np.int32)
    used = showdowns(tables, hole[0], hole[1], flop, stakes.ultimate_qualifies, lines)
    category, blind, unit = tables.category, stakes.blind, stakes.unit
    fold = -2 * unit * DEALERS
    play = 0
    check = 0
    for line in lines[:used]:
        weight = int(line[WEIGHT])
        none, weaker, at_most = line[UNQUALIFIED], line[WEAKER], line[NOT_STRONGER]
        pays = blind[category[line[STRENGTH]]]
        play += weight * play_net(none, weaker, at_most, DEALERS, pays, unit, stakes.flop_multiple, pushes)
        last = play_net(none, weaker, at_most, DEALERS, pays, unit, stakes.river_multiple, pushes)
        check += weight * max(last, fold)
    return play, check


@kernel
def _ultimate_river(tables: Tables, stakes: Stakes, hole: Int64s, board: Int64s, pushes: int) -> int:
    """What a play at the river of Ultimate wins against all 990 dealer hands, in units."""
    codes, starts, seven, flush = tables.codes, tables.starts, tables.seven, tables.flush
    code = NO_CARDS
    mask = 0
    for card in board:
        code += int(codes[card])
        mask |= 1 << card
    own = code
    held = mask
    for card in hole:
        own += int(codes[card])
        held |= 1 << card
    strength = value(own, held, starts, seven, flush)
    none, weaker, at_most = 0, 0, 0
    for low in range(52):
        if held >> low & 1:
            continue
        for high in range(low + 1, 52):
            if held >> high & 1:
                continue
            dealers = code + int(codes[low]) + int(codes[high])
            dealer = value(dealers, mask | 1 << low | 1 << high, starts, seven, flush)
            none += dealer < stakes.ultimate_qualifies
            weaker += dealer < strength
            at_most += dealer <= strength
    pays = stakes.blind[tables.category[strength]]
    return play_net(none, weaker, at_most, DEALERS, pays, stakes.unit, stakes.river_multiple, pushes)


CASINO_PARTS = BOARDS * DEALERS
"""Parts of an ante in which the value of a call in Casino Hold'em is whole."""

FLOP_PARTS = UNIT * BOARDS * DEALERS
"""Parts of an ante in which the values on the flop of Ultimate are whole."""

RIVER_PARTS = UNIT * DEALERS
"""Parts of an ante in which the value of a play at the river of Ultimate is whole."""


def casino_calls(spots: Sequence[Sequence[Card]]) -> list[int]:
    """The expected nets of a call in Casino Hold'em, in ``CASINO_PARTS`` of an ante.

    A spot is its two hole cards and then the three of the flop.
    """
    nets = np.empty(len(spots), np.int64)
    _casino_calls(tables(), stakes(), np.array(spots, np.int64), nets)
    return nets.tolist()


def ultimate_flop(hole: Sequence[Card], flop: Sequence[Card], profile: Profile) -> tuple[int, int]:
    """The expected nets of a play and of a check on the flop of Ultimate, in ``FLOP_PARTS`` of an ante."""
    return _ultimate_flop(tables(), stakes(), _array(hole), _array(flop), _pushes(profile))


def ultimate_river(hole: Sequence[Card], board: Sequence[Card], profile: Profile) -> int:
    """The expected net of a play at the river of Ultimate, in ``RIVER_PARTS`` of an ante."""
    return _ultimate_river(tables(), stakes(), _array(hole), _array(board), _pushes(profile))


def _pushes(profile: Profile) -> int:
    return int(stakes().pushes[PROFILE_ORDER.index(profile)])


def _array(cards: Sequence[Card]) -> Int64s:
    return np.array(cards, np.int64)
