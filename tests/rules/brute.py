"""The best five of some cards, found by looking at every five of them: slow, plain, and independent of the
tables under test. Values are tuples that compare as poker hands do.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Value = tuple[int, tuple[int, ...]]

NAMES = (
    "high_card", "pair", "two_pair", "three_of_a_kind", "straight",
    "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush",
)  # fmt: skip


def value_of_five(cards: Sequence[int]) -> Value:
    """The category's number in :data:`NAMES`, then the ranks that break ties; ranks are 2 to 14."""
    ranks = sorted((card // 4 + 2 for card in cards), reverse=True)
    flush = len({card % 4 for card in cards}) == 1
    if ranks == [14, 5, 4, 3, 2]:
        ranks = [5, 4, 3, 2, 1]
    counts = Counter(ranks)
    straight = len(counts) == 5 and ranks[0] == ranks[4] + 4
    ties = tuple(rank for rank, _ in sorted(counts.items(), key=lambda item: (-item[1], -item[0])))
    shape = sorted(counts.values(), reverse=True)
    if flush and straight:
        return (9 if ranks[0] == 14 else 8), ties
    if shape[0] == 4:
        return 7, ties
    if shape[:2] == [3, 2]:
        return 6, ties
    if flush:
        return 5, ties
    if straight:
        return 4, ties
    if shape[0] == 3:
        return 3, ties
    if shape[:2] == [2, 2]:
        return 2, ties
    return (1 if shape[0] == 2 else 0), ties


def value(cards: Sequence[int]) -> Value:
    """The greatest value of any five of *cards*."""
    return max(value_of_five(five) for five in combinations(cards, 5))


def category(cards: Sequence[int]) -> str:
    """The name of that value's category."""
    return NAMES[value(cards)[0]]
