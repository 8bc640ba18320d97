"""Provably fair: what was promised is what was dealt, by a shuffle written here after the contract."""

from itertools import pairwise
from typing import Any

import httpx
import pytest

from blackbox.table import DECK, Json, Table, bearer, cards, commitment, good, refused, shuffled

VECTOR = {"server_seed": "00" * 32, "client_seed": "client", "session_id": "session", "round": 1}
VECTOR_TOP = cards("4s 5d 3s Ad 9c Ac 7c Qd Qc")
GAMES: dict[str, Json] = {
    "casino-holdem": {"rounds": 40},
    "ultimate-texas-holdem": {"seats": 3},
    "no-limit-holdem": {"seats": 4},
}


def finish(table: Table, dealt: Json) -> Json:
    """Plays a house game's round to its end in the shortest way."""
    for seat in dealt["to_act"]:
        last = table.decide("call") if dealt["stage"] == "flop" else table.decide("play", seat, multiple=4)
    return last


def proven(table: Table, settled: Json, promised: str) -> list[str]:
    """The deck of a revealed round, after its seed has been held against what was promised."""
    fairness = settled["fairness"]
    assert fairness["scripted"] is False
    assert commitment(fairness["server_seed"]) == fairness["commitment"] == promised
    deck = shuffled(fairness["server_seed"], fairness["client_seed"], table.id, settled["number"])
    verified = good(
        table.http.post(
            "/v1/fairness/verify",
            json={
                "server_seed": fairness["server_seed"],
                "client_seed": fairness["client_seed"],
                "session_id": table.id,
                "round": settled["number"],
            },
        )
    )
    assert verified["commitment"] == promised
    assert verified["deck"] == deck
    return deck


def test_the_shuffle_of_these_tests_and_the_server_s_agree_on_the_test_vector(http: httpx.Client) -> None:
    deck = shuffled("00" * 32, "client", "session", 1)
    assert deck[:9] == VECTOR_TOP
    assert sorted(deck) == sorted(DECK)
    verified = good(http.post("/v1/fairness/verify", json=VECTOR))
    assert verified == {
        "commitment": "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",
        "deck": deck,
    }


@pytest.mark.parametrize("client_seed", ["", "café ♠ 😀", '"\\ \n\t', "a:b:c", "x" * 128])
@pytest.mark.parametrize("number", [1, 999_999])
def test_any_text_and_number_verifies_alike(http: httpx.Client, client_seed: str, number: int) -> None:
    body = {"server_seed": "0f" * 32, "client_seed": client_seed, "session_id": "a-session", "round": number}
    verified = good(http.post("/v1/fairness/verify", json=body))
    assert verified["deck"] == shuffled("0f" * 32, client_seed, "a-session", number)


@pytest.mark.parametrize(
    "wrong",
    [
        {"server_seed": "00" * 31},
        {"server_seed": "zz" * 32},
        {"round": 0},
        {"round": "1"},
        {"client_seed": 5},
    ],
)
def test_what_is_no_seed_is_refused(http: httpx.Client, wrong: Json) -> None:
    problem = refused(http.post("/v1/fairness/verify", json=VECTOR | wrong), 400, "invalid-request")
    assert [error["pointer"] for error in problem["errors"]] == [f"/{name}" for name in wrong]


@pytest.mark.parametrize("game", ["casino-holdem", "ultimate-texas-holdem"])
def test_every_round_of_a_house_game_is_dealt_from_the_deck_it_committed_to(
    http: httpx.Client, game: str
) -> None:
    table = Table.start(http, game, **GAMES[game])
    promised = table.see()["next_commitment"]
    seeds = set()
    for number in range(1, 11):
        dealt = table.deal(client_seed=f"round {number} ♥")
        assert dealt["fairness"] == {
            "commitment": promised,
            "client_seed": f"round {number} ♥",
            "server_seed": None,
            "scripted": False,
        }
        settled = finish(table, dealt)
        deck = proven(table, settled, promised)
        seats = len(settled["seats"])
        holes = [seat["hole"] for seat in settled["seats"]]
        assert holes == [deck[2 * i : 2 * i + 2] for i in range(seats)]
        assert settled["dealer"]["hole"] == deck[2 * seats : 2 * seats + 2]
        assert settled["board"] == deck[2 * seats + 2 : 2 * seats + 7]
        seeds.add(settled["fairness"]["server_seed"])
        promised = settled["next_commitment"]
        assert promised == table.see()["next_commitment"]
    assert len(seeds) == 10


def test_no_limit_deals_card_by_card_after_the_button_and_reveals_when_the_session_ends(
    http: httpx.Client,
) -> None:
    table = Table.start(http, "no-limit-holdem", seats=4)
    promised, rounds = [table.see()["next_commitment"]], []
    for number in range(1, 4):
        dealt = table.deal(client_seed=str(number))
        while dealt["stage"] != "settled":
            view = good(table.get("", table.seats[dealt["to_act"][0] - 1]))["round"]
            names = {action["type"] for action in view["legal_actions"]}
            dealt = table.decide("check" if "check" in names else "call", dealt["to_act"][0])
        assert dealt["fairness"]["server_seed"] is None
        assert table.round(number)["fairness"]["server_seed"] is None
        promised.append(table.see()["next_commitment"])
    good(table.post("close", {}, None))
    for number, before in enumerate(promised[:3], 1):
        settled = table.round(number)
        deck = proven(table, settled, before)
        order = [(settled["button"] + i) % 4 + 1 for i in range(4)]
        shown = {seat["seat"]: seat["hole"] for seat in settled["seats"]}
        assert shown == {seat: [deck[i], deck[i + 4]] for i, seat in enumerate(order)}
        assert settled["board"] == deck[8:13]
        rounds.append(settled)
    assert [settled["button"] for settled in rounds] == [1, 2, 3]


