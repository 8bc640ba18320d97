"""Any sequence of legal and illegal requests keeps every invariant of a session, in every game."""

import asyncio
import hashlib
import random
from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from croupier.rules.actions import AllIn, Bet, Call, Check, Fold, Play, Raise
from croupier.rules.cards import TEXT
from croupier.rules.game import RuleViolation, SideBets
from croupier.sessions.audit import findings
from croupier.sessions.errors import CroupierError
from croupier.sessions.requests import Caller, Deal, Decide, SeatChange
from croupier.store.codec import decode_session, encode_session
from sessions.house import OPERATOR, House, Started, data, make_house

GAMES = {
    "casino-holdem": [{}, {"ante": 7, "rounds": 3}],
    "ultimate-texas-holdem": [
        {"seats": 3},
        {"seats": 6, "profile": "published", "preflop_multiples": (3, 4), "hole_card_bonus": True},
        {"seats": 2, "trips": "progressive", "rounds": 4},
    ],
    "no-limit-holdem": [
        {"seats": 2, "buy_in": 400},
        {"seats": 5, "buy_in": 1000, "ante": 5, "rebuys": True, "decision_seconds": 10},
        {"seats": 3, "buy_in": 900, "stacks": (900, 130, 411)},
    ],
}
ACTIONS = [
    *(Fold(), Check(), Call(), AllIn()),
    *(Bet(100), Bet(250), Raise(200), Raise(555)),
    *(Play(1), Play(2), Play(4)),
]


async def someone_does_something(house: House, at: Started, rng: random.Random) -> None:
    """One request that may or may not be legal: a refusal has to leave everything as it was."""
    caller = rng.choice([OPERATOR, at.table, *at.seats, Caller(), Caller(operator="stranger")])
    seat = rng.randint(1, len(at.seats))
    version = rng.choice([None, None, None, 1, 5])
    match rng.choice(["deal", "deal", "decide", "decide", "void", "close", "seat", "clock"]):
        case "deal":
            bets = tuple(SideBets(n, rng.choice([0, 1, 3]), rng.choice([0, 2])) for n in {seat, 1})
            sit_out = rng.choice([(), (), (seat,)])
            seed = rng.choice([None, "", "some luck", "números"])
            request = Deal(version, seed, rng.choice([(), bets]), sit_out)
            await house.service.deal(at.id, caller, request, None)
        case "decide":
            action = rng.choice(ACTIONS)
            await house.service.decide(at.id, caller, Decide(action, rng.choice([None, seat]), version), None)
        case "void" if rng.random() < 0.5:
            await house.service.void(at.id, rng.randint(1, 3), caller, "a test", None)
        case "close" if rng.random() < 0.05:
            await house.service.close(at.id, caller, None)
        case "seat":
            verbs = ["sit_out", "sit_in", "leave", "rebuy", "client_seed", "new_token"]
            do: Any = rng.choices(verbs, [6, 6, 1, 6, 4, 1])[0]
            change = SeatChange(do, amount=rng.choice([None, 100, 900]), value=rng.choice([None, "mine"]))
            answer = data(await house.service.seat(at.id, seat, caller, change, None))
            if do == "new_token":
                at.seats[seat - 1] = Caller(token=answer["token"])
        case "clock":
            house.clock.forward(rng.choice([0.5, 11]))


async def somebody_in_turn_decides(house: House, at: Started, rng: random.Random) -> None:
    round_ = data(await house.service.read(at.id, at.table))["round"]
    if round_ is None or not round_["to_act"]:
        await house.service.deal(at.id, at.table, Deal(client_seed=str(rng.random())), None)
        return
    seat = rng.choice(round_["to_act"])
    mine = data(await house.service.read(at.id, at.seats[seat - 1]))["round"]
    chosen = rng.choice(mine["legal_actions"])
    await house.service.decide(at.id, at.seats[seat - 1], Decide(action_of(chosen, rng)), None)


def action_of(legal: dict[str, Any], rng: random.Random) -> Any:
    match legal:
        case {"type": "bet" | "raise" as kind, "min_to": low, "max_to": high}:
            return (Bet if kind == "bet" else Raise)(rng.choice([low, high, rng.randint(low, high)]))
        case {"type": "play", "multiple": multiple}:
            return Play(multiple)
        case {"type": kind}:
            return {"fold": Fold, "check": Check, "call": Call, "all_in": AllIn}[kind]()


