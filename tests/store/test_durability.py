"""What is acknowledged when: replicas that lag, and stores that are not set up as their operator thinks."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from redis import Redis

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Committed, KeptAnswer
from croupier.store import Limits, RedisStore, Replicas, connect
from store.samples import ANSWER, SECRETS, SLOT, change, entry, session, started
from store.topologies import Cluster, Node, SentinelSet, until

ANSWERED = {"entries": (entry(2),), "answer": (SLOT, ANSWER)}


@pytest.fixture(params=[False, True], ids=["in memory", "on disk"])
def limits(request: pytest.FixtureRequest) -> Limits:
    return Limits(call_seconds=0.5, replicas=Replicas(1, on_disk=request.param))


@pytest.fixture
async def replicated(limits: Limits, sentinel_set: SentinelSet) -> AsyncIterator[RedisStore]:
    sentinel_set.flush()
    store = connect(sentinel_set.url, SECRETS, limits=limits)
    yield store
    await store.close()


@pytest.fixture
async def other(limits: Limits, sentinel_set: SentinelSet) -> AsyncIterator[RedisStore]:
    """The same store as another server sees it, whose connections have written nothing yet."""
    store = connect(sentinel_set.url, SECRETS, limits=limits)
    yield store
    await store.close()


@pytest.fixture
def replica(sentinel_set: SentinelSet) -> Node:
    return next(node for node in sentinel_set.nodes if node is not sentinel_set.primary())


@contextmanager
def lagging(replica: Node) -> Iterator[None]:
    """The replica takes nothing in meanwhile."""
    replica.freeze()
    try:
        yield
    finally:
        replica.thaw()
        until(replica.in_step, "a replica in step")


async def test_what_replicas_do_not_have_is_not_acknowledged_and_the_retry_finds_it(
    replicated: RedisStore, limits: Limits, sentinel_set: SentinelSet, replica: Node
) -> None:
    await started(replicated)
    step = change(session(version=2), **ANSWERED)
    with lagging(replica):
        with pytest.raises(StoreUnavailable) as refused:
            await replicated.commit(step)
        assert refused.value.retry_after
        # It is in, but neither way of asking again is told so before the replica has it.
        for again in (lambda store: store.load("s", SLOT), lambda store: store.commit(step)):
            # From a server whose connections have written nothing yet.
            store = connect(sentinel_set.url, SECRETS, limits=limits)
            with pytest.raises(StoreUnavailable):
                await again(store)
            await store.close()
    kept = KeptAnswer(ANSWER, SLOT.body_digest)
    assert await replicated.commit(step) == kept
    loaded = await replicated.load("s", SLOT)
    assert (loaded.session, loaded.kept) == (session(version=2), kept)
    assert await replicated.ledger("s", 0, 10) == [entry(1), entry(2)]


async def test_a_claim_is_not_told_before_replicas_have_it(
    replicated: RedisStore, other: RedisStore, replica: Node
) -> None:
    with lagging(replica):
        for server, session_id in ((replicated, "s"), (other, "t")):
            with pytest.raises(StoreUnavailable):
                await server.claim(SLOT, session_id)
    assert await other.claim(SLOT, "t") == "s"


async def test_a_store_without_its_replicas_cannot_be_written_to_but_read(
    replicated: RedisStore, replica: Node
) -> None:
    made = await started(replicated)
    with lagging(replica):
        loop = asyncio.get_running_loop()
        writes: list[Any] = [replicated.commit(change(session(f"t{one}"))) for one in range(40)]
        writing = asyncio.gather(*writes, replicated.ping(), return_exceptions=True)
        begun = loop.time()
        while loop.time() < begun + 0.4:
            since = loop.time()
            assert (await replicated.load("s")).session == made
            assert await replicated.ledger("s", 0, 10) == [entry(1)]
            assert loop.time() - since < 0.3, "a read waits for what does not concern it"
            await asyncio.sleep(0.01)
        assert {type(one) for one in await writing} == {StoreUnavailable}
    await replicated.ping()
    assert await replicated.commit(change(session(version=2))) == Committed()


async def test_a_cancelled_commit_leaves_nothing_to_the_next(replicated: RedisStore) -> None:
    for number in range(40):
        call = asyncio.create_task(replicated.commit(change(session(f"s{number}"))))
        for _ in range(number % 10):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        other = session(f"t{number}")
        assert await replicated.commit(change(other)) == Committed()
        assert (await replicated.load(other.id)).session == other


@pytest.mark.parametrize("limits", [Limits(replicas=Replicas(1))], ids=["patient"])
async def test_a_retry_is_not_told_what_died_with_the_primary(
    replicated: RedisStore, sentinel_set: SentinelSet
) -> None:
    await started(replicated)
    primary = sentinel_set.primary()
    with sentinel_set.steady():
        primary.refuse_replicas()
        with pytest.raises(StoreUnavailable):
            await replicated.commit(change(session(version=2), **ANSWERED))
        primary.kill()
    await asyncio.to_thread(sentinel_set.await_failover, primary)
    await asyncio.to_thread(sentinel_set.restart, primary)
    loaded = await replicated.load("s", SLOT)
    assert (loaded.session, loaded.kept) == (session(), None)
    assert await replicated.commit(change(session(version=2), **ANSWERED)) == Committed()
    assert (await replicated.load("s", SLOT)).kept == KeptAnswer(ANSWER, SLOT.body_digest)
    assert await replicated.ledger("s", 0, 10) == [entry(1), entry(2)]


async def test_what_falls_short_is_said(valkey_url: str, redis_store: RedisStore) -> None:
    with Redis.from_url(valkey_url) as redis:
        assert await redis_store.shortcomings("memory") == []
        for wanted in ("everysec", "always"):
            (said,) = await redis_store.shortcomings(wanted)
            assert "appendonly should be yes" in said
        redis.config_set("appendfsync", "everysec")
        redis.config_set("appendonly", "yes")
        redis.config_set("maxmemory", "1gb")
        redis.config_set("maxmemory-policy", "allkeys-lru")
        try:
            assert "drops sessions when it is full" in (await redis_store.shortcomings("everysec"))[0]
            said, _ = await redis_store.shortcomings("always")
            assert "appendfsync is everysec, should be always" in said
            redis.config_set("appendfsync", "always")
            redis.config_set("maxmemory-policy", "noeviction")
            assert await redis_store.shortcomings("always") == []
        finally:
            redis.config_set("maxmemory", "0")
            redis.config_set("appendonly", "no")


async def test_a_store_that_may_not_be_asked_gets_the_benefit_of_the_doubt(valkey_url: str) -> None:
    with Redis.from_url(valkey_url) as redis:
        redis.execute_command("ACL SETUSER player on >pass ~* &* +@all -config -info")
        store = connect(f"unix://player:pass@{valkey_url.removeprefix('unix://')}", SECRETS)
        assert await store.shortcomings("always") == []
        await store.close()
        redis.execute_command("ACL DELUSER player")


async def test_a_topology_tells_of_missing_replicas_and_of_what_a_failover_forgets(cluster: Cluster) -> None:
    store = connect(cluster.url, SECRETS, limits=Limits(replicas=Replicas(2)))
    assert await store.shortcomings("replicated") == [
        "a primary has 1 replicas, and no change is acknowledged before 2 have it"
    ]
    await store.close()
    store = connect(cluster.url, SECRETS)
    (files, failover) = await store.shortcomings("always")
    assert "appendonly should be yes" in files
    assert "durability should be replicated" in failover
    await store.close()


async def test_a_cluster_that_is_taken_for_one_server_is_told_of(cluster: Cluster) -> None:
    store = connect(f"redis://127.0.0.1:{cluster.nodes[0].port}", SECRETS)
    (said,) = await store.shortcomings("memory")
    assert "redis+cluster://" in said
    await store.close()
