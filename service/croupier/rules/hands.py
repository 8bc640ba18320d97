"""Five to seven cards to an ordered hand value."""

from collections.abc import Sequence
from dataclasses import dataclass

from croupier.rules.cards import Card

CATEGORIES = (
    "high_card", "pair", "two_pair", "three_of_a_kind", "straight",
    "flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hand:
    """The best five of some cards: ``strength`` 1 (worst) to 7462, the category's name, and the five cards."""

    strength: int
    category: str
    cards: tuple[Card, ...]


def strength(cards: Sequence[Card]) -> int:
    raise NotImplementedError


def category(value: int) -> str:
    raise NotImplementedError


def best_hand(cards: Sequence[Card]) -> Hand:
    raise NotImplementedError
