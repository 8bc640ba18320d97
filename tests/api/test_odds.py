"""Odds and advice over HTTP."""

import asyncio
from random import Random
from typing import Any

import pytest

from api.conftest import KEYS, Api, code
from croupier.api import examples
from croupier.api.answers.odds import Advice, Odds
from croupier.odds.pool import PoolFull
from croupier.rules.cards import DECK as CARDS
from croupier.rules.cards import TEXT

HOUSE = {"Authorization": f"Bearer {KEYS['house']}"}
DECK = ["Ah", "Kd", "2c", "3c", "As", "7d", "4c", "9h", "Tc"]
"""Casino Hold'em: the seat's cards, the dealer's, the board."""


@pytest.mark.parametrize("game", examples.SPOTS)
async def test_the_documents_examples_are_what_is_answered(api: Api, game: str) -> None:
    answer = await api.http.post("/v1/odds", json=examples.SPOTS[game])
    assert answer.status_code == 200
    assert answer.json() == examples.ODDS[game]
    Odds.model_validate_json(answer.content)


async def test_who_asks_beside_others_hears_of_the_own_spot(api: Api) -> None:
    """Flops of Casino Hold'em that wait together are counted together, other spots and mistakes between."""
    dealer = Random(11)
    asked: list[dict[str, Any]] = []
    for number in range(30):
        dealt = [TEXT[card] for card in dealer.sample(CARDS, 5)]
        if number % 7 == 3:
            dealt[4] = dealt[0]
        game = "ultimate-texas-holdem" if number % 5 == 4 else "casino-holdem"
        asked.append({"game": game, "hole": dealt[:2], "board": dealt[2:]})
    alone = [await api.http.post("/v1/odds", json=spot) for spot in asked]
    together = await asyncio.gather(*(api.http.post("/v1/odds", json=spot) for spot in asked))
    assert [one.status_code for one in alone].count(400) == 4
    for one, other in zip(alone, together, strict=True):
        assert (one.status_code, one.json()) == (other.status_code, other.json())


async def test_ultimate_is_asked_by_profile_and_multiples(api: Api) -> None:
    spot = {"game": "ultimate-texas-holdem", "hole": ["Ah", "Ad"], "board": []}
    more = {"profile": "published", "preflop_multiples": [3, 4]}
    answer = (await api.http.post("/v1/odds", json=spot | more)).json()
    assert [(one["type"], one.get("multiple")) for one in answer["actions"]] == [
        ("play", 4),
        ("play", 3),
        ("check", None),
    ]
    # The rules' page gives these two to nine digits.
    assert answer["actions"][0]["value"] == pytest.approx(3.601072638, abs=1e-9)
    assert answer["actions"][2]["value"] == pytest.approx(2.192924106, abs=1e-9)


async def test_unknown_hands_are_sampled_with_their_error(api: Api) -> None:
    spot = {"game": "no-limit-holdem", "hands": [["Ah", "Ad"], [], [], [], []], "board": []}
    answer = await api.http.post("/v1/odds", json=spot)
    Odds.model_validate_json(answer.content)
    shown = answer.json()
    assert not shown["exact"]
    # Aces against four random hands win or share 55.9 % of the pot.
    assert abs(shown["equities"][0]["equity"] - 0.559) < 0.002 + 6 * shown["standard_error"]
    assert sum(one["equity"] for one in shown["equities"]) == pytest.approx(1)


async def test_a_sample_asked_for_again_is_the_same_sample(api: Api) -> None:
    spot = {"game": "no-limit-holdem", "hands": [["Ah", "Kd"], []], "board": []}
    first, again = [await api.http.post("/v1/odds", json=spot) for _ in range(2)]
    assert not first.json()["exact"]
    assert again.content == first.content
    other = await api.http.post("/v1/odds", json=spot | {"hands": [["Kd", "Ah"], []]})
    # Another question, if about the same hand, has a sample of its own.
    assert other.content != first.content


async def test_a_key_stands_for_one_question(keyed: Api) -> None:
    async def ask(spot: dict[str, Any], name: str = "house") -> Any:
        headers = {"Authorization": f"Bearer {KEYS[name]}", "Idempotency-Key": "once"}
        return await keyed.http.post("/v1/odds", json=spot, headers=headers)

    spot = {"game": "casino-holdem", "hole": ["As", "Kd"], "board": ["2c", "7h", "9d"]}
    assert (await ask(spot | {"board": ["As", "7h", "9d"]})).status_code == 400  # refusals are not kept
    answers = await asyncio.gather(*(ask(spot) for _ in range(8)))
    assert {one.status_code for one in answers} == {200}
    assert len({one.content for one in answers}) == 1
    assert sum("Idempotency-Replayed" in one.headers for one in answers) == 7
    assert code(await ask(spot | {"board": ["2c", "7h", "9c"]})) == (422, "idempotency-key-reused")
    other = next(name for name in KEYS if name != "house")
    assert "Idempotency-Replayed" not in (await ask(spot, other)).headers


