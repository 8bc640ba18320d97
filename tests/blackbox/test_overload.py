"""Floods at real servers: too much is refused quickly, counted over all of them, and harms nothing."""

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest

from blackbox.server import PATIENCE, Server, running
from blackbox.table import Table, bearer, good, refused
from serving import Start

QUOTA = 40


# ── More at a time than there is room for ────────────────────────────────────────────────────────────────


async def test_a_flood_is_refused_at_once_while_those_inside_are_answered_and_retries_lose_nothing() -> None:
    bound, crowd = 4, 60
    with running("--requests-per-worker", str(bound)) as server:
        with httpx.Client(base_url=server.url, timeout=PATIENCE) as http:
            tables = [Table.start(http, "casino-holdem") for _ in range(crowd)]
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE, limits=limits) as http:
            found: Counter[str] = Counter()

            async def play(table: Table) -> None:
                for verb, body in (("deal", {}), ("decide", {"action": {"type": "call"}})):
                    while True:
                        answer = await http.post(
                            f"/v1/sessions/{table.id}/{verb}",
                            json=body,
                            headers={**bearer(table.seats[0]), "Idempotency-Key": verb},
                        )
                        if answer.is_success:
                            break
                        refused(answer, 503, "overloaded")
                        assert answer.headers["retry-after"] == "1"
                        found["refused"] += 1
                        await asyncio.sleep(0.05)
                    found[verb] += 1
                    found["replayed"] += "idempotency-replayed" in answer.headers

            async def watch() -> None:
                while True:
                    health = await asyncio.gather(*map(http.get, ("/health/live", "/health/ready")))
                    assert [one.status_code for one in health] == [200, 200]
                    found["health"] += 1
                    await asyncio.sleep(0.05)

            watching = asyncio.create_task(watch())
            await asyncio.gather(*map(play, tables))
            watching.cancel()
            await asyncio.wait([watching])
            assert watching.cancelled()
            assert (found["deal"], found["decide"], found["replayed"]) == (crowd, crowd, 0)
            assert found["refused"] > 0
            assert found["health"] > 0
            for table in tables[:20]:
                ledger = await http.get(f"/v1/sessions/{table.id}/ledger", headers=bearer(table.seats[0]))
                assert [one["type"] for one in ledger.json()["entries"]] == [
                    "session_started",
                    "round_settled",
                ]


def test_streams_of_one_token_are_bounded_and_another_may_still_follow() -> None:
    with running("--streams-per-key", "2") as server, httpx.Client(base_url=server.url) as http:
        table = Table.start(http, "no-limit-holdem", seats=2)
        path = f"/v1/sessions/{table.id}/events"
        with ExitStack() as stack:
            for token in (*table.seats, table.seats[0]):
                stream = stack.enter_context(http.stream("GET", path, headers=bearer(token)))
                assert stream.status_code == 200
            refused(http.get(path, headers=bearer(table.seats[0])), 429, "too-many-requests")
            good(http.get(f"/v1/sessions/{table.id}", headers=bearer(table.seats[0])))
            with http.stream("GET", path, headers=bearer(table.seats[1])) as stream:
                assert stream.status_code == 200
        deadline = time.monotonic() + PATIENCE
        while True:
            with http.stream("GET", path, headers=bearer(table.seats[0])) as stream:
                if stream.status_code == 200:
                    break
            assert time.monotonic() < deadline, "a stream that was left keeps its place"
            time.sleep(0.05)


# ── More often than allowed ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def replicas() -> Iterator[tuple[Server, Server]]:
    """Two servers of two workers on one store, which limit tokens and addresses."""
    limits = {"CROUPIER_LIMIT_TOKEN": f"{QUOTA}/minute", "CROUPIER_LIMIT_ADDRESS": "5/second"}
    behind = {"CROUPIER_TRUSTED_PROXIES": "127.0.0.0/8, 10.0.0.0/8"}
    with running("--workers", "2", **limits, **behind) as first:
        data = ("--data", str(first.folder / "data"))
        with running("--workers", "2", *data, **limits, **behind) as second:
            yield first, second


@contextmanager
def begun(server: Server, address: str) -> Iterator[Table]:
    """A session, started from *address* as the proxy tells it."""
    headers = {"X-Forwarded-For": address}
    with httpx.Client(base_url=server.url, timeout=PATIENCE, headers=headers) as http:
        yield Table.start(http, "casino-holdem")


