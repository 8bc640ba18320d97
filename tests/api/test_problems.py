"""Refusals: one table of codes, a document a refusal, a page a code."""

import pytest

from api.conftest import Api, code
from croupier.api.problems import PROBLEMS
from croupier.locales import LOCALES, word
from croupier.sessions import errors

CONTRACT = {
    "invalid-request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not-found": 404,
    "method-not-allowed": 405,
    "not-acceptable": 406,
    "round-in-progress": 409,
    "no-round": 409,
    "not-enough-seats": 409,
    "not-your-turn": 409,
    "illegal-action": 409,
    "session-finished": 409,
    "stale-version": 409,
    "payload-too-large": 413,
    "unsupported-media-type": 415,
    "idempotency-key-reused": 422,
    "too-many-requests": 429,
    "internal-error": 500,
    "overloaded": 503,
    "store-unavailable": 503,
    "shutting-down": 503,
}


def test_the_table_has_the_codes_of_the_contract_and_every_refusal_has_its_row() -> None:
    assert {code: kind.status for code, kind in PROBLEMS.items()} == CONTRACT

    def leaves(kind: type[errors.CroupierError]) -> list[type[errors.CroupierError]]:
        below = kind.__subclasses__()
        return [leaf for one in below for leaf in leaves(one)] if below else [kind]

    assert {leaf.code for leaf in leaves(errors.CroupierError)} == set(CONTRACT)


@pytest.mark.parametrize("name", PROBLEMS)
async def test_every_code_is_explained_to_programs_and_to_people(api: Api, name: str) -> None:
    kind = PROBLEMS[name]
    answer = await api.http.get(f"/problems/{name}")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["vary"] == "Accept, Accept-Language"
    assert answer.json() == {
        "type": f"/problems/{name}",
        "code": name,
        "status": kind.status,
        "title": word("problems", name),
        "happened": kind.happened,
        "remedy": kind.remedy,
    }
    page = await api.http.get(f"/problems/{name}", headers={"Accept": "text/html,application/json;q=0.9"})
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert word("problems", name) in page.text


@pytest.mark.parametrize("locale", LOCALES)
async def test_a_problems_title_is_in_the_callers_language_and_the_rest_is_the_same(
    api: Api, locale: str
) -> None:
    plain = (await api.http.get("/v1/sessions/none")).json()
    told = (await api.http.get("/v1/sessions/none", headers={"Accept-Language": locale})).json()
    assert told.pop("title") == word("problems", "not-found", locale)
    assert plain.pop("title") == "Not found"
    assert told == plain
    explained = await api.http.get("/problems/no-round", headers={"Accept-Language": locale})
    assert explained.json()["title"] == word("problems", "no-round", locale)


def test_titles_are_worded_in_every_language() -> None:
    for name in PROBLEMS:
        worded = {locale: word("problems", name, locale) for locale in LOCALES}
        assert all(worded[locale] != worded["en"] for locale in ("pt", "pt-BR", "es", "fr")), worded


async def test_an_illegal_action_is_told_with_the_legal_ones(api: Api) -> None:
    table = await api.start()
    await table.post("deal")
    answer = await table.post("decide", {"action": {"type": "check"}})
    assert code(answer) == (409, "illegal-action")
    problem = answer.json()
    assert sorted(problem["legal_actions"], key=lambda action: action["type"]) == [
        {"type": "call", "amount": 2},
        {"type": "fold"},
    ]


@pytest.mark.parametrize("guard", [{"version": 1}, {"version": 3}, {"round": 2}])
async def test_a_stale_guard_is_told_with_the_present_version(api: Api, guard: dict[str, int]) -> None:
    table = await api.start()
    await table.post("deal")
    answer = await table.post("decide", {"action": {"type": "call"}, **guard})
    assert code(answer) == (409, "stale-version")
    assert answer.json()["version"] == 2


async def test_what_cannot_be_done_now_is_a_conflict(api: Api) -> None:
    table = await api.start(rounds=1)
    call = {"action": {"type": "call"}}
    assert code(await table.post("decide", call)) == (409, "no-round")
    assert code(await table.post("deal", {"sit_out": [1]})) == (409, "not-enough-seats")
    await table.post("deal")
    assert code(await table.post("deal")) == (409, "round-in-progress")
    assert code(await table.post("close")) == (409, "round-in-progress")
    await table.post("decide", call)
    for verb in ("deal", "close"):
        assert code(await table.post(verb)) == (409, "session-finished")


async def test_a_seat_out_of_turn_is_told_so(api: Api) -> None:
    table = await api.start("no-limit-holdem")
    await table.post("deal", token=table.table)
    answer = await table.post("decide", {"action": {"type": "fold"}}, token=table.seats[1])
    assert code(answer) == (409, "not-your-turn")


# ── Retries ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_retry_gets_the_first_answer_again_byte_for_byte(api: Api) -> None:
    started = await api.http.post(
        "/v1/sessions", json={"game": "casino-holdem"}, headers={"Idempotency-Key": "s"}
    )
    again = await api.http.post(
        "/v1/sessions",
        content=b'{ "game" : "casino-holdem" }',
        headers={"Idempotency-Key": "s", "Content-Type": "application/json"},
    )
    assert (again.status_code, again.content) == (201, started.content)
    assert again.headers["location"] == started.headers["location"]
    assert "idempotency-replayed" not in started.headers
    assert again.headers["idempotency-replayed"] == "true"


async def test_a_retried_deal_and_a_retried_decision_happen_once(api: Api) -> None:
    table = await api.start()
    for verb, body in (("deal", {}), ("decide", {"action": {"type": "call"}})):
        first = await table.post(verb, body, Idempotency_Key=verb)
        second = await table.post(verb, body, Idempotency_Key=verb)
        assert (second.status_code, second.content) == (first.status_code, first.content)
        assert second.headers["etag"] == first.headers["etag"]
        assert second.headers["idempotency-replayed"] == "true"
    assert (await table.get()).json()["rounds_played"] == 1


async def test_a_key_that_came_with_another_body_is_refused(api: Api) -> None:
    table = await api.start()
    await table.post("deal", {"client_seed": "a"}, Idempotency_Key="k")
    answer = await table.post("deal", {"client_seed": "b"}, Idempotency_Key="k")
    assert code(answer) == (422, "idempotency-key-reused")


async def test_a_refusal_is_not_kept(api: Api) -> None:
    table = await api.start()
    decide = {"action": {"type": "call"}}
    assert code(await table.post("decide", decide, Idempotency_Key="k")) == (409, "no-round")
    await table.post("deal")
    assert (await table.post("decide", decide, Idempotency_Key="k")).status_code == 200


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é".encode(), "a\x7f"])
async def test_a_key_is_1_to_255_visible_characters(api: Api, key: str | bytes) -> None:
    answer = await api.http.post(
        "/v1/sessions", json={"game": "casino-holdem"}, headers={b"Idempotency-Key": key}
    )
    assert code(answer) == (400, "invalid-request")


async def test_255_characters_will_do(api: Api) -> None:
    answer = await api.http.post(
        "/v1/sessions", json={"game": "casino-holdem"}, headers={"Idempotency-Key": "~" * 255}
    )
    assert answer.status_code == 201
