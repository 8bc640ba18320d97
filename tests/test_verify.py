"""``croupier verify`` on a real store."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
from redis import Redis

from croupier.store import EmbeddedStore
from serving import Server, Start

CROUPIER = Path(sys.executable).with_name("croupier")


def verify(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CROUPIER_DATA": str(data)}
    return subprocess.run(
        [CROUPIER, "verify", *arguments], env=environment, capture_output=True, text=True, timeout=60
    )


def played(server: Server, rounds: int) -> str:
    """The id of a session of Casino Hold'em of which *rounds* have been played."""
    started = httpx.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"}).json()
    session_id: str = started["session"]["id"]
    path = f"{server.url}/v1/sessions/{session_id}"
    headers = {"Authorization": f"Bearer {started['tokens']['seats'][0]}"}
    for _ in range(rounds):
        httpx.post(f"{path}/deal", json={}, headers=headers)
        httpx.post(f"{path}/decide", json={"action": {"type": "call"}}, headers=headers)
    return session_id


def test_sessions_are_verified_while_they_are_served_and_after(start: Start) -> None:
    server = start()
    _, session_id = played(server, rounds=1), played(server, rounds=3)
    served = verify(server.data, "--all")
    assert (served.returncode, served.stdout) == (0, "2 sessions, 4 rounds: nothing wrong\n")
    assert server.terminate() == 0

    assert verify(server.data, session_id).stdout == "1 sessions, 3 rounds: nothing wrong\n"
    store = EmbeddedStore(server.data)
    with Redis.from_url(store.start()) as redis:
        key = next(
            key for key in redis.scan_iter() if key.endswith(b":ledger") and session_id.encode() in key
        )
        redis.lset(key, 2, redis.lindex(key, 2).replace(b'"deal":1', b'"deal":2', 1))
    store.stop()
    tampered = verify(server.data, "--all")
    assert tampered.returncode == 1
    assert f"{session_id}: entry 3 does not follow from the one before it" in tampered.stdout
    assert tampered.stdout.endswith("2 sessions, 4 rounds: 1 wrong\n")


def test_what_is_asked_wrongly_is_said(tmp_path: Path) -> None:
    nothing = verify(tmp_path / "data")
    assert nothing.returncode == 2
    assert "--all" in nothing.stderr
    absent = verify(tmp_path / "data", "no-such-session")
    assert absent.returncode == 1
    assert absent.stdout.startswith("no-such-session: there is no such session\n")


def altered(redis: Redis, key: bytes, at: int) -> None:
    """The last bit of one of a list's records, turned over."""
    record = redis.lindex(key, at)
    redis.lset(key, at, record[:-1] + bytes([record[-1] ^ 1]))


def swapped(redis: Redis, key: bytes) -> None:
    first, second = redis.lrange(key, 1, 2)
    redis.lset(key, 1, second)
    redis.lset(key, 2, first)


TAMPERINGS: list[tuple[Callable[[Redis, bytes], object], str]] = [
    (
        lambda redis, key: redis.lset(
            key + b":ledger", 1, redis.lindex(key + b":ledger", 1).replace(b'"net":', b'"net":1')
        ),
        "entry 2 does not follow from the one before it",
    ),
    (
        lambda redis, key: redis.rpop(key + b":ledger"),
        "ledger's 3 entries do not end where the session's 4 do",
    ),
    (lambda redis, key: swapped(redis, key + b":ledger"), "entry 2 says that it is entry 3"),
    (lambda redis, key: altered(redis, key + b":rounds", 0), "at 0 was altered or moved"),
    (lambda redis, key: swapped(redis, key + b":rounds"), "at 1 was altered or moved"),
    (
        lambda redis, key: redis.lset(key + b":rounds", 1, redis.lindex(key + b":rounds", 0)),
        "at 1 was altered or moved",
    ),
    (lambda redis, key: redis.rpop(key + b":rounds"), "entry 4: round 3, deal 1 is not in the archive"),
    (lambda redis, key: redis.hset(key, "s", redis.hget(key, "s")[:-1]), "at 7 was altered or moved"),
    (lambda redis, key: redis.hset(key, "v", 6), "at 6 was altered or moved"),
]
"""What somebody does to a session of three rounds in the store, by the name of its key, and what is found."""


def test_whatever_is_changed_in_the_store_is_found(start: Start) -> None:
    server = start()
    sessions = [played(server, rounds=3) for _ in (*TAMPERINGS, "one that nobody touches")]
    assert server.terminate() == 0
    store = EmbeddedStore(server.data)
    with Redis.from_url(store.start()) as redis:
        for session_id, (tamper, _) in zip(sessions, TAMPERINGS, strict=False):
            tamper(redis, f"croupier:{{{session_id}}}".encode())
    store.stop()
    found = verify(server.data, "--all")
    assert found.returncode == 1
    lines = found.stdout.splitlines()
    for session_id, (_, said) in zip(sessions, TAMPERINGS, strict=False):
        assert any(line.startswith(f"{session_id}: ") and said in line for line in lines), (said, lines)
    assert not [line for line in lines if sessions[-1] in line]
    assert lines[-1].startswith("10 sessions, ")
    assert lines[-1].endswith(" rounds: 9 wrong")


def test_in_a_terminal_a_bar_shows_how_far_it_is(start: Start) -> None:
    server = start()
    for _ in range(3):
        played(server, rounds=1)
    ours, its = pty.openpty()
    with subprocess.Popen(
        [CROUPIER, "verify", "--all"],
        env={**os.environ, "CROUPIER_DATA": str(server.data), "TERM": "xterm", "COLUMNS": "100"},
        stdout=its,
        stderr=subprocess.STDOUT,
    ) as process:
        os.close(its)
        shown = b""
        with suppress(OSError):  # how a terminal ends on Linux
            while part := os.read(ours, 4096):
                shown += part
        assert process.wait(60) == 0
    os.close(ours)
    assert b"Verifying" in shown
    assert "100%" in shown.decode()
    assert b"3 sessions, 3 rounds: nothing wrong" in shown
