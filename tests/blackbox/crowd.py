"""Requests that arrive at the same instant."""

import asyncio
import json
from typing import TypeAlias
from urllib.parse import urlsplit

import httpx

from blackbox.server import PATIENCE
from blackbox.table import Json

Post: TypeAlias = tuple[str, Json, dict[str, str]]
"""A path, a body and headers."""


def race(url: str, *posts: Post) -> list[httpx.Response]:
    """The answers to *posts*, in their order.

    Each goes out on a connection of its own, all but its last byte; the last bytes follow together. So no
    request is ahead of another by what it costs to connect, to send or to build it.
    """
    return asyncio.run(asyncio.wait_for(_race(url, posts), PATIENCE))


async def _race(url: str, posts: tuple[Post, ...]) -> list[httpx.Response]:
    address = urlsplit(url)
    connections = [await asyncio.open_connection(address.hostname, address.port) for _ in posts]
    written = [_written(address.netloc, *post) for post in posts]
    for (_, writer), request in zip(connections, written, strict=True):
        writer.write(request[:-1])
    await asyncio.gather(*(writer.drain() for _, writer in connections))
    for (_, writer), request in zip(connections, written, strict=True):
        writer.write(request[-1:])
    answers = await asyncio.gather(*(reader.read() for reader, _ in connections))
    for _, writer in connections:
        writer.close()
        await writer.wait_closed()
    return [_read(answer) for answer in answers]


def _written(host: str, path: str, body: Json, headers: dict[str, str]) -> bytes:
    content = json.dumps(body).encode()
    fields = {
        **{"Host": host, "Content-Type": "application/json", "Connection": "close"},
        **{"Content-Length": str(len(content))},
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + content


def _read(answer: bytes) -> httpx.Response:
    """An answer that ends with its connection."""
    head, _, content = answer.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    fields = [(name, value.strip()) for name, _, value in (line.partition(b":") for line in lines)]
    return httpx.Response(int(first.split()[1]), headers=fields, content=content)
