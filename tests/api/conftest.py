"""The application in this process, on a store in memory, with the clock and the entropy held."""

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from croupier.api.app import create_app
from croupier.api.config import ApiConfig
from sessions.house import House, make_house

KEYS = {"house": "the-key-of-the-house", "rival": "the-key-of-a-rival"}


@dataclass
class Table:
    """A started session and a way to ask for it with each of its credentials."""

    http: httpx.AsyncClient
    id: str
    table: str
    seats: list[str]

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.id}"

    async def post(
        self, verb: str, body: Any = None, *, token: str | None = None, **headers: str
    ) -> httpx.Response:
        """Seat 1 unless another token is given."""
        own = {"Authorization": f"Bearer {token or self.seats[0]}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.http.post(f"{self.path}/{verb}", json={} if body is None else body, headers=own)

    async def get(self, what: str = "", *, token: str | None = None, **headers: str) -> httpx.Response:
        own = {"Authorization": f"Bearer {token or self.seats[0]}"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        return await self.http.get(self.path + what, headers=own)


@dataclass
class Api:
    """A running application."""

    http: httpx.AsyncClient
    house: House

    async def start(self, game: str = "casino-holdem", *, key: str | None = None, **options: Any) -> Table:
        answer = await self.http.post(
            "/v1/sessions",
            json={"game": game, **options},
            headers={} if key is None else {"Authorization": f"Bearer {key}"},
        )
        assert answer.status_code == 201, answer.text
        started = answer.json()
        return Table(
            self.http, started["session"]["id"], started["tokens"]["table"], started["tokens"]["seats"]
        )


@asynccontextmanager
async def serving(
    config: ApiConfig, base_url: str = "http://localhost:8000", *, sandbox: bool = False
) -> AsyncIterator[Api]:
    house = make_house(allow_sandbox=sandbox)
    transport = httpx.ASGITransport(create_app(house.service, config))
    async with httpx.AsyncClient(transport=transport, base_url=base_url) as http:
        yield Api(http, house)


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    """In open mode."""
    async with serving(ApiConfig(open_mode=True), sandbox=True) as running:
        yield running


@pytest.fixture
async def keyed() -> AsyncIterator[Api]:
    """With operator keys, on a public name."""
    keys = {hashlib.sha256(key.encode()).hexdigest(): name for name, key in KEYS.items()}
    async with serving(ApiConfig(operator_keys=keys), "https://croupier.example") as running:
        yield running


def code(answer: httpx.Response) -> tuple[int, str]:
    """A refusal's status and code, once it has been seen to be a proper problem document."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    problem = answer.json()
    assert problem["type"] == f"/problems/{problem['code']}"
    assert problem["status"] == answer.status_code
    assert problem["instance"] == answer.request.url.raw_path.partition(b"?")[0].decode()[:512]
    assert problem["title"]
    assert problem["detail"]
    return problem["status"], problem["code"]
