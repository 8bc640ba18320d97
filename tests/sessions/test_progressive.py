"""The operator's progressive meter: shared, exact, moved with the settlement, taken back by a void."""

import asyncio
from typing import Any

import pytest

from croupier.rules.actions import Play
from croupier.rules.game import SideBets
from croupier.rules.registry import GAMES
from croupier.sessions.errors import InvalidRequest
from croupier.sessions.requests import Caller, Deal, Decide, Start
from sessions.house import OPERATOR, House, LuckyEntropy, Started, data, make_house

UTH = "ultimate-texas-holdem"
TRIPS = Deal(bets=(SideBets(1, 1),))


async def meter(house: House, caller: Caller = OPERATOR) -> int:
    (shown,) = data(await house.service.jackpots(caller))["jackpots"]
    assert shown["amount"] == shown["hundredths"] // 100
    amount: int = shown["hundredths"]
    return amount


async def play(at: Started, deal: Deal = TRIPS) -> dict[str, Any]:
    round_ = data(await at.service.deal(at.id, at.table, deal, None))
    for seat in round_["to_act"]:
        round_ = data(await at.service.decide(at.id, at.seats[seat - 1], Decide(Play(4)), None))
    assert round_["stage"] == "settled"
    result: dict[str, Any] = round_
    return result


async def test_the_meter_starts_with_its_seed_and_grows_by_hundredths(house: House) -> None:
    assert await meter(house) == 100_000
    at = await house.start(UTH, trips="progressive")
    await play(at, Deal())
    assert await meter(house) == 100_000
    grown = 0
    for _ in range(25):
        round_ = await play(at)
        assert trips_of(round_)["staked"] == 1
        settlement = round_["settlement"]
        nets = settlement["seats"][0]["net"] + settlement["house_net"]
        assert nets + settlement["jackpot_net"] == 0
        grown += settlement["jackpot_net"]
    assert grown == await meter(house) // 100 - 1000


async def test_each_operator_has_its_own_meter(house: House) -> None:
    at = await house.start(UTH, trips="progressive")
    await play(at)
    assert await meter(house, Caller(operator="another")) == 100_000


@pytest.mark.parametrize("name", ["one session", "two sessions"])
async def test_a_void_takes_back_what_the_round_did_to_the_meter(house: House, name: str) -> None:
    at = await house.start(UTH, trips="progressive")
    await play(at)
    before = await meter(house)
    await play(at)
    moved = await meter(house) - before
    if name == "two sessions":
        await play(await house.start(UTH, trips="progressive"))
    present = await meter(house)
    await house.service.void(at.id, 2, OPERATOR, "a test", None)
    assert await meter(house) == present - moved


async def test_two_sessions_that_hit_the_meter_at_once_get_their_shares_in_some_order() -> None:
    house = make_house(entropy=LuckyEntropy("straight_flush"))
    tables = [await house.start(UTH, trips="progressive") for _ in range(2)]
    settled = await asyncio.gather(*(play(at) for at in tables))
    shares = sorted(trips_of(one)["net"] for one in settled)
    # A tenth of 1,000.05 units; then a tenth of the 900.05 that are left and of the next contribution.
    assert shares == [90, 100]
    assert await meter(house) == 100_000 + 2 * 5 - 100 * (90 + 100)
    for one in settled:
        settlement = one["settlement"]
        assert (
            sum(s["net"] for s in settlement["seats"]) + settlement["house_net"] == -settlement["jackpot_net"]
        )
    await house.service.void(tables[0].id, 1, OPERATOR, "a test", None)
    await house.service.void(tables[1].id, 1, OPERATOR, "a test", None)
    assert await meter(house) == 100_000


def trips_of(round_: dict[str, Any]) -> dict[str, Any]:
    (trips,) = [bet for bet in round_["settlement"]["seats"][0]["bets"] if bet["bet"] == "trips"]
    found: dict[str, Any] = trips
    return found


async def test_a_sandbox_cannot_touch_the_meter(house: House) -> None:
    start = Start(UTH, GAMES[UTH].options(trips="progressive"), sandbox=True)
    with pytest.raises(InvalidRequest) as refused:
        await house.service.start(OPERATOR, start, None)
    assert refused.value.errors[0].pointer == "/sandbox"
