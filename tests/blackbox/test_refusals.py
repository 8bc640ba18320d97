"""What is wrong is refused in the contract's words, says where it is wrong, and changes nothing."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import httpx
import pytest

from blackbox.server import PATIENCE, running
from blackbox.table import DECK, Json, Table, bearer, good, refused

CASINO, ULTIMATE, NO_LIMIT = "casino-holdem", "ultimate-texas-holdem", "no-limit-holdem"
TOO_MUCH = 10**12 + 1


def pointers(problem: Json) -> list[str]:
    return [error["pointer"] for error in problem.get("errors", [])]


STARTS: list[tuple[Json, str]] = [
    ({}, "/game"),
    ({"game": "whist"}, "/game"),
    ({"game": CASINO, "colour": "red"}, "/colour"),
    ({"game": CASINO, "seats": 1}, "/seats"),
    *(({"game": CASINO, "ante": ante}, "/ante") for ante in (0, -1, 1.0, 1.5, "1", True, TOO_MUCH, 10**99)),
    *(({"game": CASINO, "rounds": rounds}, "/rounds") for rounds in (0, 1.0, "20")),
    ({"game": ULTIMATE, "ante": 3}, "/ante"),
    *(({"game": ULTIMATE, "seats": seats}, "/seats") for seats in (0, 7)),
    ({"game": ULTIMATE, "profile": "house"}, "/profile"),
    *(
        ({"game": ULTIMATE, "preflop_multiples": ms}, "/preflop_multiples")
        for ms in ([], [5], [4, 4], [2, 3])
    ),
    ({"game": ULTIMATE, "trips": "often"}, "/trips"),
    ({"game": ULTIMATE, "hole_card_bonus": 1}, "/hole_card_bonus"),
    ({"game": ULTIMATE, "side_bet_max": TOO_MUCH}, "/side_bet_max"),
    *(({"game": NO_LIMIT, "seats": seats}, "/seats") for seats in (1, 11)),
    ({"game": NO_LIMIT, "small_blind": 0}, "/small_blind"),
    ({"game": NO_LIMIT, "ante": -1}, "/ante"),
    ({"game": NO_LIMIT, "buy_in": 99}, "/buy_in"),
    ({"game": NO_LIMIT, "stacks": [3000]}, "/stacks"),
    ({"game": NO_LIMIT, "stacks": [3000, 3001]}, "/stacks/1"),
    ({"game": NO_LIMIT, "stacks": [99, 3000]}, "/stacks/0"),
    ({"game": CASINO, "metadata": {"a": 1}}, "/metadata/a"),
    ({"game": CASINO, "metadata": {"a": {"b": "c"}}}, "/metadata/a"),
    ({"game": CASINO, "metadata": {str(i): "x" * 100 for i in range(11)}}, "/metadata"),
    ({"game": CASINO, "players": ["one", "two"]}, "/players"),
    ({"game": CASINO, "players": ["x" * 65]}, "/players/0"),
    ({"game": CASINO, "decision_seconds": 0}, "/decision_seconds"),
    ({"game": CASINO, "sandbox": "true"}, "/sandbox"),
]


def named(cases: list[Any]) -> list[str]:
    return [json.dumps(case[0])[:60] for case in cases]


@pytest.mark.parametrize(("body", "pointer"), STARTS, ids=named(STARTS))
def test_a_session_that_cannot_be_is_not_started(http: httpx.Client, body: Json, pointer: str) -> None:
    key = {"Idempotency-Key": f"refused-{json.dumps(body)[:99].replace(' ', '')}"}
    problem = refused(http.post("/v1/sessions", json=body, headers=key), 400, "invalid-request")
    assert pointers(problem)[0] == pointer
    # A refusal is not stored: the key is as good as new.
    good(http.post("/v1/sessions", json={"game": CASINO}, headers=key), 201)


def test_a_progressive_bet_and_chosen_cards_do_not_go_together(http: httpx.Client) -> None:
    body = {"game": ULTIMATE, "trips": "progressive", "sandbox": True}
    problem = refused(http.post("/v1/sessions", json=body), 400, "invalid-request")
    assert pointers(problem)[0] in {"/trips", "/sandbox"}


BODIES: list[tuple[bytes, int, str]] = [
    (b"", 400, "invalid-request"),
    (b"{", 400, "invalid-request"),
    (b"[]", 400, "invalid-request"),
    (b"null", 400, "invalid-request"),
    (b"\xff\xfe", 400, "invalid-request"),
    (b'{"game": "casino-holdem", "ante": NaN}', 400, "invalid-request"),
    (b'{"game": "casino-holdem", "ante": 1e0}', 400, "invalid-request"),
    (b'{"game": "casino-holdem", "game": "whist"}', 400, "invalid-request"),
    (b'{"game": "casino-holdem", "metadata": {"a": "\\ud800"}}', 400, "invalid-request"),
    (b"[" * 10_000 + b"]" * 10_000, 400, "invalid-request"),
    (b'{"metadata": ' * 960 + b"1" + b"}" * 960, 400, "invalid-request"),
    (b'{"game": "casino-holdem", "ante": ' + b"9" * 5000 + b"}", 400, "invalid-request"),
    (b" " * (1 << 20) + b"{}", 413, "payload-too-large"),
]


@pytest.mark.parametrize(("content", "status", "code"), BODIES, ids=[repr(case[0][:40]) for case in BODIES])
def test_a_body_that_is_no_request_is_refused(
    http: httpx.Client, content: bytes, status: int, code: str
) -> None:
    refused(
        http.post("/v1/sessions", content=content, headers={"Content-Type": "application/json"}), status, code
    )


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Content-Type": "text/plain"}, 415, "unsupported-media-type"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415, "unsupported-media-type"),
        ({"Accept": "text/html"}, 406, "not-acceptable"),
        ({"Authorization": "Bearer nobody"}, 401, "unauthorized"),
        ({"Authorization": "Basic bG9jYWw6"}, 401, "unauthorized"),
        ({"Idempotency-Key": ""}, 400, "invalid-request"),
        ({"Idempotency-Key": "x" * 256}, 400, "invalid-request"),
        ({"Idempotency-Key": "two words"}, 400, "invalid-request"),
        ({"Host": "casino.example"}, 403, "forbidden"),
    ],
)
def test_headers_that_do_not_fit_are_refused(
    http: httpx.Client, headers: dict[str, str], status: int, code: str
) -> None:
    content = b'{"game": "casino-holdem"}'
    answer = http.post(
        "/v1/sessions", content=content, headers={"Content-Type": "application/json"} | headers
    )
    refused(answer, status, code)
    assert ("www-authenticate" in answer.headers) == (status == 401)


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("PUT", "/v1/sessions", 405, "method-not-allowed"),
        ("DELETE", "/v1/sessions/{}", 405, "method-not-allowed"),
        ("GET", "/v1/sessions/{}/deal", 405, "method-not-allowed"),
        ("PATCH", "/v1/games", 405, "method-not-allowed"),
        ("GET", "/v1/nothing", 404, "not-found"),
        ("GET", "/v1/games/whist", 404, "not-found"),
        ("GET", "/v1/sessions/nobody", 404, "not-found"),
        ("GET", "/v1/sessions/%00", 404, "not-found"),
        ("GET", "/v1/sessions/%ff%fe", 404, "not-found"),
        ("GET", "/v1/sessions/{}/rounds/1", 404, "not-found"),
        ("GET", "/v1/sessions/{}/rounds/" + "9" * 50, 404, "not-found"),
        ("GET", "/problems/none", 404, "not-found"),
        ("GET", "/v1/sessions?limit=0", 400, "invalid-request"),
        ("GET", "/v1/sessions?limit=many", 400, "invalid-request"),
        ("GET", "/v1/sessions?after=%00", 400, "invalid-request"),
        ("GET", "/v1/sessions/{}/rounds?limit=0", 400, "invalid-request"),
        ("GET", "/v1/sessions/{}/rounds?after=-1", 400, "invalid-request"),
        ("GET", "/v1/sessions/{}/ledger?limit=" + "9" * 50, 400, "invalid-request"),
        ("GET", "/v1/sessions/{}/ledger?after=x", 400, "invalid-request"),
    ],
)
def test_paths_methods_and_queries_that_are_not_there_are_refused(
    http: httpx.Client, method: str, path: str, status: int, code: str
) -> None:
    table = Table.start(http, CASINO)
    answer = http.request(method, path.format(table.id))
    problem = refused(answer, status, code)
    assert problem["instance"].startswith("/")
    assert ("allow" in answer.headers) == (status == 405)


def test_every_code_has_a_page_that_says_what_to_do(http: httpx.Client) -> None:
    codes = """invalid-request unauthorized forbidden not-found method-not-allowed not-acceptable
        round-in-progress no-round not-enough-seats not-your-turn illegal-action session-finished
        stale-version
        payload-too-large unsupported-media-type idempotency-key-reused too-many-requests store-unavailable"""
    for code in codes.split():
        page = http.get(f"/problems/{code}")
        assert page.status_code == 200, code
        assert len(page.text) > 80


Say: TypeAlias = tuple[str, Any, Callable[[Table], str | None], int, str, str | None]
"""A verb, a body, the credential, and the refusal: status, code, pointer."""


def seat(number: int) -> Callable[[Table], str]:
    return lambda table: table.seats[number - 1]


def table_token(table: Table) -> str:
    return table.table


def operator(table: Table) -> None:
    return None


def stranger(table: Table) -> str:
    return Table.start(table.http, CASINO).table


CALL, CHECK = {"action": {"type": "call"}}, {"action": {"type": "check"}}
REASON = {"reason": "misdeal"}
BAD, NO = "invalid-request", None

BEFORE_A_DEAL: list[Say] = [
    ("decide", CHECK, seat(1), 409, "no-round", NO),
    ("deal", {}, seat(1), 403, "forbidden", NO),
    ("deal", {}, operator, 403, "forbidden", NO),
    ("deal", {}, stranger, 401, "unauthorized", NO),
    ("deal", {"version": 2}, table_token, 409, "stale-version", NO),
    ("deal", {"version": 1.0}, table_token, 400, BAD, "/version"),
    ("deal", {"cut": 5}, table_token, 400, BAD, "/cut"),
    ("deal", {"sit_out": [1, 2]}, table_token, 409, "not-enough-seats", NO),
    ("deal", {"sit_out": [3]}, table_token, 400, BAD, "/sit_out/0"),
    ("deal", {"bets": [{"seat": 1}, {"seat": 1}]}, table_token, 400, BAD, "/bets"),
    ("deal", {"bets": [{"seat": 3}]}, table_token, 400, BAD, "/bets/0/seat"),
    ("deal", {"bets": [{"seat": 1}], "sit_out": [1]}, table_token, 400, BAD, "/bets/0/seat"),
    ("deal", {"bets": [{"seat": 1, "trips": -1}]}, table_token, 400, BAD, "/bets/0/trips"),
    ("deal", {"bets": [{"seat": 1, "trips": 1001}]}, table_token, 400, BAD, "/bets/0/trips"),
    ("deal", {"bets": [{"seat": 1, "luck": 1}]}, table_token, 400, BAD, "/bets/0/luck"),
    ("deal", {"deck": ["Ah", "Ah"]}, table_token, 400, BAD, "/deck"),
    ("deal", {"deck": ["10h"]}, table_token, 400, BAD, "/deck/0"),
    ("deal", {"deck": ["ah"]}, table_token, 400, BAD, "/deck/0"),
    ("deal", {"deck": [*DECK, "Ah"]}, table_token, 400, BAD, "/deck"),
    ("rounds/1/void", REASON, operator, 404, "not-found", NO),
    ("seats/1", {"do": "dance"}, seat(1), 400, BAD, "/do"),
    ("seats/1", {"do": "rebuy"}, seat(1), 400, BAD, "/amount"),
    ("seats/1", {"do": "rebuy", "amount": 0}, seat(1), 400, BAD, "/amount"),
    ("seats/1", {"do": "rebuy", "amount": 5}, seat(1), 409, "illegal-action", NO),
    ("seats/1", {"do": "client_seed", "value": "x" * 129}, seat(1), 400, BAD, "/value"),
    ("seats/1", {"do": "sit_out", "amount": 1}, seat(1), 400, BAD, "/amount"),
    ("seats/2", {"do": "sit_out"}, seat(1), 403, "forbidden", NO),
    ("seats/2", {"do": "new_token"}, seat(1), 403, "forbidden", NO),
    ("seats/3", {"do": "sit_out"}, table_token, 404, "not-found", NO),
    ("close", {"now": True}, table_token, 400, BAD, "/now"),
    ("close", {}, seat(1), 403, "forbidden", NO),
]

IN_A_ROUND: list[Say] = [
    ("deal", {}, table_token, 409, "round-in-progress", NO),
    ("close", {}, table_token, 409, "round-in-progress", NO),
    ("rounds/1/void", REASON, table_token, 403, "forbidden", NO),
    ("rounds/1/void", REASON, seat(1), 403, "forbidden", NO),
    ("rounds/1/void", {}, operator, 400, BAD, "/reason"),
    ("rounds/1/void", {"reason": 5}, operator, 400, BAD, "/reason"),
    ("rounds/2/void", REASON, operator, 404, "not-found", NO),
    ("decide", CHECK, table_token, 403, "forbidden", NO),
    ("decide", {"seat": 1, **CHECK}, operator, 403, "forbidden", NO),
    ("decide", CHECK, stranger, 401, "unauthorized", NO),
    ("decide", {"seat": 2, **CHECK}, seat(1), 403, "forbidden", NO),
    ("decide", {}, seat(1), 400, BAD, "/action"),
    ("decide", {"action": "check"}, seat(1), 400, BAD, "/action"),
    ("decide", {"action": {"type": "wink"}}, seat(1), 400, BAD, "/action/type"),
    ("decide", {"action": {"type": "play"}}, seat(1), 400, BAD, "/action/multiple"),
    ("decide", {"action": {"type": "play", "multiple": "4"}}, seat(1), 400, BAD, "/action/multiple"),
    ("decide", {"action": {"type": "play", "multiple": 4.0}}, seat(1), 400, BAD, "/action/multiple"),
    ("decide", {"action": {"type": "check", "to": 5}}, seat(1), 400, BAD, "/action/to"),
    ("decide", {"action": {"type": "bet", "to": TOO_MUCH}}, seat(1), 400, BAD, "/action/to"),
    ("decide", {"seat": "1", **CHECK}, seat(1), 400, BAD, "/seat"),
    ("decide", {"again": 1, **CHECK}, seat(1), 400, BAD, "/again"),
    ("decide", {"version": 1, **CHECK}, seat(1), 409, "stale-version", NO),
    ("decide", {"round": 2, **CHECK}, seat(1), 409, "stale-version", NO),
    ("decide", {"action": {"type": "fold"}}, seat(1), 409, "illegal-action", NO),
    ("decide", CALL, seat(1), 409, "illegal-action", NO),
    ("decide", {"action": {"type": "bet", "to": 8}}, seat(1), 409, "illegal-action", NO),
    ("decide", {"action": {"type": "play", "multiple": 3}}, seat(1), 409, "illegal-action", NO),
    ("decide", CHECK, seat(2), 409, "not-your-turn", NO),
]


def check_refusal(table: Table, said: Say) -> Json:
    verb, body, who, status, code, pointer = said
    before = table.see(), table.ledger()["entries"]
    problem = refused(table.post(verb, body, who(table)), status, code)
    assert pointers(problem)[:1] == ([pointer] if pointer is not None else [])
    assert (table.see(), table.ledger()["entries"]) == before
    if status == 409:
        assert problem.get("version", before[0]["version"]) == before[0]["version"]
    return problem


@pytest.mark.parametrize("said", BEFORE_A_DEAL, ids=[f"{s[0]} {str(s[1])[:50]}" for s in BEFORE_A_DEAL])
def test_before_a_deal(http: httpx.Client, said: Say) -> None:
    check_refusal(Table.start(http, ULTIMATE, seats=2, sandbox=True), said)


@pytest.mark.parametrize("said", IN_A_ROUND, ids=[f"{s[0]} {str(s[1])[:50]}" for s in IN_A_ROUND])
def test_in_a_round_where_one_seat_has_decided(http: httpx.Client, said: Say) -> None:
    table = Table.start(http, ULTIMATE, seats=2)
    table.deal()
    table.decide("play", 2, multiple=4)
    problem = check_refusal(table, said)
    if problem["code"] == "illegal-action":
        assert problem["legal_actions"] == table.see(table.seats[0])["round"]["legal_actions"]


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"type": "check"}, "illegal-action"),
        ({"type": "bet", "to": 300}, "illegal-action"),
        ({"type": "raise", "to": 199}, "illegal-action"),
        ({"type": "raise", "to": 3001}, "illegal-action"),
        ({"type": "play", "multiple": 4}, "illegal-action"),
    ],
)
def test_a_no_limit_bet_out_of_bounds_is_refused_with_the_bounds(
    http: httpx.Client, action: Json, code: str
) -> None:
    table = Table.start(http, NO_LIMIT, seats=3)
    table.deal()
    problem = check_refusal(table, ("decide", {"action": action}, seat(1), 409, code, None))
    assert {"type": "raise", "min_to": 200, "max_to": 3000} in problem["legal_actions"]
    check_refusal(table, ("decide", {"action": {"type": "fold"}}, seat(2), 409, "not-your-turn", None))


def test_only_a_sandbox_session_takes_a_deck(http: httpx.Client) -> None:
    check_refusal(Table.start(http, CASINO), ("deal", {"deck": ["Ah"]}, table_token, 400, BAD, "/deck"))


@pytest.mark.parametrize("ended", ["finished", "closed"])
def test_nothing_more_happens_in_a_session_that_has_ended(http: httpx.Client, ended: str) -> None:
    table = Table.start(http, CASINO, rounds=1)
    if ended == "finished":
        table.deal()
        table.decide("fold")
    else:
        good(table.post("close", {}, table.table))
    assert table.see()["status"] == ended
    said: list[Say] = [
        ("deal", {}, table_token, 409, "session-finished", NO),
        ("decide", CALL, seat(1), 409, "session-finished", NO),
        ("seats/1", {"do": "sit_out"}, seat(1), 409, "session-finished", NO),
    ]
    if ended == "finished":
        said.append(("rounds/1/void", REASON, operator, 409, "session-finished", NO))
    for one in said:
        check_refusal(table, one)


def test_a_key_with_another_body_is_refused_and_another_caller_s_key_is_another_key(
    http: httpx.Client,
) -> None:
    table = Table.start(http, ULTIMATE, seats=2)
    key = {"Idempotency-Key": "key"}
    dealt = table.post("deal", {"client_seed": "a"}, table.table, **key)
    assert dealt.status_code == 201
    refused(table.post("deal", {"client_seed": "b"}, table.table, **key), 422, "idempotency-key-reused")
    spaced = http.post(
        f"{table.path}/deal",
        content=b'{ "client_seed" : "\\u0061" }',
        headers=bearer(table.table) | key | {"Content-Type": "application/json"},
    )
    assert (spaced.content, spaced.headers["Idempotency-Replayed"]) == (dealt.content, "true")
    for token in table.seats:
        assert "Idempotency-Replayed" not in table.post("decide", CHECK, token, **key).headers
    assert table.see()["version"] == 4


def test_operators_need_their_keys_and_see_their_own_sessions_alone() -> None:
    keys = {name: f"{name}-{'k' * 32}" for name in ("north", "south")}
    listed = ",".join(f"{name}:{key}" for name, key in keys.items())
    with (
        running(CROUPIER_OPERATOR_KEYS=listed) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as http,
    ):
        for headers in ({}, bearer("north"), bearer(keys["north"] + "x")):
            refused(http.post("/v1/sessions", json={"game": CASINO}, headers=headers), 401, "unauthorized")
        mine, yours = bearer(keys["north"]), bearer(keys["south"])
        started = good(http.post("/v1/sessions", json={"game": CASINO}, headers=mine), 201)
        path = f"/v1/sessions/{started['session']['id']}"
        good(http.get(path, headers=mine))
        for rest in ("", "/ledger", "/rounds"):
            refused(http.get(path + rest, headers=yours), 404, "not-found")
            refused(http.get(path + rest), 401, "unauthorized")
        refused(http.post(f"{path}/close", json={}, headers=yours), 404, "not-found")
        assert good(http.get("/v1/sessions", headers=yours))["sessions"] == []
        assert len(good(http.get("/v1/sessions", headers=mine))["sessions"]) == 1
        for public in ("/v1/games", "/problems/forbidden", "/health/live"):
            assert http.get(public).status_code == 200
        assert keys["north"].encode() not in server.said()
