"""The look-up tables of the kernels, worked out from ``croupier.rules.hands`` when first asked for.

Suits are left aside first. A rank has a key such that the sum of the keys of some cards tells their ranks,
for every multiset of one size up to seven cards; a hand without a flush is then one look-up by that sum. The
tables for six and seven cards follow from the one for five: the best hand of seven is the best of the hands
with one card left out.
"""

import threading
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from croupier.odds.kernel import kernel
from croupier.rules.cards import DECK
from croupier.rules.hands import BEST, CATEGORIES, category, strength

Int8s: TypeAlias = NDArray[np.int8]
Int16s: TypeAlias = NDArray[np.int16]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]

RANK_KEYS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)
LOW_BITS = 10
LOW_MASK = (1 << LOW_BITS) - 1

SUIT_SHIFT = 32
FLUSH_BITS = sum(8 << SUIT_SHIFT + 4 * suit for suit in range(4))
NO_CARDS = sum(3 << SUIT_SHIFT + 4 * suit for suit in range(4))
"""What a sum of card codes starts from: a suit's counter reaches its highest bit with the fifth card."""

PAIRS = tuple(combinations_with_replacement(range(13), 2))
"""The 91 ways to choose the ranks of two cards, lower first."""


class ByRanks(NamedTuple):
    """Strength by the sum of the rank keys of a hand without a flush, the empty stretches squeezed out.

    The strength of key ``k`` stands at ``strengths[starts[k >> LOW_BITS] + (k & LOW_MASK)]``. Any seven ranks
    may be asked for; those that no deck holds (five of a rank) give some number without a meaning.
    """

    starts: Int32s
    strengths: Int16s


class Tables(NamedTuple):
    """Everything the kernels look up.

    ``codes[c]`` is a card's rank key and, from bit ``SUIT_SHIFT``, a one in its suit's four-bit counter;
    ``flush[m]`` is the strength of the best flush among the ranks of bit mask ``m`` (0 below five bits);
    ``category[s]`` the place of a strength's category in ``CATEGORIES``; ``pair[a, b]`` the place of two
    ranks in ``PAIRS``; ``four[p, q]`` the place in ``four_keys`` of the four ranks of two pairs, and
    ``four_keys`` the sums of their keys.
    """

    rank_keys: Int64s
    codes: Int64s
    flush: Int16s
    category: Int8s
    pair: Int16s
    four: Int16s
    four_keys: Int32s
    starts: Int32s
    seven: Int16s


@cache
def first_of(name: str) -> int:
    """The weakest strength of a category."""
    return next(value for value in range(1, BEST + 1) if category(value) == name)


_lock = threading.Lock()


def tables() -> Tables:
    """The tables, built once a process; about a second the first time."""
    with _lock:
        return _build()


def by_ranks(size: int) -> ByRanks:
    """The rank table for hands of *size* cards, five to seven."""
    with _lock:
        return _by_ranks(size)


@cache
def _build() -> Tables:
    seven = _by_ranks(7)
    pair = np.empty((13, 13), np.int16)
    for place, (low, high) in enumerate(PAIRS):
        pair[low, high] = pair[high, low] = place
    fours: dict[tuple[int, ...], int] = {
        ranks: place for place, ranks in enumerate(combinations_with_replacement(range(13), 4))
    }
    four = np.array([[fours[tuple(sorted(p + q))] for q in PAIRS] for p in PAIRS], np.int16)
    return Tables(
        rank_keys=np.array(RANK_KEYS, np.int64),
        codes=np.array([RANK_KEYS[c >> 2] + (1 << SUIT_SHIFT + 4 * (c & 3)) for c in DECK], np.int64),
        flush=_flushes(),
        category=np.array([0, *(CATEGORIES.index(category(v)) for v in range(1, BEST + 1))], np.int8),
        pair=pair,
        four=four,
        four_keys=np.array([_key(ranks) for ranks in fours], np.int32),
        starts=seven.starts,
        seven=seven.strengths,
    )


def _key(ranks: tuple[int, ...]) -> int:
    return sum(RANK_KEYS[rank] for rank in ranks)


@cache
def _by_ranks(size: int) -> ByRanks:
    return _squeeze(*_keys_and_strengths(size), 7 * RANK_KEYS[-1])


@cache
def _keys_and_strengths(size: int) -> tuple[Int64s, Int16s]:
    """The sums of rank keys of all hands of *size* cards, ascending, and their strengths without a flush."""
    hands = [
        ranks
        for ranks in combinations_with_replacement(range(13), size)
        if all(low != high for low, high in zip(ranks, ranks[4:], strict=False))
    ]
    added = np.array(RANK_KEYS)[np.array(hands)]
    keys = added.sum(axis=1)
    if size == 5:
        values = np.array([_mixed_strength(hand) for hand in hands], np.int16)
    else:
        smaller, strengths = _keys_and_strengths(size - 1)
        values = strengths[np.searchsorted(smaller, keys[:, None] - added)].max(axis=1)
    order = np.argsort(keys)
    return keys[order], values[order]


def _mixed_strength(ranks: tuple[int, ...]) -> int:
    """The strength of five ranks that are not all of one suit."""
    dealt = [rank * 4 + ranks[:place].count(rank) for place, rank in enumerate(ranks)]
    if len(set(ranks)) == 5:
        dealt[0] += 1
    return strength(dealt)


def _flushes() -> Int16s:
    best = np.zeros(1 << 13, np.int16)
    for ranks in combinations(range(13), 5):
        best[sum(1 << rank for rank in ranks)] = strength([rank * 4 for rank in ranks])
    for mask in range(1 << 13):
        if mask.bit_count() > 5:
            best[mask] = max(best[mask & ~(1 << rank)] for rank in range(13) if mask >> rank & 1)
    return best


def _squeeze(keys: Int64s, values: Int16s, largest: int) -> ByRanks:
    """Lay the rows of equal ``key >> LOW_BITS`` over one another so that no two values meet."""
    rows = (largest >> LOW_BITS) + 1
    first = np.searchsorted(keys >> LOW_BITS, np.arange(rows + 1))
    lows = keys & LOW_MASK
    fullest_first = np.argsort(-np.diff(first), kind="stable")
    starts, size = _lay_rows(first, lows, fullest_first, 4 * len(keys) + LOW_MASK)
    strengths = np.zeros(size, np.int16)
    strengths[starts[keys >> LOW_BITS] + lows] = values
    return ByRanks(starts, strengths)


@kernel
def _lay_rows(first: Int64s, lows: Int64s, order: Int64s, room: int) -> tuple[Int32s, int]:
    """First fit, fullest rows first; row ``r`` holds ``lows[first[r]:first[r + 1]]``.

    A row looks from where the row before it was laid if that had as many keys, since what refused one row
    mostly refuses the next.
    """
    taken = np.zeros(room, np.bool_)
    starts = np.zeros(len(order), np.int32)
    gap = 0
    start = 0
    length = 0
    for row in order:
        begin, end = first[row], first[row + 1]
        if begin == end:
            break
        while taken[gap]:
            gap += 1
        if end - begin != length:
            length = end - begin
            start = 0
        start = max(start, gap - lows[begin])
        place = begin
        while place < end:
            if taken[start + lows[place]]:
                start += 1
                place = begin
            else:
                place += 1
        for place in range(begin, end):
            taken[start + lows[place]] = True
        starts[row] = start
    return starts, int(starts.max()) + LOW_MASK + 1
