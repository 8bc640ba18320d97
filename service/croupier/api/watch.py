"""Every request followed to its answer: counted, timed, and where wanted written down as one line in the log.

A line names the operation and the session, never who asked with what, a query or a body.
"""

import re
from time import perf_counter
from typing import TYPE_CHECKING, Any

import structlog

from croupier.telemetry import Counts

if TYPE_CHECKING:
    from litestar.types import ASGIApp, HTTPScope, Message, Receive, Send

_log = structlog.stdlib.get_logger("croupier.requests")
_REPLAYED = (b"idempotency-replayed", b"true")
_ID = re.compile(r"(?:[A-Za-z0-9_-]{12}~)?[A-Za-z0-9_-]{24}")
"""What the ids of sessions look like. A token or key that a client puts in their place is not for the log."""


class Watch:
    """Follows requests for *counts*; *logged*: one line a request, too."""

    def __init__(self, counts: Counts, *, logged: bool) -> None:
        self._counts = counts
        self._logged = logged

    async def follow(self, inner: "ASGIApp", scope: "HTTPScope", receive: "Receive", send: "Send") -> None:
        """Have *inner* answer. Its answer counts when its head is sent, so a stream counts when it opens."""
        counts, since = self._counts, perf_counter()
        answered = False

        async def sent(message: "Message") -> None:
            nonlocal answered
            if message["type"] == "http.response.start":
                answered = True
                seconds = perf_counter() - since
                replayed = _REPLAYED in message["headers"]
                operation = _operation(scope)
                counts.ended()
                counts.answered(operation, message["status"], seconds, replayed=replayed)
                if self._logged:
                    _write(scope, operation, message["status"], seconds, replayed=replayed)
            await send(message)

        counts.begun()
        try:
            await inner(scope, receive, sent)
        finally:
            if not answered:
                counts.ended()


def reached(scope: Any) -> tuple[str | None, str | None]:
    """The operation that a request reached and the session that it names."""
    return _operation(scope), _session(scope)


def _operation(scope: Any) -> str | None:
    """An operation's id; None where the request has reached none."""
    handler = scope.get("route_handler")
    operation = None if handler is None else handler.opt.get("operation")
    return None if operation is None else operation.id


def _session(scope: Any) -> str | None:
    """A session's id; None where the path names none, or something else in its place."""
    session_id: str = scope.get("path_params", {}).get("session_id", "")
    return session_id if _ID.fullmatch(session_id) else None


def _write(scope: Any, operation: str | None, status: int, seconds: float, *, replayed: bool) -> None:
    fields = {
        "method": scope["method"],
        "route": scope.get("path_template"),
        "operation": operation,
        "status": status,
        "duration_ms": round(seconds * 1000, 2),
        "request_id": scope["request_id"],
        "session_id": _session(scope),
        "replayed": replayed or None,
    }
    _log.info("request", **{name: value for name, value in fields.items() if value is not None})