async def test_workers_and_replicas_count_together(replicas: tuple[Server, Server]) -> None:
    with begun(replicas[0], "198.51.100.1") as table:
        token, path = bearer(table.seats[0]), f"/v1/sessions/{table.id}"
    async with httpx.AsyncClient(timeout=PATIENCE, headers=token) as http:
        at_once = asyncio.Semaphore(16)

        async def ask(turn: int) -> httpx.Response:
            async with at_once:
                # A connection each, so that every worker gets some.
                return await http.get(replicas[turn % 2].url + path, headers={"Connection": "close"})

        answers = await asyncio.gather(*map(ask, range(4 * QUOTA)))
    let_in = [answer for answer in answers if answer.is_success]
    assert len(let_in) == QUOTA
    for answer in answers:
        assert answer.headers["ratelimit-policy"] == f'"token-60s";q={QUOTA};w=60'
        if not answer.is_success:
            refused(answer, 429, "too-many-requests")
            assert 1 <= int(answer.headers["retry-after"]) <= 61


def test_headers_count_down_and_after_retry_after_the_same_key_goes_through(
    replicas: tuple[Server, Server],
) -> None:
    with httpx.Client(base_url=replicas[1].url, headers={"X-Forwarded-For": "198.51.100.2"}) as http:
        start = {"json": {"game": "casino-holdem"}, "headers": {"Idempotency-Key": "the-same"}}
        first = http.post("/v1/sessions", **start)
        for left in (3, 2, 1, 0):
            again = http.post("/v1/sessions", **start)
            assert again.content == first.content
            assert again.headers["idempotency-replayed"] == "true"
            assert again.headers["ratelimit"].startswith(f'"address-1s";r={left};t=')
        late = {"json": {"game": "casino-holdem"}, "headers": {"Idempotency-Key": "another"}}
        started = patient(http, **late)
        replayed = patient(http, **late)
        assert started.status_code == 201
        assert "idempotency-replayed" not in started.headers
        assert replayed.content == started.content
        assert replayed.headers["idempotency-replayed"] == "true"


def patient(http: httpx.Client, **request: Any) -> httpx.Response:
    """The answer of a client that is refused first, and comes again when it is told to."""
    while http.get("/v1/games").is_success:
        pass
    refused(answer := http.post("/v1/sessions", **request), 429, "too-many-requests")
    time.sleep(int(answer.headers["retry-after"]))
    return http.post("/v1/sessions", **request)


def test_a_refusal_changes_nothing(replicas: tuple[Server, Server]) -> None:
    with begun(replicas[0], "198.51.100.3") as table:
        http, path, seat = table.http, f"/v1/sessions/{table.id}", bearer(table.seats[0])
        dealt = good(http.post(f"{path}/deal", headers=seat), 201)
        for _ in range(QUOTA - 1):
            good(http.get(path, headers=seat))
        call = {"action": {"type": "call"}}
        refused(http.post(f"{path}/decide", json=call, headers=seat), 429, "too-many-requests")
        seen = good(http.get(path, headers=bearer(table.table)))
        assert seen["version"] == dealt["version"]
        assert seen["round"]["stage"] == "flop"


def test_the_address_is_the_one_that_the_nearest_stranger_has(replicas: tuple[Server, Server]) -> None:
    def asked(forwarded: str, times: int = 6) -> Counter[int]:
        with httpx.Client(base_url=replicas[0].url, headers={"X-Forwarded-For": forwarded}) as http:
            return Counter(http.get("/v1/games/casino-holdem").status_code for _ in range(times))

    assert asked("203.0.113.1") == {200: 5, 429: 1}
    assert asked("203.0.113.2") == {200: 5, 429: 1}
    # What a client writes in front itself is not looked at, and trusted proxies are passed over.
    spoofed = [asked(f"203.0.113.{9 + turn}, 203.0.113.4, 10.1.2.3", 1) for turn in range(6)]
    assert sum(spoofed, Counter()) == {200: 5, 429: 1}


def test_nobody_else_is_believed_about_addresses() -> None:
    with running(CROUPIER_LIMIT_ADDRESS="5/minute") as server:
        found = [
            httpx.get(f"{server.url}/v1/games", headers={"X-Forwarded-For": f"203.0.113.{turn}"}).status_code
            for turn in range(6)
        ]
    assert found == [200] * 5 + [429]


def test_with_limits_too_a_store_that_is_away_is_said_to_be_and_comes_back(start: Start) -> None:
    server = start("--store-timeout", "1", CROUPIER_LIMIT_TOKEN="1000/second")
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as http:
        table = Table.start(http, "casino-holdem")
        seat = bearer(table.seats[0])
        store = server.store()
        assert store is not None
        os.kill(store, signal.SIGSTOP)
        try:
            for _ in range(3):
                begun_at = time.monotonic()
                refused(http.get(f"/v1/sessions/{table.id}", headers=seat), 503, "store-unavailable")
                assert time.monotonic() - begun_at < 3
            assert good(http.get("/v1/games"))["games"]
        finally:
            os.kill(store, signal.SIGCONT)
        deadline = time.monotonic() + PATIENCE
        while "ratelimit" not in (answer := http.get(f"/v1/sessions/{table.id}", headers=seat)).headers:
            assert answer.status_code in (200, 503)
            assert time.monotonic() < deadline
            time.sleep(0.1)
        good(answer)
