"""What all answers have in common: headers, methods, exact paths, and what happens when something breaks."""

import logging

import httpx
import pytest

from api.conftest import KEYS, Api, code, serving
from croupier.api.config import ApiConfig
from croupier.api.desk import preferred
from croupier.sessions.errors import StoreUnavailable

GETS = [
    "/v1/games",
    "/v1/games/casino-holdem",
    "/v1/sessions",
    "{session}",
    "{session}/ledger",
    "{session}/rounds",
    "{session}/rounds/1",
    "/problems/forbidden",
    "/health/live",
    "/health/ready",
    "/openapi.json",
    "/docs",
    "/docs/start.js",
]
POSTS = [
    "/v1/sessions",
    "{session}/deal",
    "{session}/decide",
    "{session}/close",
    "{session}/rounds/1/void",
    "{session}/seats/1",
    "/v1/hands/evaluate",
    "/v1/fairness/verify",
]
METHODS = {
    path: ", ".join(
        sorted(
            {"OPTIONS"}
            | ({"GET", "HEAD"} if path in GETS else set())
            | ({"POST"} if path in POSTS else set())
        )
    )
    for path in (*GETS, *POSTS)
}


@pytest.mark.parametrize("path", GETS)
async def test_head_answers_as_get_does_without_a_body(api: Api, path: str) -> None:
    table = await api.start()
    await table.post("deal")
    path = path.replace("{session}", table.path)
    known = {"X-Request-Id": "same"}
    got, head = await api.http.get(path, headers=known), await api.http.head(path, headers=known)
    assert got.status_code == head.status_code == 200
    assert got.headers == head.headers
    assert got.content
    assert not head.content


async def test_head_of_what_is_not_there_has_no_body_either(api: Api) -> None:
    head = await api.http.head("/nowhere")
    assert (head.status_code, head.content) == (404, b"")
    assert (await api.http.head("/v1/hands/evaluate")).status_code == 405


@pytest.mark.parametrize("path", METHODS)
async def test_options_and_405_name_the_same_methods(api: Api, path: str) -> None:
    expected = METHODS[path]
    path = path.replace("{session}", "/v1/sessions/any")
    options = await api.http.options(path)
    assert (options.status_code, options.content) == (204, b"")
    assert options.headers["allow"] == expected
    for method in ("PUT", "PATCH", "DELETE", "TRACE", "QUERY", "get"):
        answer = await api.http.request(method, path) if method != "get" else await _raw(api, "get", path)
        assert code(answer) == (405, "method-not-allowed")
        assert answer.headers["allow"] == expected


async def _raw(api: Api, method: str, path: str) -> httpx.Response:
    """A method in the case it is given in: methods are case-sensitive."""
    request = api.http.build_request("GET", path)
    request.method = method
    return await api.http.send(request)


async def test_options_of_what_is_not_there_is_a_404(api: Api) -> None:
    assert code(await api.http.options("/nowhere")) == (404, "not-found")
    assert code(await api.http.options("/v1/games/")) == (404, "not-found")


