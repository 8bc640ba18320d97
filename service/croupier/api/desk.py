"""Where requests meet the use cases: what the API needs of them, and how a handler reads a request."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, Protocol, TypeAlias, cast

from litestar import Request

from croupier.api.auth import Credentials
from croupier.api.config import ApiConfig
from croupier.api.languages import locale_of
from croupier.api.operations import Operation
from croupier.api.problems import NotAcceptable
from croupier.api.reading import Model, body_of, headers_of, parsed, query_of, retry_of
from croupier.api.streams import Streams
from croupier.sessions.errors import InvalidRequest
from croupier.sessions.events import Feed
from croupier.sessions.ports import Answer
from croupier.sessions.reports import Period
from croupier.sessions.requests import Caller, Deal, Decide, Retry, SeatChange, Start
from croupier.sessions.spots import Spot

HttpRequest: TypeAlias = Request[Any, Any, Any]


class Sessions(Protocol):
    """The use cases. Each answers with ready JSON or raises a ``CroupierError``."""

    async def start(self, caller: Caller, request: Start, retry: Retry | None) -> Answer:
        """Start a session."""

    async def list(self, caller: Caller, after: str | None, limit: int) -> Answer:
        """An operator's sessions, newest first."""

    async def read(self, session_id: str, caller: Caller) -> Answer:
        """The whole position as the caller may see it."""

    async def deal(self, session_id: str, caller: Caller, request: Deal, retry: Retry | None) -> Answer:
        """Deal the next round."""

    async def decide(self, session_id: str, caller: Caller, request: Decide, retry: Retry | None) -> Answer:
        """Decide for a seat."""

    async def void(
        self, session_id: str, number: int, caller: Caller, reason: str, retry: Retry | None
    ) -> Answer:
        """Void the latest round."""

    async def close(self, session_id: str, caller: Caller, retry: Retry | None) -> Answer:
        """End a session early."""

    async def seat(
        self, session_id: str, seat: int, caller: Caller, request: SeatChange, retry: Retry | None
    ) -> Answer:
        """Change a seat."""

    async def ledger(self, session_id: str, caller: Caller, after: int, limit: int) -> Answer:
        """A page of the ledger."""

    async def rounds(self, session_id: str, caller: Caller, after: int, limit: int) -> Answer:
        """A page of round records."""

    async def round(self, session_id: str, number: int, caller: Caller, deal: int | None) -> Answer:
        """One round record."""

    async def histories(self, session_id: str, caller: Caller, after: int, limit: int) -> Answer:
        """A page of no-limit round records as PHH text."""

    async def history(self, session_id: str, number: int, caller: Caller, deal: int | None) -> Answer:
        """One no-limit round record as PHH text."""

    async def follow(self, session_id: str, caller: Caller, after: int | None) -> Feed:
        """What happens from now on, or happened after a version, as the caller may see it."""

    async def advice(self, session_id: str, caller: Caller) -> Answer:
        """The exact value of each action that the asking seat may take now."""

    async def odds(self, caller: Caller, spot: Spot, retry: Retry | None) -> Answer:
        """The odds of a given spot."""

    async def jackpots(self, caller: Caller) -> Answer:
        """The operator's progressive meters."""

    async def report(self, caller: Caller, asked: Period) -> Answer:
        """What the operator's rounds of a period come to."""

    async def ready(self) -> None:
        """Return when the store can be written to; raises ``StoreUnavailable``."""


def sessions_of(request: HttpRequest) -> Sessions:
    """The use cases of the application that got *request*."""
    return cast(Sessions, request.app.state.sessions)


def config_of(request: HttpRequest) -> ApiConfig:
    """The configuration of the application that got *request*."""
    return cast(ApiConfig, request.app.state.config)


def credentials_of(request: HttpRequest) -> Credentials:
    """Who tells the callers of the application that got *request*."""
    return cast(Credentials, request.app.state.credentials)


def streams_of(request: HttpRequest) -> Streams:
    """The open streams of the application that got *request*."""
    return cast(Streams, request.app.state.streams)


@dataclass(frozen=True, slots=True)
class Order(Generic[Model]):
    """A POST as it was read: its body, who sent it, and what makes a retry of it harmless."""

    body: Model
    caller: Caller
    retry: Retry | None


async def order(request: HttpRequest, model: type[Model]) -> Order[Model]:
    """Read a POST.

    Raises ``Unauthorized``, ``InvalidRequest``, ``PayloadTooLarge``, ``UnsupportedMediaType``,
    ``StoreUnavailable``.
    """
    headers, config = headers_of(request), config_of(request)
    caller = await credentials_of(request).caller(headers)
    body, value = parsed(model, await body_of(request, headers, config.max_body))
    return Order(body, caller, retry_of(headers, request.scope["path"], value))


async def question(request: HttpRequest, model: type[Model]) -> tuple[Model, str]:
    """Read a POST that needs no credential and changes nothing: its body, and the locale to answer in."""
    headers, config = headers_of(request), config_of(request)
    body, _ = parsed(model, await body_of(request, headers, config.max_body))
    return body, locale_of(headers.get(b"accept-language"))


async def asker(request: HttpRequest) -> Caller:
    """Who sent a GET. Raises ``Unauthorized``, ``StoreUnavailable``."""
    return await credentials_of(request).caller(headers_of(request))


def page(request: HttpRequest, model: type[Model]) -> Model:
    """The query of a GET. Raises ``InvalidRequest``."""
    return query_of(model, request)


async def negotiated(request: HttpRequest) -> None:
    """Refuse, before a handler runs, parameters it does not have and what no form of its answer is."""
    operation: Operation | None = request.scope["route_handler"].opt.get("operation")
    if operation is None:
        return
    if request.scope["query_string"] and operation.query is None:
        raise InvalidRequest("There are no query parameters here.")
    accept = headers_of(request).get(b"accept")
    if accept is not None and preferred(accept, operation.produces) is None:
        raise NotAcceptable(f"The answer can be {' or '.join(operation.produces)}.")


def preferred(accept: bytes, offers: tuple[str, ...]) -> str | None:
    """The offer that an ``Accept`` header likes best, the first of equals; None when it excludes them all."""
    return _liked(accept[:_LONGEST], offers)


_LONGEST = 1024
"""Bytes of an ``Accept`` header that are looked at, and so remembered."""


@lru_cache(256)
def _liked(accept: bytes, offers: tuple[str, ...]) -> str | None:
    weights: dict[str, float] = {}
    for part in accept.decode("latin-1").lower().split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        weight = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    weight = float(parameter[2:])
                except ValueError:
                    weight = 0.0
        weights[media] = weight
    if not any(weights):
        return offers[0]

    def liking(offer: str) -> float:
        ranges = (offer, f"{offer.partition('/')[0]}/*", "*/*")
        return next((weights[one] for one in ranges if one in weights), 0.0)

    best = max(offers, key=liking)
    return best if liking(best) > 0 else None
