"""Every endpoint with every credential: what the table of credentials says, and nothing else.

The endpoints are the application's own routes, so one that no row stands for fails here.
"""

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from litestar.routes import HTTPRoute

from api.conftest import KEYS, Api, code
from croupier.api.app import create_app
from croupier.api.config import ApiConfig
from croupier.sessions.operators import KnownKeys, new_key
from croupier.store.memory import MemoryKeyStore
from sessions.house import CountedEntropy, House, make_house

S = "/v1/sessions/{session_id}"
ANYBODY = frozenset({"anybody"})
OPERATOR = frozenset({"operator"})
SEES = frozenset({"operator", "table", "seat", "neighbour"})

MAY: Mapping[str, frozenset[str]] = {
    "GET /v1/games": ANYBODY,
    "GET /v1/games/{game}": ANYBODY,
    "POST /v1/hands/evaluate": ANYBODY,
    "POST /v1/fairness/verify": ANYBODY,
    "GET /problems/{code}": ANYBODY,
    "GET /health/live": ANYBODY,
    "GET /health/ready": ANYBODY,
    "GET /openapi.json": ANYBODY,
    "GET /docs": ANYBODY,
    "GET /docs/{name}": ANYBODY,
    "GET /play": ANYBODY,
    "GET /play/{name}": ANYBODY,
    "GET /metrics": frozenset({"metrics"}),
    "POST /v1/sessions": OPERATOR,
    "GET /v1/sessions": OPERATOR,
    "GET /v1/jackpots": OPERATOR,
    "GET /v1/reports/rounds": OPERATOR,
    "POST /v1/odds": OPERATOR,
    f"GET {S}": SEES,
    f"GET {S}/events": SEES,
    f"GET {S}/ledger": SEES,
    f"GET {S}/rounds": SEES,
    f"GET {S}/rounds/{{number}}": SEES,
    f"GET {S}/advice": frozenset({"seat", "neighbour"}),
    f"POST {S}/deal": frozenset({"table", "alone"}),
    f"POST {S}/decide": frozenset({"seat"}),
    f"POST {S}/close": frozenset({"operator", "table", "alone"}),
    f"POST {S}/rounds/{{number}}/void": OPERATOR,
    f"POST {S}/seats/{{seat}}": frozenset({"table", "seat"}),
}
"""Who may: the seat is the first one, whose turn it is; alone, it is the only one."""

BODIES: Mapping[str, Any] = {
    "POST /v1/hands/evaluate": {"hands": [["Ah", "Kd", "As", "7d", "4c"]]},
    "POST /v1/fairness/verify": {"server_seed": "0" * 64, "client_seed": "", "session_id": "s", "round": 1},
    "POST /v1/sessions": {"game": "casino-holdem"},
    "POST /v1/odds": {"game": "casino-holdem", "hole": ["Ah", "Kd"], "board": ["As", "7d", "4c"]},
    f"POST {S}/rounds/{{number}}/void": {"reason": "misdeal"},
    f"POST {S}/seats/{{seat}}": {"do": "client_seed", "value": "mine"},
}
QUERIES = {
    f"GET {S}/events": "?wait=0",
    "GET /v1/reports/rounds": "?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z",
}
DEALT = {f"{verb} {S}{rest}" for verb, rest in (
    ("GET", "/rounds/{number}"), ("GET", "/advice"), ("POST", "/decide"), ("POST", "/rounds/{number}/void"),
)}  # fmt: skip
NAMES = {"{game}": "casino-holdem", "{code}": "forbidden", "{number}": "1", "{seat}": "1"}
FILES = {"/docs/{name}": "/docs/start.js", "/play/{name}": "/play/app.js"}
METRICS = "the-key-that-opens-the-metrics"
GAMES: Mapping[str, dict[str, Any]] = {
    "one seat": {"game": "casino-holdem"},
    "two seats": {"game": "ultimate-texas-holdem", "seats": 2},
    "two players": {"game": "no-limit-holdem", "seats": 2},
}
ACTIONS = {"one seat": "call", "two seats": "check", "two players": "call"}


@dataclass(frozen=True, slots=True)
class Credential:
    """``role``: what it is to the session; or why it is nothing there: ``nobody`` sends none, a ``garbage``
    is no key, a ``token`` opens no session here, a ``rival`` is another operator.
    """

    name: str
    role: str
    header: str | None


