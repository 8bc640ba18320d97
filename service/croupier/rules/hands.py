"""Five to seven cards to an ordered hand value: 1, the worst, to 7462, the best.

Every card has one weight that holds a weight for its rank and a weight for its suit. The weights are chosen
so that their sum over a hand tells the ranks in it, and whether it holds a flush: one look-up is left. The
tables are worked out at import from the ranking of five cards, in about a tenth of a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import TypeAlias

from croupier.rules.cards import RANKS, SUITS, Card

CATEGORIES = (
    "high_card", "pair", "two_pair", "three_of_a_kind", "straight",
    "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hand:
    """The best five of some cards: strength 1 (worst) to 7462, the category's name, and the five cards."""

    strength: int
    category: str
    cards: tuple[Card, ...]


# ── The ranking of five cards ────────────────────────────────────────────────────────────────────────────

_Value: TypeAlias = tuple[str, tuple[int, ...]]
"""A category, and five ranks in the order in which they break ties, which is how people write them."""

_GROUPS = {
    (1, 1, 1, 1, 1): "high_card",
    (2, 1, 1, 1): "pair",
    (2, 2, 1): "two_pair",
    (3, 1, 1): "three_of_a_kind",
    (3, 2): "full_house",
    (4, 1): "four_of_a_kind",
}
_OF_ONE_SUIT = {"high_card": "flush", "straight": "straight_flush"}
_ONE_SUIT = frozenset(("flush", "straight_flush", "royal_flush"))
_ACE = len(RANKS) - 1
_WHEEL = (3, 2, 1, 0, _ACE)


def _rank_five(ranks: tuple[int, ...]) -> _Value:
    """The value of five ranks of mixed suits."""
    groups = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    name = _GROUPS[tuple(count for count, _ in groups)]
    written = tuple(rank for count, rank in groups for _ in range(count))
    if name == "high_card":
        if set(written) == set(_WHEEL):
            return "straight", _WHEEL
        if written[0] - written[4] == 4:
            return "straight", written
    return name, written


def _rank_suited(ranks: tuple[int, ...]) -> _Value:
    """The value of five different ranks of one suit."""
    name, written = _rank_five(ranks)
    suited = _OF_ONE_SUIT[name]
    return ("royal_flush" if suited == "straight_flush" and written[0] == _ACE else suited), written


_MIXED: dict[tuple[int, ...], _Value] = {
    ranks: _rank_five(ranks)
    for ranks in combinations_with_replacement(range(len(RANKS)), 5)
    if len(set(ranks)) > 1
}
_SUITED: dict[tuple[int, ...], _Value] = {
    ranks: _rank_suited(ranks) for ranks in combinations(range(len(RANKS)), 5)
}

_RANKING = sorted(
    {*_MIXED.values(), *_SUITED.values()}, key=lambda value: (CATEGORIES.index(value[0]), value[1])
)
"""Every value there is, worst first."""

BEST = len(_RANKING)
"""The strength of a royal flush: 7462."""

_STRENGTH = {value: place for place, value in enumerate(_RANKING, start=1)}

# ── The tables ───────────────────────────────────────────────────────────────────────────────────────────

_SIZES = (5, 6, 7)

# No two multisets of ranks of one size up to seven, four of a kind at most, have the same sum of these.
_RANK_WEIGHTS = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)

# No five, six or seven cards with a flush share a sum with others of their number but those with a flush in
# the same suit. Centred on zero to keep a hand within 30 bits, where CPython's integers are fastest.
_SUIT_WEIGHTS = (-16, -12, 13, 16)

_SUIT_SHIFT = 23
_RANK_MASK = (1 << _SUIT_SHIFT) - 1
_CARDS = tuple(rank + (suit << _SUIT_SHIFT) for rank in _RANK_WEIGHTS for suit in _SUIT_WEIGHTS)


def _flush_suits(size: int) -> dict[int, int]:
    """The sums of suit weights of *size* cards that hold a flush, each with its suit."""
    return {
        sum(_SUIT_WEIGHTS[one] for one in suits): suit
        for suits in combinations_with_replacement(range(len(SUITS)), size)
        for suit in range(len(SUITS))
        if suits.count(suit) >= 5
    }


