"""The one place that talks to redis-py: batches, time limits, retries, scripts, and what its errors mean."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib import resources
from typing import Any, NamedTuple, TypeVar

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


_PATIENCE = 0.002
"""Seconds for which a batch may be under way before those behind it get a lane of their own."""


class Script:
    """A Lua script of this package, sent by its digest."""

    def __init__(self, name: str) -> None:
        self.text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class Limits:
    """How many connections, how long to wait for one to open, and how long for any answer; in seconds.

    Calls share connections in batches, so a few serve any number of requests.
    """

    connections: int = 4
    connect_seconds: float = 1.0
    call_seconds: float = 2.0


class _Packing:
    """Put in front of a connection: packs a batch in one pass, which takes a third of redis-py's time."""

    def pack_commands(self, commands: Iterable[Sequence[Any]]) -> list[bytes]:
        """*commands* of bytes, str and int, as they are sent."""
        parts: list[bytes] = []
        for command in commands:
            parts.append(b"*%d\r\n" % len(command))
            for argument in command:
                data = argument if isinstance(argument, bytes) else str(argument).encode()
                parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
        return [b"".join(parts)]


def _pool(url: str, limits: Limits) -> BlockingConnectionPool:
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=limits.connections,
        timeout=limits.call_seconds,
        socket_connect_timeout=limits.connect_seconds,
        # The time that an answer may take is limited for a whole batch; a limit for each would only cost.
        socket_timeout=None,
        # redis-py would repeat an unanswered command ten times, and so a write that was only slow.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        driver_info=None,
    )
    pool.connection_class = type("PackingConnection", (_Packing, pool.connection_class), {})
    return pool


class _Call(NamedTuple):
    """One command under way: since when, by the loop's clock, and who waits for its answer."""

    since: float
    command: tuple[Any, ...]
    answer: asyncio.Future[Any]


class _Lanes:
    """Sends calls in batches: all that are made while the batch before them is under way.

    A lane is a connection with one batch under way; a call on its own costs twice as much processor time as
    one among others. So one lane does for a store that is near, and the next is opened only when the newest
    batch has not been answered for a while. A batch is sent once and has the time that its first call has
    left, so nobody waits longer than *seconds* in all.
    """

    def __init__(self, redis: Any, lanes: int, seconds: float) -> None:
        self._redis = redis
        self._seconds = seconds
        self._lanes = lanes
        self._busy = 0
        self._starting = False
        self._sent = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[_Call] = []
        self._under_way: set[asyncio.Task[None]] = set()

    def call(self, *command: Any) -> asyncio.Future[Any]:
        """The answer to *command*, or one of redis-py's errors, or ``TimeoutError``."""
        loop = asyncio.get_running_loop()
        call = _Call(loop.time(), command, loop.create_future())
        self._waiting.append(call)
        if not self._busy or self._timer is None:
            self._open(loop)
        return call.answer

    def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open a lane for those who wait, at once or when the newest batch has had its time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting or self._busy == self._lanes or self._starting:
            return
        early = self._sent + _PATIENCE - loop.time() if self._busy else 0
        if early > 0:
            self._timer = loop.call_later(early, self._open, loop)
            return
        self._busy += 1
        self._starting = True
        lane = loop.create_task(self._run())
        self._under_way.add(lane)
        lane.add_done_callback(self._under_way.discard)

    async def _run(self) -> None:
        self._starting = False
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                # Nothing is sent for those who have given up by now.
                batch = [call for call in self._waiting if not call.answer.done()]
                self._waiting = []
                self._sent = loop.time()
                if batch:
                    await self._exchange(batch)
        finally:
            self._busy -= 1

    async def _exchange(self, batch: Sequence[_Call]) -> None:
        given: Sequence[Any]
        try:
            # The limit cancels the exchange, and redis-py drops the connection: nobody reads an answer late.
            async with (
                asyncio.timeout_at(batch[0].since + self._seconds),
                self._redis.pipeline(transaction=False) as pipeline,
            ):
                for call in batch:
                    pipeline.execute_command(*call.command)
                given = await pipeline.execute(raise_on_error=False)
        except Exception as error:  # whatever it is, it is for those who wait to hear
            given = [error] * len(batch)
        for call, value in zip(batch, given, strict=True):
            if call.answer.done():
                continue
            if isinstance(value, Exception):
                call.answer.set_exception(value)
            else:
                call.answer.set_result(value)


