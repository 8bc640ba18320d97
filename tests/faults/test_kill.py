"""A match played on through ``kill -9`` of store or worker: nothing acknowledged is lost or doubled."""

import itertools
import os
import signal
import threading
import time
from typing import Any

import httpx
import pytest

from serving import PATIENCE, Server, Start, until

ROUNDS = 60


class Player:
    """Plays with an Idempotency-Key a request, asking again until it is answered, as the contract advises."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.keys = itertools.count()
        self.retries = 0

    def post(self, path: str, body: dict[str, Any], token: str | None = None) -> dict[str, Any]:
        headers = {"Idempotency-Key": f"key-{next(self.keys)}"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        deadline = time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < deadline, "the server did not recover"
            try:
                answer = self.http.post(path, json=body, headers=headers)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.is_success:
                told: dict[str, Any] = answer.json()
                return told
            if answer is not None:
                assert answer.status_code == 503, answer.text
                assert int(answer.headers["Retry-After"]) >= 1
                assert answer.json()["code"] == "store-unavailable"
            self.retries += 1
            time.sleep(0.05)


@pytest.mark.parametrize("victim", ["store", "worker"])
def test_a_match_survives_kills_in_its_middle(start: Start, victim: str) -> None:
    server = start()
    with httpx.Client(base_url=server.url, timeout=5) as http:
        play_through_kills(server, Player(http), victim)
    assert server.terminate() == 0
    assert server.processes() == {}


def play_through_kills(server: Server, player: Player, victim: str) -> None:
    started = player.post("/v1/sessions", {"game": "casino-holdem", "rounds": ROUNDS})
    session, token = started["session"]["id"], started["tokens"]["seats"][0]
    stop = threading.Event()
    kills = 0

    def kill_again_and_again() -> None:
        nonlocal kills
        while not stop.wait(0.7):
            pid = server.store() if victim == "store" else next(iter(server.workers()), None)
            if pid is not None:
                os.kill(pid, signal.SIGKILL)
                kills += 1

    killer = threading.Thread(target=kill_again_and_again)
    killer.start()
    acknowledged = []
    try:
        for number in range(1, ROUNDS + 1):
            dealt = player.post(f"/v1/sessions/{session}/deal", {}, token)
            assert (dealt["number"], dealt["stage"]) == (number, "flop")
            time.sleep(0.02)
            action = {"type": "call" if number % 3 else "fold"}
            settled = player.post(f"/v1/sessions/{session}/decide", {"action": action}, token)
            assert (settled["number"], settled["stage"]) == (number, "settled")
            assert settled["seats"][0]["hole"] == dealt["seats"][0]["hole"]
            acknowledged.append(settled["settlement"]["seats"][0]["net"])
    finally:
        stop.set()
        killer.join()
    assert kills >= 2
    assert player.retries >= 1

    until(lambda: player.http.get("/health/ready").is_success)
    ledger = player.http.get(
        f"/v1/sessions/{session}/ledger", params={"limit": 100}, headers={"Authorization": f"Bearer {token}"}
    ).json()
    nets = [one["seats"][0]["net"] for one in ledger["entries"] if one["type"] == "round_settled"]
    assert nets == acknowledged
    assert [one["type"] for one in ledger["entries"]] == [
        "session_started",
        *["round_settled"] * ROUNDS,
        "session_finished",
    ]
    assert ledger["totals"][0]["net"] == sum(acknowledged) == -ledger["house_net"]
