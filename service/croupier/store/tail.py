"""News of sessions from every server on the same store: one connection a process, however many watch.

``commit.lua`` publishes each version on a channel named like the session's stream of events; only what is
watched here is subscribed to, so a commit that nobody watches reaches nobody. A notice is a number and no
more. It may be lost, with its connection or on the way: the versions of all that is watched are read every
few seconds besides, so a loss delays and nothing else.
"""

import asyncio
import contextlib
import logging
import math
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from redis.exceptions import RedisError

from croupier.sessions.errors import StoreUnavailable
from croupier.store.client import Client
from croupier.store.keys import Keys
from croupier.store.watches import ReadEvents, Watch, Watches

_log = logging.getLogger(__name__)

LOOK_EVERY = 5.0
"""Seconds between two looks at the versions of all that is watched."""
_SILENCE = 2.5 * LOOK_EVERY
"""Seconds without a sound, though a ping was sent, after which the connection is given up."""
_AGAIN = 0.5
"""Seconds until what failed is tried again, about."""
_TOGETHER = 200
"""How many channels are subscribed to, and how many versions asked for, in one go."""


class Tail:
    """Watches sessions in the store of *client*; *read* is the store's ``events``.

    Its tasks run from the first watch until :meth:`close`.
    """

    def __init__(self, client: Client, keys: Keys, read: ReadEvents) -> None:
        self._client = client
        self._keys = keys
        self._watches = Watches(read, self._changed, self._changed)
        self._tasks: list[asyncio.Task[None]] = []
        self._connection: Any = None
        self._subscribed: dict[bytes, str] = {}
        self._differing: set[str] = set()
        self._differs = asyncio.Event()
        self._fresh: list[str] = []
        self._confirmed = asyncio.Event()
        self._heard_at = 0.0

    def open(self, session_id: str, version: int) -> Watch:
        """Watch a session that was read at *version*."""
        if not self._tasks:
            self._tasks = [asyncio.create_task(_again(one)) for one in (self._listen, self._look)]
        return self._watches.open(session_id, version)

    def told(self, session_id: str, version: int) -> None:
        """This process committed *version*."""
        self._watches.told(session_id, version)

    async def close(self) -> None:
        """Listen no more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    def _changed(self, session_id: str) -> None:
        """A session is watched or is not any more."""
        self._differing.add(session_id)
        self._differs.set()

    # ── Notices ──────────────────────────────────────────────────────────────────────────────────────────

    async def _listen(self) -> None:
        """Subscribe and hear until the connection is lost. Raises what lost it."""
        connection = await self._client.own_connection()
        self._subscribed.clear()
        self._differing.update(self._watches)
        self._differs.set()
        self._heard_at = asyncio.get_running_loop().time()
        self._connection = connection
        subscribing = asyncio.create_task(self._subscribe(connection))
        try:
            while True:
                self._hear(await connection.read_response(timeout=math.inf))
        finally:
            self._connection = None
            subscribing.cancel()
            await asyncio.gather(subscribing, return_exceptions=True)
            with contextlib.suppress(RedisError, OSError):
                await connection.disconnect(nowait=True)

    async def _subscribe(self, connection: Any) -> None:
        """Keep what is subscribed to as it is watched; a failure breaks the connection, which is noticed."""
        while True:
            await self._differs.wait()
            self._differs.clear()
            differing = {self._channel(one): one for one in self._differing}
            self._differing.clear()
            new = {name: one for name, one in differing.items() if one in self._watches}
            new = {name: one for name, one in new.items() if name not in self._subscribed}
            old = [name for name, one in differing.items() if one not in self._watches]
            old = [name for name in old if self._subscribed.pop(name, None) is not None]
            self._subscribed |= new
            for verb, channels in (("SUBSCRIBE", list(new)), ("UNSUBSCRIBE", old)):
                for some in _in_parts(channels):
                    await connection.send_command(verb, *some)

    def _hear(self, message: Sequence[Any]) -> None:
        self._heard_at = asyncio.get_running_loop().time()
        match message:
            case [b"message", channel, version] if channel in self._subscribed:
                self._watches.told(self._subscribed[channel], int(version))
            case [b"subscribe", channel, _] if channel in self._subscribed:
                # What was committed before this moment was told to nobody here.
                self._fresh.append(self._subscribed[channel])
                self._confirmed.set()

    def _channel(self, session_id: str) -> bytes:
        return self._keys.events(session_id).encode()

    # ── Looking ──────────────────────────────────────────────────────────────────────────────────────────

    async def _look(self) -> None:
        """Look at what has just been subscribed to at once, and at everything every few seconds."""
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LOOK_EVERY
            while loop.time() < due:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(due):
                        await self._confirmed.wait()
                self._confirmed.clear()
                fresh, self._fresh = self._fresh, []
                await self._look_at(fresh)
            await self._look_at(list(self._watches))
            await self._ping(loop.time())

    async def _look_at(self, session_ids: Sequence[str]) -> None:
        for some in _in_parts(session_ids):
            versions = await self._client.together([("HGET", self._keys.session(one), "v") for one in some])
            for session_id, version in zip(some, versions, strict=True):
                self._watches.found(session_id, int(version or 0))

    async def _ping(self, now: float) -> None:
        """Have the store say something, so that a connection that is dead shows."""
        connection = self._connection
        if connection is None:
            return
        if now - self._heard_at > _SILENCE:
            await connection.disconnect(nowait=True)
        else:
            await connection.send_command("PING")


async def _again(work: Callable[[], Awaitable[None]]) -> None:
    """Do *work* for ever, from the start whenever it fails. What fails again at once is logged once."""
    loop, said = asyncio.get_running_loop(), ""
    while True:
        since = loop.time()
        try:
            await work()
        except Exception as failure:
            known = isinstance(failure, RedisError | OSError | StoreUnavailable)
            if str(failure) != said or loop.time() - since > LOOK_EVERY:
                _log.warning(
                    "changes that other servers make are heard late: %s",
                    failure,
                    exc_info=None if known else failure,
                )
            said = str(failure)
        await asyncio.sleep(_AGAIN * random.uniform(0.5, 1.5))  # noqa: S311 - jitter


def _in_parts(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), _TOGETHER):
        yield items[start : start + _TOGETHER]
