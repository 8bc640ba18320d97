"""Operator keys in the store: what is kept of one, and what a worker that remembers them takes."""

import asyncio
import re
from collections.abc import Sequence

import pytest

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.operators import FRESH, NEWS, KnownKeys, OperatorKey, new_key
from croupier.store.memory import MemoryKeyStore
from sessions.house import CountedEntropy, HeldClock

DAY = 86_400_000


class Worker(MemoryKeyStore):
    """A worker's keys, with the clock held, and a count of what its store was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.clock, self.entropy = HeldClock(), CountedEntropy()
        self.seconds = 0.0
        self.reads = self.notes = 0
        self.away = False
        self.known = KnownKeys(self, self.clock, lambda: self.seconds)

    def forward(self, seconds: float) -> None:
        self.seconds += seconds
        self.clock.forward(seconds)

    async def every(self) -> Sequence[OperatorKey]:
        self.reads += 1
        await asyncio.sleep(0)
        if self.away:
            raise StoreUnavailable("away")
        return await super().every()

    async def used(self, key_id: str, at: int) -> None:
        self.notes += 1
        if self.away:
            raise StoreUnavailable("away")
        await super().used(key_id, at)

    async def new(self, operator: str = "house", expires_at: int | None = None) -> tuple[bytes, str]:
        key, kept = new_key(operator, "", expires_at, self.clock, self.entropy)
        await self.add(kept)
        return key.encode(), kept.id


@pytest.fixture
def worker() -> Worker:
    return Worker()


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_a_key_is_long_and_known_by_its_looks_and_only_its_digest_is_kept() -> None:
    key, kept = new_key("house", "the bar's till", None, HeldClock(), CountedEntropy())
    prefix, key_id, secret = key.split("_", 2)
    assert prefix == "cr"
    assert key_id == kept.id
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", secret)
    assert secret not in repr(kept)
    assert (kept.operator, kept.label, kept.used_at) == ("house", "the bar's till", None)
    other, _ = new_key("house", "", None, HeldClock(), CountedEntropy("another"))
    assert other != key


async def test_each_key_of_an_operator_is_taken_and_no_other_text(worker: Worker) -> None:
    first, second, rival = [(await worker.new(name))[0] for name in ("house", "house", "rival")]
    assert await worker.known.operator_of(first) == await worker.known.operator_of(second) == "house"
    assert await worker.known.operator_of(rival) == "rival"
    mixed = first[: first.index(b"_", 3)] + second[second.index(b"_", 3) :]
    flipped = first[:-1] + (b"A" if first[-1:] != b"A" else b"B")
    for wrong in (b"", b"cr_", mixed, flipped, first.upper(), first[:-1], first + b"A", first + b"\n"):
        assert await worker.known.operator_of(wrong) is None


async def test_a_key_ends_on_the_millisecond(worker: Worker) -> None:
    key, _ = await worker.new(expires_at=worker.clock.now() + DAY)
    worker.clock.millis += DAY - 1
    assert await worker.known.operator_of(key) == "house"
    worker.clock.millis += 1
    assert await worker.known.operator_of(key) is None


async def test_a_revoked_key_is_refused_within_seconds(worker: Worker) -> None:
    key, key_id = await worker.new()
    assert await worker.known.operator_of(key) == "house"
    assert await worker.revoke(key_id)
    worker.forward(FRESH + 0.001)
    assert await worker.known.operator_of(key) is None


async def test_a_new_key_is_taken_as_soon_as_the_store_may_be_asked_again(worker: Worker) -> None:
    await worker.new()
    assert await worker.known.any()
    worker.forward(NEWS + 0.001)
    key, _ = await worker.new()
    assert await worker.known.operator_of(key) == "house"


async def test_guesses_cost_the_store_a_read_now_and_then_and_no_memory(worker: Worker) -> None:
    await worker.new()
    for i in range(1000):
        guess, _ = new_key("house", "", None, worker.clock, CountedEntropy(f"guess {i}"))
        assert await worker.known.operator_of(guess.encode()) is None
        assert await worker.known.operator_of(b"anything else") is None
        worker.forward(0.001)
    assert worker.reads <= 1 + 1 / NEWS
    assert len(worker.known._known) == 1


async def test_who_asks_at_the_same_time_waits_for_the_same_read(worker: Worker) -> None:
    key, _ = await worker.new()
    assert set(await asyncio.gather(*[worker.known.operator_of(key) for _ in range(50)])) == {"house"}
    assert worker.reads == 1


async def test_a_waiter_that_gives_up_takes_the_read_from_nobody(worker: Worker) -> None:
    key, _ = await worker.new()
    one, other = (asyncio.create_task(worker.known.operator_of(key)) for _ in range(2))
    await asyncio.sleep(0)
    one.cancel()
    assert await other == "house"


async def test_while_the_store_is_away_nobody_is_let_in_on_old_news(worker: Worker) -> None:
    key, _ = await worker.new()
    assert await worker.known.operator_of(key) == "house"
    worker.away = True
    worker.forward(FRESH - 0.001)
    assert await worker.known.operator_of(key) == "house"
    worker.forward(0.002)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await worker.known.operator_of(key)
    worker.away = False
    assert await worker.known.operator_of(key) == "house"


async def test_the_last_use_is_noted_at_most_once_a_minute(worker: Worker) -> None:
    key, _ = await worker.new()
    first = worker.clock.now()
    for _ in range(59):
        await worker.known.operator_of(key)
        await settled()
        worker.forward(1)
    assert worker.notes == 1
    assert [kept.used_at for kept in await worker.every()] == [first]
    worker.forward(1)
    await worker.known.operator_of(key)
    await settled()
    assert [kept.used_at for kept in await worker.every()] == [first + 60_000]


async def test_a_last_use_that_could_not_be_noted_is_noted_with_the_next(worker: Worker) -> None:
    key, _ = await worker.new()
    assert await worker.known.any()
    worker.away = True
    assert await worker.known.operator_of(key) == "house"
    await settled()
    worker.away = False
    assert await worker.known.operator_of(key) == "house"
    await settled()
    assert worker.notes == 2
    assert [kept.used_at for kept in await worker.every()] == [worker.clock.now()]


async def test_another_workers_note_is_enough(worker: Worker) -> None:
    key, key_id = await worker.new()
    await worker.used(key_id, worker.clock.now())
    worker.forward(1)
    await worker.known.operator_of(key)
    await settled()
    assert worker.notes == 1
