"""Commits counted at the store's door: what they were, and what they did to the house."""

import pytest

from croupier.rules.actions import Call
from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Change, Raced
from croupier.sessions.requests import Deal, Decide
from croupier.sessions.service import Sessions
from croupier.store.memory import MemoryStore
from croupier.telemetry import Board, Counts, measured
from sessions.house import OPERATOR, SECRETS, CountedEntropy, HeldClock, House, data
from sessions.house import make_house as plain_house
from telemetry.test_board import GAMES, shown


def make_house() -> tuple[House, Board]:
    """A house whose store is measured."""
    house, board = plain_house(), Board(1, (), (*GAMES, "ultimate-texas-holdem"))
    store = measured(house.store, Counts(board, 0))
    house.service = Sessions(store, HeldClock(), CountedEntropy(), SECRETS, house.policy)
    return house, board


async def play(house: House, rounds: int, **options: object) -> tuple[str, int]:
    """The id of a finished session, and its house net."""
    started = await house.start("casino-holdem", rounds=rounds, **options)
    (seat,) = started.seats
    for _ in range(rounds):
        await house.service.deal(started.id, seat, Deal(), None)
        await house.service.decide(started.id, seat, Decide(Call()), None)
    return started.id, data(await house.service.ledger(started.id, seat, 0, 1))["house_net"]


async def test_the_house_net_is_that_of_the_ledgers() -> None:
    house, board = make_house()
    net = sum([(await play(house, 6))[1], (await play(house, 3, ante=7))[1]])
    found = shown(board)
    won = found["croupier_house_won_units_total", "casino-holdem"]
    lost = found["croupier_house_lost_units_total", "casino-holdem"]
    assert won > 0
    assert lost > 0
    assert won - lost == net
    assert found["croupier_rounds_settled_total", "casino-holdem"] == 9
    assert found["croupier_sessions_started_total", "casino-holdem"] == 2
    assert found["croupier_sessions_ended_total", "casino-holdem"] == 2
    assert found["croupier_commits_total",] == 2 + 2 * 9


async def test_a_voided_round_is_taken_back_out_of_the_net() -> None:
    house, board = make_house()
    started = await house.start("casino-holdem", ante=5)
    (seat,) = started.seats
    await house.service.deal(started.id, seat, Deal(), None)
    await house.service.decide(started.id, seat, Decide(Call()), None)
    await house.service.void(started.id, 1, OPERATOR, "misdeal", None)
    found = shown(board)
    won = found["croupier_house_won_units_total", "casino-holdem"]
    assert won == found["croupier_house_lost_units_total", "casino-holdem"] > 0
    assert found["croupier_rounds_voided_total", "casino-holdem"] == 1


async def test_sandboxes_win_nothing_for_the_house() -> None:
    house, board = make_house()
    await play(house, 4, sandbox=True)
    found = shown(board)
    assert found["croupier_rounds_settled_total", "casino-holdem"] == 0
    assert found["croupier_house_won_units_total", "casino-holdem"] == 0
    assert found["croupier_house_lost_units_total", "casino-holdem"] == 0
    assert found["croupier_commits_total",] == 9


async def test_a_lost_race_is_a_conflict_and_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    house, board = make_house()
    commit, lost = MemoryStore.commit, []

    async def raced_once(self: MemoryStore, change: Change) -> object:
        if change.changes == ("round_dealt",) and not lost:
            lost.append(change)
            return Raced()
        return await commit(self, change)

    monkeypatch.setattr(MemoryStore, "commit", raced_once)
    house, board = make_house()
    started = await house.start("casino-holdem")
    await house.service.deal(started.id, started.seats[0], Deal(), None)
    found = shown(board)
    assert len(lost) == 1
    assert found["croupier_conflicts_total",] == 1
    assert found["croupier_commits_total",] == 2


async def test_a_call_that_the_store_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(self: MemoryStore) -> None:
        raise StoreUnavailable("away", retry_after=1)

    monkeypatch.setattr(MemoryStore, "ping", away)
    house, board = make_house()
    with pytest.raises(StoreUnavailable):
        await house.service.ready()
    found = shown(board)
    assert found["croupier_store_errors_total", "ping"] == 1
    assert found["croupier_store_call_seconds_count", "ping"] == 1
