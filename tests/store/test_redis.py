"""What only a Redis store does: retention, its scripts, its indexes, and what it sends."""

import asyncio
import logging

import pytest
from redis import Redis

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Committed, Loaded
from croupier.store import Keeping, RedisStore, connect
from store.samples import ANSWER, SECRETS, SLOT, START, change, entry, round_, session, started, versions

DAY = 86_400_000


async def test_an_ended_session_is_deleted_to_the_last_key(valkey_url: str, redis_store: RedisStore) -> None:
    await started(redis_store)
    await redis_store.commit(change(session(version=2), record=round_(1), answer=(SLOT, ANSWER)))
    ended = change(
        session(version=3, status="closed"), answer=(SLOT.__class__("2", ""), ANSWER), expire_after=1
    )
    with Redis.from_url(valkey_url, decode_responses=True) as redis:
        owned = set(redis.scan_iter("croupier:{s}*"))
        assert {redis.ttl(key) for key in owned if not key.endswith((":events", ":answer:slot-1"))} == {-1}
        assert await redis_store.commit(ended) == Committed()
        assert len(set(redis.scan_iter("croupier:{s}*"))) == len(owned) + 1
        await asyncio.sleep(1.1)
        # An answer given before the end lives its own time; its body is sealed, and it is asked for by key.
        assert set(redis.scan_iter("croupier:{s}*")) == {"croupier:{s}:answer:slot-1"}
    assert await redis_store.load("s") == Loaded(None)
    assert await redis_store.due(START + 2000, 10) == ["s"]
    await redis_store.remind("s", None)
    with Redis.from_url(valkey_url, decode_responses=True) as redis:
        assert set(redis.scan_iter()) == {"croupier:{s}:answer:slot-1", "croupier:operators"}


async def test_a_flood_of_questions_whether_it_takes_writes_is_not_a_flood_of_writes(
    valkey_url: str, redis_store: RedisStore
) -> None:
    with Redis.from_url(valkey_url) as redis:
        redis.config_resetstat()
        await asyncio.gather(*(redis_store.ping() for _ in range(200)))
        assert redis.info("commandstats")["cmdstat_set"]["calls"] == 1
        await redis_store.ping()
        assert redis.info("commandstats")["cmdstat_set"]["calls"] == 2


async def test_answers_and_events_are_kept_for_their_time(valkey_url: str) -> None:
    store = connect(valkey_url, SECRETS, keeping=Keeping(answer_seconds=1, events_seconds=1, events=2))
    await started(store)
    for version in (2, 3):
        await store.commit(
            change(session(version=version), answer=(SLOT.__class__(str(version), ""), ANSWER))
        )
    assert [one.version for one in await store.events("s", 0, 10)] == [2, 3]
    assert (await store.load("s", SLOT.__class__("3", ""))).kept is not None
    await asyncio.sleep(1.1)
    assert await store.events("s", 0, 10) == []
    assert await store.load("s", SLOT.__class__("3", "")) == Loaded(session(version=3))
    await store.close()


async def test_a_started_session_has_nothing_of_an_earlier_one_of_its_id(
    valkey_url: str, redis_store: RedisStore
) -> None:
    await started(redis_store)
    await versions(redis_store, "s", 2, 3)
    with Redis.from_url(valkey_url) as redis:
        redis.delete("croupier:{s}")
    again = await started(redis_store)
    assert await redis_store.load("s") == Loaded(again)
    assert await redis_store.ledger("s", 0, 10) == [entry(1)]
    assert await redis_store.rounds("s", 0, 10) == []
    assert [one.version for one in await redis_store.events("s", 0, 10)] == [1]


async def test_flushed_scripts_are_sent_again(valkey_url: str, redis_store: RedisStore) -> None:
    with Redis.from_url(valkey_url) as redis:
        await started(redis_store)
        for version in range(2, 30):
            redis.script_flush()
            done, loaded = await asyncio.gather(
                redis_store.commit(
                    change(session(version=version), answer=(SLOT.__class__(str(version), ""), ANSWER))
                ),
                redis_store.load("s", SLOT),
            )
            assert done == Committed()
            assert loaded.session in (session(version=version - 1), session(version=version))
            redis.script_flush()
            assert await redis_store.due(START, 10) == []


async def test_lost_lists_are_restored(valkey_url: str, redis_store: RedisStore) -> None:
    # More than are read at a time, and keys of other applications beside them.
    for one in range(250):
        await started(redis_store, f"s{one}", created_at=START + one)
    with Redis.from_url(valkey_url) as redis:
        redis.hset("other:{s1}", "v", 1)
        redis.hset("croupier2:{s1}", "v", 1)
        redis.delete("croupier:due", "croupier:sessions:house", "croupier:operators")
    assert await redis_store.repair() == 250
    assert await redis_store.repair() == 0
    found, after = await redis_store.sessions_of("house", None, 300)
    assert [one.id for one in found] == [f"s{one}" for one in reversed(range(250))]
    assert after is None
    assert len(await redis_store.due(START + 31 * DAY, 300)) == 250


async def test_a_commit_whose_lists_cannot_be_written_is_in_and_repaired(
    valkey_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Redis.from_url(valkey_url) as redis:
        # A user that may not write the lists stands for a slot whose node is away.
        redis.execute_command("ACL SETUSER player on >pass ~croupier:{* +@all")
        path = valkey_url.removeprefix("unix://")
        barred = connect(f"unix://player:pass@{path}", SECRETS)
        with caplog.at_level(logging.WARNING):
            made = await started(barred)
        assert "repair will put it there" in caplog.text
        await barred.close()
        redis.execute_command("ACL DELUSER player")
    store = connect(valkey_url, SECRETS)
    assert await store.load("s") == Loaded(made)
    assert await store.sessions_of("house", None, 10) == ([], None)
    assert await store.repair() == 1
    assert await store.sessions_of("house", None, 10) == ([made], None)
    await store.close()


async def test_two_prefixes_share_a_server(valkey_url: str, redis_store: RedisStore) -> None:
    other = connect(valkey_url, SECRETS, prefix="other")
    await started(redis_store)
    assert await other.load("s") == Loaded(None)
    assert await other.repair() == 0
    await started(other, operator="another")
    assert (await redis_store.load("s")).session == session()
    await other.close()


async def test_a_commit_of_a_meter_that_the_session_has_not_is_refused(redis_store: RedisStore) -> None:
    from store.samples import move

    with pytest.raises(ValueError, match="settles on no meter"):
        await redis_store.commit(change(session(), meter=move(None, 1)))
    with pytest.raises(ValueError, match="cannot be the id"):
        await redis_store.commit(change(session("no/such id")))


@pytest.mark.parametrize("url", ["http://localhost", "localhost:6379", ""])
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"redis://"):
        connect(url, SECRETS)


async def test_a_store_that_is_full_says_so_and_changes_nothing(
    valkey_url: str, redis_store: RedisStore
) -> None:
    made = await started(redis_store)
    with Redis.from_url(valkey_url) as redis:
        redis.config_set("maxmemory", 1)
        try:
            with pytest.raises(StoreUnavailable):
                await redis_store.commit(change(session(version=2), entries=(entry(2),)))
            with pytest.raises(StoreUnavailable):
                await redis_store.ping()
            assert await redis_store.load("s", SLOT) == Loaded(made)
        finally:
            redis.config_set("maxmemory", 0)
    assert await redis_store.ledger("s", 0, 10) == [entry(1)]
    assert await redis_store.commit(change(session(version=2))) == Committed()
