"""Who may do what, and in which words of what language they are answered."""

import hmac
from types import MappingProxyType

import pytest

from api.conftest import KEYS, Api, code, serving
from croupier.api.auth import Credentials
from croupier.api.config import ApiConfig
from croupier.api.languages import locale_of
from croupier.sessions.errors import Unauthorized
from croupier.sessions.requests import Caller

PUBLIC = (
    "/v1/games",
    "/v1/games/casino-holdem",
    "/problems/forbidden",
    "/health/live",
    "/openapi.json",
    "/docs",
)


async def test_an_operator_starts_lists_and_reads_its_own_sessions_alone(keyed: Api) -> None:
    table = await keyed.start(key=KEYS["house"])
    assert (await table.get(token=KEYS["house"])).status_code == 200
    assert code(await table.get(token=KEYS["rival"])) == (404, "not-found")
    for key, ids in (("house", [table.id]), ("rival", [])):
        listed = await keyed.http.get("/v1/sessions", headers={"Authorization": f"Bearer {KEYS[key]}"})
        assert [session["id"] for session in listed.json()["sessions"]] == ids


async def test_another_operators_session_reads_like_one_that_does_not_exist(keyed: Api) -> None:
    table = await keyed.start(key=KEYS["house"])
    theirs = (await table.get(token=KEYS["rival"])).json()
    none = (
        await keyed.http.get("/v1/sessions/nowhere", headers={"Authorization": f"Bearer {KEYS['rival']}"})
    ).json()
    assert {**none, "detail": "", "instance": ""} == {**theirs, "detail": "", "instance": ""}
    assert theirs["detail"].replace(table.id, "nowhere") == none["detail"]


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", "Basic aG91c2U6", "Bearer a b", f"Token {KEYS['house']}",
     KEYS["house"], "Bearer \x01", "Bearer " + "x" * 5000, "Bearer tbl_made-up", "Bearer seat_made-up"],
)  # fmt: skip
async def test_who_has_no_good_credential_is_told_which_scheme_there_is(
    keyed: Api, authorization: str | None
) -> None:
    table = await keyed.start(key=KEYS["house"])
    headers = {} if authorization is None else {"Authorization": authorization}
    for method, path in (("GET", ""), ("GET", "/ledger"), ("POST", "/deal"), ("POST", "/close")):
        answer = await keyed.http.request(method, table.path + path, headers=headers)
        assert code(answer) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == 'Bearer realm="croupier"'


async def test_a_sessions_tokens_start_and_list_nothing(keyed: Api) -> None:
    table = await keyed.start(key=KEYS["house"])
    for token in (table.table, table.seats[0]):
        headers = {"Authorization": f"Bearer {token}"}
        started = await keyed.http.post("/v1/sessions", json={"game": "casino-holdem"}, headers=headers)
        assert code(started) == (403, "forbidden")
        assert code(await keyed.http.get("/v1/sessions", headers=headers)) == (403, "forbidden")


async def test_one_sessions_token_opens_no_other(keyed: Api) -> None:
    first, second = await keyed.start(key=KEYS["house"]), await keyed.start(key=KEYS["house"])
    for token in (first.table, first.seats[0]):
        assert code(await second.get(token=token)) == (401, "unauthorized")


async def test_each_credential_does_its_own_part(api: Api) -> None:
    table = await api.start("no-limit-holdem")
    one, two = table.seats
    assert code(await table.post("deal", token=one)) == (403, "forbidden")
    assert code(await api.http.post(f"{table.path}/deal")) == (403, "forbidden")
    assert (await table.post("deal", token=table.table)).status_code == 201
    call = {"action": {"type": "call"}}
    assert code(await table.post("decide", call, token=table.table)) == (403, "forbidden")
    assert code(await table.post("decide", {**call, "seat": 2}, token=one)) == (403, "forbidden")
    assert code(await table.post("decide", {**call, "seat": 1}, token=two)) == (403, "forbidden")
    assert code(await table.post("decide", call, token=two)) == (409, "not-your-turn")
    assert (await table.post("decide", call, token=one)).status_code == 200
    assert code(await table.post("rounds/1/void", {"reason": "x"}, token=table.table)) == (403, "forbidden")
    assert code(await table.post("seats/2", {"do": "sit_out"}, token=one)) == (403, "forbidden")
    assert (await table.post("seats/2", {"do": "sit_out"}, token=two)).status_code == 200
    assert code(await table.post("close", token=one)) == (403, "forbidden")
    assert code(await table.post("close", token=table.table)) == (409, "round-in-progress")
    closed = await api.http.post(f"{table.path}/close")
    assert closed.json()["status"] == "closed"


