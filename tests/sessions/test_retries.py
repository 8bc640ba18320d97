"""A retry with its Idempotency-Key finds the first answer, where the way to it is not a straight one."""

import asyncio
from unittest.mock import AsyncMock

import pytest

from croupier.rules.registry import GAMES
from croupier.sessions.errors import Forbidden, IdempotencyKeyReused, StoreUnavailable, Unauthorized
from croupier.sessions.ports import Answer
from croupier.sessions.requests import Caller, Deal, Retry, SeatChange, Start
from croupier.sessions.service import Sessions
from sessions.house import OPERATOR, SECRETS, House, Started, data

UTH = "ultimate-texas-holdem"
PATH = "/v1/sessions"


def start(trips: str) -> Start:
    return Start(UTH, GAMES[UTH].options(trips=trips))


@pytest.mark.parametrize(("first", "second"), [("fixed", "progressive"), ("progressive", "fixed")])
async def test_a_key_is_not_taken_again_for_a_session_on_the_meter(
    house: House, first: str, second: str
) -> None:
    await house.service.start(OPERATOR, start(first), Retry("key", PATH, b"first"))
    with pytest.raises(IdempotencyKeyReused):
        await house.service.start(OPERATOR, start(second), Retry("key", PATH, b"second"))
    sessions, _ = await house.store.sessions_of("house", None, 10)
    assert len(sessions) == 1


async def test_of_two_starts_with_one_key_at_the_same_time_one_is_refused(house: House) -> None:
    asked = [
        house.service.start(OPERATOR, start(trips), Retry("key", PATH, trips.encode()))
        for trips in ("fixed", "progressive", "fixed", "progressive")
    ]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    refused = [answer for answer in answers if isinstance(answer, BaseException)]
    assert [type(answer) for answer in refused] == [IdempotencyKeyReused] * 2
    assert len({answer.body for answer in answers if isinstance(answer, Answer)}) == 1
    sessions, _ = await house.store.sessions_of("house", None, 10)
    assert len(sessions) == 1


@pytest.mark.parametrize("trips", ["fixed", "progressive"])
async def test_a_start_that_was_cut_off_is_taken_up_by_its_retry(
    house: House, trips: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = start(trips), Retry("key", PATH, b"body")
    with monkeypatch.context() as cut:
        cut.setattr(house.store, "commit", AsyncMock(side_effect=StoreUnavailable("away")))
        with pytest.raises(StoreUnavailable):
            await house.service.start(OPERATOR, *asked)
    first = await house.service.start(OPERATOR, *asked)
    assert (await house.service.start(OPERATOR, *asked)).body == first.body


@pytest.mark.parametrize("trips", ["fixed", "progressive"])
async def test_a_retry_after_the_secret_was_changed_finds_its_answer(house: House, trips: str) -> None:
    asked = start(trips), Retry("key", PATH, b"body")
    first = await house.service.start(OPERATOR, *asked)
    changed = Sessions(
        house.store, house.clock, house.entropy, (b"a newer secret of 32 bytes or so", *SECRETS), house.policy
    )
    again = await changed.start(OPERATOR, *asked)
    assert (again.body, again.replayed) == (first.body, True)
    with pytest.raises(IdempotencyKeyReused):
        await changed.start(OPERATOR, start("off"), Retry("key", PATH, b"another body"))


RENEW = SeatChange("new_token")


def renewal(table: Started, key: str = "renew", body: bytes = b"body") -> Retry:
    return Retry(key, f"/v1/sessions/{table.id}/seats/1", body)


async def test_who_lost_the_answer_with_its_new_token_gets_it_by_a_retry_with_the_old_one(
    house: House,
) -> None:
    table = await house.start("casino-holdem")
    (old,) = table.seats
    lost = await house.service.seat(table.id, 1, old, RENEW, renewal(table))
    again = await house.service.seat(table.id, 1, old, RENEW, renewal(table))
    assert (again.body, again.replayed) == (lost.body, True)
    new = Caller(token=data(again)["token"])
    assert data(await house.service.deal(table.id, new, Deal(), None))["stage"] == "flop"


async def test_at_the_same_time_a_token_is_renewed_once(house: House) -> None:
    table = await house.start("casino-holdem")
    (old,) = table.seats
    asked = [house.service.seat(table.id, 1, old, RENEW, renewal(table)) for _ in range(5)]
    answers = await asyncio.gather(*asked)
    assert len({answer.body for answer in answers}) == 1
    assert (await house.session(table.id)).seats[0].generation == 1


async def test_the_old_token_finds_that_one_answer_and_nothing_else(house: House) -> None:
    table = await house.start("casino-holdem")
    (old,) = table.seats
    deal = Retry("deal", f"/v1/sessions/{table.id}/deal", b"body")
    await house.service.deal(table.id, old, Deal(), deal)
    await house.service.seat(table.id, 1, old, RENEW, renewal(table))
    kept = await house.session(table.id)
    for asked in (
        house.service.deal(table.id, old, Deal(), deal),
        house.service.seat(table.id, 1, old, RENEW, None),
        house.service.seat(table.id, 1, old, RENEW, renewal(table, key="another")),
        house.service.seat(table.id, 1, old, SeatChange("leave"), renewal(table, key="leave")),
        house.service.read(table.id, old),
    ):
        with pytest.raises(Unauthorized):
            await asked
    with pytest.raises(IdempotencyKeyReused):
        await house.service.seat(table.id, 1, old, RENEW, renewal(table, body=b"another"))
    assert await house.session(table.id) == kept


async def test_nobody_else_finds_the_new_token_by_the_key(house: House) -> None:
    table = await house.start("ultimate-texas-holdem", seats=2)
    first, neighbour = table.seats
    token = data(await house.service.seat(table.id, 1, first, RENEW, renewal(table)))["token"]
    for stranger in (Caller(), Caller(token="seat_made-up")):
        with pytest.raises(Unauthorized):
            await house.service.seat(table.id, 1, stranger, RENEW, renewal(table))
    with pytest.raises(Forbidden):
        await house.service.seat(table.id, 1, neighbour, RENEW, renewal(table))
    another = await house.service.seat(table.id, 1, table.table, RENEW, renewal(table))
    assert not another.replayed
    assert data(another)["token"] != token