class Client:
    """Calls to a Redis or Valkey, each within its time limit.

    *url* is ``redis://``, ``rediss://`` or ``unix://``; ``ValueError`` for another.

    Writes are sent once: whether a write that was not answered is in, nobody here can know. A read that found
    its connection broken is sent once more. Every failure of the store is a :class:`StoreUnavailable`.
    """

    def __init__(self, url: str, limits: Limits) -> None:
        self._redis: Any = Redis.from_pool(_pool(url, limits))
        self._call = _Lanes(self._redis, limits.connections, limits.call_seconds).call
        self._seconds = limits.call_seconds

    async def read(self, *command: Any) -> Any:
        """The answer to one command that changes nothing."""
        return await _answer(self._twice(lambda: self._call(*command)))

    async def write(self, *command: Any) -> Any:
        """The answer to one command."""
        return await _answer(self._call(*command))

    async def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The answer to a script that writes."""
        return await _answer(self._evaluate(script, keys, arguments))

    async def ask(self, script: Script, keys: Sequence[str]) -> Any:
        """The answer to a script that only reads."""
        return await _answer(self._twice(lambda: self._evaluate(script, keys, ())))

    async def together(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """The answers to several commands, sent together; their keys may lie anywhere."""
        return await _answer(asyncio.gather(*[self._call(*command) for command in commands]))

    async def hashes(self, pattern: str) -> AsyncIterator[bytes]:
        """Every key of type hash that matches *pattern*."""
        cursor = -1
        while cursor:
            cursor, keys = await self.read(
                "SCAN", max(cursor, 0), "MATCH", pattern, "COUNT", 500, "TYPE", "hash"
            )
            for key in keys:
                yield key

    async def own_connection(self) -> Any:
        """An open connection beside the pool's, for who listens on it; redis-py's errors are its owner's."""
        connection = self._redis.connection_pool.make_connection()
        try:
            async with asyncio.timeout(self._seconds):
                await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection

    async def close(self) -> None:
        """Let every connection go."""
        await self._redis.aclose()

    async def _evaluate(self, script: Script, keys: Sequence[str], arguments: Sequence[Any]) -> Any:
        try:
            return await self._call("EVALSHA", script.digest, len(keys), *keys, *arguments)
        except trouble.NoScriptError:
            # A restarted or flushed server knows no scripts. It has run nothing, so sending again is safe.
            return await self._call("EVAL", script.text, len(keys), *keys, *arguments)

    async def _twice(self, call: Callable[[], Awaitable[T]]) -> T:
        begun = asyncio.get_running_loop().time()
        try:
            return await call()
        except trouble.ConnectionError:
            async with asyncio.timeout_at(begun + self._seconds):
                await asyncio.sleep(random.uniform(0.01, 0.05))  # noqa: S311 - jitter
                return await call()


async def _answer(call: Awaitable[T]) -> T:
    """What *call* gives, with the store's failures told from mistakes of this program."""
    try:
        return await call
    except TimeoutError as error:
        raise StoreUnavailable("The store did not answer in time.", retry_after=_RETRY_AFTER) from error
    except _AWAY as error:
        raise StoreUnavailable("The store is away.", retry_after=_RETRY_AFTER) from error
    except trouble.ResponseError as error:
        if str(error).startswith(_AWAY_REPLIES):
            raise StoreUnavailable("The store refuses writes.", retry_after=_RETRY_AFTER) from error
        raise
