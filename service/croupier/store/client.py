"""Calls to the store: each goes to the server that holds its key, and what may be sent again is.

A call that was not answered may have been carried out. So a write is sent again only where it certainly was
not: no connection could be had, or the server said that it has done nothing. A read is sent again once when
its connection broke.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from hashlib import sha1
from importlib import resources
from itertools import count
from typing import Any, NamedTuple, NoReturn

from redis import exceptions as trouble

from croupier.sessions.errors import StoreUnavailable
from croupier.store.addresses import parsed
from croupier.store.lanes import Command, Lanes, NotSent, TooFewReplicas
from croupier.store.servers import Limits, Server
from croupier.store.topology import topology

__all__ = ["Client", "Limits", "Script"]

_RETRY_AFTER = 1
"""Seconds that a caller is asked to wait when the store is away."""

_AWAY = (
    NotSent,
    trouble.ConnectionError,
    trouble.TimeoutError,
    trouble.ReadOnlyError,
    trouble.OutOfMemoryError,
    trouble.NoPermissionError,
    trouble.ClusterError,
    trouble.TryAgainError,
    trouble.AskError,
    OSError,
)
_AWAY_REPLIES = ("MISCONF", "BUSY ", "NOREPLICAS", "NOAUTH", "UNKILLABLE")
"""How those replies begin that redis-py has no class for."""

_DOUBTFUL = (
    NotSent,
    TooFewReplicas,
    trouble.ConnectionError,
    trouble.ReadOnlyError,
    trouble.ClusterError,
    OSError,
)
"""Failures after which another server may hold the key."""
_NOTHING_DONE = (NotSent, trouble.BusyLoadingError, trouble.ReadOnlyError, trouble.ClusterError)
"""Failures after which even a write may be sent once more."""
_ON_ITS_WAY = (trouble.AskError, trouble.TryAgainError)
"""What a node says whose slot is being moved: some of its keys are here, some are there."""
_REDIRECTS = (trouble.NoScriptError, trouble.AskError)
_PROMPT = 4
"""How many redirects are followed at once; after more of them the servers do not agree yet."""


class Script:
    """A Lua script of this package, sent by its digest."""

    def __init__(self, name: str) -> None:
        self.text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
        self.digest = sha1(self.text.encode(), usedforsecurity=False).hexdigest()


class _Request(NamedTuple):
    """A command whose first try failed."""

    command: Command
    key: str
    script: Script | None
    lasting: bool
    harmless: bool
    since: float

    def may_be_repeated(self, error: Exception) -> bool:
        """Whether it may be sent once more after *error*."""
        return isinstance(error, _NOTHING_DONE) or (
            self.harmless and isinstance(error, trouble.ConnectionError)
        )


class Client:
    """Calls to the Redis or Valkey at *url*, each within its time limit.

    *url* is one of :mod:`croupier.store.addresses`; ``ValueError`` for another.

    What has to last (:meth:`write`, :meth:`commit`) is acknowledged when the replicas have it that *limits*
    ask for. Answers are as the protocol has them (RESP 2): bytes, int, None, and lists of these. Every
    failure of the store is a :class:`StoreUnavailable`.
    """

    def __init__(self, url: str, limits: Limits) -> None:
        address = parsed(url)
        self._topology = topology(address, limits)
        self._seconds = limits.call_seconds
        self.replicas = limits.replicas
        self.fails_over = address.kind != "single"

    async def read(self, *command: Any) -> Any:
        """The answer to one command that changes nothing."""
        return await self._call(command, command[1], harmless=True)

    async def write(self, *command: Any) -> Any:
        """The answer to one command whose change has to last."""
        return await self._call(command, command[1], lasting=True)

    async def ask(self, script: Script, keys: Sequence[str]) -> Any:
        """The answer to a script that only reads."""
        command = ("EVALSHA", script.digest, len(keys), *keys)
        return await self._call(command, keys[0], script, harmless=True)

    async def run(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The answer to a script whose changes need not outlive the server."""
        command = ("EVALSHA", script.digest, len(keys), *keys, *arguments)
        return await self._call(command, keys[0], script)

    async def commit(self, script: Script, keys: Sequence[str], *arguments: Any) -> Any:
        """The answer to a script whose changes have to last.

        Replicas are waited for on behalf of what the script writes. So one that finds its work done before
        has to write it again, or its answer may tell what they do not have yet.
        """
        command = ("EVALSHA", script.digest, len(keys), *keys, *arguments)
        return await self._call(command, keys[0], script, lasting=True)

    async def together(self, commands: Sequence[Command]) -> list[Any]:
        """The answers to several commands, sent together; their keys may lie anywhere.

        A command may be sent twice, and what it changes need not outlive the server.
        """
        return await asyncio.gather(*[self._call(one, one[1], harmless=True) for one in commands])

    async def hashes(self, pattern: str) -> AsyncIterator[bytes]:
        """Every key of type hash that matches *pattern*, of all servers; some may come twice."""
        for server in await self.servers():
            cursor = None
            while cursor != b"0":
                cursor, keys = await self.tell(
                    server, "SCAN", cursor or 0, "MATCH", pattern, "COUNT", 500, "TYPE", "hash"
                )
                for key in keys:
                    yield key

    async def servers(self) -> Sequence[Server]:
        """Every server that takes writes."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._topology.primaries()
        except Exception as error:
            _refuse(error)

    async def tell(self, server: Server, *command: Any) -> Any:
        """The answer of *server* to one command, whatever keys are there."""
        try:
            return await server.plain.call(command, asyncio.get_running_loop().time())
        except Exception as error:
            _refuse(error)

    async def own_connection(self) -> Any:
        """An open connection to one of the servers, for who listens; redis-py's errors are its owner's."""
        connection = random.choice(await self.servers()).connect()  # noqa: S311 - to share the work
        try:
            async with asyncio.timeout(self._seconds):
                await connection.connect()
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection

    async def close(self) -> None:
        """Let every connection go."""
        await self._topology.close()

    async def _call(
        self,
        command: Command,
        key: str,
        script: Script | None = None,
        *,
        lasting: bool = False,
        harmless: bool = False,
    ) -> Any:
        """The answer to *command*, which belongs where *key* is."""
        now = asyncio.get_running_loop().time()
        server = self._topology.server(key, now)
        try:
            if server is None:
                async with asyncio.timeout_at(now + self._seconds):
                    server = await self._topology.find(key)
            return await _lanes(server, lasting=lasting).call(command, now)
        except Exception as error:
            request = _Request(command, key, script, lasting, harmless, now)
            try:
                async with asyncio.timeout_at(now + self._seconds):
                    return await self._again(request, server, error)
            except Exception as last:
                _refuse(last)

    async def _again(self, request: _Request, server: Server | None, error: Exception) -> Any:
        """The answer to *request* after all, which *server* failed with *error*. Raises the last error.

        Redirects are followed until the time is up; of all other failures one is forgiven.
        """
        spare = True
        for attempt in count():
            if isinstance(error, trouble.NoScriptError) and request.script:
                # A restarted or flushed server knows no scripts.
                request = request._replace(command=("EVAL", request.script.text, *request.command[2:]))
            elif isinstance(error, trouble.MovedError):
                self._topology.moved(error.node_addr, error.slot_id)
            elif not isinstance(error, _ON_ITS_WAY):
                if isinstance(error, _DOUBTFUL):
                    self._topology.doubt(server)
                if not spare or not request.may_be_repeated(error):
                    raise error
                spare = False
                if isinstance(error, trouble.ReadOnlyError) and server is not None:
                    await server.cut()  # its connections lead to who was the primary
            if attempt >= _PROMPT or not isinstance(error, _REDIRECTS):
                pause = 0.01 * 2 ** min(attempt, 3) * random.uniform(0.5, 1.5)  # noqa: S311 - jitter
                await asyncio.sleep(pause)
            try:
                return await self._sent(request, error)
            except Exception as failure:
                error = failure
        raise error  # pragma: no cover - a count has no end

    async def _sent(self, request: _Request, after: Exception) -> Any:
        """The answer to *request*, sent again after a failure."""
        if isinstance(after, trouble.AskError) and not isinstance(after, trouble.MovedError):
            lanes = _lanes(self._topology.at(after.node_addr), lasting=request.lasting)
            # It allows the one command behind it, which is in the same batch.
            lanes.call(("ASKING",), request.since).add_done_callback(_heeded)
        else:
            lanes = _lanes(await self._topology.find(request.key), lasting=request.lasting)
        return await lanes.call(request.command, request.since)


def _lanes(server: Server, *, lasting: bool) -> Lanes:
    return server.lasting if lasting else server.plain


def _heeded(answer: "asyncio.Future[Any]") -> None:
    if not answer.cancelled():
        answer.exception()  # who sent the command behind it hears the same


def _refuse(error: Exception) -> NoReturn:
    """Raise *error*, or what it means: the store's failures told from mistakes of this program."""
    match error:
        case TimeoutError():
            detail = "The store did not answer in time."
        case TooFewReplicas():
            detail = "Too few replicas of the store have the change yet."
        case _ if isinstance(error, _AWAY):
            detail = "The store is away."
        case trouble.ResponseError() if str(error).startswith(_AWAY_REPLIES):
            detail = "The store refuses writes."
        case _:
            raise error
    raise StoreUnavailable(detail, retry_after=_RETRY_AFTER) from error
