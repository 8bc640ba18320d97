"""Deadlines on real servers: three replicas race for them, and one that was down makes up for them."""

import time
from typing import Any

import httpx

from serving import Start, until

ALL_BY_THE_CLOCK = [1, 2, 3, 4, 5, 6] * 3
"""Six seats check before the flop and on it, and fold at the river."""


def dealt(url: str) -> tuple[str, dict[str, str]]:
    start = {"game": "ultimate-texas-holdem", "seats": 6, "decision_seconds": 1}
    started = httpx.post(f"{url}/v1/sessions", json=start).json()
    path = f"/v1/sessions/{started['session']['id']}"
    headers = {"Authorization": f"Bearer {started['tokens']['table']}"}
    round_ = httpx.post(f"{url}{path}/deal", json={}, headers=headers).json()
    assert round_["deadline"] is not None
    return path, headers


def entries(url: str, path: str, headers: dict[str, str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx.get(f"{url}{path}/ledger", headers=headers).json()["entries"]
    return found


def test_three_replicas_let_the_clock_decide_exactly_once(start: Start) -> None:
    urls = [start("--durability", "memory").url for _ in range(3)]
    tables = [dealt(urls[number % 3]) for number in range(6)]
    time.sleep(4)
    for path, headers in tables:
        shown = [httpx.get(f"{url}{path}", headers=headers).json() for url in urls]
        assert shown[0] == shown[1] == shown[2]
        assert shown[0]["round"]["stage"] == "settled"
        assert shown[0]["round"]["clocked"] == ALL_BY_THE_CLOCK
        # Started, dealt, and one change a stage: nobody decided twice.
        assert shown[0]["version"] == 5
        assert [one["type"] for one in entries(urls[0], path, headers)] == [
            "session_started",
            "round_settled",
        ]


def test_a_server_that_was_down_at_the_deadline_makes_up_for_it_by_itself(start: Start) -> None:
    first = start()
    path, headers = dealt(first.url)
    assert first.terminate() == 0
    time.sleep(1.5)
    second = start()
    until(lambda: len(entries(second.url, path, headers)) == 2, 10)
    round_ = httpx.get(f"{second.url}{path}", headers=headers).json()["round"]
    assert round_["clocked"] == ALL_BY_THE_CLOCK