def _five_to_seven(five: dict[tuple[int, ...], _Value], copies: int) -> dict[int, dict[int, int]]:
    """By size, the sum of rank weights to strength, for hands with at most *copies* cards of a rank.

    A hand's strength is the best that it has with one card left out, so each table grows out of the one
    before. Meanwhile an octal digit a rank, above the sum, counts the copies.
    """
    digits = [1 << _SUIT_SHIFT + 3 * rank for rank in range(len(RANKS))]
    steps = [digit + weight for digit, weight in zip(digits, _RANK_WEIGHTS, strict=True)]
    limits = [(step, 7 * digit, copies * digit) for step, digit in zip(steps, digits, strict=True)]
    best = {sum(steps[rank] for rank in ranks): _STRENGTH[value] for ranks, value in five.items()}
    tables = [best]
    for _ in _SIZES[1:]:
        grown: dict[int, int] = {}
        for hand, value in best.items():
            for step, mask, full in limits:
                if hand & mask != full and grown.get(hand + step, 0) < value:
                    grown[hand + step] = value
        best = grown
        tables.append(best)
    return {
        size: {hand & _RANK_MASK: value for hand, value in table.items()}
        for size, table in zip(_SIZES, tables, strict=True)
    }


_FLUSH_SUITS = {size: _flush_suits(size) for size in _SIZES}
_BY_RANKS = _five_to_seven(_MIXED, copies=4)
_BY_SUITED_RANKS = _five_to_seven(_SUITED, copies=1)

_FLUSH_SUITS_OF_7 = _FLUSH_SUITS[7]
_BY_RANKS_OF_7 = _BY_RANKS[7]

_TAKEN = -1

# ── What the games ask ───────────────────────────────────────────────────────────────────────────────────


def strength(cards: Sequence[Card]) -> int:
    """The value of the best five of *cards*, from 1 (seven high) to 7462 (a royal flush).

    *cards* are five to seven different cards in any order; any other number raises ``ValueError``. That they
    differ is the caller's duty: nothing is promised for a card that occurs twice.
    """
    if len(cards) == 7:  # written out, since most hands have seven cards and a loop takes twice as long
        a, b, c, d, e, f, g = cards
        of = _CARDS
        hand = of[a] + of[b] + of[c] + of[d] + of[e] + of[f] + of[g]
        if hand >> _SUIT_SHIFT not in _FLUSH_SUITS_OF_7:
            return _BY_RANKS_OF_7[hand & _RANK_MASK]
    else:
        hand = _sum(cards)
        if hand >> _SUIT_SHIFT not in _FLUSH_SUITS[len(cards)]:
            return _BY_RANKS[len(cards)][hand & _RANK_MASK]
    suit = _FLUSH_SUITS[len(cards)][hand >> _SUIT_SHIFT]
    suited = [_RANK_WEIGHTS[card >> 2] for card in cards if card & 3 == suit]
    return _BY_SUITED_RANKS[len(suited)][sum(suited)]


def category(value: int) -> str:
    """The category of a strength; ``ValueError`` when *value* is not from 1 to 7462."""
    return _ranked(value)[0]


def best_hand(cards: Sequence[Card]) -> Hand:
    """The best five of *cards* with their value, under the same conditions as :func:`strength`.

    The five stand as people write them: the largest group of a rank first, then high to low, the wheel as
    5-4-3-2-A. Cards of one rank stand, and are chosen where one is as good as another, in the deck's order
    of suits, whatever the order of *cards*.
    """
    value = strength(cards)
    name, ranks = _ranked(value)
    left = sorted(cards)
    if name in _ONE_SUIT:
        suit = _FLUSH_SUITS[len(cards)][_sum(cards) >> _SUIT_SHIFT]
        left = [card for card in left if card & 3 == suit]
    ranks_left = [card >> 2 for card in left]
    five = []
    for rank in ranks:
        place = ranks_left.index(rank)
        five.append(left[place])
        ranks_left[place] = _TAKEN
    return Hand(value, name, tuple(five))


def _sum(cards: Sequence[Card]) -> int:
    if len(cards) not in _SIZES:
        raise ValueError(f"a hand is valued from 5 to 7 cards, not {len(cards)}")
    return sum([_CARDS[card] for card in cards])


def _ranked(value: int) -> _Value:
    if not 1 <= value <= BEST:
        raise ValueError(f"a strength is from 1 to {BEST}, not {value}")
    return _RANKING[value - 1]
