"""The server as people run it: real processes on free ports, their data in a folder of the test's own."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from redis import Redis

from croupier.store import EmbeddedStore
from serving import PATIENCE, Server, Start, parent, until

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="finds the processes of a server in /proc"
)


def new_session(server: Server) -> tuple[str, dict[str, str]]:
    """A started session: its URL, and the headers its player sends."""
    answer = httpx.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"}, timeout=PATIENCE)
    assert answer.status_code == 201, answer.text
    started = answer.json()
    token = started["tokens"]["seats"][0]
    return f"{server.url}/v1/sessions/{started['session']['id']}", {"Authorization": f"Bearer {token}"}


def play_round(url: str, headers: dict[str, str]) -> dict[str, Any]:
    for verb, body in (("deal", {}), ("decide", {"action": {"type": "call"}})):
        answer = httpx.post(f"{url}/{verb}", json=body, headers=headers, timeout=PATIENCE)
        assert answer.is_success, answer.text
    settled: dict[str, Any] = answer.json()
    return settled


def test_ready_soon_with_a_banner_whose_three_lines_play_a_round(start: Start) -> None:
    begun = time.monotonic()
    server = start("--sandbox")
    assert time.monotonic() - begun < 5
    assert f"{server.url}/docs" in server.banner
    assert f"{server.url}/play" in server.banner
    assert "sandbox  allowed" in server.banner
    assert "open mode" in server.banner
    assert httpx.get(f"{server.url}/health/ready").status_code == 200
    assert httpx.get(f"{server.url}/docs").status_code == 200

    if shutil.which("curl") is None or shutil.which("python3") is None:
        pytest.skip("the banner's lines need curl and python3")
    lines = server.banner.partition("Start a session, deal, and call:\n")[2].strip()
    assert len(lines.splitlines()) == 3
    played = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=PATIENCE)
    dealt, settled = map(json.loads, played.stdout.strip().splitlines())
    assert dealt["stage"] == "flop"
    assert settled["stage"] == "settled"


def test_sigterm_ends_everything_at_once_and_a_restart_finds_the_data(start: Start, tmp_path: Path) -> None:
    server = start()
    url, headers = new_session(server)
    settled = play_round(url, headers)
    begun = time.monotonic()
    assert server.terminate() == 0
    assert time.monotonic() - begun < 5
    assert server.processes() == {}
    assert "Traceback" not in server.errors.read_text()

    again = start()
    url = f"{again.url}/v1{url.partition('/v1')[2]}"
    found = httpx.get(f"{url}/rounds/1", headers=headers).json()
    assert found["settlement"] == settled["settlement"]
    assert play_round(url, headers)["number"] == 2


def test_a_request_under_way_ends_when_the_server_is_told_to_stop(start: Start) -> None:
    server = start()
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    body = b'{"game": "casino-holdem"}'
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(
            b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (len(body), body[:5])
        )
        until(lambda: httpx.get(f"{server.url}/health/live").is_success)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(body[5:])
        assert connection.recv(4096).startswith(b"HTTP/1.1 201")
    assert server.process.wait(PATIENCE) == 0
    assert server.processes() == {}


def test_a_request_that_never_ends_is_cut_off(start: Start) -> None:
    server = start("--shutdown-seconds", "1")
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        until(lambda: httpx.get(f"{server.url}/health/live").is_success)
        assert server.terminate() == 0
    assert server.processes() == {}


def test_half_a_head_is_a_request_under_way(start: Start) -> None:
    server = start()
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: local")
        until(lambda: httpx.get(f"{server.url}/health/live").is_success)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(b"host\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"connection: close" in answer.lower()
    assert server.process.wait(PATIENCE) == 0


def test_requests_sent_ahead_are_answered_each_in_its_turn(start: Start) -> None:
    server = start()
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    heads = [
        f"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: {number}\r\n" for number in range(4)
    ]
    sent = "\r\n".join([*heads[:-1], f"{heads[-1]}Connection: close\r\n\r\n"]).encode()
    half = sent.index(b"X-Request-Id: 2")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
        for part in (sent[:half], sent[half:]):
            connection.sendall(part)
            time.sleep(0.3)
        answers = b"".join(iter(lambda: connection.recv(65536), b""))
    assert re.findall(rb"x-request-id: (\d)", answers) == [b"0", b"1", b"2", b"3"]


def test_who_has_just_connected_is_answered_by_a_server_that_stops(start: Start) -> None:
    server = start()
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    with (
        socket.create_connection((host, int(port)), timeout=PATIENCE) as asks,
        socket.create_connection((host, int(port)), timeout=PATIENCE) as never_asks,
    ):
        until(lambda: httpx.get(f"{server.url}/health/live").is_success)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.4)
        asks.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert asks.recv(4096).startswith(b"HTTP/1.1 200")
        assert never_asks.recv(4096) == b""
    assert server.process.wait(PATIENCE) == 0


def test_a_server_that_drains_serves_on_says_so_and_then_ends(start: Start) -> None:
    server = start("--workers", "2", "--drain-seconds", "1")
    url, headers = new_session(server)
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as kept:
        assert "connection" not in kept.get("/health/ready").headers
        server.process.send_signal(signal.SIGTERM)
        told = time.monotonic()
        until(lambda: httpx.get(f"{server.url}/health/ready").status_code == 503, 0.5)
        not_ready = httpx.get(f"{server.url}/health/ready")
        assert not_ready.json()["code"] == "shutting-down"
        assert int(not_ready.headers["Retry-After"]) >= 1
        last = kept.get("/health/live")
        assert (last.status_code, last.headers["connection"]) == (200, "close")
        assert play_round(url, headers)["stage"] == "settled"
        assert time.monotonic() - told < 0.9
    assert server.process.wait(PATIENCE) == 0
    assert 1 <= time.monotonic() - told < 4
    assert server.processes() == {}


def test_nobody_waits_in_the_queue_of_a_server_that_ends(start: Start) -> None:
    server = start()
    host, _, port = server.url.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as under_way:
        under_way.sendall(b"GET /health/live HTTP/1.1\r\n")
        until(lambda: httpx.get(f"{server.url}/health/live").is_success)
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), timeout=PATIENCE)
        under_way.sendall(b"Host: localhost\r\n\r\n")
        assert under_way.recv(4096).startswith(b"HTTP/1.1 200")
    assert server.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_end_does_not_wait_for_odds_that_are_being_compiled(
    start: Start, tmp_path: Path, number: signal.Signals
) -> None:
    server = start(CROUPIER_WARM_ODDS="true", NUMBA_CACHE_DIR=str(tmp_path / "machine-code"))
    (worker,) = server.workers()
    until(lambda: "llvmlite" in Path(f"/proc/{worker}/maps").read_text())
    server.process.send_signal(number)
    until(lambda: server.processes() == {}, 4)


def test_ctrl_c_in_a_terminal_reaches_every_process_and_ends_them_in_order(start: Start) -> None:
    server = start("--workers", "2")
    os.killpg(server.process.pid, signal.SIGINT)
    assert server.process.wait(PATIENCE) == 0
    assert server.processes() == {}
    assert "Traceback" not in server.errors.read_text()


def test_a_server_under_nohup_outlives_its_terminal(start: Start) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        server = start()
    finally:
        signal.signal(signal.SIGHUP, before)
    os.killpg(server.process.pid, signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(0.5)
    assert httpx.get(f"{server.url}/health/ready").is_success
    assert server.terminate() == 0


def test_who_asks_twice_and_hangs_up_is_no_error_of_the_servers(start: Start) -> None:
    server = start(CROUPIER_LOG="json")
    host = server.url.removeprefix("http://")
    body = b'{"game": "casino-holdem"}'
    head = f"POST /v1/sessions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    request = head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body
    address, _, port = host.partition(":")
    for _ in range(20):
        with socket.create_connection((address, int(port))) as connection:
            connection.sendall(request * 2)
    play_round(*new_session(server))
    assert server.terminate() == 0
    assert [line for line in server.lines if line["level"] in ("error", "critical")] == []


def test_of_connections_that_came_at_once_the_newest_stay(start: Start) -> None:
    room = 20
    server = start("--connections-per-worker", str(room))
    address, _, port = server.url.removeprefix("http://").partition(":")
    (worker,) = server.workers()
    with contextlib.ExitStack() as stack:
        os.kill(worker, signal.SIGSTOP)
        try:
            crowd = [
                stack.enter_context(socket.create_connection((address, int(port)))) for _ in range(3 * room)
            ]
        finally:
            os.kill(worker, signal.SIGCONT)
        for client in crowd[:-room]:
            client.settimeout(PATIENCE)
            assert client.recv(1) == b""
        for client in crowd[-room:]:
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.recv(1)


def test_a_closed_terminal_ends_the_server(start: Start) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup
    try:
        server = start()
    finally:
        signal.signal(signal.SIGHUP, before)
    os.killpg(server.process.pid, signal.SIGHUP)
    assert server.process.wait(PATIENCE) == 0
    assert server.processes() == {}


def test_a_killed_server_leaves_nothing_behind_and_has_lost_nothing(start: Start) -> None:
    server = start("--workers", "2")
    url, headers = new_session(server)
    settled = play_round(url, headers)
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.wait()
    until(lambda: server.processes() == {}, 5)

    again = start()
    url = f"{again.url}/v1{url.partition('/v1')[2]}"
    found = httpx.get(f"{url}/rounds/1", headers=headers).json()
    assert found["settlement"] == settled["settlement"]


def test_a_killed_worker_is_replaced_while_the_others_go_on(start: Start) -> None:
    server = start("--workers", "2")
    url, headers = new_session(server)
    victim, other = server.workers()
    os.kill(victim, signal.SIGKILL)
    killed = time.monotonic()
    while len(server.workers()) < 2:
        assert time.monotonic() < killed + PATIENCE
        assert httpx.get(url, headers=headers, timeout=PATIENCE).is_success
    assert other in server.workers()
    assert play_round(url, headers)["number"] == 1
    assert re.search(r"worker [12] died", server.errors.read_text())
    assert server.terminate() == 0


def test_every_worker_answers_on_the_one_socket(start: Start) -> None:
    server = start("--workers", "2")
    first, second = server.workers()
    url, headers = new_session(server)
    for stopped in (first, second):
        os.kill(stopped, signal.SIGSTOP)
        try:
            settled = [play_round(url, headers)["stage"] for _ in range(2)]
        finally:
            os.kill(stopped, signal.SIGCONT)
        assert settled == ["settled", "settled"]


@pytest.mark.parametrize("victim", ["store", "keeper"])
def test_a_killed_store_comes_back_with_its_data(start: Start, victim: str) -> None:
    server = start()
    url, headers = new_session(server)
    store = server.store()
    assert store is not None
    os.kill(store if victim == "store" else parent(store), signal.SIGKILL)
    until(lambda: server.store() not in (None, store), 5)
    until(lambda: httpx.get(f"{server.url}/health/ready").is_success, 5)
    assert play_round(url, headers)["number"] == 1
    assert server.terminate() == 0
    assert server.processes() == {}


def test_a_second_server_on_the_same_folder_shares_the_store_and_outlives_the_first(start: Start) -> None:
    first, second = start(), start()
    url, headers = new_session(first)
    settled = play_round(url, headers)
    there = f"{second.url}/v1{url.partition('/v1')[2]}"
    assert httpx.get(f"{there}/rounds/1", headers=headers).json()["settlement"] == settled["settlement"]

    assert first.terminate() == 0
    until(lambda: httpx.get(f"{second.url}/health/ready").is_success)
    assert play_round(there, headers)["number"] == 2
    assert second.terminate() == 0
    assert second.processes() == {}


def test_a_store_elsewhere_is_waited_for_with_503_and_never_shown_with_its_password(
    start: Start, tmp_path: Path
) -> None:
    store = EmbeddedStore(tmp_path / "elsewhere")
    password, key, secret = (uuid4().hex for _ in range(3))
    server = start(
        CROUPIER_REDIS_URL=f"{store.url}?password={password}",
        CROUPIER_OPERATOR_KEYS=f"house:{key}",
        CROUPIER_SECRET_KEYS=secret,
    )
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE) as http:
        away = http.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"})
        assert (away.status_code, away.json()["code"]) == (503, "store-unavailable")
        assert int(away.headers["Retry-After"]) >= 1
        assert http.get(f"{server.url}/health/ready").status_code == 503
        assert http.get(f"{server.url}/health/live").status_code == 200
        until(lambda: "store lost" in server.errors.read_text())
        store.start()
        with Redis.from_url(store.url) as redis:
            redis.config_set("requirepass", password)
        try:
            until(lambda: http.get(f"{server.url}/health/ready").is_success)
            session = http.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"})
            assert session.status_code == 201
            assert httpx.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"}).status_code == 401
            shown = " ".join(server.processes().values())
            assert server.terminate() == 0
        finally:
            store.stop()
    shown += server.banner + server.errors.read_text()
    for hidden in (password, key, secret, session.json()["tokens"]["table"]):
        assert hidden not in shown


def test_a_start_does_not_wait_for_what_only_odds_need() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, croupier.cli.serve; print(*sys.modules)"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    modules = loaded.stdout.split()
    assert "croupier.cli.worker" in modules
    assert {"numba", "llvmlite", "numpy", "limits"}.isdisjoint(modules)


def test_a_taken_port_is_said_so_in_one_line(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = start("--port", str(port), ready=False)
        assert refused.process.wait(PATIENCE) == 1
    said = refused.errors.read_text()
    assert said.startswith(f"croupier: cannot listen on 127.0.0.1 port {port}: something else listens there")
    assert said.count("\n") == 1
    assert refused.processes() == {}


def test_no_request_is_a_line_of_the_log_otherwise(start: Start) -> None:
    server = start("--log", "json")
    url, headers = new_session(server)
    play_round(url, headers)
    assert server.terminate() == 0
    lines = server.errors.read_text().splitlines()
    assert [json.loads(line)["event"] for line in lines] == ["started", "stopped"]


def test_heads_and_requests_without_end_are_cut_off(start: Start) -> None:
    server = start("--request-seconds", "1")
    host, _, port = server.url.removeprefix("http://").rpartition(":")

    def answer(*parts: bytes) -> bytes:
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
            with contextlib.suppress(ConnectionError):
                for part in parts:
                    connection.sendall(part)
            with contextlib.suppress(ConnectionError):
                return b"".join(iter(lambda: connection.recv(65536), b""))
            return b""

    begun = time.monotonic()
    assert answer(b"GET /he") == b""
    assert answer(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{") == b""
    assert 2 <= time.monotonic() - begun < 8
    endless = answer(b"GET /health/live HTTP/1.1\r\nX: ", *[b"a" * 100_000] * 100)
    assert b"200 OK" not in endless
    assert len(endless) < 1000
    garbage = answer(b"\x00\x01\x02 no HTTP\r\n\r\n")
    assert garbage.startswith(b"HTTP/1.1 400 ")
    assert json.loads(garbage.partition(b"\r\n\r\n")[2])["code"] == "invalid-request"
    one = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: %b\r\n\r\n" % (b"a" * 60_000)
    last = one.replace(b"Host: localhost", b"Host: localhost\r\nConnection: close")
    assert answer(one * 20 + last).count(b"HTTP/1.1 200 OK") == 21


def test_no_page_of_any_origin_may_act_as_the_operator(start: Start) -> None:
    server = start("--cors-origins", "*", ready=False)
    assert server.process.wait(PATIENCE) != 0
    assert "CROUPIER_CORS_ORIGINS: must name the origins" in server.errors.read_text()
    keyed = start("--cors-origins", "*", CROUPIER_OPERATOR_KEYS="me:" + "k" * 24)
    with httpx.Client(
        base_url=keyed.url, headers={"Origin": "https://any.example"}, timeout=PATIENCE
    ) as page:
        assert page.get("/v1/games").headers["access-control-allow-origin"] == "*"
        assert page.get("/v1/sessions").status_code == 401
