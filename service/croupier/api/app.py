"""The application: the resources, how refusals are answered, and the edge around them."""

from litestar import Litestar
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from croupier.api.config import ApiConfig
from croupier.api.desk import Sessions, negotiated
from croupier.api.edge import Edge
from croupier.api.openapi import document
from croupier.api.problems import on_framework_refusal, on_mistake, on_refusal
from croupier.api.resources import RESOURCES
from croupier.sessions.errors import CroupierError


def create_app(sessions: Sessions, config: ApiConfig) -> Litestar:
    """The ASGI application that serves *sessions*. It holds no state of its own."""
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
        state=State({"sessions": sessions, "config": config, "document": document, "draining": False}),
    )
    app.asgi_handler = Edge(app, config)
    return app


def drain(app: Litestar) -> None:
    """Have *app* say that it is not ready any more, so that nothing new is sent to it. It answers on."""
    app.state.draining = True


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
        expose_headers=["Allow", "ETag", "Idempotency-Replayed", "Location", "Retry-After", "X-Request-Id"],
        max_age=600,
    )
