"""The one place that talks to redis-py: time limits, retries, scripts, and what its errors mean."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib import resources
from typing import Any, TypeVar

from redis import exceptions as trouble
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from croupier.sessions.errors import StoreUnavailable

T = TypeVar("T")

_RETRY_AFTER = 1
"""Seconds that a caller is asked to wait when the store is away."""

_AWAY = (
    trouble.ConnectionError,
    trouble.TimeoutError,
    trouble.ReadOnlyError,
    trouble.OutOfMemoryError,
    trouble.NoPermissionError,
    trouble.ClusterError,
    trouble.RedisClusterException,
    trouble.TryAgainError,
    OSError,
)
_AWAY_REPLIES = ("MISCONF", "BUSY ", "NOREPLICAS", "NOAUTH", "UNKILLABLE")
"""How those replies begin that redis-py has no class for."""


class Script:
    """A Lua script of this package, sent by its digest."""

    def __init__(self, name: str) -> None:
        self.text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections, how long to wait for one to open, and how long for any answer; in seconds."""

    connections: int = 32
    connect_seconds: float = 1.0
    call_seconds: float = 2.0


def _pool(url: str, limits: Limits) -> BlockingConnectionPool:
    return BlockingConnectionPool.from_url(
        url,
        max_connections=limits.connections,
        timeout=limits.call_seconds,
        socket_connect_timeout=limits.connect_seconds,
        socket_timeout=limits.call_seconds,
        # redis-py would repeat an unanswered command ten times, and so a write that was only slow.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
    )


class Client:
    """Calls to a Redis or Valkey, each within its time limit.

    *url* is ``redis://``, ``rediss://`` or ``unix://``; ``ValueError`` for another.

    Writes are sent once: whether a write that was not answered is in, nobody here can know. A read that found
    its connection broken is sent once more. Every failure of the store is a :class:`StoreUnavailable`.
    """

    def __init__(self, url: str, limits: Limits) -> None:
        self._redis: Any = Redis.from_pool(_pool(url, limits))
        self._seconds = limits.call_seconds

    async def _within(self, call: Callable[[], Awaitable[T]]) -> T:
        try:
            # The limit cancels the call. redis-py then drops the connection: no later call reads its answer.
            async with asyncio.timeout(self._seconds):
                return await call()
        except TimeoutError as error:
            raise StoreUnavailable("The store did not answer in time.", retry_after=_RETRY_AFTER) from error
        except _AWAY as error:
            raise StoreUnavailable("The store is away.", retry_after=_RETRY_AFTER) from error
        except trouble.ResponseError as error:
            if str(error).startswith(_AWAY_REPLIES):
                raise StoreUnavailable("The store refuses writes.", retry_after=_RETRY_AFTER) from error
            raise

    async def read(self, *command: Any) -> Any:
        """The answer to one command that changes nothing."""
        return await self._within(lambda: self._twice(lambda: self._redis.execute_command(*command)))

    async def write(self, *command: Any) -> Any:
        """The answer to one command."""
        return await self._within(lambda: self._redis.execute_command(*command))

    async def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The answer to a script that writes."""
        return await self._within(lambda: self._evaluate(script, keys, arguments))

    async def ask(self, script: Script, keys: Sequence[str]) -> Any:
        """The answer to a script that only reads."""
        return await self._within(lambda: self._twice(lambda: self._evaluate(script, keys, ())))

    async def together(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The answers to several commands, sent together; their keys may lie anywhere."""

        async def send() -> list[Any]:
            async with self._redis.pipeline(transaction=False) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                answers: list[Any] = await pipeline.execute()
                return answers

        return await self._within(send)

    async def hashes(self, pattern: str) -> AsyncIterator[bytes]:
        """Every key of type hash that matches *pattern*."""
        keys = self._redis.scan_iter(match=pattern, count=500, _type="hash")
        while (key := await self._within(lambda: anext(keys, None))) is not None:
            yield key

    async def close(self) -> None:
        """Let every connection go."""
        await self._redis.aclose()

    async def _evaluate(self, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        try:
            return await self._redis.execute_command("EVALSHA", script.digest, len(keys), *keys, *arguments)
        except trouble.NoScriptError:
            # A restarted or flushed server knows no scripts. It has run nothing, so sending again is safe.
            return await self._redis.execute_command("EVAL", script.text, len(keys), *keys, *arguments)

    async def _twice(self, call: Callable[[], Awaitable[T]]) -> T:
        try:
            return await call()
        except trouble.ConnectionError:
            await asyncio.sleep(random.uniform(0.01, 0.05))  # noqa: S311 - jitter
            return await call()
