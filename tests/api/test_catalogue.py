"""The catalogue says what the rules say."""

from fractions import Fraction

import pytest

from api.conftest import Api
from croupier.api.answers.catalogue import Catalogue, CatalogueGame
from croupier.api.catalogue import PAY_TABLES, percent
from croupier.locales import LOCALES
from croupier.rules.hands import CATEGORIES
from croupier.rules.registry import GAMES


async def test_it_lists_every_game_with_names_in_every_language(api: Api) -> None:
    answer = await api.http.get("/v1/games")
    Catalogue.model_validate_json(answer.content)
    catalogue = answer.json()
    assert [game["game"] for game in catalogue["games"]] == list(GAMES)
    assert [hand["category"] for hand in catalogue["hands"]] == list(reversed(CATEGORIES))
    for game in catalogue["games"]:
        assert set(game["names"]) == set(LOCALES)
        assert all(game["names"].values())


@pytest.mark.parametrize("name", GAMES)
async def test_an_entry_is_the_same_on_its_own_and_says_what_the_game_says(api: Api, name: str) -> None:
    answer = await api.http.get(f"/v1/games/{name}")
    CatalogueGame.model_validate_json(answer.content)
    entry, game = answer.json(), GAMES[name]
    assert entry in (await api.http.get("/v1/games")).json()["games"]
    for kind in ("stages", "bets", "actions"):
        assert [named["code"] for named in entry[kind]] == list(getattr(game, kind))


@pytest.mark.parametrize("name", GAMES)
async def test_a_session_started_with_nothing_but_defaults_has_the_options_of_the_catalogue(
    api: Api, name: str
) -> None:
    entry = (await api.http.get(f"/v1/games/{name}")).json()
    defaults = {option["name"]: option["default"] for option in entry["options"]}
    table = await api.start(name)
    session = (await table.get()).json()
    assert session["options"] == {**defaults, "advice": True, "decision_seconds": None}
    assert entry["seats"]["min"] <= len(session["seats"]) <= entry["seats"]["max"]


@pytest.mark.parametrize("name", GAMES)
async def test_the_limits_of_the_catalogue_are_those_that_are_enforced(api: Api, name: str) -> None:
    entry = (await api.http.get(f"/v1/games/{name}")).json()
    for option in entry["options"]:
        for bad in (option.get("min", 1) - 1, option.get("max", 10**12) + 1):
            answer = await api.http.post("/v1/sessions", json={"game": name, option["name"]: bad})
            assert answer.status_code == 400, option
        for word in option.get("values", []):
            answer = await api.http.post("/v1/sessions", json={"game": name, option["name"]: word})
            assert answer.status_code == 201, option


async def test_the_edges_are_the_exact_ones(api: Api) -> None:
    games = {game["game"]: game for game in (await api.http.get("/v1/games")).json()["games"]}
    (casino,) = games["casino-holdem"]["profiles"]
    assert casino == {
        "profile": "base",
        "house_edge_percent": "2.1576458362",
        "element_of_risk_percent": "0.8173475554",
    }
    ultimate = games["ultimate-texas-holdem"]["profiles"]
    assert [(one["profile"], one["preflop_multiples"], one["house_edge_percent"]) for one in ultimate] == [
        ("seed", [4], "2.6878865500"),
        ("seed", [3, 4], "2.6878865500"),
        ("seed", [3], "10.0841713623"),
        ("published", [4], "2.1849713763"),
        ("published", [3, 4], "2.1849713763"),
        ("published", [3], "9.6654791352"),
    ]
    assert games["no-limit-holdem"]["profiles"] == []


async def test_the_pay_tables_are_those_that_are_paid_by(api: Api) -> None:
    entry = (await api.http.get("/v1/games/ultimate-texas-holdem")).json()
    tables = entry["pay_tables"]
    assert [table["bet"] for table in tables] == [table.bet for table in PAY_TABLES["ultimate-texas-holdem"]]
    blind, trips, progressive, bonus = tables
    assert {line["on"]: line["odds"] for line in blind["lines"]}["flush"] == "3:2"
    assert blind["otherwise"] == "push"
    assert trips["option"] == {"trips": "fixed"}
    assert [edge["house_edge_percent"] for edge in trips["house_edges"]] == ["5.2503858015", "3.4979372807"]
    assert progressive["meter_shares_percent"] == [
        {"on": "royal_flush", "percent": 100},
        {"on": "straight_flush", "percent": 10},
    ]
    assert "house_edges" not in progressive
    assert {edge["house_edge_percent"] for edge in bonus["house_edges"]} == {"8.5406470280"}
    assert "house_edges" not in blind


def test_a_percentage_is_rounded_in_whole_numbers() -> None:
    assert percent(Fraction(1, 3)) == "33.3333333333"
    assert percent(Fraction(2, 3000)) == "0.0666666667"
    assert percent(Fraction(0)) == "0.0000000000"
