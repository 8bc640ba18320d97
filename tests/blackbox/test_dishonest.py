"""What a dishonest player, a neighbour or an operator's own front end may try, and what it gains: nothing.

Each test is an attempt that somebody made on a running server, under its own name in SECURITY.md.
"""

import socket
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from blackbox.crowd import race
from blackbox.server import PATIENCE, Server, running
from blackbox.table import Json, Table, bearer, commitment, good, refused, shuffled

HOUSE, RIVAL, METRICS = "the-key-of-the-house-itself", "the-key-of-a-rival-of-it", "the-key-of-the-metrics"
KEYS = {"CROUPIER_OPERATOR_KEYS": f"house:{HOUSE},rival:{RIVAL}", "CROUPIER_METRICS_KEY": METRICS}
LOST = "2c 7d | As Ah | Ad Kc Kh | 9s | 4d"
"""A hand of Casino Hold'em that nobody wants to have called."""


@pytest.fixture(scope="module")
def keyed() -> Iterator[Server]:
    with running("--workers", "2", **KEYS) as server:
        yield server


@pytest.fixture
def house(keyed: Server) -> Iterator[httpx.Client]:
    """The operator whose tables these are; two workers answer."""
    with httpx.Client(base_url=keyed.url, timeout=PATIENCE, trust_env=False, headers=bearer(HOUSE)) as client:
        yield client


@pytest.fixture
def together(keyed: Server) -> Callable[..., list[httpx.Response]]:
    return lambda *posts: race(keyed.url, *posts)


def verified(table: Table, round_: Json) -> list[str]:
    """The deck of a revealed round, which is the one that was committed to."""
    fairness = round_["fairness"]
    assert commitment(fairness["server_seed"]) == fairness["commitment"]
    return shuffled(fairness["server_seed"], fairness["client_seed"], table.id, round_["number"])


# ── Walking away ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", ["sit_out", "leave"])
def test_who_walks_away_from_a_losing_hand_has_lost_it(house: httpx.Client, way: str) -> None:
    table = Table.start(house, "casino-holdem", sandbox=True)
    table.deal(LOST)
    session = good(table.post("seats/1", {"do": way}, table.seats[0]))
    assert (session["round"]["stage"], session["seats"][0]["balance"]) == ("settled", -1)
    assert table.ledger()["totals"][0]["net"] == -1


def test_no_other_way_leads_out_of_a_losing_hand(house: httpx.Client) -> None:
    table = Table.start(house, "casino-holdem", sandbox=True)
    before = table.deal(LOST)
    for token in (table.seats[0], table.table):
        for verb in ("close", "deal"):
            refused(table.post(verb, {}, token), 409, "round-in-progress")
        refused(table.void(1, token), 403, "forbidden")
        refused(table.post("seats/1", {"do": "rebuy", "amount": 1}, token), 409, "illegal-action")
    good(table.post("seats/1", {"do": "client_seed", "value": "better luck"}, table.seats[0]))
    token = good(table.post("seats/1", {"do": "new_token"}, table.seats[0]))["token"]
    after = good(table.get("/rounds/1", token))
    assert (after["to_act"], after["fairness"]) == ([1], before["fairness"])


def test_an_all_in_that_is_walked_away_from_stays_in_the_pot(house: httpx.Client) -> None:
    table = Table.start(house, "no-limit-holdem", seats=2, rebuys=True, sandbox=True)
    (first,) = table.deal("Ac 2d | Ad 7h | As Kc Kh | 9s | 4d")["to_act"]
    table.decide("all_in", first)
    refused(table.post(f"seats/{first}", {"do": "rebuy", "amount": 1}, table.table), 409, "round-in-progress")
    good(table.post(f"seats/{first}", {"do": "leave"}, table.seats[first - 1]))
    table.decide("call", 3 - first)
    session = table.see()
    gone = session["seats"][first - 1]
    assert (gone["status"], gone["stack"]) == ("left", 0)
    assert sum(seat["balance"] for seat in session["seats"]) == 0
    assert abs(gone["balance"]) == 3000


def test_no_neighbour_can_make_a_decision_stale_that_names_its_round(house: httpx.Client) -> None:
    table = Table.start(house, "no-limit-holdem", seats=2, decision_seconds=60)
    dealt = table.deal()
    (turn,) = dealt["to_act"]
    for text in range(5):
        body = {"do": "client_seed", "value": str(text)}
        good(table.post(f"seats/{3 - turn}", body, table.seats[2 - turn]))
    body = {"action": {"type": "call"}, "version": dealt["version"]}
    refused(table.post("decide", body, table.seats[turn - 1]), 409, "stale-version")
    body = {"action": {"type": "call"}, "round": dealt["number"]}
    good(table.post("decide", body, table.seats[turn - 1]))


