"""Many at once: whoever comes second is told so, a retry changes nothing, and no update is lost.

The server has two worker processes, so that requests meet in the store and not only in one event loop.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import httpx
import pytest

from blackbox.crowd import Post, race
from blackbox.server import PATIENCE, Server, running
from blackbox.table import Json, Table, bearer, good

MANY = 200

Crowd: TypeAlias = Callable[..., list[httpx.Response]]


@pytest.fixture(scope="module")
def crowded() -> Iterator[Server]:
    with running("--workers", "2") as server:
        yield server


@pytest.fixture
def http(crowded: Server) -> Iterator[httpx.Client]:
    """One caller, to set the table and to look at it afterwards."""
    with httpx.Client(base_url=crowded.url, timeout=PATIENCE, trust_env=False) as client:
        yield client


@pytest.fixture
def crowd(crowded: Server) -> Crowd:
    """Everybody's POST at the same instant."""
    return partial(race, crowded.url)


def statuses(answers: list[httpx.Response]) -> Counter[int]:
    return Counter(answer.status_code for answer in answers)


def codes(answers: list[httpx.Response]) -> set[str]:
    return {answer.json()["code"] for answer in answers if not answer.is_success}


def check_books(table: Table, **counts: int) -> Json:
    """The version is that of the last accepted change, and the ledger has so many entries of each type."""
    ledger = table.ledger()
    found = Counter(entry["type"] for entry in ledger["entries"])
    assert found == Counter({"session_started": 1, **{k: v for k, v in counts.items() if v}})
    return ledger


