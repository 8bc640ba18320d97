"""TCP between a client and a server: one that cuts it in the middle of words, one that looks at readiness."""

import asyncio
import contextlib
import itertools
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeAlias
from urllib.parse import urlsplit

import httpx

Address: TypeAlias = tuple[str, int]


class Relay:
    """Passes bytes on, in both directions, between whoever connects and an address."""

    def __init__(self, target: Address) -> None:
        self._target: Address | None = target
        self.port = 0

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Relay"]:
        """Listen on ``port`` of the loopback for as long as the block lasts."""
        self._connections: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._accepted, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for connection in self._connections:
                connection.cancel()
            await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        with contextlib.suppress(asyncio.CancelledError):
            await self._connected(reader, writer)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, there_writer = await self._reach()
        except OSError:
            writer.transport.abort()
            return
        ways = [
            asyncio.create_task(self._pass_on(reader, there_writer)),
            asyncio.create_task(self._pass_on(there, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for end in (writer, there_writer):
                end.close()

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        assert self._target is not None
        return await asyncio.open_connection(*self._target)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._forward(data, writer)

    async def _forward(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()


class Cutter(Relay):
    """Fails in the middle of every so many bytes: it hangs up, resets the connection, or stalls and goes on.

    *every* is the mean number of bytes from one failure to the next, in each direction; *stall* the longest
    pause in seconds.
    """

    def __init__(self, target: Address, every: int, stall: float, seed: int) -> None:
        super().__init__(target)
        self._every = every
        self._stall = stall
        self._random = random.Random(seed)
        self._left = self._next()
        self.failing = True
        self.cut = self.stalled = 0

    def _next(self) -> int:
        return int(self._random.expovariate(1 / self._every))

    async def _forward(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        while self.failing and len(data) > self._left:
            head, data = data[: self._left], data[self._left :]
            self._left = self._next()
            await super()._forward(head, writer)
            match self._random.choice(("hang up", "reset", "stall")):
                case "hang up":
                    self.cut += 1
                    writer.close()
                    raise ConnectionAbortedError
                case "reset":
                    self.cut += 1
                    writer.transport.abort()
                    raise ConnectionAbortedError
                case _:
                    self.stalled += 1
                    await asyncio.sleep(self._random.uniform(0, self._stall))
        self._left -= len(data)
        await super()._forward(data, writer)


class Balancer(Relay):
    """Gives every new connection to the next of its servers that says it is ready, as a load balancer does.

    *every* is how often it asks, in seconds.
    """

    def __init__(self, urls: Sequence[str], every: float = 0.1) -> None:
        super().__init__(("", 0))
        self.urls = list(urls)
        self._every = every
        self._turn = itertools.count()
        self._ready: list[str] = []
        self._somebody = asyncio.Event()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Balancer"]:
        """Ask for readiness, and pass connections on, for as long as the block lasts."""
        async with httpx.AsyncClient(timeout=2, trust_env=False) as http:
            await self._look(http)
            looking = asyncio.create_task(self._look_on(http))
            try:
                async with super().listening():
                    yield self
            finally:
                looking.cancel()
                await asyncio.gather(looking, return_exceptions=True)

    async def _look_on(self, http: httpx.AsyncClient) -> None:
        while True:
            await asyncio.sleep(self._every)
            await self._look(http)

    async def _look(self, http: httpx.AsyncClient) -> None:
        async def ready(url: str) -> bool:
            with contextlib.suppress(httpx.TransportError):
                return (await http.get(f"{url}/health/ready")).is_success
            return False

        urls = list(self.urls)
        answers = await asyncio.gather(*map(ready, urls))
        self._ready = [url for url, good in zip(urls, answers, strict=True) if good]
        if self._ready:
            self._somebody.set()
        else:
            self._somebody.clear()

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        await self._somebody.wait()
        address = urlsplit(self._ready[next(self._turn) % len(self._ready)])
        return await asyncio.open_connection(address.hostname, address.port)