# ── Voids ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_void_tells_nothing_of_the_deal_that_follows(house: httpx.Client) -> None:
    table = Table.start(house, "casino-holdem")
    first = table.deal(client_seed="mine")
    good(table.void(1))
    seen = table.round(1, table.seats[0])
    promised = table.see()["next_commitment"]
    assert promised == first["next_commitment"] != first["fairness"]["commitment"]
    again = table.deal(client_seed="mine")
    assert (again["number"], again["deal"], again["fairness"]["commitment"]) == (1, 2, promised)
    table.decide("fold")
    assert verified(table, table.round(1)) != verified(table, seen)


def test_voided_hands_of_no_limit_keep_their_seeds_and_cards_till_the_session_ends(
    house: httpx.Client,
) -> None:
    table = Table.start(house, "no-limit-holdem", seats=3)
    table.deal()
    good(table.void(1))
    (turn,) = table.deal()["to_act"]
    table.decide("fold", turn)
    table.decide("fold", *table.see()["round"]["to_act"])
    good(table.void(1))
    for viewer, token in enumerate((HOUSE, *table.seats)):
        for deal in (1, 2):
            round_ = table.round(1, token, deal)
            assert round_["fairness"]["server_seed"] is None
            assert {s["seat"] for s in round_["seats"] if s["hole"]} == ({viewer} if viewer else set())
            phh = table.get(f"/rounds/1?deal={deal}&format=phh", token).text
            assert phh.count("d dh") == 3
            assert phh.count("????") == (2 if viewer else 3)
    good(table.post("close", {}, HOUSE))
    assert verified(table, table.round(1, deal=1)) != verified(table, table.round(1, deal=2))


# ── Client seeds ─────────────────────────────────────────────────────────────────────────────────────────


def test_no_neighbour_reads_a_seats_text_before_the_deal(house: httpx.Client) -> None:
    table = Table.start(house, "ultimate-texas-holdem", seats=2)
    good(table.post("seats/1", {"do": "client_seed", "value": "known-to-one"}, table.seats[0]))
    for token in (HOUSE, table.table, *table.seats):
        for path in ("", "/ledger", "/rounds", "/events?wait=0", "/events?wait=0&after=1"):
            answer = table.get(path, token)
            assert answer.is_success
            assert "known-to-one" not in answer.text
    assert table.deal()["fairness"]["client_seed"] == "|1:known-to-one"


def test_texts_that_make_the_same_seed_make_different_decks(house: httpx.Client) -> None:
    table = Table.start(house, "ultimate-texas-holdem", seats=2)
    decks = []
    for whole, parts in (
        ("a|1:b|2:c", ()),
        ("a", ("b", "c")),
        ("a|1:b", (None, "c")),
        ("a", ("b|2:c", None)),
    ):
        for seat, text in enumerate(parts, 1):
            if text is not None:
                body = {"do": "client_seed", "value": text}
                good(table.post(f"seats/{seat}", body, table.seats[seat - 1]))
        promised = table.see()["next_commitment"]
        round_ = table.deal(client_seed=whole)
        assert round_["fairness"]["commitment"] == promised
        assert round_["fairness"]["client_seed"] == "a|1:b|2:c"
        for action in ("check", "check", "fold"):
            for seat in (1, 2):
                table.decide(action, seat)
        decks.append(verified(table, table.round(round_["number"])))
    assert len({tuple(deck) for deck in decks}) == 4


@pytest.mark.parametrize(
    "text", ["x:y|1:z", "\u202eevil\u2066", "e\u0301", "\u00e9", "\uff21", "a\r\nb", '"}\\']
)
def test_a_text_is_taken_as_it_is_and_not_as_it_looks(house: httpx.Client, text: str) -> None:
    table = Table.start(house, "casino-holdem")
    good(table.post("seats/1", {"do": "client_seed", "value": text}, table.seats[0]))
    dealt = table.deal(client_seed=text)
    assert dealt["fairness"]["client_seed"] == f"{text}|1:{text}"
    hole = table.see(table.seats[0])["round"]["seats"][0]["hole"]
    table.decide("fold")
    assert verified(table, table.round(1))[:2] == hole


def test_a_refused_deal_gives_no_second_look(house: httpx.Client) -> None:
    table = Table.start(house, "ultimate-texas-holdem")
    promised = table.see()["next_commitment"]
    for text in range(20):
        body: Json = {"client_seed": str(text), "bets": [{"seat": 1, "trips": 10**12}]}
        answer = refused(table.post("deal", body, table.table), 400, "invalid-request")
        assert set(answer) == {"type", "title", "status", "detail", "instance", "code", "errors"}
        refused(
            table.post("deal", {"version": 9, "client_seed": str(text)}, table.table), 409, "stale-version"
        )
    assert table.see()["next_commitment"] == promised
    assert table.deal()["fairness"]["commitment"] == promised


