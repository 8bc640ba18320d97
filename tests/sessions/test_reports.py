"""An operator's report comes to exactly what the ledgers do, in one page or in many."""

import random
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from croupier.rules.actions import Call, Fold
from croupier.rules.game import SideBets
from croupier.sessions import reports
from croupier.sessions.errors import CroupierError, Forbidden, InvalidRequest, Unauthorized
from croupier.sessions.reports import Period
from croupier.sessions.requests import Caller, Deal, Decide, SeatChange
from sessions.house import OPERATOR, House, Started, data, make_house
from sessions.test_invariants import somebody_in_turn_decides

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("casino-holdem", {"players": ("ann",)}),
    ("casino-holdem", {"ante": 7, "rounds": 3}),
    ("casino-holdem", {"sandbox": True, "players": ("ann",)}),
    ("ultimate-texas-holdem", {"seats": 3, "players": ("ann", "bob", "ann")}),
    ("ultimate-texas-holdem", {"seats": 2, "trips": "progressive", "hole_card_bonus": True}),
    ("no-limit-holdem", {"seats": 3, "buy_in": 900, "rebuys": True, "players": ("bob", "cid", "ann")}),
    ("no-limit-holdem", {"seats": 2, "buy_in": 400}),
]
SUMMED = ("rounds", "voids", "staked", "returned", "net", "house_net", "jackpot_net")
Rows = dict[str, Counter[str]]


@pytest.fixture
def house() -> House:
    """With a meter that grows at every bet, not at every twentieth."""
    return make_house(progressive_contribution=100)


async def something_happens(house: House, at: Started, rng: random.Random) -> None:
    house.clock.forward(rng.choice([0.001, 1, 60]))
    number = (await house.session(at.id)).rounds_played + rng.randint(0, 1)
    verbs = {"play": 40, "bet": 9, "void": 8, "rebuy": 3, "leave": 0.05, "close": 0.1}
    match rng.choices([*verbs], [*verbs.values()])[0]:
        case "play":
            await somebody_in_turn_decides(house, at, rng)
        case "bet":
            bets = tuple(SideBets(seat, 1) for seat in (1, 2))
            await at.service.deal(at.id, at.table, Deal(bets=bets), None)
        case "void":
            await at.service.void(at.id, number, OPERATOR, "a test", None)
        case "rebuy":
            await at.service.seat(at.id, 1, at.table, SeatChange("rebuy", amount=100), None)
        case "leave":
            await at.service.seat(at.id, 1, at.table, SeatChange("leave"), None)
        case "close":
            await at.service.close(at.id, OPERATOR, None)


async def played(house: House, steps: int = 2000, seed: int = 3) -> list[Started]:
    """Two tables of each kind, played, voided, rebought and closed."""
    rng = random.Random(seed)
    tables = []
    for game, options in GAMES * 2:
        house.clock.forward(rng.choice([0, 5]))
        tables.append(await house.start(game, **options))
    for _ in range(steps):
        with suppress(CroupierError):
            await something_happens(house, rng.choice(tables), rng)
    house.clock.forward(1)
    return tables


async def report(house: House, period: Period | None = None, caller: Caller = OPERATOR) -> dict[str, Any]:
    shown: dict[str, Any] = data(await house.service.report(caller, period or Period()))
    return shown


async def summed(house: House, period: Period) -> tuple[Rows, int]:
    """All pages added up, and how many there were."""
    rows: Rows = {}
    pages = 0
    after: str | None = None
    while pages == 0 or after is not None:
        page = await report(house, replace(period, after=after))
        pages, after = pages + 1, page["next_after"]
        for row in page["games"]:
            rows.setdefault(row["game"], Counter()).update({name: row[name] or 0 for name in SUMMED})
    return rows, pages


