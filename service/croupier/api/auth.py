"""Who asks: from the ``Authorization`` header to a :class:`Caller`."""

import hashlib
import hmac
import re
from collections.abc import Mapping

from croupier.api.config import ApiConfig
from croupier.api.languages import locale_of
from croupier.sessions.errors import Unauthorized
from croupier.sessions.operators import KnownKeys
from croupier.sessions.requests import Caller

_BEARER = re.compile(rb"bearer +([\x21-\x7e]{1,512})", re.IGNORECASE)
_TOKEN = re.compile(rb"(?:tbl|seat)_[A-Za-z0-9_~-]{1,128}")
LOCAL = "local"
"""The operator that a request without a credential acts as in open mode."""


class Credentials:
    """Tells whose a credential is: by the keys of the *config*, and the *stored* ones if there is a store."""

    def __init__(self, config: ApiConfig, stored: KnownKeys | None = None) -> None:
        self._configured = config.operator_keys
        self._open = config.open_mode
        self._stored = stored

    async def open_mode(self) -> bool:
        """Whether a request without a credential acts as the operator ``local``.

        The first stored key ends this until the next start: a key that is revoked or expires opens nothing.
        Raises ``StoreUnavailable`` when nobody can say.
        """
        if self._open and self._stored is not None and await self._stored.any():
            self._open = False
        return self._open

    async def caller(self, headers: Mapping[bytes, bytes]) -> Caller:
        """The caller that *headers* name.

        Raises ``Unauthorized`` for a credential nobody knows, ``StoreUnavailable`` when nobody can say.
        Table and seat tokens are told from operator keys by their prefix; whether a token is good, the
        session it is used on says.
        """
        given = headers.get(b"authorization")
        locale = locale_of(headers.get(b"accept-language"))
        if given is None:
            return Caller(operator=LOCAL if await self.open_mode() else None, locale=locale)
        credential = bearer(given)
        if credential is None:
            raise Unauthorized("The Authorization header has to read `Bearer` and one credential.")
        if is_token(credential):
            return Caller(token=credential.decode(), locale=locale)
        operator = self._configured_operator(credential)
        if operator is None and self._stored is not None:
            operator = await self._stored.operator_of(credential)
        if operator is None:
            raise Unauthorized("This server does not know the key.")
        return Caller(operator=operator, locale=locale)

    def _configured_operator(self, key: bytes) -> str | None:
        """Whose *key* it is; every known digest is compared, so that the time taken tells nothing."""
        digest = hashlib.sha256(key).hexdigest()
        found = None
        for expected, name in self._configured.items():
            if hmac.compare_digest(digest, expected):
                found = name
        return found


def bearer(given: bytes) -> bytes | None:
    """The credential that an ``Authorization`` header names; None for one that does not read as it should."""
    match = _BEARER.fullmatch(given.strip())
    return None if match is None else match[1]


def is_token(credential: bytes) -> bool:
    """Whether a credential is a session's token, by its looks, and no operator key."""
    return _TOKEN.fullmatch(credential) is not None
