"""What requests may say, and that a refusal names what is wrong."""

from collections.abc import AsyncIterator

import pytest

from api.conftest import Api, code
from croupier.api.reading import nesting_exceeds, pointer_to

CASINO = '{"game": "casino-holdem", %s}'


async def start(api: Api, body: bytes | str, content_type: str = "application/json"):
    return await api.http.post("/v1/sessions", content=body, headers={"Content-Type": content_type})


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (CASINO % '"ante": 1.0', "/ante"),
        (CASINO % '"ante": 1e3', "/ante"),
        (CASINO % '"ante": true', "/ante"),
        (CASINO % '"ante": "1"', "/ante"),
        (CASINO % '"ante": null', "/ante"),
        (CASINO % '"ante": 0', "/ante"),
        (CASINO % '"ante": -1', "/ante"),
        (CASINO % '"ante": NaN', "/ante"),
        (CASINO % '"ante": Infinity', "/ante"),
        (CASINO % f'"ante": {"9" * 100}', "/ante"),
        (CASINO % f'"ante": {"9" * 5000}', "/ante"),
        (CASINO % f'"ante": -{"9" * 5000}', "/ante"),
        (CASINO % '"ante": 1, "ante": 1', "/ante"),
        (CASINO % '"Ante": 1', "/Ante"),
        (CASINO % '"sandbox": 1', "/sandbox"),
        (CASINO % '"sandbox": "true"', "/sandbox"),
        (CASINO % '"decision_seconds": 0', "/decision_seconds"),
        (CASINO % '"metadata": {"a": "x", "a": "y"}', "/metadata/a"),
        (CASINO % '"metadata": {"a/b~c": 1}', "/metadata/a~1b~0c"),
        (CASINO % '"metadata": {"": "x"}', "/metadata/"),
        (CASINO % '"metadata": {"[key]": 1}', "/metadata/[key]"),
        (CASINO % r'"metadata": {"a": "\u0000"}', "/metadata/a"),
        (CASINO % r'"metadata": {"a": "\ud800"}', "/metadata/a"),
        (CASINO % r'"metadata": {"\udc00": "a"}', "/metadata/?"),
        (CASINO % f'"metadata": {{"a": "{"x" * 1025}"}}', "/metadata/a"),
        (CASINO % f'"metadata": {{"a": "{"x" * 600}", "b": "{"x" * 600}"}}', "/metadata"),
        (CASINO % '"players": []', "/players"),
        (CASINO % '"players": ["a", "b"]', "/players"),
        (CASINO % f'"players": ["a", "{"x" * 65}"]', "/players/1"),
        (CASINO % '"seats": 1', "/seats"),
        (CASINO % '"ante": 1000000000001', "/ante"),
        (CASINO % '"metadata": {"a": {"b": "c"}}', "/metadata/a"),
        (CASINO % f'"unknown {"x" * 1000}": 1', "/unknown " + "x" * 56),
        ('{"game": "bridge"}', "/game"),
        ('{"game": 1}', "/game"),
        ("{}", "/game"),
        ("", "/game"),
        ('{"game": "ultimate-texas-holdem", "ante": 3}', "/ante"),
        ('{"game": "ultimate-texas-holdem", "profile": "other"}', "/profile"),
        ('{"game": "ultimate-texas-holdem", "preflop_multiples": [5]}', "/preflop_multiples"),
        ('{"game": "no-limit-holdem", "seats": 11}', "/seats"),
        ('{"game": "no-limit-holdem", "stacks": [3000, "3000"]}', "/stacks/1"),
        ('{"game": "no-limit-holdem", "stacks": [3000, 3001]}', "/stacks/1"),
        ('{"game": "ultimate-texas-holdem", "preflop_multiples": 4}', "/preflop_multiples"),
        ('{"game": "ultimate-texas-holdem", "trips": "progressive", "sandbox": true}', "/sandbox"),
        ('{"game": "no-limit-holdem", "stacks": [3000]}', "/stacks"),
        ('{"game": "no-limit-holdem", "small_blind": 101}', "/small_blind"),
        ("[]", ""),
        ("null", ""),
        ("[" * 33 + "]" * 33, ""),
        ('{"a":' * 3000 + "1" + "}" * 3000, ""),
        ('{"game": "casino-holdem"', ""),
        ('{"game": "casino-holdem", "metadata": {"a": "", "a": ""}, oops', ""),
        ('{"game": "casino-holdem"}{}', ""),
        ("\ufeff{}", ""),
        (b'{"game": "\xff"}', ""),
        (b'{"game": "\xed\xa0\x80"}', ""),
    ],
)
async def test_a_bad_body_is_refused_with_a_pointer_to_the_field(
    api: Api, body: str | bytes, pointer: str
) -> None:
    answer = await start(api, body)
    assert code(answer) == (400, "invalid-request")
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]
    assert len(answer.content) < 2000


