"""A store that is slow, away, or killed: said in time, never guessed, and nothing acknowledged is lost."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Committed, SessionStore
from croupier.store import EmbeddedStore, Limits, RedisStore, connect
from store.samples import SECRETS, SLOT, change, entry, round_, session, started

LIMITS = Limits(connections=4, connect_seconds=0.2, call_seconds=0.2)
PAUSE = 400
"""Milliseconds for which a server keeps everybody waiting."""
CALLS: list[Callable[[SessionStore], Any]] = [
    lambda store: store.load("s"),
    lambda store: store.load("s", SLOT),
    lambda store: store.commit(change(session())),
    lambda store: store.ledger("s", 0, 10),
    lambda store: store.rounds("s", 0, 10),
    lambda store: store.events("s", 0, 10),
    lambda store: store.sessions_of("house", None, 10),
    lambda store: store.sessions_before("house", 1, "", 10),
    lambda store: store.meter("tag"),
    lambda store: store.due(0, 10),
    lambda store: store.remind("s", 1),
    lambda store: store.remind("s", None),
    lambda store: store.repair(),
    lambda store: store.ping(),
]


@pytest.fixture
async def hasty(valkey_url: str) -> AsyncIterator[RedisStore]:
    store = connect(valkey_url, SECRETS, limits=LIMITS)
    yield store
    await store.close()


async def refused_in_time(store: SessionStore, call: Callable[[SessionStore], Any]) -> None:
    begun = time.monotonic()
    with pytest.raises(StoreUnavailable) as refused:
        await call(store)
    assert time.monotonic() - begun < 1
    assert refused.value.retry_after


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "unix:///no/such/socket"])
@pytest.mark.parametrize("call", CALLS)
async def test_a_store_that_is_not_there(url: str, call: Callable[[SessionStore], Any]) -> None:
    store = connect(url, SECRETS, limits=LIMITS)
    await refused_in_time(store, call)
    await store.close()


@pytest.mark.parametrize("call", CALLS)
async def test_a_slow_store(valkey_url: str, hasty: RedisStore, call: Callable[[SessionStore], Any]) -> None:
    with Redis.from_url(valkey_url) as redis:
        redis.client_pause(PAUSE)
        await refused_in_time(hasty, call)
        redis.ping()  # waits for the end of the pause
    await hasty.ping()


async def test_a_late_answer_is_never_taken_for_another_ones(valkey_url: str, hasty: RedisStore) -> None:
    made = {name: await started(hasty, name) for name in "abcdefgh"}
    with Redis.from_url(valkey_url) as redis:
        redis.client_pause(PAUSE)
        late = await asyncio.gather(*map(hasty.load, made), return_exceptions=True)
        redis.ping()
    assert {type(one) for one in late} == {StoreUnavailable}
    for _ in range(10):
        found = await asyncio.gather(*map(hasty.load, made))
        assert [one.session for one in found] == list(made.values())


async def test_a_cancelled_call_leaves_nothing_to_the_next(hasty: RedisStore) -> None:
    made = {name: await started(hasty, name) for name in "abcdefgh"}
    for step in range(40):
        call = asyncio.create_task(hasty.load("a"))
        for _ in range(step % 8):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        name = "bcdefgh"[step % 7]
        assert (await hasty.load(name)).session == made[name]


async def test_waiting_for_a_connection_is_within_the_limit(valkey_url: str) -> None:
    store = connect(valkey_url, SECRETS, limits=Limits(connections=1, connect_seconds=0.2, call_seconds=0.2))
    with Redis.from_url(valkey_url) as redis:
        await store.ping()
        redis.client_pause(PAUSE)
        begun = time.monotonic()
        outcomes = await asyncio.gather(*(store.load("s") for _ in range(50)), return_exceptions=True)
        assert time.monotonic() - begun < 1
        redis.ping()
    assert {type(one) for one in outcomes} == {StoreUnavailable}
    await store.ping()
    await store.close()


async def test_what_was_given_up_while_it_waited_is_never_sent(valkey_url: str) -> None:
    store = connect(valkey_url, SECRETS, limits=Limits(connections=1, connect_seconds=0.2, call_seconds=2))
    await started(store)
    with Redis.from_url(valkey_url) as redis:
        redis.client_pause(PAUSE)
        first = asyncio.create_task(store.load("s"))
        await asyncio.sleep(0.05)
        given_up = asyncio.create_task(store.commit(change(session(version=2))))
        other = asyncio.create_task(store.ledger("s", 0, 10))
        await asyncio.sleep(0.05)
        given_up.cancel()
        redis.ping()
        assert (await first).session == session()
        assert await other == [entry(1)]
    assert (await store.load("s")).session == session()
    await store.close()


@pytest.mark.parametrize("connections", [1, 3])
async def test_few_connections_serve_many_and_one_failure_is_that_calls_alone(
    valkey_url: str, connections: int
) -> None:
    store = connect(valkey_url, SECRETS, limits=Limits(connections=connections))
    await started(store)
    calls: list[Any] = [store.load("s"), store.commit(change(session(version=2), record=round_(9)))]
    calls += [store.commit(change(session(f"t{one}"))) for one in range(100)]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert isinstance(outcomes[1], ValueError)
    assert set(outcomes[2:]) == {Committed()}
    with Redis.from_url(valkey_url) as redis:
        ours = [one for one in redis.client_list() if one["cmd"] != "client|list"]
        assert 0 < len(ours) <= connections
    await store.close()


@asynccontextmanager
async def deaf(*answers: bytes | None) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that gives *answers*, the last one again and again; None hangs up instead."""
    heard: list[bytes] = []
    left = list(answers)

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            heard.append(data)
            answer = left.pop(0) if len(left) > 1 else left[0]
            if answer is None:
                break
            writer.write(answer)
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    async with server:
        yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


