"""Every answer of played matches, held against the closed models: nothing undescribed, nothing missing."""

import json
import random
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from api.conftest import Api, Table
from croupier.api import examples
from croupier.api.answers.catalogue import Catalogue, CatalogueGame
from croupier.api.answers.events import Events
from croupier.api.answers.hands import Evaluated, Verified
from croupier.api.answers.jackpots import Jackpots
from croupier.api.answers.ledger import Ledger
from croupier.api.answers.problems import Healthy, Problem, ProblemExplained
from croupier.api.answers.rounds import Round, Rounds
from croupier.api.answers.sessions import Listed, SeatChanged, Session, Started
from croupier.api.problems import PROBLEMS

MATCHES: list[dict[str, Any]] = [
    {"game": "casino-holdem", "rounds": 6},
    {"game": "casino-holdem", "rounds": 4, "ante": 7, "decision_seconds": 5},
    {"game": "ultimate-texas-holdem", "seats": 3, "rounds": 4, "hole_card_bonus": True},
    {"game": "ultimate-texas-holdem", "profile": "published", "preflop_multiples": [3, 4], "rounds": 5},
    {"game": "ultimate-texas-holdem", "seats": 2, "trips": "progressive", "rounds": 4},
    {"game": "no-limit-holdem", "seats": 2, "buy_in": 400},
    {"game": "no-limit-holdem", "seats": 4, "buy_in": 900, "stacks": [900, 130, 411, 900], "rebuys": True},
]


def held(answer: httpx.Response | dict[str, Any] | bytes, model: type[BaseModel]) -> Any:
    """The answer, once its model has taken every field of it and has found every field it wants."""
    body = answer.content if isinstance(answer, httpx.Response) else answer
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    model.model_validate_json(text)
    return json.loads(text)