@pytest.mark.parametrize(
    ("verb", "body", "pointer"),
    [
        ("deal", {"bets": [{"seat": 1, "trips": True}]}, "/bets/0/trips"),
        ("deal", {"bets": [{"seat": 1, "tips": 5}]}, "/bets/0/tips"),
        ("deal", {"bets": [{"trips": 5}]}, "/bets/0/seat"),
        ("deal", {"bets": [{"seat": 1}, {"seat": 1}]}, "/bets"),
        ("deal", {"bets": [{"seat": 2, "trips": 1}]}, "/bets/0/seat"),
        ("deal", {"sit_out": [1, 1]}, "/sit_out"),
        ("deal", {"deck": ["Ah", "Ah"]}, "/deck"),
        ("deal", {"deck": ["10h"]}, "/deck/0"),
        ("deal", {"deck": ["AH"]}, "/deck/0"),
        ("deal", {"deck": ["Ah\n"]}, "/deck/0"),
        ("deal", {"bets": [{"seat": 1, "trips": -1}]}, "/bets/0/trips"),
        ("deal", {"bets": [{"seat": 11}]}, "/bets/0/seat"),
        ("deal", {"sit_out": ["1"]}, "/sit_out/0"),
        ("deal", {"client_seed": "x" * 129}, "/client_seed"),
        ("deal", {"client_seed": "\0"}, "/client_seed"),
        ("deal", {"version": 0}, "/version"),
        ("deal", {"number": 1}, "/number"),
        ("decide", {}, "/action"),
        ("decide", {"action": "call"}, "/action"),
        ("decide", {"action": {"kind": "call"}}, "/action/type"),
        ("decide", {"action": {"type": "double"}}, "/action/type"),
        ("decide", {"action": {"type": "call", "amount": 2}}, "/action/amount"),
        ("decide", {"action": {"type": ["call"]}}, "/action/type"),
        ("decide", {"action": {"type": "play", "multiple": True}}, "/action/multiple"),
        ("decide", {"action": {"type": "raise"}}, "/action/to"),
        ("decide", {"action": {"type": "raise", "to": 1.5}}, "/action/to"),
        ("decide", {"action": {"type": "raise", "to": 10**12 + 1}}, "/action/to"),
        ("decide", {"action": {"type": "call"}, "seat": 0}, "/seat"),
        ("rounds/1/void", {}, "/reason"),
        ("rounds/1/void", {"reason": "a\nb"}, "/reason"),
        ("seats/1", {}, "/do"),
        ("seats/1", {"do": "stand"}, "/do"),
        ("seats/1", {"do": "rebuy"}, "/amount"),
        ("seats/1", {"do": "rebuy", "amount": 0}, "/amount"),
        ("seats/1", {"do": "client_seed", "value": "x" * 129}, "/value"),
        ("seats/1", {"do": "client_seed", "value": "\0"}, "/value"),
        ("seats/1", {"do": "sit_out", "amount": 1}, "/amount"),
        ("close", {"reason": "tired"}, "/reason"),
    ],
)
async def test_every_verb_is_as_strict(api: Api, verb: str, body: object, pointer: str) -> None:
    table = await api.start("ultimate-texas-holdem")
    answer = await table.post(verb, body)
    assert code(answer) == (400, "invalid-request")
    assert [error["pointer"] for error in answer.json()["errors"]] == [pointer]


