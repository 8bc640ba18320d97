"""Clients that dawdle, say nothing, never read or come in crowds: what they hold, and for how long."""

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from blackbox.server import PATIENCE, Server, running

SECONDS = 1
"""In which a request has to arrive at the servers of these tests."""
REQUESTS = 4
HEADERS = 100
CONNECTIONS = 20
BODY = json.dumps({"game": "casino-holdem"}).encode()


@pytest.fixture(scope="module")
def narrow() -> Iterator[Server]:
    """A server with little patience and little room."""
    with running(
        *("--request-seconds", str(SECONDS), "--requests-per-worker", str(REQUESTS)),
        *("--connections-per-worker", str(CONNECTIONS)),
    ) as server:
        yield server


@contextmanager
def connected(server: Server) -> Iterator[socket.socket]:
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as client:
        yield client


def head(*lines: str, target: str = "POST /v1/sessions", length: int = len(BODY)) -> bytes:
    own = (
        f"{target} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Content-Length: {length}",
    )
    return "\r\n".join([*own, *lines, "", ""]).encode()


def everything(client: socket.socket) -> bytes:
    """What still comes until the server hangs up."""
    found = b""
    while data := client.recv(65536):
        found += data
    return found


def alive(server: Server) -> bool:
    return httpx.get(f"{server.url}/health/ready", timeout=PATIENCE).is_success


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET /health/live HT", head(), head() + BODY[:-1]])
def test_who_does_not_say_all_of_a_request_is_hung_up_on(narrow: Server, sent: bytes) -> None:
    with connected(narrow) as client:
        began = time.monotonic()
        client.sendall(sent)
        assert everything(client) == b""
        assert SECONDS * 0.9 < time.monotonic() - began < SECONDS + 5


def test_who_drips_a_body_is_hung_up_on_at_the_same_time(narrow: Server) -> None:
    with connected(narrow) as client:
        began = time.monotonic()
        client.sendall(head(length=1000))
        client.settimeout(0.1)
        with pytest.raises((ConnectionError, StopIteration)):
            while True:
                client.sendall(b" ")
                try:
                    if not client.recv(1):
                        raise StopIteration
                except TimeoutError:
                    assert time.monotonic() - began < SECONDS + 5


@pytest.mark.parametrize("expecting", [(), ("Expect: 100-continue",)])
def test_bodies_that_are_not_here_yet_are_no_requests_in_work(
    narrow: Server, expecting: tuple[str, ...]
) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(connected(narrow)) for _ in range(3 * REQUESTS)]
        for client in slow:
            client.sendall(head(*expecting))
            if expecting:
                assert client.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert httpx.post(f"{narrow.url}/v1/sessions", json={"game": "casino-holdem"}).status_code == 201
        for client in slow:
            client.sendall(BODY[:10])
        for client in slow[:REQUESTS]:
            client.sendall(BODY[10:])
        for client in slow[:REQUESTS]:
            assert client.recv(4096).startswith(b"HTTP/1.1 201 Created\r\n")


def test_a_body_that_is_too_large_is_refused_before_it_is_all_here(narrow: Server) -> None:
    with connected(narrow) as client:
        client.sendall(head(length=10**9) + b" " * 70_000)
        assert client.recv(4096).startswith(b"HTTP/1.1 413 ")


def test_requests_sent_in_one_go_are_answered_in_their_order(narrow: Server) -> None:
    with connected(narrow) as client:
        live = head(target="GET /health/live", length=0)
        client.sendall(live + head() + BODY + live + head("Connection: close") + BODY)
        said = everything(client)
    assert re.findall(rb"HTTP/1.1 (\d+) ", said) == [b"200", b"201", b"200", b"201"]


def test_a_head_of_too_many_headers_is_refused(narrow: Server) -> None:
    always = 4
    for more, status in ((HEADERS - always, b"201"), (HEADERS - always + 1, b"400")):
        with connected(narrow) as client:
            client.sendall(head("Connection: close", *(f"X-{number}: 1" for number in range(more))) + BODY)
            said = everything(client)
        assert said.startswith(b"HTTP/1.1 %b " % status)
    assert f"{HEADERS} headers" in json.loads(said.partition(b"\r\n\r\n")[2])["detail"]


def test_of_more_idle_connections_than_there_is_room_the_oldest_go(narrow: Server) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(connected(narrow))
        first.sendall(head(target="GET /health/live", length=0))
        assert first.recv(4096).startswith(b"HTTP/1.1 200 ")
        crowd = [stack.enter_context(connected(narrow)) for _ in range(3 * CONNECTIONS)]
        assert alive(narrow)
        newest = crowd[-1]
        newest.sendall(head(target="GET /health/live", length=0))
        assert newest.recv(4096).startswith(b"HTTP/1.1 200 ")
        time.sleep(0.2)
        for client in crowd:
            client.setblocking(False)
        open_still = 0
        for client in crowd:
            try:
                client.recv(1)
            except BlockingIOError:
                open_still += 1
        assert open_still <= CONNECTIONS


def test_where_every_connection_is_busy_a_new_one_is_told_so(narrow: Server) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(connected(narrow)).sendall(b"GET")
        time.sleep(0.2)
        with connected(narrow) as late:
            said = everything(late)
    assert said.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 1\r\n" in said
    assert json.loads(said.partition(b"\r\n\r\n")[2])["code"] == "overloaded"
    deadline = time.monotonic() + PATIENCE
    while not alive(narrow):
        assert time.monotonic() < deadline
