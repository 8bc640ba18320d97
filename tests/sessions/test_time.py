"""Deadlines and idle limits: the clock decides exactly once, whoever gets there first."""

import asyncio
from typing import Any, Literal

import pytest

from croupier.rules.actions import AllIn, Call, Check, Play
from croupier.rules.cards import cards
from croupier.sessions.errors import NoRound, NotYourTurn, SessionFinished, StaleVersion
from croupier.sessions.requests import Deal, Decide, SeatChange
from croupier.sessions.service import Sessions
from sessions.house import OPERATOR, SECRETS, House, Started, data, make_house


async def dealt(house: House, game: str, **options: Any) -> tuple[Started, dict[str, Any]]:
    at = await house.start(game, decision_seconds=10, **options)
    return at, data(await at.service.deal(at.id, at.table, Deal(), None))


async def test_a_round_shows_its_deadline(house: House) -> None:
    _, round_ = await dealt(house, "casino-holdem")
    assert round_["deadline"] == "2026-01-01T00:00:10.000Z"


async def test_a_decision_in_time_is_the_seats_own(house: House) -> None:
    at, _ = await dealt(house, "casino-holdem")
    house.clock.forward(9.999)
    round_ = data(await at.service.decide(at.id, at.seats[0], Decide(Call()), None))
    assert round_["seats"][0]["state"] == "done"
    assert "clocked" not in round_


async def test_at_the_deadline_the_clock_folds(house: House) -> None:
    at, _ = await dealt(house, "casino-holdem")
    house.clock.forward(10)
    with pytest.raises(NoRound):
        await at.service.decide(at.id, at.seats[0], Decide(Call()), None)
    round_ = data(await at.service.read(at.id, at.table))["round"]
    assert (round_["stage"], round_["seats"][0]["state"], round_["clocked"]) == ("settled", "folded", [1])
    assert round_["settlement"]["seats"][0]["net"] == -1


async def test_where_it_may_the_clock_checks_and_every_stage_has_a_new_deadline(house: House) -> None:
    at, _ = await dealt(house, "ultimate-texas-holdem", seats=3)
    await at.service.decide(at.id, at.seats[1], Decide(Play(4)), None)
    house.clock.forward(10)
    round_ = data(await at.service.read(at.id, at.table))["round"]
    assert (round_["stage"], round_["to_act"]) == ("flop", [1, 3])
    assert round_["deadline"] == "2026-01-01T00:00:20.000Z"
    house.clock.forward(10)
    round_ = data(await at.service.read(at.id, at.table))["round"]
    assert (round_["stage"], round_["to_act"]) == ("river", [1, 3])
    house.clock.forward(10)
    round_ = data(await at.service.read(at.id, at.table))["round"]
    assert round_["stage"] == "settled"
    assert [seat["state"] for seat in round_["seats"]] == ["folded", "done", "folded"]


async def test_a_seats_decision_does_not_give_the_others_more_time(house: House) -> None:
    at, first = await dealt(house, "ultimate-texas-holdem", seats=2)
    house.clock.forward(6)
    later = data(await at.service.decide(at.id, at.seats[0], Decide(Check()), None))
    assert later["deadline"] == first["deadline"]


async def test_in_no_limit_every_turn_has_its_own_time(house: House) -> None:
    at, first = await dealt(house, "no-limit-holdem", seats=2)
    house.clock.forward(6)
    later = data(await at.service.decide(at.id, at.seats[first["to_act"][0] - 1], Decide(Call()), None))
    assert later["deadline"] == "2026-01-01T00:00:16.000Z"


async def test_many_replicas_at_once_apply_the_clock_once(house: House) -> None:
    at, _ = await dealt(house, "ultimate-texas-holdem", seats=6)
    replicas = [Sessions(house.store, house.clock, house.entropy, SECRETS, house.policy) for _ in range(3)]
    version = (await house.session(at.id)).version
    house.clock.forward(10)
    await asyncio.gather(
        *(one.sweep() for one in replicas for _ in range(5)),
        *(one.read(at.id, at.table) for one in replicas for _ in range(5)),
    )
    session = await house.session(at.id)
    assert session.version == version + 1
    assert session.round is not None
    assert [decision.by for decision in session.round.decisions] == ["clock"] * 6


async def test_a_server_that_was_down_makes_up_for_it(house: House) -> None:
    at, _ = await dealt(house, "casino-holdem")
    house.clock.forward(86_400)
    later = Sessions(house.store, house.clock, house.entropy, SECRETS, house.policy)
    assert await later.sweep() == 1
    session = await house.session(at.id)
    assert session.rounds_played == 1
    assert session.seats[0].balance == -1


