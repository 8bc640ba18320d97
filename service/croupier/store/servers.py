"""One server of a store: its connections, and the lanes to it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from croupier.store.addresses import Address
from croupier.store.lanes import Connection, Lanes, Replicas


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections to a server, how long to wait for one to open, and how long for any answer.

    Times are in seconds. Calls share connections in batches, so a few serve any number of requests. With
    *replicas*, what has to last is acknowledged when so many replicas have it, and those calls have as many
    connections again.
    """

    connections: int = 4
    connect_seconds: float = 1.0
    call_seconds: float = 2.0
    replicas: Replicas | None = None


class Server:
    """One server and the lanes to it: ``plain`` ones, and those whose calls have to last."""

    def __init__(self, connections: ConnectionPool, limits: Limits) -> None:
        self.connect: Callable[[], Connection] = connections.make_connection
        self.plain = Lanes(self.connect, limits.connections, limits.call_seconds)
        self.lasting = self.plain
        if limits.replicas:
            self.lasting = Lanes(self.connect, limits.connections, limits.call_seconds, limits.replicas)

    async def close(self, *, at_once: bool = False) -> None:
        """Let every connection go, when what is under way has ended, or *at_once*."""
        await self.plain.close(at_once=at_once)
        await self.lasting.close(at_once=at_once)

    async def cut(self) -> None:
        """Break every connection: what is under way gets no answer, and what waits is not sent."""
        await self.plain.cut()
        await self.lasting.cut()


def pool(address: Address, limits: Limits, **options: Any) -> ConnectionPool:
    """What makes connections to a server of *address*; *options* are redis-py's."""
    return address.server(
        socket_connect_timeout=limits.connect_seconds,
        # The time that an answer may take is limited for a whole batch; a limit for each would only cost.
        socket_timeout=None,
        # redis-py would repeat an unanswered command, and so a write that was only slow.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
        **options,
    )


class Asked:
    """A question under way at most once, however many wait for its answer."""

    def __init__(self, ask: Callable[[], Awaitable[None]]) -> None:
        self._ask = ask
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> "asyncio.Task[None]":
        """Ask, unless it is being asked."""
        if self._task is None or self._task.done():
            self._task = asyncio.ensure_future(self._ask())
            self._task.add_done_callback(_heeded)
        return self._task

    @property
    def under_way(self) -> bool:
        """Whether it is being asked."""
        return self._task is not None and not self._task.done()

    async def answer(self) -> None:
        """Return when it is answered. Who waits may go away; the others still wait."""
        await asyncio.shield(self.begin())

    async def close(self) -> None:
        """Ask no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


def _heeded(task: "asyncio.Task[None]") -> None:
    if not task.cancelled():
        task.exception()  # who waits hears of it, and perhaps nobody does
