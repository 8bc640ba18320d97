"""In which language to answer: ``Accept-Language`` against the locales that there are words for."""

from functools import lru_cache

from babel.core import negotiate_locale

from croupier.locales import DEFAULT, LOCALES

_LOCALES = {locale.lower(): locale for locale in LOCALES}
_MOST = 16
"""Languages of one header that are looked at."""
_LONGEST = 512
"""Bytes of one header that are looked at, and so remembered."""


def locale_of(accept_language: bytes | None) -> str:
    """The first locale of ``Accept-Language``, best weight first, that there are words for; else English.

    ``pt-AO`` is content with ``pt``; a weight of 0 refuses a language, and what cannot be read is left out.
    """
    return DEFAULT if accept_language is None else _negotiated(accept_language[:_LONGEST])


@lru_cache(1024)
def _negotiated(accept_language: bytes) -> str:
    weights: dict[str, float] = {}
    for part in accept_language.decode("latin-1").lower().split(",")[:_MOST]:
        tag, _, given = part.partition(";")
        try:
            weights[tag.strip()] = float(given.strip().removeprefix("q=")) if given else 1.0
        except ValueError:
            continue
    wanted = sorted((tag for tag, weight in weights.items() if weight > 0), key=lambda tag: -weights[tag])
    return _LOCALES.get(negotiate_locale(wanted, _LOCALES, sep="-", aliases={}) or "", DEFAULT)
