"""The cards that a question gives."""

from collections.abc import Iterable, Sequence

from croupier.rules.cards import DECK, TEXT, Card
from croupier.rules.game import InvalidOption


def check_cards(given: Iterable[tuple[str, Sequence[Card], tuple[int, ...]]]) -> None:
    """Raise :class:`InvalidOption` unless every field has a right number of cards, each card once in all.

    Of each field: its name, its cards, and the numbers of cards that it may have.
    """
    seen: set[Card] = set()
    for field, cards, sizes in given:
        if len(cards) not in sizes:
            raise InvalidOption(field, f"must have {_either(sizes)} cards, not {len(cards)}")
        for place, card in enumerate(cards):
            if card not in DECK:
                raise InvalidOption(f"{field}/{place}", "is no card of the deck")
            if card in seen:
                raise InvalidOption(f"{field}/{place}", f"{TEXT[card]} is given twice")
            seen.add(card)


def _either(sizes: tuple[int, ...]) -> str:
    *some, last = map(str, sizes)
    return f"{', '.join(some)} or {last}" if some else last