async def check_everything(house: House, at: Started) -> None:
    session = await house.session(at.id)
    shown = data(await house.service.read(at.id, OPERATOR))
    assert decode_session(session.id, session.version, encode_session(session)) == session
    kept = await house.store.ledger(at.id, 0, session.ledger_length)
    archived = session.rounds_played + len(session.voided)
    assert findings(session, kept, await house.store.rounds(at.id, 0, archived)) == []
    entries = await whole_ledger(house, at)
    check_chain(entries)
    balances = dict.fromkeys(range(1, len(at.seats) + 1), 0)
    house_net = jackpot_net = 0
    for entry in entries:
        if entry["type"] in ("round_settled", "round_voided"):
            nets = [row["net"] for row in entry["seats"]]
            assert sum(nets) + entry["house_net"] + entry.get("jackpot_net", 0) == 0, entry
            house_net += entry["house_net"]
            jackpot_net += entry.get("jackpot_net", 0)
            for row in entry["seats"]:
                balances[row["seat"]] += row["net"]
                assert row["balance"] == balances[row["seat"]], entry
            for bet in (bet for row in entry["seats"] for bet in row.get("bets", [])):
                assert bet["net"] == bet["returned"] - bet["staked"] and bet["returned"] >= 0
    assert [seat["balance"] for seat in shown["seats"]] == list(balances.values())
    assert house_net == session.house_net == -sum(balances.values()) - jackpot_net
    if session.game == "no-limit-holdem":
        check_chips(session, shown, entries)
    rounds = data(await house.service.rounds(at.id, at.table, 0, 100))["rounds"]
    counted = [one["number"] for one in rounds if one["stage"] == "settled"]
    assert counted == list(range(1, session.rounds_played + 1))[: len(counted)]
    for one in rounds:
        cards = [*one["board"], *(card for seat in one["seats"] for card in seat["hole"] or [])]
        assert len(cards) == len(set(cards)) and set(cards) <= set(TEXT)


def check_chips(session: Any, shown: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    """The stacks and what is in the pots are what was brought, and bought, less what was taken away."""
    brought = sum(seat["stack"] for seat in entries[0]["seats"])
    bought = sum(entry["amount"] for entry in entries if entry["type"] == "rebuy")
    taken = sum(entry["stack"] for entry in entries if entry["type"] == "left")
    on_table = sum(seat["stack"] for seat in shown["seats"])
    pots = sum(pot["amount"] for pot in shown["round"]["pots"]) if session.round and session.round.open else 0
    assert on_table + pots == brought + bought - taken


async def whole_ledger(house: House, at: Started) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page = data(await house.service.ledger(at.id, OPERATOR, after, 7))
        entries += page["entries"]
        after = page["next_after"]
    return entries


def check_chain(entries: list[dict[str, Any]]) -> None:
    previous = "0" * 64
    for seq, entry in enumerate(entries, 1):
        bare = {name: value for name, value in entry.items() if name not in ("hash", "previous_hash")}
        assert entry["seq"] == seq
        assert entry["previous_hash"] == previous
        assert entry["hash"] == hashlib.sha256(previous.encode() + rfc8785.dumps(bare)).hexdigest()
        previous = entry["hash"]


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_any_sequence_of_requests_keeps_every_invariant(game: str, seed: int) -> None:
    async def play() -> None:
        rng = random.Random(seed)
        house = make_house()
        options = dict(rng.choice(GAMES[game]))
        at = await house.start(game, **options)
        version = 1
        for _ in range(60):
            before = await house.session(at.id)
            try:
                if rng.random() < 0.7:
                    await somebody_in_turn_decides(house, at, rng)
                else:
                    await someone_does_something(house, at, rng)
            except CroupierError as refused:
                assert not isinstance(refused, RuleViolation)
                after = await house.session(at.id)
                # The clock may have decided before the request was refused.
                assert after == before or after.version == before.version + 1
            now = (await house.session(at.id)).version
            assert now >= version
            version = now
        await check_everything(house, at)

    asyncio.run(play())
