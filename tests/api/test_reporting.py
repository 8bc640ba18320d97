"""The operator's report over HTTP: who gets it, what may be asked, and what it looks like."""

from typing import Any

import pytest

from api.conftest import KEYS, Api, code
from croupier.api.answers.reports import RoundsReport

ROUNDS = "/v1/reports/rounds"
OPERATOR = {"Authorization": f"Bearer {KEYS['house']}"}


async def test_a_report_looks_as_the_document_says(api: Api) -> None:
    table = await api.start(players=["ann"])
    for _ in range(3):
        await table.post("deal")
        api.house.clock.forward(60)
        await table.post("decide", {"action": {"type": "fold"}})
    started = (await table.get()).json()["created_at"]
    api.house.clock.forward(60)
    shown = await api.http.get(ROUNDS, params={"from": started, "player": "ann"})
    assert shown.headers["cache-control"] == "private, no-store"
    RoundsReport.model_validate_json(shown.content)
    assert shown.json() == {
        "from": started,
        "to": "2026-01-01T00:04:00.000Z",
        "player": "ann",
        "games": [
            {
                "game": "casino-holdem",
                "rounds": 3,
                "voids": 0,
                "staked": 3,
                "returned": 0,
                "net": -3,
                "house_net": None,
                "jackpot_net": None,
            }
        ],
        "next_after": None,
    }
    whole = (await api.http.get(ROUNDS)).json()
    assert whole["from"] is None
    assert (whole["games"][0]["house_net"], whole["games"][0]["jackpot_net"]) == (3, 0)


@pytest.mark.parametrize(
    ("begin", "end", "rounds"),
    [
        ("2026-01-01T00:00:59.999Z", "2026-01-01T00:01:00Z", 0),
        ("2026-01-01T00:01:00Z", "2026-01-01T00:01:00.001Z", 1),
        ("2026-01-01T00:01:00.000Z", "2026-01-01T00:01:00.000000001Z", 1),
        ("2026-01-01T00:01:00.000000001Z", "2027-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:00Z", "2999-12-31T23:59:59.999999999Z", 1),
    ],
)
async def test_times_may_be_finer_than_the_ledger_s(api: Api, begin: str, end: str, rounds: int) -> None:
    table = await api.start()
    await table.post("deal")
    api.house.clock.forward(60)
    await table.post("decide", {"action": {"type": "fold"}})
    games = (await api.http.get(ROUNDS, params={"from": begin, "to": end})).json()["games"]
    assert sum(row["rounds"] for row in games) == rounds


async def test_pages_are_asked_for_with_what_the_page_before_gave(api: Api) -> None:
    for _ in range(3):
        table = await api.start()
        await table.post("deal")
        await table.post("decide", {"action": {"type": "fold"}})
    api.house.clock.forward(1)
    rounds = []
    asked: dict[str, Any] = {"limit": 1}
    while True:
        page = (await api.http.get(ROUNDS, params=asked)).json()
        rounds.append(sum(row["rounds"] for row in page["games"]))
        if page["next_after"] is None:
            break
        asked["after"] = page["next_after"]
    assert rounds == [1, 1, 1]


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("from=yesterday", "/from"),
        ("from=", "/from"),
        ("from=2026-01-01", "/from"),
        ("from=2026-01-01T00:00:00", "/from"),
        ("from=2026-01-01T00:00:00%2B00:00", "/from"),
        ("from=2026-01-01t00:00:00z", "/from"),
        ("from=2026-01-01 00:00:00Z", "/from"),
        ("from=2026-02-29T00:00:00Z", "/from"),
        ("from=2026-01-01T24:00:00Z", "/from"),
        ("from=2026-01-01T23:59:60Z", "/from"),
        ("from=1767225600", "/from"),
        ("from=1969-12-31T23:59:59Z", "/from"),
        ("from=10000-01-01T00:00:00Z", "/from"),
        ("from=%D9%A2026-01-01T00:00:00Z", "/from"),
        ("to=2026-13-01T00:00:00Z", "/to"),
        ("to=2026-01-01T00:00:00.Z", "/to"),
        ("to=2026-01-01T00:00:00.0000000001Z", "/to"),
        ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "/to"),
        ("player=", "/player"),
        ("player=%00", "/player"),
        ("player=" + "x" * 65, "/player"),
        ("limit=0", "/limit"),
        ("limit=1001", "/limit"),
        ("limit=1.0", "/limit"),
        ("after=short", "/after"),
        ("after=" + "x" * 257, "/after"),
        ("after=nonsense-nonsense", "/after"),
        ("since=2026-01-01T00:00:00Z", "/since"),
    ],
)
async def test_a_bad_parameter_is_refused_with_a_pointer_to_it(api: Api, query: str, pointer: str) -> None:
    answer = await api.http.get(f"{ROUNDS}?{query}")
    assert code(answer) == (400, "invalid-request")
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


async def test_a_report_is_its_operator_s_alone(keyed: Api) -> None:
    table = await keyed.start(key=KEYS["house"])
    await table.post("deal")
    await table.post("decide", {"action": {"type": "fold"}})
    keyed.house.clock.forward(1)
    assert (await keyed.http.get(ROUNDS, headers=OPERATOR)).json()["games"][0]["rounds"] == 1
    rival = {"Authorization": f"Bearer {KEYS['rival']}"}
    assert (await keyed.http.get(ROUNDS, headers=rival)).json()["games"] == []
    for token in (table.table, *table.seats):
        answer = await keyed.http.get(ROUNDS, headers={"Authorization": f"Bearer {token}"})
        assert code(answer) == (403, "forbidden")
    assert code(await keyed.http.get(ROUNDS)) == (401, "unauthorized")
    assert code(await keyed.http.get(ROUNDS, headers={"Authorization": "Bearer nobody"})) == (
        401,
        "unauthorized",
    )
