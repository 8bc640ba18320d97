"""Many hands at once: arrays of cards to arrays of strengths."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from croupier.odds.kernel import kernel
from croupier.odds.tables import (
    FLUSH_BITS,
    LOW_BITS,
    LOW_MASK,
    NO_CARDS,
    SUIT_SHIFT,
    Int16s,
    Int32s,
    Int64s,
    by_ranks,
    tables,
)

Bytes: TypeAlias = NDArray[np.uint8]

_KEY = (1 << SUIT_SHIFT) - 1


@kernel
def suit_of(code: int) -> int:
    """The suit of the flush in a sum of card codes that has one."""
    suit = 0
    while not code >> SUIT_SHIFT + 4 * suit + 3 & 1:
        suit += 1
    return suit


@kernel
def value(code: int, mask: int, starts: Int32s, strengths: Int16s, flush: Int16s) -> int:
    """The strength of the cards in *mask* (bit ``c`` for card ``c``).

    *code* is the sum of their codes and ``NO_CARDS``.
    """
    if code & FLUSH_BITS:
        ranks = 0
        bits = mask >> suit_of(code)
        for rank in range(13):
            ranks |= (bits >> 4 * rank & 1) << rank
        return int(flush[ranks])
    key = code & _KEY
    return int(strengths[starts[key >> LOW_BITS] + (key & LOW_MASK)])


@kernel
def _evaluate_rows(
    hands: Bytes, codes: Int64s, starts: Int32s, strengths: Int16s, flush: Int16s, out: Int16s
) -> int:
    """Fill *out*; the first row that is no hand, or -1."""
    size = hands.shape[1]
    for row in range(hands.shape[0]):
        code = np.int64(NO_CARDS)
        mask = np.int64(0)
        for place in range(size):
            card = np.int64(hands[row, place])
            bit = np.int64(1) << (card & 63)
            if card > 51 or mask & bit:
                return row
            mask |= bit
            code += codes[card]
        out[row] = value(int(code), int(mask), starts, strengths, flush)
    return -1


def evaluate_batch(hands: ArrayLike) -> Int16s:
    """The strength, 1 (worst) to 7462, of each row of *hands*: integers, (n, 5) to (n, 7).

    Any integer type will do, ``uint8`` in C order fastest. Raises ``ValueError`` for another shape or type,
    and for a row with a number outside 0..51 or the same card twice.
    """
    given = np.asarray(hands)
    if given.ndim != 2 or not 5 <= given.shape[1] <= 7 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError("hands are integers of shape (n, 5), (n, 6) or (n, 7)")
    rows = np.ascontiguousarray(given, np.uint8)
    if given.dtype != np.uint8 and not np.array_equal(rows, given):
        raise ValueError("cards are from 0 to 51")
    table, of_size = tables(), by_ranks(rows.shape[1])
    strengths = np.empty(len(rows), np.int16)
    bad = _evaluate_rows(rows, table.codes, of_size.starts, of_size.strengths, table.flush, strengths)
    if bad >= 0:
        raise ValueError(f"row {bad} is not {rows.shape[1]} different cards from 0 to 51")
    return strengths
