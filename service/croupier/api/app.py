"""The application: the resources, how refusals are answered, and the edge around them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.handlers import HTTPRouteHandler
from litestar.middleware.base import AbstractMiddleware

from croupier.api.auth import Credentials
from croupier.api.config import ApiConfig
from croupier.api.desk import Sessions, negotiated
from croupier.api.edge import Edge
from croupier.api.limits import Admission, Limited, Rates
from croupier.api.openapi import document
from croupier.api.problems import on_framework_refusal, on_mistake, on_refusal
from croupier.api.resources import RESOURCES
from croupier.api.streams import Streams
from croupier.api.watch import Watch, reached
from croupier.rules.registry import GAMES
from croupier.sessions.errors import CroupierError
from croupier.sessions.operators import KnownKeys
from croupier.telemetry import Board, Counts

if TYPE_CHECKING:
    from croupier.telemetry.tracing import Tracing


def create_app(
    sessions: Sessions,
    config: ApiConfig,
    stored: KnownKeys | None = None,
    counts: Counts | None = None,
    tracing: "Tracing | None" = None,
    rates: Rates | None = None,
) -> Litestar:
    """The ASGI application that serves *sessions*. It holds no state of its own.

    *stored* are operator keys beside those of *config*; *counts* is where requests are counted, a board of
    its own if there is no other; *tracing* traces them; *rates* counts them for who sent them.
    """
    credentials = Credentials(config, stored)
    counts = counts or Counts(board(1), 0)
    app = Litestar(
        route_handlers=RESOURCES,
        before_request=negotiated,
        cors_config=_cors(config),
        exception_handlers={
            CroupierError: on_refusal,
            HTTPException: on_framework_refusal,
            Exception: on_mistake,
        },
        logging_config=None,
        openapi_config=None,
        request_max_body_size=None,
        state=State(
            {
                "sessions": sessions,
                "config": config,
                "board": counts.board,
                "credentials": credentials,
                "document": document,
                "draining": False,
                "streams": Streams(),
            }
        ),
    )
    _admitting(app, config, rates)
    if tracing is not None:
        app.asgi_handler = tracing.requests(app.asgi_handler, reached)
    app.asgi_handler = Edge(app, config, credentials, Watch(counts, logged=config.access_log))
    return app


def _admitting(app: Litestar, config: ApiConfig, rates: Rates | None) -> None:
    """Have *app* refuse what is too much; inside of CORS, so that pages can read the refusal."""
    cors = app.asgi_handler if isinstance(app.asgi_handler, AbstractMiddleware) else None
    inner = app.asgi_handler if cors is None else cors.app
    admission = Admission(inner if rates is None else Limited(inner, rates), config.bounds)
    if cors is None:
        app.asgi_handler = admission
    else:
        cors.app = admission


def board(workers: int) -> Board:
    """A board for the counts of *workers*, with a place for every operation and every game."""
    return Board(workers, tuple(_operations()), tuple(GAMES))


def _operations() -> Iterator[str]:
    for controller in RESOURCES:
        for handler in vars(controller).values():
            if isinstance(handler, HTTPRouteHandler) and "operation" in handler.opt:
                yield handler.opt["operation"].id


def drain(app: Litestar) -> None:
    """Have *app* say that it is not ready any more, so that nothing new is sent to it. It answers on."""
    app.state.draining = True


def end_streams(app: Litestar) -> None:
    """End the streams of events, which would never end by themselves; their clients connect elsewhere."""
    app.state.streams.end()


def _cors(config: ApiConfig) -> CORSConfig | None:
    if not config.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(config.cors_origins),
        allow_methods=["GET", "HEAD", "POST"],
        allow_headers=[
            "Accept-Language",
            "Authorization",
            "Content-Type",
            "Idempotency-Key",
            "If-None-Match",
            "Last-Event-ID",
            "X-Request-Id",
        ],
        expose_headers=[
            "Allow",
            "ETag",
            "Idempotency-Replayed",
            "Location",
            "RateLimit",
            "RateLimit-Policy",
            "Retry-After",
            "X-Request-Id",
        ],
        max_age=600,
    )
