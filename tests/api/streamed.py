"""A stream of events in this process, read as it is written."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx

from api.conftest import Api, Table


def events_in(text: str) -> list[tuple[int | None, str, Any]]:
    """Id, name and data of the server-sent events in *text*; comments and empty blocks are none."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in fields:
            number = int(fields["id"]) if "id" in fields else None
            found.append((number, fields["event"], json.loads(fields["data"])))
    return found


class Stream:
    """A session's stream as *token* reads it, seat 1's unless another is given."""

    def __init__(self, api: Api, table: Table, token: str | None = None, **headers: str) -> None:
        transport = api.http._transport
        assert isinstance(transport, httpx.ASGITransport)
        self.app: Any = transport.app
        own = {"host": "localhost", "authorization": f"Bearer {token or table.seats[0]}"} | headers
        self.scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": f"{table.path}/events",
            "raw_path": f"{table.path}/events".encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(name.replace("_", "-").encode(), text.encode()) for name, text in own.items()],
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
        }
        self.left = asyncio.Event()
        self.status = 0
        self.text = ""
        self.written = asyncio.Event()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator["Stream"]:
        self.task = asyncio.create_task(self.app(self.scope, self._receive, self._send))
        try:
            yield self
        finally:
            self.left.set()
            await asyncio.wait_for(self.task, 5)

    async def _receive(self) -> Any:
        if not self.status:
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        self.text += message.get("body", b"").decode()
        self.written.set()

    async def until(self, part: str) -> None:
        async with asyncio.timeout(5):
            while part not in self.text:
                self.written.clear()
                await self.written.wait()

    async def ended(self) -> list[tuple[int | None, str, Any]]:
        await asyncio.wait_for(self.task, 5)
        return events_in(self.text)