async def test_a_new_token_takes_the_old_ones_place(api: Api) -> None:
    table = await api.start()
    renewed = await table.post("seats/1", {"do": "new_token"})
    token = renewed.json()["token"]
    assert token != table.seats[0]
    assert code(await table.get()) == (401, "unauthorized")
    assert (await table.get(token=token)).status_code == 200


async def test_what_needs_no_credential_asks_for_none_and_looks_at_none(keyed: Api) -> None:
    for path in PUBLIC:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert (await keyed.http.get(path, headers=headers)).status_code == 200
    hands = {"hands": [["Ah", "Kd", "As", "7d", "4c"]]}
    assert (await keyed.http.post("/v1/hands/evaluate", json=hands)).status_code == 200


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8000"]
)
async def test_in_open_mode_a_loopback_name_is_the_local_operator(api: Api, host: str) -> None:
    answer = await api.http.post("/v1/sessions", json={"game": "casino-holdem"}, headers={"Host": host})
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "host", ["rebound.example", "localhost.rebound.example", "127.0.0.1.rebound.example", "1.2.3.4", "",
             "localhost:x", "user@localhost", "[::2]", "localhost:80:80"],
)  # fmt: skip
async def test_in_open_mode_any_other_host_is_refused_everywhere(api: Api, host: str) -> None:
    for path in ("/v1/sessions", *PUBLIC):
        assert code(await api.http.get(path, headers={"Host": host})) == (403, "forbidden")
    started = await api.http.post("/v1/sessions", json={"game": "casino-holdem"}, headers={"Host": host})
    assert code(started) == (403, "forbidden")


async def test_with_keys_any_host_will_do_and_nobody_is_local(keyed: Api) -> None:
    answer = await keyed.http.post(
        "/v1/sessions", json={"game": "casino-holdem"}, headers={"Host": "localhost"}
    )
    assert code(answer) == (401, "unauthorized")


async def test_open_mode_still_refuses_a_wrong_credential(api: Api) -> None:
    answer = await api.http.get("/v1/sessions", headers={"Authorization": "Bearer wrong"})
    assert code(answer) == (401, "unauthorized")


async def test_a_sandbox_needs_the_servers_leave() -> None:
    async with serving(ApiConfig(open_mode=True)) as running:
        answer = await running.http.post("/v1/sessions", json={"game": "casino-holdem", "sandbox": True})
        assert code(answer) == (403, "forbidden")


async def test_every_known_key_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def compare(given: str, expected: str) -> bool:
        compared.append(expected)
        return given == expected

    monkeypatch.setattr(hmac, "compare_digest", compare)
    known = MappingProxyType({"1" * 64: "a", "2" * 64: "b"})
    with pytest.raises(Unauthorized, match="does not know"):
        await Credentials(ApiConfig(operator_keys=known)).caller({b"authorization": b"Bearer x"})
    assert compared == ["1" * 64, "2" * 64]


async def test_a_token_is_told_from_a_key_by_its_prefix() -> None:
    keyed, opened = Credentials(ApiConfig()), Credentials(ApiConfig(open_mode=True))
    assert await keyed.caller({b"authorization": b"bearer tbl_abc"}) == Caller(token="tbl_abc")
    assert await opened.caller({}) == Caller(operator="local")
    assert await keyed.caller({}) == Caller()


@pytest.mark.parametrize(
    ("header", "locale"),
    [
        (None, "en"),
        (b"", "en"),
        (b"*", "en"),
        (b"fr", "fr"),
        (b"FR-ca", "fr"),
        (b"pt-BR,pt;q=0.9", "pt-BR"),
        (b"pt-PT", "pt"),
        (b"de, es;q=0.4, fr;q=0.8", "fr"),
        (b"fr;q=0, es;q=0.1", "es"),
        (b"fr; q=0.1, es", "es"),
        (b"fr;q=x, \xff, es;q=0.2", "es"),
        (b",".join([b"de"] * 16 + [b"fr"]), "en"),
    ],
)
def test_the_best_liked_language_that_there_are_words_for_wins(header: bytes | None, locale: str) -> None:
    assert locale_of(header) == locale


async def test_words_come_in_the_callers_language_and_codes_do_not(api: Api) -> None:
    hands = {"hands": [["Ah", "Kd", "As", "7d", "4c"]]}
    english = (await api.http.post("/v1/hands/evaluate", json=hands)).json()["hands"][0]
    french = (
        await api.http.post("/v1/hands/evaluate", json=hands, headers={"Accept-Language": "fr"})
    ).json()["hands"][0]
    assert english["description"] == "pair of aces"
    assert french.pop("description") != english.pop("description")
    assert french == english