async def test_an_idle_session_is_settled_and_closed() -> None:
    house = make_house(idle_seconds=3600)
    at = await house.start("ultimate-texas-holdem", seats=2)
    await at.service.deal(at.id, at.table, Deal(), None)
    house.clock.forward(3600)
    session = data(await at.service.read(at.id, OPERATOR))
    assert session["status"] == "closed"
    assert session["rounds_played"] == 1
    assert session["round"]["clocked"] == [1, 2] * 3
    entries = data(await at.service.ledger(at.id, at.table, 0, 10))["entries"]
    assert [entry["type"] for entry in entries] == ["session_started", "round_settled", "session_closed"]
    assert entries[-1]["by"] == "idle"
    with pytest.raises(SessionFinished):
        await at.service.deal(at.id, at.table, Deal(), None)


@pytest.mark.parametrize("away", ["client_seed", "new_token"])
async def test_a_losing_hand_is_not_put_off_by_anything_but_its_decision(
    away: Literal["client_seed", "new_token"],
) -> None:
    house = make_house(idle_seconds=3600)
    at = await house.start("casino-holdem", rounds=3)
    await at.service.deal(at.id, at.table, Deal(), None)
    for turn in range(4):
        house.clock.forward(1000)
        change = SeatChange(away, value=str(turn) if away == "client_seed" else None)
        if turn < 3:
            await at.service.seat(at.id, 1, at.table, change, None)
    with pytest.raises(SessionFinished):
        await at.service.seat(at.id, 1, at.table, change, None)
    session = data(await at.service.read(at.id, OPERATOR))
    assert (session["status"], session["seats"][0]["balance"]) == ("closed", -1)
    assert session["round"]["clocked"] == [1]


async def test_a_guard_that_the_clock_made_stale_is_told_so(house: House) -> None:
    at, first = await dealt(house, "ultimate-texas-holdem", seats=2)
    house.clock.forward(10)
    with pytest.raises(StaleVersion) as refused:
        await at.service.decide(at.id, at.seats[0], Decide(Check(), version=first["version"]), None)
    assert refused.value.version == first["version"] + 1


async def test_a_seat_that_left_is_passed_at_once_and_gets_no_more_cards(house: House) -> None:
    at, _ = await dealt(house, "ultimate-texas-holdem", seats=2)
    await at.service.seat(at.id, 1, at.seats[0], SeatChange("leave"), None)
    with pytest.raises(NotYourTurn):
        await at.service.decide(at.id, at.seats[0], Decide(Check()), None)
    await at.service.decide(at.id, at.seats[1], Decide(Play(4)), None)
    round_ = data(await at.service.read(at.id, at.table))["round"]
    assert (round_["stage"], round_["seats"][0]["state"]) == ("settled", "folded")
    again = data(await at.service.deal(at.id, at.table, Deal(), None))
    assert again["seats"][0]["state"] == "sitting_out"


async def ledger_of(at: Started) -> list[tuple[str, int | None, int | None]]:
    entries = data(await at.service.ledger(at.id, at.table, 0, 20))["entries"]
    return [(entry["type"], entry.get("seat"), entry.get("balance")) for entry in entries]


async def test_who_leaves_in_the_middle_of_a_round_stands_in_the_ledger_once_it_is_over(house: House) -> None:
    at, _ = await dealt(house, "ultimate-texas-holdem", seats=2)
    await at.service.seat(at.id, 1, at.seats[0], SeatChange("leave"), None)
    assert len(await ledger_of(at)) == 1
    await at.service.decide(at.id, at.seats[1], Decide(Play(4)), None)
    settled = await ledger_of(at)
    assert settled[1:] == [("round_settled", None, None), ("left", 1, -4)]
    await at.service.void(at.id, 1, OPERATOR, "a test", None)
    assert await ledger_of(at) == [*settled, ("round_voided", None, None)]


async def test_who_leaves_in_the_middle_of_a_round_that_is_voided_stands_in_the_ledger(house: House) -> None:
    at, _ = await dealt(house, "ultimate-texas-holdem", seats=2)
    await at.service.seat(at.id, 1, at.seats[0], SeatChange("leave"), None)
    await at.service.void(at.id, 1, OPERATOR, "a test", None)
    assert (await ledger_of(at))[1:] == [("round_voided", None, None), ("left", 1, 0)]


async def test_who_leaves_all_in_and_loses_all_stands_in_the_ledger_too(house: House) -> None:
    at = await house.start("no-limit-holdem", seats=3, stacks=(100, 100, 100), buy_in=100, sandbox=True)
    # The button on 1, the blinds on 2 and 3: all are all-in against the aces of seat 2.
    top = cards("Ah 2c 3c Ad 7h 8d Ac As Kd 9s 4h")
    await at.service.deal(at.id, at.table, Deal(deck=top), None)
    await at.service.decide(at.id, at.seats[0], Decide(AllIn()), None)
    await at.service.seat(at.id, 1, at.seats[0], SeatChange("leave"), None)
    await at.service.decide(at.id, at.seats[1], Decide(Call()), None)
    kinds = [("round_settled", None, None), ("left", 1, -100), ("session_finished", None, None)]
    assert (await ledger_of(at))[1:] == kinds