PAGES = ["/docs", "/play"]


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/sessions"), ("GET", "/nowhere"), ("GET", "/v1/games"), ("GET", "/health/live"),
     ("GET", "/openapi.json"), ("POST", "/v1/sessions"), ("POST", "/v1/odds"), ("PUT", "/v1/sessions"),
     ("OPTIONS", "/v1/sessions"), *(("GET", page) for page in PAGES)],
)  # fmt: skip
async def test_every_answer_has_the_protecting_headers(api: Api, method: str, path: str) -> None:
    headers = (await api.http.request(method, path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "frame-ancestors 'none'"} <= set(policy)
    assert not {"server", "strict-transport-security", "x-powered-by"} & set(headers)
    if path not in PAGES:
        assert len(policy) == 2


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_runs_its_own_scripts_alone_and_asks_the_browser_for_nothing(
    api: Api, path: str
) -> None:
    headers = (await api.http.get(path)).headers
    policy = dict(one.split(" ", 1) for one in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy.keys() >= {"base-uri", "connect-src", "form-action", "frame-ancestors"}
    assert headers["cross-origin-opener-policy"] == "same-origin"
    for power in ("camera", "geolocation", "microphone", "payment", "usb"):
        assert f"{power}=()" in headers["permissions-policy"]


async def test_browsers_are_told_to_stay_with_https_where_they_came_by_it(keyed: Api) -> None:
    for path in ("/v1/games", "/v1/sessions", "/docs"):
        told = (await keyed.http.get(path)).headers["strict-transport-security"]
        assert told == "max-age=31536000"
        plain = await keyed.http.get(f"http://croupier.example{path}", headers={"X-Forwarded-Proto": "https"})
        assert "strict-transport-security" not in plain.headers


async def test_what_depends_on_the_caller_is_private_and_never_stored(api: Api) -> None:
    table = await api.start()
    answers = [
        await table.post("deal"),
        await table.get(),
        await table.get("/ledger"),
        await table.get("/rounds/1"),
        await api.http.get("/v1/sessions"),
        await api.http.get("/v1/sessions/nowhere"),
    ]
    assert {answer.headers["cache-control"] for answer in answers} == {"private, no-store"}
    assert "public" in (await api.http.get("/v1/games")).headers["cache-control"]


async def test_a_good_request_id_comes_back_and_a_bad_one_is_replaced(api: Api) -> None:
    for good in ("a", "my-request/1", "x" * 128):
        answer = await api.http.get("/health/live", headers={"X-Request-Id": good})
        assert answer.headers["x-request-id"] == good
    made = set()
    for bad in ("", "a b", "x" * 129, b"\xff", "a\x7f"):
        answer = await api.http.get("/health/live", headers={b"X-Request-Id": bad})
        assert answer.headers["x-request-id"] != bad
        made.add(answer.headers["x-request-id"])
    assert len(made) == 5
    refused = await api.http.get("/nowhere", headers={"X-Request-Id": "mine"})
    assert refused.headers["x-request-id"] == "mine"


async def test_the_version_is_the_entity_tag(api: Api) -> None:
    table = await api.start()
    dealt = await table.post("deal")
    assert dealt.headers["etag"] == f'"{dealt.json()["version"]}"' == '"2"'
    read = await table.get()
    assert read.headers["etag"] == '"2"'
    for known in ('"2"', 'W/"2"', '"1", "2"', "*"):
        unchanged = await table.get(If_None_Match=known)
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged.headers["etag"] == '"2"'
    for other in ('"1"', "2", ""):
        assert (await table.get(If_None_Match=other)).status_code == 200


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games/no-limit-holdem", "/openapi.json"])
async def test_what_seldom_changes_has_an_entity_tag_too(api: Api, path: str) -> None:
    tag = (await api.http.get(path)).headers["etag"]
    unchanged = await api.http.get(path, headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


async def test_a_started_session_is_where_its_location_says(api: Api) -> None:
    answer = await api.http.post("/v1/sessions", json={"game": "no-limit-holdem"})
    assert answer.headers["location"] == f"/v1/sessions/{answer.json()['session']['id']}"
    assert (await api.http.get(answer.headers["location"])).json() == answer.json()["session"]


@pytest.mark.parametrize("name", ["Host", "Authorization", "Content-Type", "Idempotency-Key"])
async def test_a_header_that_can_mean_one_thing_only_may_not_stand_twice(api: Api, name: str) -> None:
    twice = [("Host", "localhost"), (name, "localhost"), (name, "localhost")]
    assert code(await api.http.get("/v1/games", headers=twice)) == (400, "invalid-request")
    twice_accepted = [("Accept", "text/html"), ("Accept", "application/json")]
    assert (await api.http.get("/v1/games", headers=twice_accepted)).status_code == 200


# ── Accept ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "accept", ["*/*", "application/*", "application/json", "text/html, */*;q=0.1", "", "Application/JSON"]
)
async def test_json_is_sent_to_who_takes_it(api: Api, accept: str) -> None:
    assert (await api.http.get("/v1/games", headers={"Accept": accept})).status_code == 200


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "application/json;q=0", "*/*;q=0"])
async def test_who_takes_no_json_is_refused_before_anything_happens(api: Api, accept: str) -> None:
    assert code(await api.http.get("/v1/games", headers={"Accept": accept})) == (406, "not-acceptable")
    table = await api.start()
    assert code(await table.post("deal", Accept=accept)) == (406, "not-acceptable")
    assert (await table.get()).json()["round"] is None


