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
        self._every = every
        self._turn = itertools.count()
        self._ready = dict.fromkeys(urls, False)
        self._somebody = asyncio.Event()

    def replace(self, gone: str, new: str) -> None:
        """Forget one server and look at another from now on."""
        del self._ready[gone]
        self._watch(new)

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Balancer"]:
        """Ask for readiness, and pass connections on, for as long as the block lasts."""
        self._looking: list[asyncio.Task[None]] = []
        async with httpx.AsyncClient(timeout=1, trust_env=False) as self._http:
            for url in list(self._ready):
                self._watch(url)
            try:
                async with super().listening():
                    yield self
            finally:
                for task in self._looking:
                    task.cancel()
                await asyncio.gather(*self._looking, return_exceptions=True)

    def _watch(self, url: str) -> None:
        self._ready[url] = False
        self._looking.append(asyncio.create_task(self._look(url)))

    async def _look(self, url: str) -> None:
        while url in self._ready:
            try:
                good = (await self._http.get(f"{url}/health/ready")).is_success
            except httpx.TransportError:
                good = False
            if url in self._ready:
                self._ready[url] = good
            if any(self._ready.values()):
                self._somebody.set()
            else:
                self._somebody.clear()
            await asyncio.sleep(self._every)

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        await self._somebody.wait()
        ready = [url for url, good in self._ready.items() if good]
        address = urlsplit(ready[next(self._turn) % len(ready)])
        return await asyncio.open_connection(address.hostname, address.port)
