"""Sealing at rest: AES-256-GCM under a key of each session's own, bound to the place where the record lies.

A sealed record is ``key id (4) | nonce (12) | ciphertext and tag``. The key id is derived from the secret
that made the key, so secrets are rotated by listing the new one first and the old ones after it: the first
seals, all of them open.
"""

import hmac
import os
from collections.abc import Sequence
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from croupier.sessions.errors import Unreadable

_ID = 4
_NONCE = 12
_TAG = 16
_CACHED_KEYS = 4096
MIN_SECRET = 16
"""The shortest secret taken, in bytes."""


class SealError(Unreadable):
    """A sealed record cannot be opened."""


class UnknownSecret(SealError):
    """The record was sealed under a secret that is not listed any more."""


class BrokenSeal(SealError):
    """The record was altered, or is not the one that belongs in this place."""


class Seals:
    """Seals and opens the records of sessions under the server's *secrets*.

    Raises ``ValueError`` for no secret, and for one of fewer than ``MIN_SECRET`` bytes.
    """

    def __init__(self, secrets: Sequence[bytes]) -> None:
        if not secrets:
            raise ValueError("a store needs a secret key")
        if min(map(len, secrets)) < MIN_SECRET:
            raise ValueError(f"a secret key has at least {MIN_SECRET} bytes")
        self._secrets = {hmac.digest(one, b"croupier seal id", "sha256")[:_ID]: one for one in secrets}
        self._first = next(iter(self._secrets))
        # Setting AES up costs more than sealing a small record, and a session's records come in bursts.
        self._cipher = lru_cache(_CACHED_KEYS)(self._derive)

    def _derive(self, key_id: bytes, session_id: str) -> AESGCM:
        label = b"croupier seal key " + session_id.encode()
        return AESGCM(hmac.digest(self._secrets[key_id], label, "sha256"))

    def seal(self, kind: str, session_id: str, place: int | str, plain: bytes) -> bytes:
        """*plain*, sealed as the session's record of *kind* at *place* (a version, a position, a slot)."""
        nonce = os.urandom(_NONCE)
        bound = f"{kind} {session_id} {place}".encode()
        return self._first + nonce + self._cipher(self._first, session_id).encrypt(nonce, plain, bound)

    def open(self, kind: str, session_id: str, place: int | str, sealed: bytes) -> bytes:
        """What :meth:`seal` was given for the same kind, session and place.

        Raises :class:`UnknownSecret` or :class:`BrokenSeal`.
        """
        key_id, nonce = sealed[:_ID], sealed[_ID : _ID + _NONCE]
        if len(sealed) < _ID + _NONCE + _TAG:
            raise BrokenSeal(f"the {kind} of session {session_id} at {place} is cut short")
        if key_id not in self._secrets:
            raise UnknownSecret(f"no listed secret key opens the {kind} of session {session_id} at {place}")
        bound = f"{kind} {session_id} {place}".encode()
        try:
            return self._cipher(key_id, session_id).decrypt(nonce, sealed[_ID + _NONCE :], bound)
        except InvalidTag:
            raise BrokenSeal(f"the {kind} of session {session_id} at {place} was altered or moved") from None