def test_the_seats_texts_follow_the_deal_s_in_seat_order_and_hold_for_one_round(http: httpx.Client) -> None:
    table = Table.start(http, "ultimate-texas-holdem", seats=4)

    def say(seat: int, text: str) -> None:
        body = {"do": "client_seed", "value": text}
        good(table.post(f"seats/{seat}", body, table.seats[seat - 1]))

    def settled(expected: str, **body: Any) -> None:
        promised = table.see()["next_commitment"]
        played = finish(table, table.deal(**body))
        assert played["fairness"]["client_seed"] == expected
        assert played["seats"][0]["hole"] == proven(table, played, promised)[:2]

    say(3, "três|dois")
    say(1, "old")
    say(1, "one")
    say(4, "absent")
    settled("deal|1:one|3:três|dois", client_seed="deal", sit_out=[4])
    say(2, "two")
    settled("|2:two", sit_out=[3])
    settled("")


def test_a_client_seed_of_no_deal_is_the_empty_text(http: httpx.Client) -> None:
    table = Table.start(http, "casino-holdem")
    promised = table.see()["next_commitment"]
    settled = finish(table, table.deal())
    assert settled["fairness"]["client_seed"] == ""
    assert settled["seats"][0]["hole"] == proven(table, settled, promised)[:2]


@pytest.mark.parametrize(
    "seed",
    ['"' + "x" * 129 + '"', r'"\ud800"', "5", '["a"]'],
    ids=["long", "lone surrogate", "number", "list"],
)
def test_a_client_seed_that_is_no_text_of_128_characters_deals_nothing(http: httpx.Client, seed: str) -> None:
    table = Table.start(http, "casino-holdem")
    answer = http.post(
        f"{table.path}/deal",
        content=f'{{"client_seed": {seed}}}',
        headers=bearer(table.table) | {"Content-Type": "application/json"},
    )
    refused(answer, 400, "invalid-request")
    assert table.see()["version"] == 1


@pytest.mark.parametrize("game", ["casino-holdem", "ultimate-texas-holdem"])
@pytest.mark.parametrize("when", ["open", "settled"])
def test_a_void_reveals_its_seed_and_the_round_is_dealt_again_from_a_new_one(
    http: httpx.Client, game: str, when: str
) -> None:
    table = Table.start(http, game, **GAMES[game])
    promised = [table.see()["next_commitment"]]
    for deal in (1, 2, 3):
        dealt = table.deal(client_seed="same")
        assert (dealt["number"], dealt["deal"]) == (1, deal)
        if when == "settled":
            finish(table, dealt)
        voided = good(table.void(1))
        assert (voided["number"], voided["deal"], voided["stage"]) == (1, deal, "voided")
        assert table.round(1, deal=deal)["fairness"] == voided["fairness"]
        proven(table, voided, promised[-1])
        promised.append(table.see()["next_commitment"])
    dealt = table.deal(client_seed="same")
    assert (dealt["number"], dealt["deal"]) == (1, 4)
    settled = finish(table, dealt)
    assert settled["seats"][0]["hole"] == proven(table, settled, promised[-1])[:2]
    assert len(set(promised)) == 4
    for deal, before in enumerate(promised, 1):
        assert table.round(1, deal=deal)["fairness"]["commitment"] == before
    assert table.round(1)["deal"] == 4
    voids = [entry for entry in table.ledger()["entries"] if entry["type"] == "round_voided"]
    assert [entry["commitment"] for entry in voids] == promised[:3]


def test_a_scripted_deck_leads_and_the_committed_shuffle_of_the_rest_follows(http: httpx.Client) -> None:
    table = Table.start(http, "casino-holdem", sandbox=True)
    promised = table.see()["next_commitment"]
    top = ["As", "Ad", "2c"]
    settled = finish(table, table.deal(" ".join(top), client_seed="rest"))
    fairness = settled["fairness"]
    assert fairness["scripted"] is True
    assert commitment(fairness["server_seed"]) == fairness["commitment"] == promised
    shuffle = shuffled(fairness["server_seed"], "rest", table.id, 1)
    deck = top + [card for card in shuffle if card not in top]
    assert settled["seats"][0]["hole"] == deck[:2]
    assert settled["dealer"]["hole"] == deck[2:4]
    assert settled["board"] == deck[4:9]


def test_no_commitment_ever_comes_twice(http: httpx.Client) -> None:
    tables = [Table.start(http, "casino-holdem", rounds=3) for _ in range(20)]
    chains = []
    for table in tables:
        chain = [table.see()["next_commitment"]]
        chain += [finish(table, table.deal())["next_commitment"] for _ in range(3)]
        chains.append(chain)
    assert all(a != b for chain in chains for a, b in pairwise(chain))
    promises = [promise for chain in chains for promise in chain if promise is not None]
    assert len(promises) == len(set(promises))