async def of_the_ledgers(house: House, tables: list[Started], *, since: str = "", until: str = "~") -> Rows:
    """The same sums the long way round: from every ledger as its own reader gets it."""
    rows: Rows = {}
    for at in tables:
        session = await house.session(at.id)
        if session.sandbox:
            continue
        entries = data(await at.service.ledger(at.id, at.table, 0, 10_000))["entries"]
        voided = {(one["round"], one["deal"]) for one in entries if one["type"] == "round_voided"}
        for entry in entries:
            if entry["type"] not in ("round_settled", "round_voided") or not since <= entry["at"] < until:
                continue
            row = rows.setdefault(session.game, Counter(dict.fromkeys(SUMMED, 0)))
            if entry["type"] == "round_voided":
                row["voids"] += 1
            elif (entry["round"], entry["deal"]) not in voided:
                bets = [bet for seat in entry["seats"] for bet in seat["bets"]]
                row["rounds"] += 1
                for name in ("staked", "returned", "net"):
                    row[name] += sum(bet[name] for bet in bets)
                row["house_net"] += entry["house_net"]
                row["jackpot_net"] += entry.get("jackpot_net", 0)
    return rows


async def test_a_report_comes_to_what_the_ledgers_do(house: House) -> None:
    tables = await played(house)
    shown = await report(house)
    expected = await of_the_ledgers(house, tables)
    assert {row["game"]: {name: row[name] for name in SUMMED} for row in shown["games"]} == expected
    assert shown["next_after"] is shown["from"] is shown["player"] is None
    assert [row["game"] for row in shown["games"]] == sorted({game for game, _ in GAMES})
    for row in shown["games"]:
        assert row["net"] + row["house_net"] + row["jackpot_net"] == 0
        assert row["rounds"] > 20
        assert row["voids"] >= 3
    assert shown["games"][1]["house_net"] == 0
    assert shown["games"][2]["jackpot_net"] != 0


