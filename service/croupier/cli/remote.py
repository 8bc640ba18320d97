"""The API as a client meets it: what ``croupier play``, ``bot`` and ``doctor`` ask a running server.

Every POST has an ``Idempotency-Key`` and is sent until it is answered, so that nothing happens twice.
"""

import secrets
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import httpx
import stamina
from stamina.instrumentation import set_on_retry_hooks

from croupier.cli.where import Json, Refused, Unreachable

_PATIENCE = 30.0
_BUSY = {429, 503}


class _Busy(Exception):
    """The server asks to be asked again; *seconds* later, if it says so."""

    def __init__(self, answer: httpx.Response) -> None:
        given = answer.headers.get("Retry-After", "")
        self.seconds = float(given) if given.isdigit() else 1.0
        self.answer = answer


@dataclass(slots=True)
class Started:
    """A session that this program started: its id and its tokens, a seat's at its place."""

    id: str
    table: str
    seats: list[str]
    session: Json = field(repr=False)

    @property
    def path(self) -> str:
        """Where its requests go."""
        return f"/v1/sessions/{self.id}"


class Remote:
    """A server at *url*; *key* is the operator's, None in open mode. *words* is an ``Accept-Language``."""

    def __init__(self, url: str, key: str | None = None, *, connections: int = 10, words: str = "en") -> None:
        set_on_retry_hooks([])  # a retry is no news to who plays
        self._key = key
        self._heard = False
        self.url = url.rstrip("/")
        self._http = httpx.AsyncClient(
            base_url=self.url,
            timeout=_PATIENCE,
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            headers={"Accept-Language": words, "User-Agent": "croupier"},
        )

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    async def get(self, path: str, token: str | None = None) -> Any:
        """The JSON at *path*. Raises :class:`Refused`, :class:`Unreachable`."""
        return await self._answered("GET", path, token, None, {})

    async def post(self, path: str, body: Json, token: str | None = None) -> Any:
        """The answer to *body*, which takes effect once. Raises :class:`Refused`, :class:`Unreachable`."""
        return await self._answered("POST", path, token, body, {"Idempotency-Key": secrets.token_urlsafe(16)})

    async def start(self, game: str, **options: Any) -> Started:
        """Start a session. Raises :class:`Refused`, :class:`Unreachable`."""
        given = await self.post("/v1/sessions", {"game": game, **options})
        session, tokens = given["session"], given["tokens"]
        return Started(session["id"], tokens["table"], tokens["seats"], session)

    async def raw(self, path: str) -> httpx.Response:
        """Whatever is answered at *path*, asked for once. Raises :class:`Unreachable`."""
        try:
            return await self._http.get(path)
        except httpx.HTTPError as failure:
            raise self._nobody(failure) from None

    async def _answered(
        self, method: str, path: str, token: str | None, body: Json | None, headers: dict[str, str]
    ) -> Any:
        credential = token or self._key
        if credential is not None:
            headers["Authorization"] = f"Bearer {credential}"
        try:
            async for attempt in stamina.retry_context(on=self._again, timeout=_PATIENCE):
                with attempt:
                    answer = await self._http.request(method, path, json=body, headers=headers)
                    self._heard = True
                    if answer.status_code in _BUSY:
                        raise _Busy(answer)
        except _Busy as busy:
            answer = busy.answer
        except httpx.HTTPError as failure:
            raise self._nobody(failure) from None
        return self._json(answer)

    def _again(self, failure: Exception) -> bool | float:
        """Whether to ask again, and after how many seconds: not where nobody has ever answered."""
        if isinstance(failure, _Busy):
            return failure.seconds
        return self._heard and isinstance(failure, httpx.TransportError)

    def _json(self, answer: httpx.Response) -> Any:
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        if answer.is_error and kind == "application/problem+json":
            raise Refused(answer.json())
        if answer.is_error or kind != "application/json":
            raise Unreachable(f"{self.url} answers, but not as Croupier does (HTTP {answer.status_code}).")
        return answer.json()

    def _nobody(self, failure: Exception) -> Unreachable:
        why = str(failure) or type(failure).__name__
        return Unreachable(f"No answer from {self.url}: {why}. Is the server running? (croupier serve)")