# ── Races ────────────────────────────────────────────────────────────────────────────────────────────────


def test_deciding_while_leaving_gives_one_outcome(
    house: httpx.Client, together: Callable[..., list[httpx.Response]]
) -> None:
    for _ in range(5):
        table = Table.start(house, "casino-holdem", sandbox=True)
        table.deal(LOST)
        own = bearer(table.seats[0])
        decide, leave = together(
            (f"{table.path}/decide", {"action": {"type": "call"}}, own),
            (f"{table.path}/seats/1", {"do": "leave"}, own),
        )
        assert leave.status_code == 200
        session = table.see()
        assert session["seats"][0]["balance"] == (-3 if decide.is_success else -1)
        types = [entry["type"] for entry in table.ledger()["entries"]]
        assert types.count("round_settled") == types.count("left") == 1


def test_a_text_that_races_the_deal_goes_into_this_deck_or_the_next(
    house: httpx.Client, together: Callable[..., list[httpx.Response]]
) -> None:
    table = Table.start(house, "casino-holdem")
    for number in range(1, 6):
        own = bearer(table.seats[0])
        deal, text = together(
            (f"{table.path}/deal", {}, own),
            (f"{table.path}/seats/1", {"do": "client_seed", "value": f"late {number}"}, own),
        )
        assert (deal.status_code, text.status_code) == (201, 200)
        mixed = deal.json()["fairness"]["client_seed"].endswith(f"|1:late {number}")
        assert mixed == (deal.json()["version"] > text.json()["version"])
        table.decide("fold")
        verified(table, table.round(number))


def test_a_renewal_that_races_a_decision_lets_one_token_go_on(
    house: httpx.Client, together: Callable[..., list[httpx.Response]]
) -> None:
    for _ in range(5):
        table = Table.start(house, "casino-holdem")
        table.deal()
        own = bearer(table.seats[0])
        decide, *renewals = together(
            (f"{table.path}/decide", {"action": {"type": "fold"}}, own),
            *[(f"{table.path}/seats/1", {"do": "new_token"}, own)] * 3,
        )
        assert decide.status_code in (200, 401)
        assert sorted(answer.status_code for answer in renewals) == [200, 401, 401]
        (token,) = (answer.json()["token"] for answer in renewals if answer.is_success)
        refused(table.get("", table.seats[0]), 401, "unauthorized")
        assert (table.see(token)["round"]["stage"] == "settled") == decide.is_success


# ── Replays ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_key_finds_nothing_for_another_caller_on_another_path_or_after_a_renewal(
    house: httpx.Client,
) -> None:
    table, other = (Table.start(house, "ultimate-texas-holdem", seats=2) for _ in range(2))
    key = {"Idempotency-Key": "seen-over-a-shoulder"}
    good(table.post("deal", {}, table.table, **key), 201)
    other.deal()
    body = {"action": {"type": "check"}}
    given = table.post("decide", body, table.seats[0], **key)
    assert given.json()["seats"][0]["hole"]

    def told(answer: httpx.Response) -> Any:
        assert "idempotency-replayed" not in answer.headers
        return answer

    refused(told(table.post("deal", {}, table.seats[0], **key)), 403, "forbidden")
    refused(told(table.post("decide", body, table.table, **key)), 403, "forbidden")
    neighbours = told(table.post("decide", body, table.seats[1], **key)).json()
    assert [seat["hole"] is None for seat in neighbours["seats"]] == [True, False]
    refused(told(other.post("decide", body, table.seats[0], **key)), 401, "unauthorized")
    assert table.post("decide", body, table.seats[0], **key).headers["idempotency-replayed"] == "true"
    token = good(table.post("seats/1", {"do": "new_token"}, table.seats[0]))["token"]
    refused(told(table.post("decide", body, table.seats[0], **key)), 401, "unauthorized")
    assert told(table.post("decide", body, token, **key)).is_success


def test_a_key_starts_a_session_of_its_own_for_each_operator(house: httpx.Client) -> None:
    body, key = {"game": "casino-holdem"}, {"Idempotency-Key": "table-7"}
    mine = good(house.post("/v1/sessions", json=body, headers=key), 201)
    theirs = house.post("/v1/sessions", json=body, headers=bearer(RIVAL) | key)
    assert theirs.status_code == 201
    assert "idempotency-replayed" not in theirs.headers
    assert theirs.json()["session"]["id"] != mine["session"]["id"]


