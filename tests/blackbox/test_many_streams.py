"""What streams cost: a thousand that are silent, clients that vanish, clients that never read."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from redis import Redis

from blackbox.followers import until_open
from croupier.cli.serve import listen
from croupier.settings import Settings
from serving import Server, Start

TICKS = os.sysconf("SC_CLK_TCK")


@pytest.fixture
async def served(start: Start) -> AsyncIterator[tuple[Server, httpx.AsyncClient]]:
    server = start(CROUPIER_HEARTBEAT_SECONDS="5", CROUPIER_DURABILITY="memory")
    async with httpx.AsyncClient(base_url=server.url, timeout=30, trust_env=False) as http:
        yield server, http


async def session(http: httpx.AsyncClient) -> tuple[str, str]:
    """A new session's path and its seat's token."""
    started = (await http.post("/v1/sessions", json={"game": "casino-holdem"})).json()
    return f"/v1/sessions/{started['session']['id']}", started["tokens"]["seats"][0]


def request(path: str, token: str) -> bytes:
    return f"GET {path}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()


def address(server: Server) -> tuple[str, int]:
    host, _, port = server.url.removeprefix("http://").partition(":")
    return host, int(port)


def resident(pid: int) -> int:
    """Bytes of memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def worked(pid: int) -> float:
    """Seconds of processor time."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@pytest.mark.parametrize("streams", [200, pytest.param(1000, marks=pytest.mark.slow)])
async def test_silent_streams_cost_a_worker_little(
    served: tuple[Server, httpx.AsyncClient], streams: int
) -> None:
    """Each of a session of its own, which is the dearest way."""
    server, http = served
    (worker,) = server.workers()
    sessions = [await session(http) for _ in range(streams)]
    before = resident(worker)
    readers = []
    async with contextlib.AsyncExitStack() as stack:
        for path, token in sessions:
            reader, writer = await asyncio.open_connection(*address(server))
            stack.callback(writer.close)
            writer.write(request(path, token))
            readers.append(reader)
        for reader in readers:
            await asyncio.wait_for(reader.readuntil(b"event: position"), 30)
        await until_open(http, streams, 10)
        each = (resident(worker) - before) / streams
        since, begun = worked(worker), time.monotonic()
        await asyncio.sleep(streams / 100)
        share = (worked(worker) - since) / (time.monotonic() - begun)
        (path,) = server.data.glob("*.sock")
        with Redis(unix_socket_path=str(path)) as admin:
            listening = [one for one in admin.client_list() if int(one["sub"])]
            assert [int(one["sub"]) for one in listening] == [streams]
            assert len(admin.client_list()) < 12
        # Every one of them still hears.
        for path_, token in sessions[::100]:
            changed = {"do": "client_seed", "value": "mine"}
            own = {"Authorization": f"Bearer {token}"}
            assert (await http.post(f"{path_}/seats/1", json=changed, headers=own)).status_code == 200
        for reader in readers[::100]:
            await asyncio.wait_for(reader.readuntil(b"id: 2\n"), 10)
    print(f"{each / 1024:.1f} KiB of memory a stream, {share:.1%} of a processor for {streams}")
    assert each < 64 * 1024
    assert share < streams / 4000
    await until_open(http, 0, 30)


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="Linux alone has the option")
def test_a_client_that_is_gone_without_a_word_is_noticed_within_half_a_minute() -> None:
    """A heartbeat that nobody acknowledges; taking a machine off the network is not for a test."""
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            unread = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) / 1000
    assert 0 < Settings.model_fields["heartbeat_seconds"].default + unread < 30


READER = """
import socket, sys, time
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as line:
    line.sendall(sys.argv[3].encode())
    time.sleep(600)
"""


async def test_clients_that_die_are_forgotten(served: tuple[Server, httpx.AsyncClient]) -> None:
    server, http = served
    path, token = await session(http)
    host, port = address(server)
    clients = [
        subprocess.Popen(  # noqa: ASYNC220 - it only waits
            [sys.executable, "-c", READER, host, str(port), request(path, token).decode()]
        )
        for _ in range(5)
    ]
    try:
        await until_open(http, 5, 20)
        for client in clients:
            client.send_signal(signal.SIGKILL)
        assert await until_open(http, 0, 30) < 30
    finally:
        for client in clients:
            client.kill()
            client.wait()


async def test_a_client_that_never_reads_is_cut_off(served: tuple[Server, httpx.AsyncClient]) -> None:
    """It gets what fits into the buffers, and no more is kept for it; the others are not held up."""
    server, http = served
    path, token = await session(http)
    own = {"Authorization": f"Bearer {token}"}
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(address(server))
        line.sendall(request(path, token))
        await until_open(http, 1, 20)
        (worker,) = server.workers()
        before, sent, open_ = resident(worker), 0, 1
        begun = time.monotonic()
        while open_ and time.monotonic() < begun + 40:
            for _ in range(50):
                body = {"do": "client_seed", "value": "x" * 128}
                assert (await http.post(f"{path}/seats/1", json=body, headers=own)).status_code == 200
                sent += 1
            metrics = (await http.get("/metrics")).text
            open_ = "\ncroupier_event_streams 1" in metrics
        assert not open_
        assert resident(worker) - before < 16 * 1024 * 1024
        line.settimeout(10)
        with pytest.raises(ConnectionError):
            while line.recv(65536):
                pass
            raise ConnectionResetError("closed before its end")
    assert sent > 100
