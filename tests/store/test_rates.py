"""How often callers ask, counted in a real store: together for all workers, in secret, in nobody's way."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from croupier.store import RedisStore, connect
from croupier.store.client import Limits
from croupier.store.rates import StoredRates
from store.samples import SECRETS

SECRET = SECRETS[0]
WHO = b"sixteen bytes !!"


@pytest.fixture(autouse=True)
def patience(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine may be busy: only tests of a store that is away give up on it soon."""
    if "away" not in request.node.name:
        monkeypatch.setattr("croupier.store.rates._PATIENCE", 10.0)


@pytest.fixture(params=["valkey", "sentinel", "cluster"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[tuple[RedisStore, RedisStore]]:
    """Two servers' views of one store."""
    match request.param:
        case "sentinel":
            sentinels = request.getfixturevalue("sentinel_set")
            sentinels.flush()
            url = sentinels.url
        case kind:
            url = request.getfixturevalue(f"{kind}_url")
    first, second = connect(url, SECRETS), connect(url, SECRETS)
    yield first, second
    await first.close()
    await second.close()


async def rates(store: RedisStore, **limits: str) -> StoredRates:
    """What counts, once the store knows its scripts: before, a look may come before its hit."""
    found = store.rates(limits, SECRET)
    for kind in limits:
        await found.count(kind, b"somebody else")
    return found


async def test_two_servers_count_together_and_let_in_exactly_the_quota(
    stores: tuple[RedisStore, RedisStore],
) -> None:
    both = [await rates(store, token="40/minute") for store in stores]
    counted = await asyncio.gather(*[both[turn % 2].count("token", WHO) for turn in range(100)])
    assert sum(not standing.over for (standing,) in counted) == 40
    (standing,) = await both[0].count("token", WHO)
    assert (standing.quota, standing.seconds, standing.left, standing.over) == (40, 60, 0, True)
    assert 0 < standing.reset <= 60


async def test_what_is_left_counts_down_and_each_kind_and_caller_has_its_own(
    stores: tuple[RedisStore, RedisStore],
) -> None:
    counts = await rates(stores[0], token="3/minute;5/hour", key="2/minute")
    left = [[one.left for one in await counts.count("token", WHO)] for _ in range(3)]
    assert left == [[2, 4], [1, 3], [0, 2]]
    minute, hour = await counts.count("token", WHO)
    assert (minute.over, hour.over) == (True, False)
    assert [one.left for one in await counts.count("token", WHO[::-1])] == [2, 4]
    assert [one.left for one in await counts.count("key", WHO)] == [1]
    assert await counts.count("address", WHO) == ()


async def test_there_is_room_again_when_it_was_said(stores: tuple[RedisStore, RedisStore]) -> None:
    counts = await rates(stores[0], token="2/second")
    for _ in range(3):
        while not (standing := (await counts.count("token", WHO))[0]).over:
            pass
        assert 0 < standing.reset <= 1
        await asyncio.sleep(standing.reset + 0.005)
        assert not (await counts.count("token", WHO))[0].over


async def test_the_store_names_nobody_and_forgets_everybody(valkey_url: str) -> None:
    store = connect(valkey_url, SECRETS)
    await (await rates(store, token="3/minute", address="3/minute")).count("token", WHO)
    await store.close()
    async with Redis.from_url(valkey_url) as redis:
        keys = await redis.keys("*")
        assert keys
        for key in keys:
            assert key.startswith(b"croupier:rates:")
            assert WHO not in key
            assert WHO.hex().encode() not in key
            assert 0 < await redis.pttl(key) <= 120_000


async def test_nobody_waits_for_a_store_that_is_away_and_it_is_asked_again_later() -> None:
    store = connect("redis://192.0.2.1:1", SECRETS, limits=Limits(connect_seconds=1, call_seconds=2))
    counts = store.rates({"token": "1/minute"}, SECRET)
    began = time.monotonic()
    assert await counts.count("token", WHO) == ()
    assert time.monotonic() - began < 2
    began = time.monotonic()
    for _ in range(1000):
        assert await counts.count("token", WHO) == ()
    assert time.monotonic() - began < 0.25
    await store.close()


async def test_the_count_goes_on_when_a_store_that_was_away_is_back(valkey_url: str) -> None:
    store = connect(valkey_url, SECRETS)
    counts = await rates(store, token="5/minute")
    async with Redis.from_url(valkey_url) as redis:
        await redis.execute_command("CLIENT", "PAUSE", 1300, "ALL")
        assert await counts.count("token", WHO) == ()
        await redis.ping()
    await asyncio.sleep(1.5)
    assert [one.over for one in await counts.count("token", WHO)] == [False]
    await store.close()