@pytest.mark.parametrize(
    ("hands", "pointer"),
    [
        ([], "/hands"),
        ([["Ah", "Kh", "Qh", "Jh"]], "/hands/0"),
        ([["2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c"]], "/hands/0"),
        ([["Ah", "Ah", "Qh", "Jh", "Th"]], "/hands/0"),
        ([["Ah", "Kh", "Qh", "Jh", "10h", "9h"]], "/hands/0/4"),
        ([["Ah", "Kh", "Qh", "Jh", "Th"]] * 1001, "/hands"),
        ("AhKhQhJhTh", "/hands"),
    ],
)
async def test_hands_are_five_to_seven_different_cards(api: Api, hands: object, pointer: str) -> None:
    answer = await api.http.post("/v1/hands/evaluate", json={"hands": hands})
    assert code(answer) == (400, "invalid-request")
    assert answer.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    ("hand", "pointer", "said"),
    [
        (["As", "Ks", "Qs", "Js"], "/hands/0", "must have 5 items or more"),
        (["As", "Ks", "Qs", "Js", "Ts", "9s", "8s", "7s"], "/hands/0", "must have 7 items or fewer"),
        (["As", "Ks", "Qs", "Js", "10s"], "/hands/0/4", "must have at most 2 characters"),
        (["As", "Ks", "Qs", "Js", "TS"], "/hands/0/4", "must match pattern '^[2-9TJQKA][cdhs]$'"),
    ],
)
async def test_a_refusal_says_in_words_what_is_allowed(
    api: Api, hand: list[str], pointer: str, said: str
) -> None:
    refusal = await api.http.post("/v1/hands/evaluate", json={"hands": [hand]})
    assert refusal.json()["errors"] == [{"pointer": pointer, "detail": said}]


async def test_a_flood_of_wrong_fields_is_answered_with_a_few(api: Api) -> None:
    answer = await api.http.post(
        "/v1/sessions", json={"game": "casino-holdem", **{f"field{n}": n for n in range(2000)}}
    )
    assert code(answer) == (400, "invalid-request")
    assert len(answer.json()["errors"]) == 20


async def test_several_wrong_fields_are_told_at_once(api: Api) -> None:
    answer = await start(api, CASINO % '"ante": "1", "rounds": 0, "x": 1')
    assert {error["pointer"] for error in answer.json()["errors"]} == {"/ante", "/rounds", "/x"}


async def test_where_all_is_optional_no_body_is_an_empty_object(api: Api) -> None:
    table = await api.start()
    seat = {"Authorization": f"Bearer {table.seats[0]}"}
    assert (await api.http.post(f"{table.path}/deal", headers=seat)).status_code == 201
    assert (await api.http.post(f"{table.path}/close")).status_code == 200


async def test_a_client_seed_may_hold_any_other_unicode_and_comes_back_as_it_was(api: Api) -> None:
    table = await api.start()
    seed = "sorte 🍀 \U0010ffff ÿ\n\x7f"
    dealt = await table.post("deal", {"client_seed": seed})
    assert dealt.json()["fairness"]["client_seed"] == seed


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
    ],
)
async def test_json_in_utf_8_is_taken(api: Api, content_type: str) -> None:
    assert (await start(api, CASINO % '"metadata": {"é": "ü"}', content_type)).status_code == 201


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin-1",
        "application/jsonx",
        "",
    ],
)
async def test_any_other_media_type_is_refused(api: Api, content_type: str) -> None:
    assert code(await start(api, CASINO % '"ante": 1', content_type)) == (415, "unsupported-media-type")


async def test_a_compressed_body_is_refused(api: Api) -> None:
    answer = await api.http.post(
        "/v1/sessions",
        content=b"{}",
        headers={"Content-Type": "application/json", "Content-Encoding": "gzip"},
    )
    assert code(answer) == (415, "unsupported-media-type")


async def test_a_body_may_have_64_kib_and_no_more(api: Api) -> None:
    within = '{"game": "casino-holdem"}'.ljust(64 * 1024)
    assert (await start(api, within)).status_code == 201
    assert code(await start(api, within + " ")) == (413, "payload-too-large")


