"""Who asks: from the ``Authorization`` header to a :class:`Caller`."""

import hashlib
import hmac
import re
from collections.abc import Mapping

from croupier.api.config import ApiConfig
from croupier.locales import DEFAULT, LOCALES
from croupier.sessions.errors import Unauthorized
from croupier.sessions.requests import Caller

_BEARER = re.compile(rb"bearer +([\x21-\x7e]{1,512})", re.IGNORECASE)
_TOKEN = re.compile(rb"(?:tbl|seat)_[A-Za-z0-9_~-]{1,128}")
_LOCALES = {locale.lower(): locale for locale in LOCALES}
LOCAL = "local"
"""The operator that a request without a credential acts as in open mode."""


def caller_of(headers: Mapping[bytes, bytes], config: ApiConfig) -> Caller:
    """The caller that *headers* name. Raises ``Unauthorized`` for a credential nobody knows.

    Table and seat tokens are told from operator keys by their prefix; whether a token is good, the session
    it is used on says.
    """
    given = headers.get(b"authorization")
    locale = locale_of(headers.get(b"accept-language"))
    if given is None:
        return Caller(operator=LOCAL if config.open_mode else None, locale=locale)
    match = _BEARER.fullmatch(given.strip())
    if match is None:
        raise Unauthorized("The Authorization header has to read `Bearer` and one credential.")
    credential = match[1]
    if _TOKEN.fullmatch(credential):
        return Caller(token=credential.decode(), locale=locale)
    operator = _operator(credential, config.operator_keys)
    if operator is None:
        raise Unauthorized("This server does not know the key.")
    return Caller(operator=operator, locale=locale)


def _operator(key: bytes, known: Mapping[str, str]) -> str | None:
    """Whose *key* it is; every known digest is compared, so that the time taken tells nothing."""
    digest = hashlib.sha256(key).hexdigest()
    found = None
    for name, expected in known.items():
        if hmac.compare_digest(digest, expected):
            found = name
    return found


def locale_of(accept_language: bytes | None) -> str:
    """The first locale of ``Accept-Language``, best weight first, that there are words for; else English."""
    if accept_language is None:
        return DEFAULT
    wanted: list[tuple[float, str]] = []
    for part in accept_language.decode("latin-1").lower().split(",")[:16]:
        tag, _, given = part.strip().partition(";q=")
        try:
            weight = float(given) if given else 1.0
        except ValueError:
            continue
        if weight > 0:
            wanted.append((weight, tag.strip()))
    for _, tag in sorted(wanted, key=lambda pair: -pair[0]):
        if found := _LOCALES.get(tag) or _LOCALES.get(tag.split("-")[0]):
            return found
    return DEFAULT
