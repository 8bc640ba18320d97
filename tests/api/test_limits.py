"""Who is let in: what a worker has under way at most, and who is counted how when requests are limited."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Any

import httpx
import pytest

from api.conftest import KEYS, Api, code
from croupier.api.app import create_app
from croupier.api.config import ApiConfig, Bounds
from croupier.api.limits import NEVER_REFUSED, WITH_CREDENTIAL, Admission
from croupier.api.openapi import document
from sessions.house import make_house

PAGE = "https://table.example"


@dataclass(frozen=True)
class Standing:
    quota: int
    seconds: int
    left: int
    reset: float
    over: bool


@dataclass
class Counted:
    """Counts for as long as the test lasts, and how often it was asked."""

    quotas: dict[str, int]
    reset: float = 60.0
    seen: Counter[tuple[str, bytes]] = field(default_factory=Counter)

    async def count(self, kind: str, digest: bytes) -> Sequence[Standing]:
        self.seen[kind, digest] += 1
        if kind not in self.quotas:
            return ()
        quota, used = self.quotas[kind], self.seen[kind, digest]
        return [Standing(quota, 60, max(0, quota - used), self.reset, used > quota)]

    def kinds(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for (kind, _), times in self.seen.items():
            found[kind] += times
        return found


@asynccontextmanager
async def serving(
    rates: Counted | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 - frozen
    address: tuple[str, int] = ("192.0.2.1", 50_000),
    **quotas: int,
) -> AsyncIterator[Api]:
    """With operator keys, and with a limit for each of the *quotas*."""
    keys = {hashlib.sha256(key.encode()).hexdigest(): name for name, key in KEYS.items()}
    config = ApiConfig(operator_keys=keys, cors_origins=(PAGE,), bounds=bounds)
    house = make_house()
    app = create_app(house.service, config, rates=rates or (Counted(quotas) if quotas else None))
    transport = httpx.ASGITransport(app, client=address)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        yield Api(http, house)


def bearing(credential: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {credential}"}


HOUSE = bearing(KEYS["house"])


# ── What is under way ────────────────────────────────────────────────────────────────────────────────────


async def test_what_comes_beyond_the_bound_is_refused_at_once_and_the_others_are_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(bounds=Bounds(requests=3)) as api:
        table = await api.start(key=KEYS["house"])
        load, go_on = api.house.store.load, asyncio.Event()

        async def slow(*given: Any) -> Any:
            await go_on.wait()
            return await load(*given)

        monkeypatch.setattr(api.house.store, "load", slow)
        inside = [asyncio.create_task(table.get()) for _ in range(3)]
        await asyncio.sleep(0)
        for _ in range(20):
            answer = await asyncio.wait_for(table.get(Origin=PAGE), 1)
            assert code(answer) == (503, "overloaded")
            assert answer.headers["retry-after"] == "1"
            assert answer.headers["access-control-allow-origin"] == PAGE
        for path in ("/health/live", "/health/ready"):
            assert (await api.http.get(path)).status_code == 200
        assert (await api.http.get("/metrics")).status_code != 503
        go_on.set()
        assert [(await one).status_code for one in inside] == [200, 200, 200]
        assert (await table.get()).status_code == 200


async def test_a_request_that_breaks_or_is_given_up_gives_its_place_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(bounds=Bounds(requests=1)) as api:
        table = await api.start(key=KEYS["house"])
        load = api.house.store.load

        async def broken(*_: Any) -> Any:
            raise RuntimeError("broken")

        async def stuck(*_: Any) -> Any:
            await asyncio.sleep(inf)

        monkeypatch.setattr(api.house.store, "load", broken)
        assert (await table.get()).status_code == 500
        monkeypatch.setattr(api.house.store, "load", stuck)
        given_up = asyncio.create_task(table.get())
        await asyncio.sleep(0)
        assert code(await table.get()) == (503, "overloaded")
        given_up.cancel()
        await asyncio.wait([given_up])
        monkeypatch.setattr(api.house.store, "load", load)
        assert (await table.get()).status_code == 200


class Streams:
    """Streams of events that last until the test says so, each opened by somebody."""

    def __init__(self, bounds: Bounds) -> None:
        self.over = asyncio.Event()
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(Admission(self._serve, bounds)),
            base_url="http://localhost/v1/sessions/any",
        )
        self.open: list[asyncio.Task[httpx.Response]] = []

    async def _serve(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].endswith("/events"):
            await self.over.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def refused(self, who: dict[str, str]) -> tuple[int, str] | None:
        """Open a stream: None when it is open, else the refusal."""
        task = asyncio.create_task(self.http.get("/events", headers=who))
        await asyncio.sleep(0.01)
        if task.done():
            return code(task.result())
        self.open.append(task)
        return None


async def test_streams_are_bounded_by_who_opens_them_and_in_all_and_are_no_requests_in_work() -> None:
    streams = Streams(Bounds(requests=1, streams=5, streams_of_caller=2))
    async with streams.http:
        for who in (bearing("seat_one"), bearing("seat_two")):
            assert [await streams.refused(who) for _ in range(3)] == [None, None, (429, "too-many-requests")]
        assert await streams.refused({}) is None
        assert await streams.refused({}) == (503, "overloaded")
        assert (await streams.http.get("/rounds")).status_code == 200
        assert await streams.refused({"Authorization": "bEARER   seat_one"}) == (429, "too-many-requests")
        streams.over.set()
        await asyncio.gather(*streams.open)
        streams.over.clear()
        assert await streams.refused(bearing("seat_one")) is None
        streams.over.set()
        await asyncio.gather(*streams.open)


def test_every_operation_but_health_can_refuse_so_and_tells_the_limits() -> None:
    described = document()
    for path, methods in described["paths"].items():
        for operation in methods.values():
            refusals = {
                name: example
                for status in ("429", "503")
                if status in operation["responses"]
                for name, example in _component(described, operation["responses"][status])
            }
            health = path.startswith(NEVER_REFUSED)
            assert ("overloaded" in refusals) is not health, path
            assert ("too-many-requests" in refusals) is not health, path
            good = next(answer for status, answer in operation["responses"].items() if status < "300")
            assert ({"RateLimit", "RateLimit-Policy"} <= set(good["headers"])) is not health, path


def _component(described: dict[str, Any], answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    named = described["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    assert "Retry-After" in named["headers"]
    yield from named["content"]["application/problem+json"]["examples"].items()


# ── How often ────────────────────────────────────────────────────────────────────────────────────────────


async def test_every_answer_says_what_is_left_and_the_one_too_many_when_to_come_back() -> None:
    async with serving(token=3) as api:
        table = await api.start(key=KEYS["house"])
        for left in (2, 1, 0):
            answer = await table.post("deal") if left == 2 else await table.get()
            assert answer.is_success
            assert answer.headers["ratelimit-policy"] == '"token-60s";q=3;w=60'
            assert answer.headers["ratelimit"] == f'"token-60s";r={left};t=60'
        version = answer.json()["version"]
        refused = await table.post("decide", {"action": {"type": "call"}}, Origin=PAGE)
        assert code(refused) == (429, "too-many-requests")
        assert "3 in 60 s" in refused.json()["detail"]
        assert refused.headers["retry-after"] == "61"
        assert refused.headers["ratelimit"] == '"token-60s";r=0;t=60'
        assert refused.headers["access-control-allow-origin"] == PAGE
        exposed = refused.headers["access-control-expose-headers"].lower()
        assert {"ratelimit", "ratelimit-policy", "retry-after"} <= set(exposed.split(", "))
        assert (await table.get(token=KEYS["house"])).json()["version"] == version


async def test_each_credential_is_counted_for_itself_however_it_is_written() -> None:
    async with serving(token=2, key=2) as api:
        table = await api.start("no-limit-holdem", seats=2, key=KEYS["house"])
        first, second = table.seats
        assert (await table.get(token=first)).is_success
        assert (await api.http.get(table.path, headers={"Authorization": f"bEARER   {first}"})).is_success
        assert code(await table.get(token=first)) == (429, "too-many-requests")
        assert (await table.get(token=second)).is_success
        assert (await table.get(token=KEYS["house"])).is_success
        assert code(await table.get(token=KEYS["house"])) == (429, "too-many-requests")
        assert (await api.http.get("/v1/games")).is_success
        assert "ratelimit" not in (await api.http.get("/v1/games")).headers


async def test_who_is_over_a_limit_is_refused_without_asking_the_store_until_it_has_room() -> None:
    rates = Counted({"address": 1}, reset=0.3)
    async with serving(rates) as api:
        assert (await api.http.get("/v1/games")).is_success
        for _ in range(50):
            refused = await api.http.get("/v1/games")
            assert code(refused) == (429, "too-many-requests")
            assert refused.headers["retry-after"] == "1"
        assert rates.kinds() == {"address": 2}
        rates.seen.clear()
        await asyncio.sleep(0.35)
        assert (await api.http.get("/v1/games")).is_success


async def test_without_a_credential_the_address_counts_and_of_ipv6_the_network() -> None:
    rates = Counted({"address": 100})
    one_network = ("2001:db8::1", "2001:db8::ffff:1")
    for host in ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2", *one_network, "2001:db8:0:1::1"):
        async with serving(rates, address=(host, 1)) as api:
            assert (await api.http.get("/v1/games")).is_success
    assert sorted(rates.seen.values()) == [1, 1, 2, 2]
    assert rates.kinds() == {"address": 6}


async def test_wrong_credentials_count_as_guesses_of_the_address_which_is_refused_when_it_goes_on() -> None:
    rates = Counted({"guess": 2, "key": 100, "token": 100})
    async with serving(rates) as api:
        table = await api.start(key=KEYS["house"])
        wrong = ["no-such-key-anywhere", "seat_" + "A" * 43, "tbl_" + "B" * 43]
        for guess in wrong:
            assert code(await table.get(token=guess)) == (401, "unauthorized")
        for credential in (*wrong, KEYS["house"], table.table):
            answer = await table.get(token=credential)
            assert code(answer) == (429, "too-many-requests")
            assert answer.headers["ratelimit-policy"] == '"address-60s";q=2;w=60'
        assert rates.kinds()["guess"] == 3
        assert (await api.http.get("/v1/games")).is_success
        assert (await api.http.get("/v1/sessions")).status_code == 401
    async with serving(rates, address=("192.0.2.2", 1)) as elsewhere:
        assert (await elsewhere.http.get("/v1/sessions", headers=HOUSE)).is_success


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/metrics"])
async def test_how_the_server_does_is_told_to_everybody_however_often(path: str) -> None:
    async with serving(Counted({"address": 1})) as api:
        for _ in range(5):
            answer = await api.http.get(path)
            assert answer.status_code != 429
            assert "ratelimit" not in answer.headers


async def test_no_credential_and_no_address_is_given_to_who_counts() -> None:
    rates = Counted({})
    async with serving(rates) as api:
        table = await api.start(key=KEYS["house"])
        await table.get()
        await api.http.get("/v1/games")
    assert {kind for kind, _ in rates.seen} == {"key", "token", "address"}
    for _, digest in rates.seen:
        assert len(digest) == 16
        assert digest not in (KEYS["house"].encode()[:16], table.seats[0].encode()[:16])


async def test_a_new_credential_with_each_request_is_counted_by_the_address() -> None:
    ways = (
        ("GET", "/v1/games", b""),
        ("POST", "/v1/hands/evaluate", b'{"hands":[["Ah","Kd","2c","3c","9d"]]}'),
        ("GET", "/v1/sessions/no-such-session", b""),
        ("POST", "/v1/sessions/no-such-session/deal", b"{"),
        ("GET", "/v1/sessions/any/no-such-path", b""),
        ("GET", "/v1/sessions", b""),
    )
    for method, path, content in ways:
        async with serving(Counted({"address": 3, "guess": 3, "token": 1000})) as api:
            answers = [
                await api.http.request(
                    method,
                    path,
                    content=content,
                    headers=bearing(f"tbl_{turn:043}") | {"Content-Type": "application/json"},
                )
                for turn in range(6)
            ]
            let_in = [answer.status_code for answer in answers if answer.status_code != 429]
            assert len(let_in) in (3, 4), path
            assert code(answers[-1]) == (429, "too-many-requests"), path


async def test_who_was_let_in_may_err_without_being_taken_for_a_guesser() -> None:
    rates = Counted({"guess": 1, "token": 100, "key": 100})
    async with serving(rates) as api:
        table = await api.start(key=KEYS["house"])
        assert (await table.get()).is_success
        for _ in range(5):
            assert code(await table.get("/rounds/7")) == (404, "not-found")
            assert code(await table.post("rounds/1/void", {"reason": "mine"})) == (403, "forbidden")
            assert code(await api.http.get("/v1/nothing", headers=HOUSE)) == (404, "not-found")
        assert "guess" not in rates.kinds()


def test_a_credential_is_looked_at_where_the_document_says_so() -> None:
    for path, operations in document()["paths"].items():
        for operation in operations.values():
            schemes = {name for one in operation.get("security", ()) for name in one} - {"metricsKey"}
            assert bool(schemes) == path.startswith(WITH_CREDENTIAL), path
