"""The words shown to people, by locale: one TOML file each. Codes never change with the locale."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from croupier.rules.hands import Hand

LOCALES = ("en", "pt", "pt-BR", "es", "fr")
DEFAULT = "en"

Kind: TypeAlias = Literal["games", "hands", "stages", "actions", "bets", "problems"]

_described: dict[tuple[int, str], str] = {}


@cache
def _words(locale: str) -> Mapping[str, Any]:
    return tomllib.loads((files(__name__) / f"{locale}.toml").read_text(encoding="utf-8"))


def word(kind: Kind, code: str, locale: str = DEFAULT) -> str:
    """What people call *code* in *locale*. Raises ``KeyError`` for a code that has no word."""
    found: str = _words(locale)[kind][code]
    return found


def describe(hand: Hand, locale: str = DEFAULT) -> str:
    """A hand in a few words, such as ``pair of aces``. Hands of equal strength read the same."""
    key = (hand.strength, locale)
    if (text := _described.get(key)) is None:
        words = _words(locale)
        one, many = words["ranks"]["one"], words["ranks"]["many"]
        first = hand.cards[0] >> 2
        second = next((card >> 2 for card in hand.cards if card >> 2 != first), first)
        template: str = words["descriptions"][hand.category]
        text = template.format(high=one[first], many=many[first], more=many[second])
        _described[key] = text
    return text
