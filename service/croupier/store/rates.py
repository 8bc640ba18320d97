"""Limits on how often a caller may ask, counted in the store for all workers and servers together.

The counting is the ``limits`` library's, a sliding window; it goes over the connections of this server, so it
reaches every kind of store that sessions are kept in, and shares a round trip with other calls.
"""

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from typing import Any

from limits import RateLimitItem, parse_many
from limits.aio.storage import RedisStorage
from packaging.version import Version

from croupier.sessions.errors import StoreUnavailable
from croupier.store.client import Client, Script

_PATIENCE = 1.0
"""Seconds to wait for a count; the request goes on without one after that."""
_PAUSE = 1.0
"""Seconds for which nothing is counted once the store did not answer."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a caller stands with one limit, *quota* requests in *seconds*, once a request was counted.

    ``left`` requests may follow; ``over``: this one was too many. ``reset``: seconds until ``left`` grows.
    """

    quota: int
    seconds: int
    left: int
    reset: float
    over: bool


class StoredRates:
    """Counts requests under *prefix* in the store of *client*, each kind of caller's against its *limits*.

    *limits* are in the library's notation, as ``100/second;5000/minute``. Who is counted stands in the store
    as a digest under *secret*, from which neither a credential nor an address can be found.
    """

    def __init__(self, client: Client, prefix: str, limits: Mapping[str, str], secret: bytes) -> None:
        self._counters = _Counters(client, prefix)
        self._limits = {kind: tuple(sorted(parse_many(text))) for kind, text in limits.items()}
        self._secret = hashlib.blake2b(b"rates", key=secret[:64]).digest()
        self._paused_until = 0.0

    async def count(self, kind: str, digest: bytes) -> Sequence[Standing]:
        """Count one request of the caller; how it stands with each limit of its *kind*.

        Empty where there is none and where the store does not answer: then requests go uncounted for a
        while, and those that need the store are refused by it.
        """
        items = self._limits.get(kind)
        if not items or self._paused_until > time.monotonic():
            return ()
        who = hashlib.blake2b(digest, key=self._secret, digest_size=16).hexdigest()
        spans = [(item.key_for(kind, who), item.get_expiry()) for item in items]
        hits = [
            self._counters.acquire_sliding_window_entry(key, item.amount, span)
            for item, (key, span) in zip(items, spans, strict=True)
        ]
        looks = [self._counters.get_sliding_window(key, span) for key, span in spans]
        try:
            async with asyncio.timeout(_PATIENCE):
                # All are sent in one go, and in this order, so that a look sees the hit before it.
                found: list[Any] = await asyncio.gather(*hits, *looks)
        except (StoreUnavailable, TimeoutError):
            self._paused_until = time.monotonic() + _PAUSE
            return ()
        return [
            _standing(item, let_in, *window)
            for item, let_in, window in zip(items, found[: len(items)], found[len(items) :], strict=True)
        ]


def _standing(
    item: RateLimitItem, let_in: bool, before: int, before_ends: float, now: int, now_ends: float
) -> Standing:
    """From the counts of two windows, *before* and *now*, and the seconds until the store forgets each.

    The present window is kept for one span more, as the one before; that one weighs as much of its count as
    is left of its time.
    """
    span = item.get_expiry()
    resets = [float(span)]
    if before:
        resets.append(before_ends % (span / before))
    if now_ends > span:
        resets.append(now_ends - span)
    return Standing(
        quota=item.amount,
        seconds=span,
        left=max(0, item.amount - now - int(before * before_ends / span)) if let_in else 0,
        reset=min(resets),
        over=not let_in,
    )


class _Counters(RedisStorage):
    """The library's counters in Redis, which are scripts of its own, sent by our *client*."""

    DEPENDENCIES = {"redis": Version("5.2.0")}  # noqa: RUF012 - the library's own way to say so

    def __init__(self, client: Client, prefix: str) -> None:
        self._client = client
        super().__init__("redis://", implementation="redispy", key_prefix=prefix)

    def configure_bridge(self) -> None:
        """Have the scripts registered here instead of on a connection."""
        bridge: Any = self.bridge
        bridge.connection_getter = lambda _: self

    def register_script(self, text: bytes) -> Callable[[list[str], list[Any]], Awaitable[Any]]:
        """How a script is called, with its keys and its arguments."""
        script = _Given(text)
        return lambda keys, arguments: self._client.run(script, keys, *arguments)


class _Given(Script):
    """A script that somebody else ships."""

    def __init__(self, text: bytes) -> None:
        self.text = text.decode()
        self.digest = sha1(text, usedforsecurity=False).hexdigest()