@pytest.mark.parametrize("answer", [None, b""])
async def test_a_write_that_is_not_answered_is_sent_once(answer: bytes | None) -> None:
    async with deaf(answer) as (url, heard):
        store = connect(url, SECRETS, limits=LIMITS)
        for call in (
            lambda: store.commit(change(session(version=2))),
            store.ping,
            lambda: store.remind("s", 1),
        ):
            heard.clear()
            with pytest.raises(StoreUnavailable):
                await call()
            await asyncio.sleep(0.05)
            assert len(heard) == 1
        await store.close()


async def test_a_read_that_is_hung_up_on_is_sent_once_more() -> None:
    async with deaf(None) as (url, heard):
        store = connect(url, SECRETS, limits=LIMITS)
        for call in (lambda: store.load("s"), lambda: store.load("s", SLOT)):
            heard.clear()
            with pytest.raises(StoreUnavailable):
                await call()
            assert len(heard) == 2
        await store.close()


@pytest.mark.parametrize(
    "said",
    [
        b"LOADING the data",
        b"READONLY a replica",
        b"MISCONF no disk",
        b"BUSY a script",
        b"NOREPLICAS none",
        b"CLUSTERDOWN no slot",
        b"TRYAGAIN later",
        b"MASTERDOWN link",
        b"OOM full",
        b"NOAUTH who",
        b"WRONGPASS who",
        b"NOPERM no",
    ],
)
async def test_what_a_server_says_that_cannot_serve(said: bytes) -> None:
    async with deaf(b"-" + said + b"\r\n") as (url, _):
        store = connect(url, SECRETS, limits=LIMITS)
        for call in (lambda: store.commit(change(session())), store.ping, lambda: store.load("s")):
            with pytest.raises(StoreUnavailable):
                await call()
        await store.close()


@pytest.mark.parametrize(
    "said", ["LOADING the data", "READONLY a replica", "CLUSTERDOWN no slot", "NOSCRIPT unknown"]
)
async def test_a_commit_of_which_nothing_was_done_is_sent_once_more(said: str) -> None:
    async with deaf(f"-{said}\r\n".encode(), b":1\r\n") as (url, heard):
        store = connect(url, SECRETS, limits=LIMITS)
        # Not the first version, which is put on lists besides.
        assert await store.commit(change(session(version=2))) == Committed()
        assert len(heard) == 2
        await store.close()


async def test_a_slot_on_its_way_is_asked_for_until_it_has_arrived() -> None:
    wait = b"-TRYAGAIN some keys are elsewhere\r\n"
    async with deaf(wait, wait, wait, wait, b":1\r\n") as (url, heard):
        store = connect(url, SECRETS)
        assert await store.commit(change(session(version=2))) == Committed()
        assert len(heard) == 5
        await store.close()


@pytest.mark.parametrize("said", ["MOVED 1 127.0.0.1:1", "TRYAGAIN not yet"])
async def test_servers_that_send_us_around_do_so_in_their_time_and_not_too_often(said: str) -> None:
    async with deaf(f"-{said}\r\n".encode()) as (url, heard):
        store = connect(url, SECRETS, limits=LIMITS)
        await refused_in_time(store, lambda store: store.commit(change(session(version=2))))
        assert 3 < len(heard) < 20
        await store.close()


async def test_connections_that_died_meanwhile_do_not_fail_the_next_reads(
    valkey_url: str, hasty: RedisStore
) -> None:
    made = await started(hasty)
    await asyncio.gather(*(hasty.load("s") for _ in range(4)))
    with Redis.from_url(valkey_url) as redis:
        redis.client_kill_filter(_type="normal", skipme=True)
    await asyncio.sleep(0.05)
    for found in await asyncio.gather(*(hasty.load("s") for _ in range(4))):
        assert found.session == made
    assert await hasty.commit(change(session(version=2))) == Committed()


async def test_a_killed_server_comes_back_with_all_that_was_acknowledged(tmp_path: Path) -> None:
    embedded = EmbeddedStore(tmp_path / "data", "always")
    store = connect(embedded.start(), SECRETS)
    acknowledged: dict[str, int] = {}
    away = 0
    deadline = time.monotonic() + 20

    async def play(session_id: str) -> None:
        nonlocal away
        while acknowledged.get(session_id, 0) < 150:
            assert time.monotonic() < deadline
            try:
                found = (await store.load(session_id)).session
                version = found.version if found else 0
                # What is in may be one more than was acknowledged: a commit whose answer was lost.
                assert version - acknowledged.get(session_id, 0) in (0, 1)
                entries = (entry(version + 1),)
                if (
                    await store.commit(change(session(session_id, version + 1), entries=entries))
                    == Committed()
                ):
                    acknowledged[session_id] = version + 1
            except StoreUnavailable:
                away += 1
                await asyncio.sleep(0.02)

    async def kill() -> None:
        for _ in range(2):
            await asyncio.sleep(0.15)
            with Redis.from_url(embedded.url) as redis:
                pid = redis.info("server")["process_id"]
            os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.5)

    try:
        await asyncio.gather(kill(), *(play(f"s{one}") for one in range(6)))
        assert away > 0
        for session_id, version in acknowledged.items():
            loaded = (await store.load(session_id)).session
            assert loaded is not None
            assert loaded.version == version
            assert await store.ledger(session_id, 0, 1000) == [entry(one) for one in range(1, version + 1)]
    finally:
        await store.close()
        embedded.stop()