def test_the_best_liked_form_wins_and_the_first_of_equals() -> None:
    offers = ("application/json", "text/html")
    assert preferred(b"text/html,application/json;q=0.9", offers) == "text/html"
    assert preferred(b"application/json;q=0.9,text/html;q=0.1", offers) == "application/json"
    assert preferred(b"*/*", offers) == "application/json"
    assert preferred(b"text/*, */*;q=0.5", offers) == "text/html"
    assert preferred(b"text/html;q=nonsense", offers) is None
    assert preferred(b"image/png", offers) is None


# ── CORS ─────────────────────────────────────────────────────────────────────────────────────────────────


async def test_pages_of_a_listed_origin_may_call_and_others_may_not() -> None:
    async with serving(ApiConfig(open_mode=True, cors_origins=("https://table.example",))) as running:
        asked = {
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "Authorization, Idempotency-Key",
        }
        allowed = await running.http.options(
            "/v1/sessions", headers={"Origin": "https://table.example", **asked}
        )
        assert allowed.status_code == 204
        assert allowed.headers["access-control-allow-origin"] == "https://table.example"
        assert "idempotency-key" in allowed.headers["access-control-allow-headers"].lower()
        assert "POST" in allowed.headers["access-control-allow-methods"]
        denied = await running.http.options(
            "/v1/sessions", headers={"Origin": "https://other.example", **asked}
        )
        assert denied.status_code == 204
        assert "access-control-allow-origin" not in denied.headers
        plain = await running.http.options("/v1/sessions", headers={"Origin": "https://other.example"})
        assert plain.headers["allow"] == "GET, HEAD, OPTIONS, POST"
        answer = await running.http.get("/nowhere", headers={"Origin": "https://table.example"})
        assert answer.headers["access-control-allow-origin"] == "https://table.example"
        assert "retry-after" in answer.headers["access-control-expose-headers"].lower()


async def test_without_the_setting_no_page_of_another_origin_may_call(api: Api) -> None:
    answer = await api.http.get("/v1/games", headers={"Origin": "https://table.example"})
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "origin", ["https://table.example", "null", "http://localhost.evil.example", "localhost"]
)
async def test_a_page_of_another_origin_orders_nothing_in_open_mode(api: Api, origin: str) -> None:
    table = await api.start()
    # What a page may send anywhere without being asked: no body, and no header of its own.
    forged = await api.http.post(f"{table.path}/close", headers={"Origin": origin})
    assert code(forged) == (403, "forbidden")
    assert (await table.get()).json()["status"] == "open"
    own = await api.http.post(f"{table.path}/close", headers={"Origin": "http://localhost:8000"})
    assert own.json()["status"] == "closed"


async def test_with_a_key_a_page_of_another_origin_is_left_to_cors(keyed: Api) -> None:
    table = await keyed.start(key=KEYS["house"])
    assert (await table.post("close", Origin="https://table.example")).is_success


# ── When something breaks ────────────────────────────────────────────────────────────────────────────────


async def test_a_store_that_is_away_is_a_503_and_the_server_still_lives(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise StoreUnavailable("The store did not answer in time.")

    for method in ("ping", "load", "commit"):
        monkeypatch.setattr(api.house.store, method, away)
    for answer in (
        await api.http.get("/health/ready"),
        await api.http.get("/v1/sessions/any"),
        await api.http.post("/v1/sessions", json={"game": "casino-holdem"}),
    ):
        assert code(answer) == (503, "store-unavailable")
        assert int(answer.headers["retry-after"]) >= 1
    assert (await api.http.get("/health/live")).json() == {"status": "ok"}


async def test_a_mistake_is_logged_once_without_secrets_and_told_in_a_sentence(
    keyed: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = await keyed.start(key=KEYS["house"])

    async def broken(*_: object) -> None:
        raise RuntimeError("something private")

    monkeypatch.setattr(keyed.house.store, "load", broken)
    with caplog.at_level(logging.INFO):
        answer = await table.post("deal", {"client_seed": "my secret luck"}, X_Request_Id="the-one")
    assert code(answer) == (500, "internal-error")
    assert "private" not in answer.text
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert "the-one" in record.getMessage()
    assert record.exc_info is not None
    assert table.seats[0] not in caplog.text
    assert "my secret luck" not in caplog.text
    assert "something private" in caplog.text
