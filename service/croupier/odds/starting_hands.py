"""The 169 classes of two hole cards: ``AA``, ``AKs`` (of one suit), ``AKo``."""

from croupier.rules.cards import RANKS, Card

_HIGH_FIRST = RANKS[::-1]


def _name(row: int, column: int) -> str:
    high, low = _HIGH_FIRST[min(row, column)], _HIGH_FIRST[max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


STARTING_HANDS: tuple[str, ...] = tuple(_name(place // 13, place % 13) for place in range(169))
"""Row by row of the chart people know: aces first, pairs on the diagonal, hands of one suit above it."""


def starting_hand(first: Card, second: Card) -> int:
    """The place in :data:`STARTING_HANDS` of two hole cards."""
    high, low = 12 - max(first, second) // 4, 12 - min(first, second) // 4
    suited = first % 4 == second % 4
    return high * 13 + low if suited else low * 13 + high


def combinations_of(name: str) -> int:
    """How many pairs of cards a class has: 4 of one suit, 6 for a pair, 12 for the rest."""
    return {"s": 4, "o": 12}.get(name[2:], 6)