def test_the_tokens_of_a_deleted_session_open_none_that_has_its_id_again() -> None:
    with (
        running(CROUPIER_RETENTION_SECONDS="1", CROUPIER_ANSWER_SECONDS="1") as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as http,
    ):
        body, key = {"game": "casino-holdem"}, {"Idempotency-Key": "table-7"}
        first = good(http.post("/v1/sessions", json=body, headers=key), 201)
        path = f"/v1/sessions/{first['session']['id']}"
        good(http.post(f"{path}/close", json={}))
        deadline = time.monotonic() + PATIENCE
        while http.get(path).status_code != 404 or http.post(
            "/v1/sessions", json=body, headers=key
        ).headers.get("idempotency-replayed"):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert http.get(path).is_success
        for token in (first["tokens"]["table"], *first["tokens"]["seats"]):
            refused(http.get(path, headers=bearer(token)), 401, "unauthorized")


# ── What lies open ───────────────────────────────────────────────────────────────────────────────────────


def test_an_open_hand_moves_no_number_that_anybody_reads(keyed: Server, house: httpx.Client) -> None:
    def numbers() -> tuple[list[str], Any, Any]:
        lines = good_text(house.get("/metrics", headers=bearer(METRICS))).splitlines()
        books = [line for line in lines if line.startswith(("croupier_rounds", "croupier_house"))]
        report = good(house.get("/v1/reports/rounds"))["games"]
        return books, report, good(house.get("/v1/jackpots"))

    table = Table.start(house, "ultimate-texas-holdem", trips="progressive")
    before = numbers()
    assert before[0]
    table.deal(bets=[{"seat": 1, "trips": 1}])
    table.decide("check")
    assert numbers() == before
    table.decide("check")
    table.decide("fold")
    assert [old != new for old, new in zip(before, numbers(), strict=True)] == [True] * 3


def good_text(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.parametrize(
    ("game", "decks"),
    [
        ("casino-holdem", ("Ah Kd | 2c 2d | 9s 8h 7c | 2h 2s", "Ah Kd | As Ac | 9s 8h 7c | Ad Ks")),
        ("ultimate-texas-holdem", ("Ah Kd | 2c 2d | 3c 3d", "Ah Kd | As Ac | Ad Kc | Kh Ks")),
    ],
)
def test_advice_is_the_same_whatever_lies_hidden(
    house: httpx.Client, game: str, decks: tuple[str, str]
) -> None:
    seats = {} if game == "casino-holdem" else {"seats": 2}
    told = set()
    for deck in decks:
        table = Table.start(house, game, sandbox=True, **seats)
        table.deal(deck)
        told.add(good_text(table.get("/advice", table.seats[0])))
        for token in (HOUSE, table.table):
            refused(table.get("/advice", token), 403, "forbidden")
    assert len(told) == 1


def test_every_viewer_has_the_same_entity_tag_and_reading_moves_none(house: httpx.Client) -> None:
    table = Table.start(house, "no-limit-holdem", seats=2)
    table.deal()
    for path in ("", "/rounds/1", "/ledger", "/rounds"):
        answers = [table.get(path, token) for token in (HOUSE, table.table, *table.seats) * 2]
        assert {answer.headers["etag"] for answer in answers} == {'"2"'}
        assert {answer.headers["cache-control"] for answer in answers} == {"private, no-store"}
        for stranger in (RIVAL, "tbl_" + "A" * 43):
            known = house.get(table.path + path, headers=bearer(stranger) | {"If-None-Match": '"2"'})
            assert known.status_code in (401, 404)
            assert "etag" not in known.headers


def test_a_refusal_tells_a_neighbour_no_action_of_who_is_in_turn(house: httpx.Client) -> None:
    table = Table.start(house, "no-limit-holdem", seats=2)
    (turn,) = table.deal()["to_act"]
    body = {"action": {"type": "all_in"}}
    problem = refused(table.post("decide", body, table.seats[2 - turn]), 409, "not-your-turn")
    assert problem["legal_actions"] == []
    problem = refused(table.post("decide", {"seat": turn, **body}, table.seats[2 - turn]), 403, "forbidden")
    assert "legal_actions" not in problem


# ── Open mode ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("target", "host"),
    [
        (b"/v1/sessions", b"evil.example"),
        (b"/v1/sessions", b"localhost."),
        (b"/v1/sessions", b"127.0.0.1.evil.example"),
        (b"/v1/sessions", b"evil.example@127.0.0.1"),
        (b"/v1/sessions", b"[::ffff:127.0.0.1]"),
        (b"/v1/sessions", b"0.0.0.0"),
        (b"/v1/sessions", b"localhost evil.example"),
        (b"/v1/sessions", b"evil.example\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost"),
        (b"http://localhost/v1/sessions", b"evil.example"),
    ],
)
def test_no_dress_of_a_strange_name_opens_a_server_without_keys(
    server: Server, target: bytes, host: bytes
) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port or 0), PATIENCE) as link:
        link.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: " + host + b"\r\nConnection: close\r\n\r\n")
        assert link.makefile("rb").readline().split()[1] in (b"400", b"403")