@pytest.mark.parametrize("limit", [1, 2, 5, 100])
async def test_pages_of_any_size_add_up_to_the_whole(house: House, limit: int) -> None:
    tables = await played(house, 400)
    rows, pages = await summed(house, Period(limit=limit))
    assert rows == await of_the_ledgers(house, tables)
    assert pages == -(-len(tables) // limit)


async def test_a_page_ends_in_the_middle_of_a_long_ledger_and_the_next_goes_on_there(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = await played(house, 400)
    expected = await of_the_ledgers(house, tables)
    monkeypatch.setattr(reports, "MAX_ENTRIES", 7)
    monkeypatch.setattr(reports, "_ENTRIES_AT_ONCE", 3)
    rows, pages = await summed(house, Period())
    assert rows == expected
    read = [session for session in [await house.session(at.id) for at in tables] if not session.sandbox]
    entries = sum(session.ledger_length for session in read)
    assert entries / 9 <= pages <= entries / 7 + 1
    assert max(session.ledger_length for session in read) > 9


async def test_what_happens_between_two_pages_is_not_in_a_report_that_has_begun(house: House) -> None:
    tables = await played(house, 300)
    expected = await of_the_ledgers(house, tables)
    first = await report(house, Period(limit=3))
    rows = {row["game"]: Counter({name: row[name] for name in SUMMED}) for row in first["games"]}
    page = first
    rng = random.Random(5)
    while page["next_after"] is not None:
        later = await house.start("casino-holdem")
        for at in (later, *rng.sample(tables, 3)):
            house.clock.forward(1)
            with suppress(CroupierError):
                await somebody_in_turn_decides(house, at, rng)
        page = await report(house, Period(limit=3, after=page["next_after"]))
        assert page["to"] == first["to"]
        for row in page["games"]:
            rows.setdefault(row["game"], Counter()).update({name: row[name] for name in SUMMED})
    assert rows == expected


async def test_a_round_counts_when_it_was_settled_from_the_beginning_on_and_before_the_end(
    house: House,
) -> None:
    at = await house.start("casino-holdem")
    moments = []
    for _ in range(3):
        await at.service.deal(at.id, at.table, Deal(), None)
        house.clock.forward(1)
        moments.append(house.clock.now())
        await at.service.decide(at.id, at.seats[0], Decide(Fold()), None)
    first, second, third = moments

    async def rounds(since: int | None, until: int | None) -> int:
        games = (await report(house, Period(since, until)))["games"]
        return games[0]["rounds"] if games else 0

    house.clock.forward(0.001)
    assert await rounds(None, None) == 3
    assert await rounds(first, third) == 2
    assert await rounds(first + 1, third + 1) == 2
    assert await rounds(second, second + 1) == 1
    assert await rounds(second, second) == 0
    assert await rounds(third + 1, None) == 0
    assert await rounds(None, first) == 0
    assert await rounds(None, 0) == 0


async def test_periods_that_touch_add_up(house: House) -> None:
    tables = await played(house)
    begin = min([(await house.session(at.id)).created_at for at in tables])
    cuts = [None, *(begin + (house.clock.now() - begin) * part // 5 for part in range(1, 5)), None]
    whole: Rows = {}
    for since, until in pairwise(cuts):
        rows, _ = await summed(house, Period(since, until))
        for game, row in rows.items():
            whole.setdefault(game, Counter()).update(row)
    assert whole == await of_the_ledgers(house, tables)


async def test_a_round_that_is_voided_later_counts_nowhere_and_the_void_when_it_was_made(
    house: House,
) -> None:
    at = await house.start("casino-holdem")
    await at.service.deal(at.id, at.table, Deal(), None)
    await at.service.decide(at.id, at.seats[0], Decide(Call()), None)
    house.clock.forward(3600)
    midnight = house.clock.now()
    assert [row["rounds"] for row in (await report(house, Period(None, midnight)))["games"]] == [1]
    await at.service.void(at.id, 1, OPERATOR, "misdeal", None)
    house.clock.forward(1)
    assert (await report(house, Period(None, midnight)))["games"] == []
    (row,) = (await report(house, Period(midnight)))["games"]
    assert row == {"game": "casino-holdem", "voids": 1, **dict.fromkeys(set(SUMMED) - {"voids"}, 0)}


async def test_the_report_of_a_player_counts_that_player_s_seats(house: House) -> None:
    tables = await played(house)
    for player in ("ann", "bob", "nobody"):
        expected: Rows = {}
        for at in tables:
            session = await house.session(at.id)
            seats = [
                seat.totals
                for seat in session.seats
                if (session.players or [""] * 9)[seat.seat - 1] == player
            ]
            if session.sandbox or not seats:
                continue
            row = expected.setdefault(session.game, Counter())
            row["staked"] += sum(totals.staked for totals in seats)
            row["returned"] += sum(totals.returned for totals in seats)
        shown = await report(house, Period(player=player))
        assert shown["player"] == player
        assert {
            row["game"]: {name: row[name] for name in ("staked", "returned")} for row in shown["games"]
        } == expected
        assert all(row["house_net"] is row["jackpot_net"] is None for row in shown["games"])
        assert all(row["net"] == row["returned"] - row["staked"] for row in shown["games"])
    # Two seats of one player are two seats in one round.
    rounds = {row["game"]: row["rounds"] for row in (await report(house, Period(player="ann")))["games"]}
    both = [
        at
        for at, (_, options) in zip(tables, GAMES * 2, strict=True)
        if options.get("players") == ("ann", "bob", "ann")
    ]
    assert rounds["ultimate-texas-holdem"] == sum([(await house.session(at.id)).rounds_played for at in both])


async def test_reports_are_the_operator_s_own(house: House) -> None:
    tables = await played(house, 100)
    assert (await report(house, caller=Caller(operator="rival")))["games"] == []
    for holder in (tables[0].table, tables[0].seats[0]):
        with pytest.raises(Forbidden):
            await report(house, caller=holder)
    with pytest.raises(Unauthorized):
        await report(house, caller=Caller())


async def test_a_cursor_goes_on_with_its_own_report_alone(house: House) -> None:
    await played(house, 50)
    period = Period(1, None, "ann", limit=1)
    after = (await report(house, period))["next_after"]
    assert after is not None
    await report(house, replace(period, after=after, limit=50))
    for other in (replace(period, since=2), replace(period, until=5), replace(period, player=None)):
        with pytest.raises(InvalidRequest, match="another period"):
            await report(house, replace(other, after=after))
    with pytest.raises(InvalidRequest, match="another period"):
        await report(house, replace(period, after=after), Caller(operator="rival"))
    for text in ("nonsense-nonsense", "MTIzLnM" * 4, "é" * 16, "A"):
        with pytest.raises(InvalidRequest, match="not a cursor"):
            await report(house, replace(period, after=text))


async def test_a_period_does_not_end_before_it_begins(house: House) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await report(house, Period(2, 1))
    assert [one.pointer for one in refused.value.errors] == ["/to"]
