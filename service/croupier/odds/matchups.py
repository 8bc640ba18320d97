"""Several hands against each other: every way the unseen cards can fall, or a sample of them.

What is still to come is a row of cards in groups: the rest of the board, then two cards for each unknown
hand. In a group the order of cards does not matter, so full enumeration keeps it ascending.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from croupier.odds.evaluate import value
from croupier.odds.kernel import kernel
from croupier.odds.tables import NO_CARDS, Int16s, Int32s, Int64s, Tables, tables
from croupier.odds.tally import POT, Tally
from croupier.rules.cards import DECK, Card

WINS, TIES, SHARES, SQUARES = range(4)
"""The columns of a tally with a row a hand, as :class:`croupier.odds.equities.Tally` names them."""

_ROWS = 8192


@kernel
def _add(strengths: Int64s, tally: Int64s) -> None:
    """Add one showdown to the tally."""
    best = 0
    winners = 0
    for strength in strengths:
        if strength > best:
            best, winners = int(strength), 1
        elif strength == best:
            winners += 1
    share = POT if winners == 1 else POT // winners
    for hand in range(len(strengths)):
        if strengths[hand] == best:
            tally[hand, WINS if winners == 1 else TIES] += 1
            tally[hand, SHARES] += share
            tally[hand, SQUARES] += share * share


@kernel
def _value(
    codes: Int64s,
    starts: Int32s,
    seven: Int16s,
    flush: Int16s,
    code: int,
    mask: int,
    first: int,
    second: int,
) -> int:
    """The strength of two cards on the board whose cards *mask* tells and whose codes sum to *code*."""
    added = int(codes[first]) + int(codes[second])
    return value(code + added, mask | 1 << first | 1 << second, starts, seven, flush)


@kernel
def _enumerate(tables: Tables, board: Int64s, hands: Int64s, unknown: int, unseen: Int64s) -> Int64s:
    """The tally over every way to fill the *board* and the *unknown* hands, which follow the known *hands*.

    A row of places in the *unseen* cards is counted up like a number: the last place moves fastest.
    """
    codes, starts, seven, flush = tables.codes, tables.starts, tables.seven, tables.flush
    known, missing = len(hands), 5 - len(board)
    size = missing + 2 * unknown
    tally = np.zeros((known + unknown, 4), np.int64)
    strengths = np.zeros(known + unknown, np.int64)
    code = np.full(missing + 1, NO_CARDS, np.int64)  # of the board so far, by the cards added to it
    mask = np.zeros(missing + 1, np.int64)
    for card in board:
        code[0] += codes[card]
        mask[0] |= 1 << card
    row = np.full(size + 1, -1, np.int64)
    taken = np.zeros(len(unseen), np.bool_)
    place = 0
    while place >= 0:
        if place == missing:  # the board is full: value the known hands
            for hand in range(known):
                strengths[hand] = _value(
                    codes, starts, seven, flush, code[place], mask[place], hands[hand, 0], hands[hand, 1]
                )
        chosen = row[place] + 1
        while chosen < len(unseen) and taken[chosen]:
            chosen += 1
        if place == size:
            _add(strengths, tally)
        elif chosen < len(unseen):
            card = unseen[chosen]
            row[place] = chosen
            taken[chosen] = True
            in_hand = place - missing
            if in_hand < 0:
                code[place + 1] = code[place] + codes[card]
                mask[place + 1] = mask[place] | 1 << card
            elif in_hand % 2:
                strengths[known + in_hand // 2] = _value(
                    codes, starts, seven, flush, code[missing], mask[missing], unseen[row[place - 1]], card
                )
            place += 1
            begins = place >= missing and (place - missing) % 2 == 0
            row[place] = -1 if begins else chosen
            continue
        place -= 1
        if place >= 0:
            taken[row[place]] = False
    return tally


@kernel
def _sample(
    tables: Tables, board: Int64s, hands: Int64s, unseen: Int64s, draws: NDArray[np.float64], tally: Int64s
) -> None:
    """Add one showdown a row of *draws*, numbers from 0 to 1: each takes one of the cards not yet taken."""
    codes, starts, seven, flush = tables.codes, tables.starts, tables.seven, tables.flush
    known, missing = len(hands), 5 - len(board)
    strengths = np.zeros(len(tally), np.int64)
    for row in draws:
        for place in range(len(row)):
            other = place + int(row[place] * (len(unseen) - place))
            unseen[place], unseen[other] = unseen[other], unseen[place]
        code = NO_CARDS
        mask = 0
        for card in board:
            code += int(codes[card])
            mask |= 1 << card
        for card in unseen[:missing]:
            code += int(codes[card])
            mask |= 1 << card
        for hand in range(len(tally)):
            if hand < known:
                first, second = hands[hand]
            else:
                at = missing + 2 * (hand - known)
                first, second = unseen[at], unseen[at + 1]
            strengths[hand] = _value(codes, starts, seven, flush, code, mask, first, second)
        _add(strengths, tally)


def enumerate_all(hands: Sequence[Sequence[Card]], unknown: int, board: Sequence[Card]) -> list[Tally]:
    """The tallies over all deals, the known *hands* first."""
    return _rows(_enumerate(tables(), _array(board), _pairs(hands), unknown, _unseen(hands, board)))


def sample(
    hands: Sequence[Sequence[Card]], unknown: int, board: Sequence[Card], seed: int, deals: int
) -> list[Tally]:
    """The tallies over *deals* that *seed* alone decides, the known *hands* first."""
    unseen, random = _unseen(hands, board), np.random.default_rng(seed)
    tally = np.zeros((len(hands) + unknown, 4), np.int64)
    size = 5 - len(board) + 2 * unknown
    for start in range(0, deals, _ROWS):
        draws = random.random((min(_ROWS, deals - start), size))
        _sample(tables(), _array(board), _pairs(hands), unseen, draws, tally)
    return _rows(tally)


def _rows(tally: Int64s) -> list[Tally]:
    return [Tally(*row) for row in tally.tolist()]


def _unseen(hands: Sequence[Sequence[Card]], board: Sequence[Card]) -> Int64s:
    seen = {*board, *(card for hand in hands for card in hand)}
    return _array([card for card in DECK if card not in seen])


def _pairs(hands: Sequence[Sequence[Card]]) -> Int64s:
    return _array(hands).reshape(len(hands), 2)


def _array(cards: Sequence[Card] | Sequence[Sequence[Card]]) -> Int64s:
    return np.array(cards, np.int64)
