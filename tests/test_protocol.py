"""A client that does not take what it is sent, at a server in this process whose patience the test holds."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator
from itertools import pairwise
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
def application() -> Any:
    return large


@pytest.fixture
async def port(monkeypatch: pytest.MonkeyPatch, application: Any) -> AsyncIterator[int]:
    monkeypatch.setattr(protocol, "UNREAD_SECONDS", 0.3)
    config = uvicorn.Config(application, log_config=None, lifespan="off")
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


async def told(scope: Any, receive: Any, send: Any) -> None:
    """Answers what was asked: the method, the path, the headers' names and the body."""
    body = (await receive())["body"]
    said = b" ".join(
        [scope["method"].encode(), scope["raw_path"], *(name for name, _ in scope["headers"]), body]
    )
    length = str(len(said)).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": said})


OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n"
HEAD = b"POST /deal HTTP/1.1\r\n%bHost: localhost\r\nContent-Length: 4\r\n\r\n"


@pytest.mark.parametrize("application", [told])
@pytest.mark.parametrize("cuts", [(), (-4,), (-4, -2), (30,)])
async def test_an_offer_of_http_2_costs_no_body_and_no_connection(port: int, cuts: tuple[int, ...]) -> None:
    """Java's client offers it with every POST on a new connection; the body may come later than the head."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for offer, body in ((OFFER, b"some"), (b"", b"more"), (OFFER, b"last")):
        whole = HEAD % offer + body
        for start, end in pairwise([0, *cuts, len(whole)]):
            writer.write(whole[start:end])
            await asyncio.sleep(0.05)
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        said = await reader.readexactly(int(head.lower().rpartition(b"content-length: ")[2]))
        assert said == b"POST /deal host content-length " + body
    writer.close()


@pytest.mark.parametrize("application", [told])
async def test_an_offer_does_not_keep_a_connection_that_was_to_close(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HEAD % OFFER.replace(b"Upgrade,", b"close, Upgrade,") + b"only")
    assert (await reader.read()).endswith(b"POST /deal host content-length connection only")
    writer.close()


@pytest.mark.parametrize("application", [told])
async def test_offers_one_behind_the_other_are_declined_one_by_one(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    many = 1500
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write((HEAD % OFFER + b"some") * many)
    answers = [await reader.readuntil(b"some") for _ in range(many)]
    assert all(answer.startswith(b"HTTP/1.1 200") for answer in answers)
    assert not caplog.records
    writer.close()