@pytest.mark.parametrize("guard", [{}, {"version": 2}, {"round": 1}], ids=["unguarded", "version", "round"])
def test_of_many_decisions_on_one_round_one_is_taken(http: httpx.Client, crowd: Crowd, guard: Json) -> None:
    table = Table.start(http, "casino-holdem")
    table.deal()
    actions = ["call", "fold"] * (MANY // 2)
    answers = crowd(
        *(
            (f"{table.path}/decide", {"action": {"type": action}, **guard}, bearer(table.seats[0]))
            for action in actions
        ),
    )
    assert statuses(answers) == {200: 1, 409: MANY - 1}
    assert codes(answers) <= {"no-round", "stale-version", "not-your-turn"}
    (won,) = (answer.json() for answer in answers if answer.is_success)
    session = table.see()
    assert (session["version"], session["rounds_played"]) == (3, 1)
    assert session["round"]["settlement"] == won["settlement"]
    ledger = check_books(table, round_settled=1)
    assert ledger["entries"][1]["seats"][0]["net"] == session["seats"][0]["balance"]


def test_of_many_copies_with_one_key_one_has_an_effect_and_all_get_its_answer(
    http: httpx.Client, crowd: Crowd
) -> None:
    table = Table.start(http, "casino-holdem", rounds=1)
    key = bearer(table.seats[0]) | {"Idempotency-Key": "the-same"}
    steps: tuple[tuple[str, Json, int], ...] = (
        ("deal", {"client_seed": "mine"}, 201),
        ("decide", {"action": {"type": "call"}}, 200),
    )
    for verb, body, status in steps:
        answers = crowd(*[(f"{table.path}/{verb}", body, key)] * MANY)
        assert statuses(answers) == {status: MANY}
        assert len({answer.content for answer in answers}) == 1
        replayed = Counter(answer.headers.get("Idempotency-Replayed") for answer in answers)
        assert replayed == {"true": MANY - 1, None: 1}
    check_books(table, round_settled=1, session_finished=1)
    assert table.see()["version"] == 3


def test_two_seats_of_an_ultimate_round_decide_at_the_same_instant(http: httpx.Client, crowd: Crowd) -> None:
    table = Table.start(http, "ultimate-texas-holdem", seats=2)
    for _ in range(15):
        table.deal()
        for action in ({"type": "check"}, {"type": "check"}, {"type": "play", "multiple": 1}):
            answers = crowd(
                *((f"{table.path}/decide", {"action": action}, bearer(token)) for token in table.seats),
            )
            assert statuses(answers) == {200: 2}, [answer.text for answer in answers]
    assert table.see()["version"] == 1 + 15 * 7
    ledger = check_books(table, round_settled=15)
    assert [total["rounds"] for total in ledger["totals"]] == [15, 15]


def test_six_seats_and_their_copies_lose_no_decision(http: httpx.Client, crowd: Crowd) -> None:
    table = Table.start(http, "ultimate-texas-holdem", seats=6)
    table.deal()
    body = {"action": {"type": "play", "multiple": 4}}
    answers = crowd(
        *[(f"{table.path}/decide", body, bearer(token)) for token in table.seats for _ in range(10)]
    )
    assert statuses(answers) == {200: 6, 409: 54}
    session = table.see()
    assert (session["version"], session["round"]["stage"]) == (8, "settled")
    (entry,) = check_books(table, round_settled=1)["entries"][1:]
    staked = [{bet["bet"]: bet["staked"] for bet in row["bets"]} for row in entry["seats"]]
    assert staked == [{"ante": 2, "blind": 2, "play": 8}] * 6


def test_of_many_deals_one_deals(http: httpx.Client, crowd: Crowd) -> None:
    table = Table.start(http, "casino-holdem", rounds=3)
    for number in (1, 2, 3):
        deal: Post = (f"{table.path}/deal", {}, bearer(table.table))
        answers = crowd(*[deal] * 50)
        assert statuses(answers) == {201: 1, 409: 49}
        assert codes(answers) == {"round-in-progress"}
        (dealt,) = (answer.json() for answer in answers if answer.is_success)
        assert (dealt["number"], dealt["deal"], dealt["version"]) == (number, 1, 2 * number)
        table.decide("fold")
    check_books(table, round_settled=3, session_finished=1)


@pytest.mark.parametrize("state", ["open", "settled"])
def test_a_void_and_a_deal_at_once_come_one_after_the_other(
    http: httpx.Client, crowd: Crowd, state: str
) -> None:
    for _ in range(10):
        table = Table.start(http, "casino-holdem")
        table.deal()
        if state == "settled":
            table.decide("call")
        before = table.see()["version"]
        void, deal = crowd(
            (f"{table.path}/rounds/1/void", {"reason": "misdeal"}, {}),
            (f"{table.path}/deal", {}, bearer(table.table)),
        )
        session = table.see()
        accepted = [answer for answer in (void, deal) if answer.is_success]
        assert {answer.status_code for answer in (void, deal)} - {200, 201, 409} == set()
        assert session["version"] == before + len(accepted)
        latest = (session["round"]["number"], session["round"]["deal"], session["round"]["stage"])
        match void.is_success, deal.is_success:
            case True, True:
                assert latest == (1, 2, "flop")
            case True, False:
                assert (latest, state) == ((1, 1, "voided"), "open")
            case False, True:
                assert (latest, state) == ((2, 1, "flop"), "settled")
            case _:
                pytest.fail(f"neither: {void.text} {deal.text}")
        check_books(table, round_settled=int(state == "settled"), round_voided=int(void.is_success))


def test_of_many_voids_one_voids(http: httpx.Client, crowd: Crowd) -> None:
    table = Table.start(http, "casino-holdem")
    table.deal()
    table.decide("call")
    body = {"reason": "misdeal"}
    answers = crowd(*[(f"{table.path}/rounds/1/void", body, {})] * 50)
    assert statuses(answers) == {200: 1, 409: 49}
    ledger = check_books(table, round_settled=1, round_voided=1)
    assert (ledger["house_net"], table.see()["seats"][0]["balance"]) == (0, 0)


def test_a_decision_and_a_void_at_once_leave_the_books_whole(http: httpx.Client, crowd: Crowd) -> None:
    for _ in range(10):
        table = Table.start(http, "casino-holdem")
        table.deal()
        decide, void = crowd(
            (f"{table.path}/decide", {"action": {"type": "call"}}, bearer(table.seats[0])),
            (f"{table.path}/rounds/1/void", {"reason": "misdeal"}, {}),
        )
        assert void.status_code == 200, void.text
        assert decide.status_code in {200, 409}
        session = table.see()
        assert session["round"]["stage"] == "voided"
        assert (session["seats"][0]["balance"], session["rounds_played"]) == (0, 0)
        check_books(table, round_settled=int(decide.is_success), round_voided=1)


def test_of_many_starts_with_one_key_one_starts(http: httpx.Client, crowd: Crowd) -> None:
    body = {"game": "ultimate-texas-holdem", "seats": 3, "metadata": {"of": "this test"}}
    answers = crowd(*[("/v1/sessions", body, {"Idempotency-Key": "one-start"})] * MANY)
    assert statuses(answers) == {201: MANY}
    assert len({answer.content for answer in answers}) == 1
    replayed = Counter(answer.headers.get("Idempotency-Replayed") for answer in answers)
    assert replayed == {"true": MANY - 1, None: 1}
    started = answers[0].json()
    listed: list[Any] = []
    after: str | None = ""
    while after is not None:
        page = good(http.get("/v1/sessions", params={"limit": 100, **({"after": after} if after else {})}))
        listed += [session for session in page["sessions"] if session["metadata"] == {"of": "this test"}]
        after = page["next_after"]
    assert [session["id"] for session in listed] == [started["session"]["id"]]
    table = Table(
        http, started["session"]["id"], started["tokens"]["table"], tuple(started["tokens"]["seats"])
    )
    assert table.deal()["number"] == 1


def test_of_many_bodies_under_one_key_one_is_taken_and_the_others_are_told(
    http: httpx.Client, crowd: Crowd
) -> None:
    table = Table.start(http, "casino-holdem")
    headers = bearer(table.table) | {"Idempotency-Key": "taken"}
    requests = [(f"{table.path}/deal", {"client_seed": str(i)}, headers) for i in range(30)]
    answers = crowd(*requests)
    assert statuses(answers) == {201: 1, 422: 29}
    assert codes(answers) == {"idempotency-key-reused"}
    (dealt,) = (i for i, answer in enumerate(answers) if answer.is_success)
    assert table.see()["round"]["fairness"]["client_seed"] == str(dealt)


def test_two_seats_of_a_no_limit_hand_cannot_both_have_the_turn(http: httpx.Client, crowd: Crowd) -> None:
    table = Table.start(http, "no-limit-holdem", seats=3)
    for _ in range(5):
        (turn,) = table.deal()["to_act"]
        body = {"action": {"type": "fold"}, "version": table.see()["version"]}
        answers = crowd(*((f"{table.path}/decide", body, bearer(t)) for t in table.seats))
        assert [answer.status_code == 200 for answer in answers] == [seat == turn for seat in (1, 2, 3)]
        assert codes(answers) <= {"not-your-turn", "stale-version"}
        while (view := table.see()["round"])["stage"] != "settled":
            table.decide("fold", *view["to_act"])
    stacks = [seat["stack"] for seat in table.see()["seats"]]
    assert sum(stacks) == 9000
