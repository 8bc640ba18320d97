"""What a watch over a session means, whichever the store, and what it costs in Valkey."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from croupier.sessions.ports import Committed, SessionStore
from croupier.store import RedisStore, connect, tail
from store.samples import SECRETS, change, session, started

PATIENCE = 5.0
LATE = 0.3
"""Seconds between two looks of a hurried tail."""


@pytest.fixture
async def other(valkey_url: str) -> AsyncIterator[RedisStore]:
    """The store as another server has it."""
    store = connect(valkey_url, SECRETS)
    yield store
    await store.close()


@pytest.fixture
async def admin(valkey_url: str) -> AsyncIterator["Redis"]:
    async with Redis.from_url(valkey_url) as redis:
        yield redis


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "LOOK_EVERY", LATE)


async def at(store: SessionStore, version: int, session_id: str = "s") -> None:
    await store.commit(change(session(session_id, version=version)))


async def subscribers(admin: "Redis", count: int) -> None:
    """Return when *count* sessions' channels are listened to."""
    async with asyncio.timeout(PATIENCE):
        while len(await admin.pubsub_channels()) != count:  # noqa: ASYNC110 - the store tells nobody
            await asyncio.sleep(0.01)


async def test_a_change_is_told_and_can_be_read(store: SessionStore) -> None:
    await started(store)
    watch = store.watch("s", 1)
    waiting = asyncio.create_task(watch.news(1))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await at(store, 2)
    await asyncio.wait_for(waiting, PATIENCE)
    assert [one.version for one in await watch.events(1)] == [2]
    watch.close()


async def test_what_is_known_already_is_not_waited_for(store: SessionStore) -> None:
    await started(store)
    await at(store, 2)
    watch = store.watch("s", 2)
    await asyncio.wait_for(watch.news(1), 0.1)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watch.news(2), 0.1)
    watch.close()


async def test_a_watch_that_is_closed_keeps_nobody_waiting(store: SessionStore) -> None:
    await started(store)
    watch, still = store.watch("s", 1), store.watch("s", 1)
    waiting = asyncio.create_task(watch.news(1))
    await asyncio.sleep(0)
    watch.close()
    watch.close()
    await asyncio.wait_for(waiting, PATIENCE)
    await at(store, 2)
    await asyncio.wait_for(still.news(1), PATIENCE)
    still.close()


async def test_another_session_is_no_news(store: SessionStore) -> None:
    await started(store)
    await started(store, "t")
    watch = store.watch("s", 1)
    await at(store, 2, "t")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watch.news(1), 0.1)
    watch.close()


