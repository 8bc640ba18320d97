"""Operator keys where they live, in each store alike."""

import pytest
from redis import Redis

from croupier.sessions.operators import KeyStore, OperatorKey, new_key
from croupier.sessions.ports import SessionStore
from croupier.store import RedisStore, connect
from croupier.store.memory import MemoryKeyStore
from sessions.house import CountedEntropy, HeldClock
from store.samples import SECRETS

START = 1_767_225_600_000
FIRST = OperatorKey("a" * 16, "house", "1" * 64, START)
SECOND = OperatorKey("b" * 16, "house", "2" * 64, START + 1, "the bar's till 🃏", START + 86_400_000)


@pytest.fixture
def keys(store: SessionStore) -> KeyStore:
    """The port as each store has it."""
    return store.operators if isinstance(store, RedisStore) else MemoryKeyStore()


async def test_keys_come_back_whole_the_oldest_first(keys: KeyStore) -> None:
    assert list(await keys.every()) == []
    await keys.add(SECOND)
    await keys.add(FIRST)
    assert list(await keys.every()) == [FIRST, SECOND]


async def test_a_revoked_key_is_gone(keys: KeyStore) -> None:
    await keys.add(FIRST)
    await keys.add(SECOND)
    await keys.used(FIRST.id, START + 5)
    assert await keys.revoke(FIRST.id)
    assert not await keys.revoke(FIRST.id)
    assert list(await keys.every()) == [SECOND]


async def test_the_latest_use_stays_and_brings_no_revoked_key_back(keys: KeyStore) -> None:
    await keys.add(FIRST)
    for at, kept in ((START + 5, START + 5), (START + 9, START + 9), (START + 7, START + 9)):
        await keys.used(FIRST.id, at)
        assert [key.used_at for key in await keys.every()] == [kept]
    await keys.revoke(FIRST.id)
    await keys.used(FIRST.id, START + 20)
    assert list(await keys.every()) == []


async def test_a_key_cannot_be_read_from_a_dump_of_the_store(valkey_url: str) -> None:
    store = connect(valkey_url, SECRETS)
    key, kept = new_key("house", "", None, HeldClock(), CountedEntropy())
    await store.operators.add(kept)
    await store.operators.used(kept.id, START)
    await store.close()
    with Redis.from_url(valkey_url) as redis:
        (name,) = redis.keys()
        fields = redis.hgetall(name)
    text = b" ".join((name, *fields, *fields.values()))
    assert kept.digest.encode() in text
    assert key.split("_", 2)[2].encode() not in text
