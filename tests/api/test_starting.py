"""Start-session's schema follows the options that the games declare."""

import dataclasses
from typing import Any

import pytest

from api.conftest import Api, code
from croupier.api.openapi import document
from croupier.api.starting import STARTS, StartRequest, asked
from croupier.rules.options import limits_of
from croupier.rules.registry import GAMES

COMMON = {"game", "metadata", "players", "advice", "decision_seconds", "sandbox"}


@pytest.mark.parametrize("name", GAMES)
def test_a_branch_has_the_options_of_its_game_with_their_limits_and_defaults(name: str) -> None:
    options: Any = GAMES[name].options
    schema = STARTS[name].model_json_schema()["properties"]
    assert schema.keys() == COMMON | {option.name for option in dataclasses.fields(options)}
    for option, limit in limits_of(options).items():
        own = schema[option]
        bounds = next((one for one in own.get("anyOf", ()) if one != {"type": "null"}), own)
        assert (bounds["minimum"], bounds["maximum"]) == (limit.low, limit.high)


@pytest.mark.parametrize("name", GAMES)
def test_what_is_left_out_has_the_games_default(name: str) -> None:
    start = asked(StartRequest.model_validate({"game": name}).root)
    assert start.options == GAMES[name].options()
    assert (start.game, start.advice, start.decision_seconds, start.sandbox) == (name, True, None, False)
    assert (start.metadata, start.players) == ({}, None)


@pytest.mark.parametrize(
    ("body", "options"),
    [
        ({"game": "casino-holdem"}, {"ante": 1, "rounds": 20}),
        (
            {"game": "ultimate-texas-holdem"},
            {
                "seats": 1,
                "ante": 2,
                "profile": "seed",
                "preflop_multiples": [4],
                "rounds": None,
                "trips": "fixed",
                "hole_card_bonus": False,
                "side_bet_max": 1000,
            },
        ),
        (
            {"game": "no-limit-holdem"},
            {
                "seats": 2,
                "small_blind": 50,
                "big_blind": 100,
                "ante": 0,
                "buy_in": 3000,
                "stacks": None,
                "rebuys": False,
            },
        ),
        ({"game": "no-limit-holdem", "stacks": [3000, 200]}, {"stacks": [3000, 200], "seats": 2}),
        ({"game": "ultimate-texas-holdem", "preflop_multiples": [3, 4]}, {"preflop_multiples": [3, 4]}),
    ],
)
async def test_the_session_shows_the_options_it_plays_by(
    api: Api, body: dict[str, Any], options: dict[str, Any]
) -> None:
    started = await api.http.post("/v1/sessions", json=body)
    assert started.status_code == 201
    shown = started.json()["session"]["options"]
    assert shown | options == shown
    assert (shown["decision_seconds"], shown["advice"]) == (None, True)


async def test_metadata_of_a_kibibyte_comes_back_as_it_was(api: Api) -> None:
    metadata = {"mesa": "azul ♠", "note": "é" * 500}
    started = await api.http.post("/v1/sessions", json={"game": "casino-holdem", "metadata": metadata})
    assert started.json()["session"]["metadata"] == metadata
    metadata["note"] += "é" * 8
    refusal = await api.http.post("/v1/sessions", json={"game": "casino-holdem", "metadata": metadata})
    assert code(refusal) == (400, "invalid-request")
    assert refusal.json()["errors"][0]["pointer"] == "/metadata"


async def test_what_only_the_game_can_refuse_points_at_its_field_too(api: Api) -> None:
    for body, pointer in [
        ({"game": "ultimate-texas-holdem", "ante": 5}, "/ante"),
        ({"game": "ultimate-texas-holdem", "preflop_multiples": [2]}, "/preflop_multiples"),
        ({"game": "no-limit-holdem", "buy_in": 99}, "/buy_in"),
        ({"game": "no-limit-holdem", "stacks": [3000, 99]}, "/stacks/1"),
        ({"game": "no-limit-holdem", "seats": 3, "players": ["a", "b"]}, "/players"),
    ]:
        refusal = await api.http.post("/v1/sessions", json=body)
        assert code(refusal) == (400, "invalid-request")
        assert [one["pointer"] for one in refusal.json()["errors"]] == [pointer]


def test_the_document_describes_every_branch() -> None:
    schemas = document()["components"]["schemas"]
    mapping = schemas["StartRequest"]["discriminator"]["mapping"]
    assert {name: f"#/components/schemas/{model.__name__}" for name, model in STARTS.items()} == mapping