async def test_another_servers_change_is_told_within_a_tenth_of_a_second(
    redis_store: RedisStore, other: RedisStore, admin: "Redis"
) -> None:
    await started(other)
    watch = redis_store.watch("s", 1)
    await subscribers(admin, 1)
    loop, took = asyncio.get_running_loop(), []
    for version in range(2, 32):
        await at(other, version)
        since = loop.time()
        await asyncio.wait_for(watch.news(version - 1), PATIENCE)
        took.append(loop.time() - since)
        assert [one.version for one in await watch.events(version - 1)] == [version]
    watch.close()
    assert sorted(took)[len(took) // 2] < 0.1


@pytest.mark.parametrize("kind", ["sentinel", "cluster"])
async def test_changes_are_told_across_the_servers_of_a_store(
    request: pytest.FixtureRequest, kind: str
) -> None:
    """Whichever node of a cluster has the session, and whichever is listened to."""
    if kind == "cluster":
        url = request.getfixturevalue("cluster_url")
    else:
        sentinels = request.getfixturevalue("sentinel_set")
        sentinels.flush()
        url = sentinels.url
    here, there = connect(url, SECRETS), connect(url, SECRETS)
    names, loop = [f"s{number}" for number in range(12)], asyncio.get_running_loop()
    try:
        for name in names:
            await started(there, name)
        watches = {name: here.watch(name, 1) for name in names}
        await asyncio.sleep(1)
        took = []
        for version in (2, 3):
            for name, watch in watches.items():
                await at(there, version, name)
                since = loop.time()
                await asyncio.wait_for(watch.news(version - 1), PATIENCE)
                took.append(loop.time() - since)
                assert [one.version for one in await watch.events(version - 1)] == [version]
        for watch in watches.values():
            watch.close()
    finally:
        await here.close()
        await there.close()
    assert sorted(took)[len(took) // 2] < 0.1


async def test_a_change_before_the_channel_was_listened_to_is_not_missed(
    redis_store: RedisStore, other: RedisStore
) -> None:
    await started(other)
    watch = redis_store.watch("s", 1)
    await at(other, 2)
    await asyncio.wait_for(watch.news(1), 1)
    watch.close()


@pytest.mark.usefixtures("hurried")
async def test_a_notice_that_is_lost_only_comes_late(
    redis_store: RedisStore, other: RedisStore, admin: "Redis"
) -> None:
    await started(other)
    watch = redis_store.watch("s", 1)
    await subscribers(admin, 1)
    # A change of which nobody is told: it goes around the script that tells.
    await admin.hset("croupier:{s}", "v", 2)
    await asyncio.wait_for(watch.news(1), PATIENCE)
    watch.close()


async def test_a_broken_connection_is_opened_again_and_nothing_missed(
    redis_store: RedisStore, other: RedisStore, admin: "Redis"
) -> None:
    await started(other)
    watch = redis_store.watch("s", 1)
    for version in range(2, 5):
        await subscribers(admin, 1)
        await admin.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await at(other, version)
        await asyncio.wait_for(watch.news(version - 1), 2)
    await subscribers(admin, 1)
    watch.close()


async def test_a_session_that_is_gone_is_news(redis_store: RedisStore, admin: "Redis", hurried: None) -> None:
    await started(redis_store)
    watch = redis_store.watch("s", 1)
    await subscribers(admin, 1)
    await admin.delete("croupier:{s}")
    await asyncio.wait_for(watch.news(1), PATIENCE)
    watch.close()


async def test_a_version_that_a_failover_lost_is_looked_for_once(
    redis_store: RedisStore, admin: "Redis"
) -> None:
    """Whoever was told of it must not ask for it again and again."""
    await started(redis_store)
    watch = redis_store.watch("s", 1)
    await subscribers(admin, 1)
    await admin.publish("croupier:{s}:events", 7)
    await asyncio.wait_for(watch.news(1), PATIENCE)
    assert await watch.events(1) == []
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watch.news(1), 0.2)
    await at(redis_store, 2)
    watch.close()


async def test_many_watches_cost_one_connection_and_their_channels_one_by_one(
    redis_store: RedisStore, admin: "Redis"
) -> None:
    names = [f"s{number}" for number in range(500)]
    for name in names:
        await started(redis_store, name)
    watches = [redis_store.watch(name, 1) for name in names for _ in range(2)]
    await subscribers(admin, len(names))
    listening = [one for one in await admin.client_list() if int(one["sub"])]
    assert [int(one["sub"]) for one in listening] == [len(names)]
    for watch in watches[:998]:
        watch.close()
    await subscribers(admin, 1)
    await at(redis_store, 2, names[-1])
    await asyncio.wait_for(watches[-1].news(1), PATIENCE)
    for watch in watches:
        watch.close()
    await subscribers(admin, 0)


async def test_readers_of_one_session_share_a_read(redis_store: RedisStore, admin: "Redis") -> None:
    await started(redis_store)
    watches = [redis_store.watch("s", 1) for _ in range(50)]
    await at(redis_store, 2)
    await admin.config_resetstat()
    found = await asyncio.gather(*(watch.events(1) for watch in watches))
    assert {tuple(one.version for one in events) for events in found} == {(2,)}
    assert (await admin.info("commandstats"))["cmdstat_xrange"]["calls"] == 1
    for watch in watches:
        watch.close()


async def test_a_commit_tells_nothing_but_a_number(redis_store: RedisStore, admin: "Redis") -> None:
    async with admin.pubsub() as heard:
        await heard.psubscribe("*")
        await started(redis_store)
        await at(redis_store, 2)
        messages = []
        async with asyncio.timeout(PATIENCE):
            while len(messages) < 2:
                message = await heard.get_message(ignore_subscribe_messages=True, timeout=1)
                messages += [] if message is None else [message]
    assert {(one["channel"], one["data"]) for one in messages} == {
        (b"croupier:{s}:events", b"1"),
        (b"croupier:{s}:events", b"2"),
    }


async def test_a_user_whom_the_store_allows_no_channel_still_commits(
    valkey_url: str, admin: "Redis", hurried: None
) -> None:
    await admin.execute_command("ACL", "SETUSER", "quiet", "on", ">secret", "~*", "+@all", "resetchannels")
    store = connect(valkey_url.replace("unix://", "unix://quiet:secret@"), SECRETS)
    try:
        await started(store)
        watch = store.watch("s", 1)
        assert await store.commit(change(session(version=2))) == Committed()
        await asyncio.wait_for(watch.news(1), PATIENCE)
        watch.close()
    finally:
        await store.close()
        await admin.execute_command("ACL", "DELUSER", "quiet")
