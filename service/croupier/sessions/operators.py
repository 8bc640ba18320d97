"""Operator keys in the store: what one is, what a server needs of the store, and what a worker remembers.

A key is ``cr_``, its public id and 256 random bits. Only its SHA-256 is kept. A slow hash would add nothing:
it hinders the guessing of what people choose, and nobody guesses 256 random bits, fast or slowly.
"""

import asyncio
import base64
import hashlib
import hmac
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Clock, Entropy
from croupier.sessions.session import Millis

FRESH = 5.0
"""Seconds for which what was read is good: so long a revoked key may still be taken."""
NEWS = 0.5
"""Seconds between two looks for keys that were not there before, at least."""
NOTED: Millis = 60_000
"""How far behind the time of a key's last use may be."""

_KEY = re.compile(rb"cr_([a-z2-7]{16})_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class OperatorKey:
    """One of an operator's keys: ``digest`` is its SHA-256 in hex, ``id`` is public and part of the key.

    ``expires_at`` None: it lasts until it is revoked. ``used_at`` is about a minute exact; None: never used.
    """

    id: str
    operator: str
    digest: str
    created_at: Millis
    label: str = ""
    expires_at: Millis | None = None
    used_at: Millis | None = None

    def expired(self, now: Millis) -> bool:
        """Whether its time is over."""
        return self.expires_at is not None and now >= self.expires_at


class KeyStore(Protocol):
    """Where operator keys live. Every method raises ``StoreUnavailable`` when the store is away."""

    async def every(self) -> Sequence[OperatorKey]:
        """All keys, the oldest first."""

    async def add(self, key: OperatorKey) -> None:
        """Keep a new key."""

    async def revoke(self, key_id: str) -> bool:
        """Forget a key; whether there was one."""

    async def used(self, key_id: str, at: Millis) -> None:
        """Note that a key was used; nothing for one that has been revoked meanwhile."""


def new_key(
    operator: str, label: str, expires_at: Millis | None, clock: Clock, entropy: Entropy
) -> tuple[str, OperatorKey]:
    """A new key, to be shown once, and what is kept of it."""
    key_id = base64.b32encode(entropy.bytes(10)).decode().lower()
    key = f"cr_{key_id}_{base64.urlsafe_b64encode(entropy.bytes(32)).decode().rstrip('=')}"
    digest = hashlib.sha256(key.encode()).hexdigest()
    return key, OperatorKey(key_id, operator, digest, clock.now(), label, expires_at)


class KnownKeys:
    """The operator keys as one worker knows them: all of them, read anew when they are asked for and old.

    So the store is asked once in ``FRESH`` seconds, or once in ``NEWS`` seconds while somebody tries keys
    that are not there: guesses cost the store nothing more, and no memory here. *passed* counts seconds.
    """

    def __init__(self, store: KeyStore, clock: Clock, passed: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._passed = passed
        self._known: Mapping[str, OperatorKey] = {}
        self._read_at: float | None = None
        self._reading: asyncio.Future[None] | None = None
        self._noted: dict[str, Millis] = {}
        self._notes: set[asyncio.Task[None]] = set()

    async def operator_of(self, given: bytes) -> str | None:
        """Whose key *given* is; None for one that nobody knows, or whose time is over.

        Raises ``StoreUnavailable`` when what was read is too old and the store is away.
        """
        match = _KEY.fullmatch(given)
        if match is None:
            return None
        key_id = match[1].decode()
        key = (await self._within(FRESH)).get(key_id) or (await self._within(NEWS)).get(key_id)
        now = self._clock.now()
        digest = hashlib.sha256(given).hexdigest()
        if key is None or not hmac.compare_digest(digest, key.digest) or key.expired(now):
            return None
        self._note(key, now)
        return key.operator

    async def any(self) -> bool:
        """Whether there is a key at all, good or expired. Raises ``StoreUnavailable`` as above."""
        return bool(await self._within(FRESH))

    async def _within(self, seconds: float) -> Mapping[str, OperatorKey]:
        """All keys as they were at most *seconds* ago; who asks at the same time waits for the same read."""
        if self._read_at is None or self._passed() - self._read_at > seconds:
            if self._reading is None or self._reading.done():
                self._reading = asyncio.ensure_future(self._read())
                self._reading.add_done_callback(_looked_at)
            await asyncio.shield(self._reading)
        return self._known

    async def _read(self) -> None:
        at = self._passed()
        self._known = {key.id: key for key in await self._store.every()}
        self._read_at = at
        self._noted = {key_id: noted for key_id, noted in self._noted.items() if key_id in self._known}

    def _note(self, key: OperatorKey, now: Millis) -> None:
        """Have the use of *key* written down, in nobody's way, unless it was just before."""
        if now - max(key.used_at or 0, self._noted.get(key.id, 0)) < NOTED:
            return
        self._noted[key.id] = now
        note = asyncio.create_task(self._write(key.id, now))
        self._notes.add(note)
        note.add_done_callback(self._notes.discard)

    async def _write(self, key_id: str, at: Millis) -> None:
        try:
            await self._store.used(key_id, at)
        except StoreUnavailable:
            # The next use is written down instead.
            self._noted.pop(key_id, None)


def _looked_at(reading: "asyncio.Future[None]") -> None:
    """Nobody may be left to hear of a failure; the next who asks reads anew."""
    if not reading.cancelled():
        reading.exception()