async def test_a_body_of_untold_length_is_bounded_too(api: Api) -> None:
    sent = 0

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += 1
            yield b" " * 1024

    answer = await api.http.post(
        "/v1/sessions", content=pieces(), headers={"Content-Type": "application/json"}
    )
    assert code(answer) == (413, "payload-too-large")
    assert sent == 65


@pytest.mark.parametrize("length", ["-1", "x", "1" * 30])
async def test_a_length_that_is_no_number_is_refused(api: Api, length: str) -> None:
    answer = await api.http.post("/v1/sessions", content=b"{}", headers={"Content-Length": length})
    assert answer.status_code in (400, 413)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=1e9", "limit=1.0", "limit=", "limit=1&limit=2", "after=-1", "after=x",
     "before=1", "limit", "limit=%ff", "after=%00", "after=" + "9" * 100,
     "limit=true", "limit=%201", "limit=1_0",
     "limit=%2B1", "limit=%D9%A1", "&", "a;b", "=", "after=1&" * 40],
)  # fmt: skip
async def test_query_parameters_are_strict(api: Api, query: str) -> None:
    table = await api.start()
    for what in ("ledger", "rounds"):
        assert code(await table.get(f"/{what}?{query}")) == (400, "invalid-request")


@pytest.mark.parametrize("query", ["after=%00", "after=nonsense", "limit=0", "x=1", "after=" + "a" * 200])
async def test_so_are_those_of_the_list_of_sessions(api: Api, query: str) -> None:
    assert code(await api.http.get(f"/v1/sessions?{query}")) == (400, "invalid-request")


@pytest.mark.parametrize("path", ["/v1/games", "/health/live", "/problems/forbidden", "/openapi.json"])
async def test_where_there_are_no_parameters_any_is_refused(api: Api, path: str) -> None:
    assert code(await api.http.get(path + "?x=1")) == (400, "invalid-request")


@pytest.mark.parametrize(
    "path",
    ["/v1/sessions/%00", "/v1/sessions/%ff", "/v1/sessions/" + "a" * 5000, "/v1/sessions/a.b",
     "/v1/sessions/a%2Fb",
     "/v1/sessions/é", "/v1/sessions/{id}/rounds/0", "/v1/sessions/{id}/rounds/01",
     "/v1/sessions/{id}/rounds/x",
     "/v1/sessions/{id}/rounds/-1", "/v1/sessions/{id}/rounds/" + "9" * 100, "/v1/sessions/{id}/rounds/1",
     "/v1/sessions/{id}/rounds/%D9%A1", "/v1/games/bridge", "/v1/games/%00",
     "/problems/bridge", "/problems/%ff",
     "/docs/nothing", "/docs/..%2f", "/", "/v1", "/v2/games", "/v1/games/", "//v1/games", "/v1//games"],
)  # fmt: skip
async def test_what_is_not_there_is_a_404(api: Api, path: str) -> None:
    table = await api.start()
    answer = await api.http.get(path.replace("{id}", table.id))
    assert code(answer) == (404, "not-found")
    assert len(answer.content) < 2000


async def test_seats_that_are_not_there_are_a_404(api: Api) -> None:
    table = await api.start()
    for seat in ("0", "2", "x", "9" * 100, "%00"):
        answer = await table.post(f"seats/{seat}", {"do": "sit_out"}, token=table.table)
        assert code(answer) == (404, "not-found")


def test_brackets_in_text_are_not_nesting() -> None:
    assert not nesting_exceeds(b'{"a": "%b", "b": "\\"%b"}' % (b"[" * 99, b"{" * 99), 2)
    assert nesting_exceeds(b'{"a": [[]]}', 2)


def test_a_pointer_leaves_out_the_branch_of_a_union_but_not_a_field_of_the_same_name() -> None:
    assert pointer_to(("action", "call", "to"), {"action": {"type": "call", "to": 1}}) == "/action/to"
    assert pointer_to(("call", "to"), {"type": "call", "call": {"to": 1}}) == "/call/to"
    assert pointer_to(("hands", 0, 1), {"hands": [["Ah", "x"]]}) == "/hands/0/1"
