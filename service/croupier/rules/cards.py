"""The deck and the names of its cards.

A card is an integer 0..51 in the order of a fresh deck, ``2c 2d 2h 2s 3c … As``: ``rank * 4 + suit``.
Text exists only at the edges: rank then suit, as in ``Ah`` or ``Td``.
"""

from collections.abc import Iterable
from typing import TypeAlias

Card: TypeAlias = int

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK: tuple[Card, ...] = tuple(range(52))
TEXT: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARD = {text: card for card, text in enumerate(TEXT)}


def card(text: str) -> Card:
    """The card that *text* names; ``ValueError`` when it names none (``10h`` is written ``Th``)."""
    try:
        return _CARD[text]
    except KeyError:
        raise ValueError(f"{text!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}") from None


def cards(text: str | Iterable[str]) -> tuple[Card, ...]:
    """Several cards, from ``"Ah Kd"`` or from texts of one card each."""
    return tuple(card(one) for one in (text.split() if isinstance(text, str) else text))


def texts(dealt: Iterable[Card]) -> list[str]:
    """The names of *dealt*, in the order given."""
    return [TEXT[one] for one in dealt]