def changed(answer: httpx.Response, model: type[BaseModel], status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    found = held(answer, model)
    assert answer.headers["etag"] == f'"{found["version"]}"'
    assert answer.headers["cache-control"] == "private, no-store"
    return found


def chosen(rng: random.Random, legal: list[dict[str, Any]]) -> dict[str, Any]:
    one = rng.choice(legal)
    match one["type"]:
        case "bet" | "raise":
            return {"type": one["type"], "to": rng.randint(one["min_to"], one["max_to"])}
        case "play":
            return {"type": "play", "multiple": one["multiple"]}
        case kind:
            return {"type": kind}


async def somebody_decides(api: Api, table: Table, rng: random.Random) -> None:
    seen = held(await table.get(token=table.table), Session)
    seat = rng.choice(seen["round"]["to_act"])
    if rng.random() < 0.1 and seen["options"]["decision_seconds"]:
        api.house.clock.forward(6)
        return
    token = table.seats[seat - 1]
    own = held(await table.get(token=token), Session)
    action = chosen(rng, own["round"]["legal_actions"])
    body = {"action": action, "version": own["version"], "round": own["round"]["number"]}
    changed(await table.post("decide", body, token=token), Round)


async def rebuy_for_the_busted(table: Table, position: dict[str, Any]) -> None:
    for seat in position["seats"]:
        if seat["status"] == "busted":
            change = {"do": "rebuy", "amount": position["options"]["buy_in"]}
            changed(await table.post(f"seats/{seat['seat']}", change, token=table.table), SeatChanged)


async def refuse_and_hold(table: Table, rng: random.Random) -> None:
    """Ask for something that is refused, and hold the refusal."""
    verb, body = rng.choice(
        [
            ("decide", {"action": {"type": "bet", "to": 10**12}}),
            ("decide", {"action": {"type": "call"}, "version": 999}),
            ("deal", {"version": 999}),
            ("deal", {"client_seed": 5}),
            ("rounds/99/void", {"reason": "none"}),
        ]
    )
    refusal = await table.post(verb, body, token=rng.choice(table.seats))
    assert refusal.status_code >= 400
    held(refusal, Problem)


@pytest.mark.parametrize("options", MATCHES, ids=lambda one: f"{one['game']}-{len(one)}")
async def test_a_played_match_is_described_field_by_field(api: Api, options: dict[str, Any]) -> None:
    api.house.entropy.name = json.dumps(options)
    rng = random.Random(api.house.entropy.name)
    started = await api.http.post(
        "/v1/sessions", json={**options, "metadata": {"table": "blue"}, "players": None}
    )
    assert started.status_code == 201
    body = held(started, Started)
    table = Table(api.http, body["session"]["id"], body["tokens"]["table"], body["tokens"]["seats"])
    assert started.headers["location"] == table.path

    rounds = 0
    while rounds < 8:
        position = held(await table.get(token=table.table), Session)
        if position["status"] != "open":
            break
        rounds += 1
        bets = [{"seat": n + 1, "trips": 1} for n in range(len(table.seats))]
        side = bets if options["game"].startswith("ultimate") and rounds % 2 else []
        await rebuy_for_the_busted(table, position)
        dealt = await table.post("deal", {"client_seed": f"luck {rounds}", "bets": side}, token=table.table)
        changed(dealt, Round, 201)
        if rounds == 2:
            voided = await api.http.post(f"{table.path}/rounds/2/void", json={"reason": "misdeal"})
            assert changed(voided, Round)["stage"] == "voided"
            held(await table.get("/rounds/2?deal=1"), Round)
            changed(await table.post("deal", token=table.table), Round, 201)
        if rounds == 3:
            change = {"do": "client_seed", "value": "mine"}
            changed(await table.post("seats/1", change, token=table.seats[0]), SeatChanged)
            renewed = changed(await table.post("seats/1", {"do": "new_token"}), SeatChanged)
            table.seats[0] = renewed["token"]
        await refuse_and_hold(table, rng)
        while held(await table.get(token=table.table), Session)["round"]["to_act"]:
            await somebody_decides(api, table, rng)
    for token in (table.table, *table.seats):
        held(await table.get(token=token), Session)
        held(await table.get("/rounds?limit=3", token=token), Rounds)
        held(await table.get("/events?wait=0", token=token), Events)
    held(await table.get("/rounds/1"), Round)
    if held(await table.get(), Session)["status"] == "open":
        changed(await table.post("close", token=table.table), Session)
    ledger = held(await table.get("/ledger?limit=100"), Ledger)
    kinds = {entry["type"] for entry in ledger["entries"]}
    assert {"session_started", "round_settled", "round_voided"} < kinds
    assert kinds & {"session_finished", "session_closed"}
    held(await api.http.get("/v1/sessions"), Listed)
    after, told = 0, []
    while after is not None:
        page = held(await table.get(f"/events?after={after}&wait=0"), Events)
        told += page["events"]
        after = page["next_after"]
    assert [one["version"] for one in told] == list(range(1, told[-1]["session"]["version"] + 1))


async def test_seats_that_rebuy_and_leave_are_described(api: Api) -> None:
    table = await api.start("no-limit-holdem", seats=3, stacks=[3000, 200, 3000], rebuys=True)
    for seat, change in [(2, {"do": "rebuy", "amount": 500}), (3, {"do": "sit_out"}), (3, {"do": "leave"})]:
        changed(await table.post(f"seats/{seat}", change, token=table.seats[seat - 1]), SeatChanged)
    kinds = [one["type"] for one in held(await table.get("/ledger"), Ledger)["entries"]]
    assert kinds == ["session_started", "rebuy", "left"]


async def test_a_decision_of_the_clock_is_described(api: Api) -> None:
    table = await api.start("casino-holdem", decision_seconds=5)
    dealt = changed(await table.post("deal"), Round, 201)
    assert dealt["deadline"] is not None
    api.house.clock.forward(6)
    assert held(await table.get(), Session)["round"]["clocked"] == [1]


async def test_the_operator_alone_sees_the_references_of_players(api: Api) -> None:
    table = await api.start("casino-holdem", players=["ana"])
    assert held(await api.http.get(table.path), Session)["players"] == ["ana"]
    assert "players" not in held(await table.get(), Session)


async def test_what_needs_no_session_is_described(api: Api) -> None:
    held(await api.http.get("/v1/games"), Catalogue)
    held(await api.http.get("/v1/games/no-limit-holdem"), CatalogueGame)
    held(await api.http.get("/v1/jackpots"), Jackpots)
    held(await api.http.get("/health/live"), Healthy)
    held(await api.http.post("/v1/hands/evaluate", json=examples.EVALUATE), Evaluated)
    held(await api.http.post("/v1/fairness/verify", json=examples.VERIFY), Verified)
    for code in PROBLEMS:
        held(await api.http.get(f"/problems/{code}"), ProblemExplained)


async def test_the_examples_are_what_the_server_answers(api: Api) -> None:
    evaluated = await api.http.post("/v1/hands/evaluate", json=examples.EVALUATE)
    assert evaluated.json() == examples.EVALUATED
    verified = await api.http.post("/v1/fairness/verify", json=examples.VERIFY)
    assert verified.json() == examples.VERIFIED
    assert " ".join(verified.json()["deck"][:9]) == "4s 5d 3s Ad 9c Ac 7c Qd Qc"
    explained = await api.http.get("/problems/stale-version")
    assert explained.json() == examples.EXPLAINED
    for body in examples.STARTS.values():
        assert (await api.http.post("/v1/sessions", json=body)).status_code == 201


@pytest.mark.parametrize(
    ("example", "model"),
    [
        (examples.STARTED, Started),
        (examples.ROUND, Round),
        (examples.SETTLED_ROUND, Round),
        (examples.VOIDED_ROUND, Round),
        (examples.NO_LIMIT_ROUND, Round),
        (examples.NO_LIMIT_SETTLED_ROUND, Round),
        (examples.SESSION, Session),
        (examples.CLOSED, Session),
        (examples.SEAT_CHANGED, SeatChanged),
        (examples.LEDGER, Ledger),
        (examples.EVENTS, Events),
        (examples.JACKPOTS, Jackpots),
        *((example, Problem) for example in examples.PROBLEM_EXAMPLES.values()),
    ],
)
def test_the_examples_are_described_field_by_field(example: dict[str, Any], model: type[BaseModel]) -> None:
    held(example, model)


async def test_a_meter_counts_what_was_staked_on_it(api: Api) -> None:
    before = (await api.http.get("/v1/jackpots")).json()["jackpots"][0]
    assert before == {
        "game": "ultimate-texas-holdem",
        "bet": "trips",
        "hundredths": before["seed_amount"] * 100,
        "amount": before["seed_amount"],
        "stake": 1,
        "contribution_percent": 5,
        "seed_amount": 1000,
    }
    table = await api.start("ultimate-texas-holdem", trips="progressive")
    assert (await table.get("", token=table.seats[0])).status_code == 200
    jackpots = await api.http.get("/v1/jackpots", headers={"Authorization": f"Bearer {table.table}"})
    assert held(jackpots, Problem)["code"] == "forbidden"


async def test_a_no_limit_hand_may_be_read_as_phh(api: Api) -> None:
    table = await api.start("no-limit-holdem")
    await table.post("deal", token=table.table)
    await table.post("decide", {"action": {"type": "fold"}}, token=table.seats[0])
    for path in ("/rounds?format=phh", "/rounds/1?format=phh"):
        answer = await table.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert 'variant = "NT"' in answer.text.replace("'", '"')
    assert (await table.get("/rounds/1?format=phh", Accept="text/plain")).status_code == 200
    for form, accept in [("json", "text/plain"), ("phh", "application/json")]:
        refusal = await table.get(f"/rounds/1?format={form}", Accept=accept)
        assert held(refusal, Problem)["code"] == "not-acceptable"
    house = await api.start("casino-holdem")
    await house.post("deal")
    for path in ("/rounds?format=phh", "/rounds/1?format=phh", "/rounds?format=xml"):
        refusal = held(await house.get(path), Problem)
        assert refusal["errors"][0]["pointer"] == "/format"


async def test_what_has_not_changed_is_not_sent_again(api: Api) -> None:
    table = await api.start()
    await table.post("deal")
    for path in ("", "/rounds", "/rounds/1", "/ledger"):
        first = await table.get(path)
        again = await table.get(path, If_None_Match=first.headers["etag"])
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
    await table.post("decide", {"action": {"type": "call"}})
    assert (await table.get("", If_None_Match=first.headers["etag"])).status_code == 200
