"""``croupier verify`` on a real store."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
from redis import Redis

from croupier.store import EmbeddedStore
from serving import Start

CROUPIER = Path(sys.executable).with_name("croupier")


def verify(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CROUPIER_DATA": str(data)}
    return subprocess.run(
        [CROUPIER, "verify", *arguments], env=environment, capture_output=True, text=True, timeout=60
    )


def test_sessions_are_verified_while_they_are_served_and_after(start: Start) -> None:
    server = start()
    for rounds in (1, 3):
        started = httpx.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"}).json()
        path = f"{server.url}/v1/sessions/{started['session']['id']}"
        headers = {"Authorization": f"Bearer {started['tokens']['seats'][0]}"}
        for _ in range(rounds):
            httpx.post(f"{path}/deal", json={}, headers=headers)
            httpx.post(f"{path}/decide", json={"action": {"type": "call"}}, headers=headers)
    session_id = started["session"]["id"]
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
