"""A client that does not take what it is sent, at a server in this process whose patience the test holds."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from croupier.cli import protocol, serve

ANSWER = b"x" * 16 * 1024 * 1024


async def large(scope: Any, receive: Any, send: Any) -> None:
    length = str(len(ANSWER)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": ANSWER})


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(protocol, "UNREAD_SECONDS", 0.3)
    config = uvicorn.Config(large, log_config=None, lifespan="off")
    config.load()
    state, kind = ServerState(), protocol.bounded(30, 10)
    server = await asyncio.get_running_loop().create_server(
        lambda: kind(config=config, server_state=state, app_state={}), "127.0.0.1", 0
    )
    async with server:
        yield server.sockets[0].getsockname()[1]


async def asked(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
    writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return reader, writer


async def test_who_takes_nothing_is_cut_off(port: int) -> None:
    reader, writer = await asked(port)
    await asyncio.sleep(1)
    with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
        await reader.readexactly(len(ANSWER))
    writer.close()


async def test_who_takes_it_slowly_gets_all_of_it(port: int) -> None:
    reader, writer = await asked(port)
    begun, taken = asyncio.get_running_loop().time(), 0
    while chunk := await reader.read(1024 * 1024):
        taken += len(chunk)
        if asyncio.get_running_loop().time() < begun + 1.5:
            await asyncio.sleep(0.02)
    assert taken > len(ANSWER)
    assert asyncio.get_running_loop().time() > begun + 1
    writer.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux tells the kernel")
def test_the_kernel_gives_up_on_a_client_that_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_UNREAD_SECONDS", 1)
    with serve.listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        served, _ = listener.accept()
        with served, pytest.raises(TimeoutError) as raised:
            served.settimeout(10)
            while True:
                served.sendall(ANSWER)
    assert raised.value.errno == errno.ETIMEDOUT
