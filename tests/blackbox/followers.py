"""Readers of event streams as front ends are: they drop, connect elsewhere, and go on from the last event."""

import asyncio
import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx
from httpx_sse import ServerSentEvent, aconnect_sse

from blackbox.table import Json, bearer


@dataclass
class Follower:
    """Follows a session on *servers* in turn until it ends, and notes every event that it is told.

    *staying* is how many events it reads before it drops its line and goes to the next server; None: it
    drops none by itself. ``lines`` counts how often it connected.
    """

    servers: Sequence[httpx.AsyncClient]
    session: str
    token: str
    staying: random.Random | None = None
    told: list[ServerSentEvent] = field(default_factory=list)
    lines: int = 0
    refused: list[int] = field(default_factory=list)

    @property
    def versions(self) -> list[int]:
        return [int(one.id) for one in self.told if one.event != "end"]

    @property
    def events(self) -> list[Json]:
        return [json.loads(one.data) for one in self.told if one.event != "end"]

    @property
    def ending(self) -> str | None:
        return (
            json.loads(self.told[-1].data)["reason"] if self.told and self.told[-1].event == "end" else None
        )

    async def follow(self) -> None:
        """Read until the server says that there is no more."""
        while True:
            try:
                if await self._line():
                    return
            except httpx.TransportError:
                await asyncio.sleep(0.05)

    async def _line(self) -> bool:
        """Read one connection to its end, or for as long as it is stayed on; whether all is told."""
        server = self.servers[self.lines % len(self.servers)]
        self.lines += 1
        left = None if self.staying is None else self.staying.randint(1, 6)
        headers = bearer(self.token)
        if self.versions:
            headers["Last-Event-ID"] = str(self.versions[-1])
        async with aconnect_sse(
            server, "GET", f"/v1/sessions/{self.session}/events", headers=headers
        ) as source:
            if source.response.status_code == 204:
                return True
            if source.response.status_code != 200:
                self.refused.append(source.response.status_code)
                await asyncio.sleep(0.2)
                return False
            async for event in source.aiter_sse():
                self.told.append(event)
                left = None if left is None else left - 1
                if left == 0:
                    return False
        return False

    async def until(self, version: int) -> None:
        """Return when *version* is told."""
        await eventually(lambda: self.versions[-1:] >= [version])


async def eventually(condition: Callable[[], bool], patience: float = 20) -> None:
    """Return once *condition* holds, which is looked at often."""
    async with asyncio.timeout(patience):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in another process
            await asyncio.sleep(0.002)


async def open_streams(server: httpx.AsyncClient) -> int:
    """How many event streams the server counts."""
    metrics = (await server.get("/metrics")).text
    return int(float(re.search(r"^croupier_event_streams (\S+)$", metrics, re.MULTILINE)[1]))  # type: ignore[index]


async def until_open(server: httpx.AsyncClient, count: int, patience: float) -> float:
    """Wait until the server counts *count* streams; how long that took, in seconds."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while (found := await open_streams(server)) != count:
        assert loop.time() - begun < patience, f"{found} streams are open, not {count}"
        await asyncio.sleep(0.05)
    return loop.time() - begun