@dataclass
class Door:
    """An application, the keys it takes, and a way to have a session in a known state."""

    api: Api
    opened: bool
    keys: dict[str, str]

    async def session(self, game: str, *, dealt: bool) -> tuple[str, list[Credential]]:
        """A session that was started by the operator, and every credential there is to it."""
        own = None if self.opened else KEYS["house"]
        asked = dict(GAMES[game])
        table = await self.api.start(asked.pop("game"), key=own, **asked)
        other = await self.api.start(key=own)
        old = table.seats[0]
        renewed = await table.post("seats/1", {"do": "new_token"})
        table.seats[0] = renewed.json()["token"]
        if dealt:
            assert (await table.post("deal", token=table.table)).status_code == 201
        alone = len(table.seats) == 1
        found = [
            Credential("none", "operator" if self.opened else "nobody", None),
            Credential("garbage", "garbage", "Bearer garbage"),
            Credential("a key that nobody made", "garbage", f"Bearer {self.keys['unknown']}"),
            Credential("an empty one", "garbage", ""),
            Credential("two in one", "garbage", f"Bearer {table.table} {table.seats[0]}"),
            Credential("another scheme", "garbage", f"Basic {table.table}"),
            Credential("a made-up table token", "token", f"Bearer tbl_{'A' * 43}"),
            Credential("a made-up seat token", "token", f"Bearer seat_{'A' * 43}"),
            Credential("another session's table token", "token", f"Bearer {other.table}"),
            Credential("another session's seat token", "token", f"Bearer {other.seats[0]}"),
            Credential("a token replaced by a new one", "token", f"Bearer {old}"),
            Credential("a table token cut short", "token", f"Bearer {table.table[:-1]}"),
            Credential("the table token", "table", f"Bearer {table.table}"),
            Credential("the seat's token", "alone" if alone else "seat", f"Bearer {table.seats[0]}"),
            Credential("the metrics' key", "garbage" if self.opened else "metrics", f"Bearer {METRICS}"),
        ]
        if not alone:
            found.append(Credential("the neighbour's token", "neighbour", f"Bearer {table.seats[1]}"))
        if not self.opened:
            found += [
                Credential("the operator's key", "operator", f"Bearer {KEYS['house']}"),
                Credential("the operator's stored key", "operator", f"Bearer {self.keys['stored']}"),
                Credential("another scheme with a good key", "garbage", f"Token {KEYS['house']}"),
                Credential("another operator's key", "rival", f"Bearer {KEYS['rival']}"),
                Credential("a revoked key", "garbage", f"Bearer {self.keys['revoked']}"),
                Credential("an expired key", "garbage", f"Bearer {self.keys['expired']}"),
            ]
        return table.path, found


@asynccontextmanager
async def door(*, opened: bool) -> AsyncIterator[Door]:
    house = make_house()
    store, entropy, keys = MemoryKeyStore(), CountedEntropy("keys"), {}
    for name, ends in (
        ("stored", None),
        ("expired", house.clock.now()),
        ("revoked", None),
        ("unknown", None),
    ):
        keys[name], kept = new_key("house", "", ends, house.clock, entropy)
        if not opened and name != "unknown":
            await store.add(kept)
        if name == "revoked":
            await store.revoke(kept.id)
    config = ApiConfig(
        open_mode=opened,
        operator_keys={} if opened else {_digest(key): name for name, key in KEYS.items()},
        metrics_key=None if opened else _digest(METRICS),
    )
    app = create_app(house.service, config, KnownKeys(store, house.clock))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as http:
        yield Door(Api(http, house), opened, keys)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def endpoints() -> set[str]:
    """The method and the path of everything that the application answers."""
    app = create_app(make_house().service, ApiConfig())
    return {
        f"{method} {route.path_format}"
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for method in route.methods - {"OPTIONS"}
    }


def expected(endpoint: str, credential: Credential, *, opened: bool) -> int:
    """The status of the answer; 200 stands for whatever it is that an endpoint answers when it lets in."""
    may, role = MAY[endpoint], credential.role
    if may == ANYBODY:
        return 200
    if endpoint == "GET /metrics":
        return 200 if opened or role == "metrics" else 401
    if role in may or (role == "alone" and "seat" in may):
        return 200
    if role in {"nobody", "garbage", "metrics"}:
        return 401
    of_session = S in endpoint
    if role == "token":
        return 401 if of_session else 403
    if role == "rival":
        return 404 if of_session else 200
    return 403


def test_every_endpoint_has_its_row() -> None:
    assert endpoints() == set(MAY)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("opened", [True, False], ids=["open mode", "with keys"])
async def test_each_credential_opens_what_the_table_says(opened: bool, game: str) -> None:
    async with door(opened=opened) as at:
        for endpoint in sorted(MAY):
            path, credentials = await at.session(game, dealt=endpoint in DEALT)
            for i in range(len(credentials)):
                wanted = expected(endpoint, credentials[i], opened=opened)
                before = await _version(at.api.house, path)
                answer = await _ask(at.api.http, endpoint, path, credentials[i], ACTIONS[game])
                case = endpoint, credentials[i].name, answer.text[:500]
                if wanted == 200 and (endpoint, game) == (f"GET {S}/advice", "two players"):
                    assert code(answer) == (404, "not-found"), case
                    assert "no advice in no-limit" in answer.json()["detail"], case
                elif wanted == 200:
                    assert answer.is_success, case
                else:
                    assert code(answer)[0] == wanted, case
                    assert await _version(at.api.house, path) == before, case
                if wanted == 200 and endpoint.startswith("POST " + S):
                    assert await _version(at.api.house, path) == before + 1, case
                    path, credentials = await at.session(game, dealt=endpoint in DEALT)


async def _ask(
    http: httpx.AsyncClient, endpoint: str, path: str, credential: Credential, action: str
) -> httpx.Response:
    method, _, asked = endpoint.partition(" ")
    asked = FILES.get(asked, asked).replace(S, path) + QUERIES.get(endpoint, "")
    for name, value in NAMES.items():
        asked = asked.replace(name, value)
    headers = {} if credential.header is None else {"Authorization": credential.header}
    body = BODIES.get(endpoint, {})
    if endpoint == f"POST {S}/decide":
        body = {"seat": 1, "action": {"type": action}}
    return await http.request(method, asked, headers=headers, json=body if method == "POST" else None)


async def _version(house: House, path: str) -> int:
    return (await house.session(path.rpartition("/")[2])).version