@pytest.mark.parametrize(
    ("spot", "pointer"),
    [
        ({"game": "casino-holdem", "hole": ["Ah", "Kd"], "board": ["Ah", "7d", "4c"]}, "/board/0"),
        ({"game": "casino-holdem", "hole": ["Ah"], "board": ["As", "7d", "4c"]}, "/hole"),
        ({"game": "casino-holdem", "hole": ["Ah", "Kx"], "board": ["As", "7d", "4c"]}, "/hole/1"),
        ({"game": "ultimate-texas-holdem", "hole": ["Ah", "Kd"], "board": ["As"]}, "/board"),
        ({"game": "ultimate-texas-holdem", "hole": ["Ah", "Kd"], "preflop_multiples": [4, 3]}, None),
        ({"game": "no-limit-holdem", "hands": [["Ah", "Kd"], ["Ah"]], "board": []}, "/hands/1"),
        ({"game": "no-limit-holdem", "hands": [["Ah", "Kd"]], "board": []}, "/hands"),
        ({"game": "bridge"}, None),
        ({}, None),
    ],
)
async def test_a_spot_that_cannot_be_is_refused_by_its_field(
    api: Api, spot: dict[str, Any], pointer: str | None
) -> None:
    answer = await api.http.post("/v1/odds", json=spot)
    assert code(answer) == (400, "invalid-request")
    if pointer is not None:
        assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


async def test_odds_are_for_operators(keyed: Api) -> None:
    spot = examples.SPOTS["casino-holdem"]
    table = await keyed.start(key=KEYS["house"])
    assert (await keyed.http.post("/v1/odds", json=spot, headers=HOUSE)).status_code == 200
    assert code(await keyed.http.post("/v1/odds", json=spot)) == (401, "unauthorized")
    seat = {"Authorization": f"Bearer {table.seats[0]}"}
    assert code(await keyed.http.post("/v1/odds", json=spot, headers=seat)) == (403, "forbidden")


async def test_a_seat_is_advised_in_antes_and_in_units(api: Api) -> None:
    table = await api.start(ante=10, sandbox=True)
    await table.post("deal", {"deck": DECK})
    answer = await table.get("/advice")
    assert answer.status_code == 200
    Advice.model_validate_json(answer.content)
    call, fold = answer.json()["actions"]
    assert (call["type"], call["best"], fold["type"]) == ("call", True, "fold")
    assert call["value"] == pytest.approx(1.708399, abs=1e-6)
    assert (call["value_units"], fold["value_units"]) == (pytest.approx(17.08399, abs=1e-5), -10.0)
    assert fold["cost"] == pytest.approx(2.708399, abs=1e-6)
    assert answer.headers["etag"] == '"2"'


async def test_advice_does_not_depend_on_what_the_seat_cannot_see(api: Api) -> None:
    seen = []
    for hidden in (["2c", "3c"], ["Ac", "Ad"]):
        table = await api.start(sandbox=True)
        await table.post("deal", {"deck": [*DECK[:2], *hidden, *DECK[4:7]]})
        seen.append((await table.get("/advice")).json())
    assert seen[0] == seen[1]
    seen = []
    for others in (["2c", "3c"], ["Ac", "Ad"]):
        table = await api.start("ultimate-texas-holdem", seats=2, sandbox=True)
        await table.post("deal", {"deck": ["Ah", "Kd", *others]}, token=table.table)
        seen.append((await table.get("/advice")).json())
    assert seen[0] == seen[1]


async def test_each_stage_of_ultimate_has_its_advice(api: Api) -> None:
    table = await api.start("ultimate-texas-holdem", ante=2)
    await table.post("deal")
    for stage in ("preflop", "flop", "river"):
        position = (await table.get()).json()["round"]
        assert position["stage"] == stage
        advised = (await table.get("/advice")).json()["actions"]
        legal = {(one["type"], one.get("multiple")) for one in position["legal_actions"]}
        assert {(one["type"], one.get("multiple")) for one in advised} == legal
        await table.post("decide", {"action": {"type": "fold" if stage == "river" else "check"}})


async def test_who_gets_no_advice(api: Api) -> None:
    table = await api.start("ultimate-texas-holdem", seats=2)
    assert code(await table.get("/advice")) == (409, "not-your-turn")
    await table.post("deal", token=table.table)
    assert code(await table.get("/advice", token=table.table)) == (403, "forbidden")
    assert code(await api.http.get(f"{table.path}/advice")) == (403, "forbidden")
    await table.post("decide", {"action": {"type": "play", "multiple": 4}})
    assert code(await table.get("/advice")) == (409, "not-your-turn")

    silent = await api.start(advice=False)
    await silent.post("deal")
    assert code(await silent.get("/advice")) == (403, "forbidden")

    no_limit = await api.start("no-limit-holdem", seats=2)
    await no_limit.post("deal", token=no_limit.table)
    assert code(await no_limit.get("/advice")) == (404, "not-found")


async def test_a_full_pool_answers_429(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*asked: object) -> None:
        raise PoolFull

    monkeypatch.setattr(api.house.service._pool, "ask", full)
    answer = await api.http.post("/v1/odds", json=examples.SPOTS["casino-holdem"])
    assert code(answer) == (429, "too-many-requests")
    assert int(answer.headers["retry-after"]) >= 1
