"""The smallest client that loses no request: one token, a key for every POST, a few attempts."""

import asyncio
import sys
import uuid
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx
from fair import Unfair

T = TypeVar("T")

ATTEMPTS = 5


class Bearer:
    """One token's requests. A refusal ends the program with a line that says why."""

    def __init__(self, http: httpx.AsyncClient, token: str | None) -> None:
        self.http = http
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    async def get(self, path: str, **query: int) -> Any:
        """The JSON at *path*."""
        return self._json(await self.http.get(path, params=query, headers=self.headers))

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Post *body* once, however often it takes to be answered: the key makes a retry safe."""
        headers = {**self.headers, "Idempotency-Key": str(uuid.uuid4())}
        for _ in range(ATTEMPTS - 1):
            try:
                answer = await self.http.post(path, json=body, headers=headers)
            except httpx.TransportError:
                await asyncio.sleep(0.5)
                continue
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                return self._json(answer)
            await asyncio.sleep(int(answer.headers.get("Retry-After", "1")))
        return self._json(await self.http.post(path, json=body, headers=headers))

    @staticmethod
    def _json(answer: httpx.Response) -> Any:
        if answer.is_error:
            if answer.headers.get("Content-Type") != "application/problem+json":
                sys.exit(f"{answer.url} answered {answer.status_code}: is Croupier there?")
            problem = answer.json()
            sys.exit(f"{problem['status']} {problem['code']}: {problem.get('detail', problem['title'])}")
        return answer.json()


def run(base: str, playing: Coroutine[Any, Any, T]) -> T:
    """What bots that play against *base* come to. Where they cannot play, the program ends and says why."""
    try:
        return asyncio.run(playing)
    except httpx.TransportError as failure:
        sys.exit(f"No answer from {base}: {failure}. Is the server running? (make serve)")
    except Unfair as failure:
        sys.exit(f"UNFAIR: {failure}")
