"""What lies in Valkey is sealed: nobody reads it there, alters it, or puts it in another place."""

import pytest
from redis import Redis

from croupier.sessions.session import Seat
from croupier.store import RedisStore, connect
from croupier.store.sealing import BrokenSeal, Seals, UnknownSecret
from store.samples import ANSWER, SLOT, change, round_, session, started

OLD, NEW = b"an old secret of some length", b"a new secret of some length"


def test_what_was_sealed_is_opened_in_its_place_alone() -> None:
    seals = Seals([NEW])
    sealed = seals.seal("state", "s", 7, b"plain")
    assert b"plain" not in sealed
    assert seals.open("state", "s", 7, sealed) == b"plain"
    for kind, session_id, place in (
        ("round", "s", 7),
        ("state", "t", 7),
        ("state", "s", 8),
        ("state", "s 7", 7),
    ):
        with pytest.raises(BrokenSeal, match="altered or moved"):
            seals.open(kind, session_id, place, sealed)


def test_every_altered_or_missing_byte_is_noticed() -> None:
    seals = Seals([NEW])
    sealed = seals.seal("state", "s", 1, b"plain")
    for at in range(len(sealed)):
        altered = bytearray(sealed)
        altered[at] ^= 1
        with pytest.raises((BrokenSeal, UnknownSecret)):
            seals.open("state", "s", 1, bytes(altered))
        with pytest.raises(BrokenSeal):
            seals.open("state", "s", 1, sealed[:at])


def test_the_same_plain_text_is_never_sealed_alike() -> None:
    seals = Seals([NEW])
    assert len({seals.seal("state", "s", 1, b"plain") for _ in range(100)}) == 100


def test_secrets_are_rotated() -> None:
    sealed = Seals([OLD]).seal("state", "s", 1, b"plain")
    rotated = Seals([NEW, OLD])
    assert rotated.open("state", "s", 1, sealed) == b"plain"
    again = rotated.seal("state", "s", 1, b"plain")
    assert Seals([NEW]).open("state", "s", 1, again) == b"plain"
    with pytest.raises(UnknownSecret):
        Seals([NEW]).open("state", "s", 1, sealed)


@pytest.mark.parametrize("secrets", [[], [b"short"], [NEW, b""]])
def test_a_bad_secret_is_refused(secrets: list[bytes]) -> None:
    with pytest.raises(ValueError, match="secret key"):
        Seals(secrets)


async def test_no_seed_and_no_text_of_a_player_is_in_the_store(
    valkey_url: str, redis_store: RedisStore
) -> None:
    seed, chosen, waiting = (
        b"\xc3server-seed-of-the-next-deal\xa5\x5a",
        b"\xd7server-seed-of-a-round-past\x99",
        "a wish",
    )
    record = round_(1, server_seed=chosen, client_seed="a client's seed", script=tuple(range(20, 32)))
    made = await started(redis_store, next_seed=seed, players=("Ada",), seats=(Seat(1, client_seed=waiting),))
    done = session(
        version=2,
        next_seed=seed,
        round=record,
        metadata={"table": "Macao"},
        seats=made.seats,
        rounds_played=1,
    )
    given = ANSWER.__class__(201, b'{"hole": "As Kd"}')
    await redis_store.commit(change(done, record=record, answer=(SLOT, given)))
    with Redis.from_url(valkey_url) as redis:
        redis.config_set("rdbcompression", "no")  # a dump in which any clear text would be found
        kept = b"".join(redis.dump(key) or b"" for key in redis.scan_iter())
    assert b"dealt" in kept and b'{"seq":1}' in kept
    hidden = (
        seed,
        chosen,
        waiting.encode(),
        b"client's seed",
        b"Ada",
        b"Macao",
        b"As Kd",
        bytes(range(20, 32)),
    )
    assert [text for text in hidden if text in kept] == []
    assert (await redis_store.load("s")).session == done


async def test_swapped_states_are_noticed(valkey_url: str, redis_store: RedisStore) -> None:
    await started(redis_store, "a")
    await started(redis_store, "b")
    with Redis.from_url(valkey_url) as redis:
        a, b = redis.hget("croupier:{a}", "s"), redis.hget("croupier:{b}", "s")
        redis.hset("croupier:{a}", "s", b or b"")
        redis.hset("croupier:{b}", "s", a or b"")
    for session_id in "ab":
        with pytest.raises(BrokenSeal):
            await redis_store.load(session_id)


async def test_an_older_state_under_a_newer_version_is_noticed(
    valkey_url: str, redis_store: RedisStore
) -> None:
    await started(redis_store)
    with Redis.from_url(valkey_url) as redis:
        older = redis.hget("croupier:{s}", "s")
        await redis_store.commit(change(session(version=2)))
        redis.hset("croupier:{s}", "s", older or b"")
    with pytest.raises(BrokenSeal):
        await redis_store.load("s")


async def test_swapped_rounds_and_answers_are_noticed(valkey_url: str, redis_store: RedisStore) -> None:
    await started(redis_store)
    await redis_store.commit(change(session(version=2), record=round_(1), answer=(SLOT, ANSWER)))
    await redis_store.commit(change(session(version=3), record=round_(2)))
    other = SLOT.__class__("slot-2", SLOT.body_digest)
    with Redis.from_url(valkey_url) as redis:
        first, second = redis.lrange("croupier:{s}:rounds", 0, -1)
        redis.lset("croupier:{s}:rounds", 0, second)
        redis.lset("croupier:{s}:rounds", 1, first)
        redis.rename("croupier:{s}:answer:slot-1", "croupier:{s}:answer:slot-2")
    with pytest.raises(BrokenSeal):
        await redis_store.rounds("s", 1, 2)
    with pytest.raises(BrokenSeal):
        await redis_store.load("s", other)


async def test_a_session_outlives_a_rotation(valkey_url: str) -> None:
    before, after = connect(valkey_url, [OLD]), connect(valkey_url, [NEW, OLD])
    made = await started(before)
    assert (await after.load("s")).session == made
    await after.commit(change(session(version=2)))
    only_new = connect(valkey_url, [NEW])
    assert (await only_new.load("s")).session == session(version=2)
    for store in (before, after, only_new):
        await store.close()


async def test_a_session_that_cannot_be_opened_is_left_out_of_its_list(
    valkey_url: str, redis_store: RedisStore, caplog: pytest.LogCaptureFixture
) -> None:
    foreign = connect(valkey_url, [NEW])
    await started(foreign, "foreign")
    made = await started(redis_store, "mine")
    assert await redis_store.sessions_of("house", None, 10) == ([made], None)
    assert "session foreign is left out" in caplog.text
    await foreign.close()
