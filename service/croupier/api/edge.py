"""What every answer has in common, in one thin layer around the whole application.

A request id in and out, security headers, ``Cache-Control``, the ``Host`` check of open mode, exact paths,
``HEAD`` and ``OPTIONS``. Everything here costs a request some microseconds, so nothing else is here.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from litestar.enums import ScopeType
from litestar.exceptions import MethodNotAllowedException, NotFoundException

from croupier.api.auth import Credentials
from croupier.api.config import ApiConfig
from croupier.api.problems import allowed, refused
from croupier.api.replies import Header, Reply
from croupier.api.watch import Watch
from croupier.sessions.errors import CroupierError, Forbidden, InvalidRequest, NotFound

if TYPE_CHECKING:
    from litestar import Litestar
    from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,128}")
_LOOPBACK = re.compile(rb"(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
_SCHEME = re.compile(rb"https?://")
_SECURITY: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PAGE: tuple[Header, ...] = (
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
"""For what a browser shows; a page is what brings a content policy of its own."""
_HTTPS: Header = (b"strict-transport-security", b"max-age=31536000")
"""For a year nothing but HTTPS: said only where the request came by it, as a trusted proxy tells."""
_CLOSED_POLICY: Header = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
_SINGLE = frozenset(
    {b"authorization", b"content-encoding", b"content-length", b"content-type", b"host", b"idempotency-key"}
)
_LONGEST_PATH = 1024
"""The router remembers paths, so it does not get to see longer ones."""
_PRIVATE: Header = (b"cache-control", b"private, no-store")


class Edge:
    """Wraps *app*'s own ASGI stack; put in its place by :func:`croupier.api.app.create_app`."""

    def __init__(self, app: "Litestar", config: ApiConfig, credentials: Credentials, watch: Watch) -> None:
        self._app = app
        self._watch = watch
        self._inner: ASGIApp = app.asgi_handler
        self._credentials = credentials
        self._loopback_only = config.open_mode
        self._origins = frozenset(origin.encode() for origin in config.cors_origins)

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        if scope["type"] != ScopeType.HTTP:
            await self._inner(scope, receive, send)
            return
        pairs = list(scope["headers"])
        headers = dict(pairs)
        request_id = headers.get(b"x-request-id", b"")
        if not _REQUEST_ID.fullmatch(request_id):
            request_id = os.urandom(16).hex().encode()
        method = scope["method"]
        own: Any = {**scope, "request_id": request_id.decode()}
        if method == "HEAD":
            own |= {"method": "GET", "bodiless": True}
        repeated = None if len(headers) == len(pairs) else _repeated(own, pairs)
        rebound = await self._rebound(own) if self._loopback_only and self._strange(method, headers) else None
        inner = repeated or rebound or _no_path(own) or self._options(own, headers) or self._inner
        send = _dressed(send, request_id, bodiless=method == "HEAD", https=scope["scheme"] == "https")
        await self._watch.follow(inner, own, receive, send)

    def _strange(self, method: str, headers: dict[bytes, bytes]) -> bool:
        """Whether any page could be behind a request: by a strange ``Host``, or a POST's ``Origin``.

        A page may send a POST without a body anywhere; what else it may do, and read, is left to CORS.
        """
        if not _LOOPBACK.fullmatch(headers.get(b"host", b"")):
            return True
        origin = headers.get(b"origin") if method == "POST" else None
        if origin is None or origin in self._origins:
            return False
        scheme = _SCHEME.match(origin)
        return scheme is None or not _LOOPBACK.fullmatch(origin, scheme.end())

    async def _rebound(self, scope: "HTTPScope") -> Reply | None:
        """The refusal of a strange request in open mode, where it would be the operator's."""
        try:
            if await self._credentials.open_mode():
                raise Forbidden(
                    "This server has no operator key, so it answers to a loopback name only, as localhost "
                    "is, and takes no orders from pages of other origins."
                )
        except CroupierError as refusal:
            return refused(refusal, scope)
        self._loopback_only = False
        return None

    def _options(self, scope: "HTTPScope", headers: dict[bytes, bytes]) -> Reply | None:
        """What a path answers to OPTIONS; the preflight of a page that may call is left to CORS."""
        if scope["method"] != "OPTIONS" or self._preflight(headers):
            return None
        try:
            self._app.asgi_router.handle_routing(path=scope["path"], method="?")
        except MethodNotAllowedException as raised:
            methods = allowed((raised.headers or {}).get("allow", ""))
            return Reply(b"", status=204, headers=((b"allow", methods.encode()),))
        except NotFoundException:
            return refused(NotFound("There is nothing at this path."), scope)
        return None

    def _preflight(self, headers: dict[bytes, bytes]) -> bool:
        if b"access-control-request-method" not in headers:
            return False
        return not self._origins.isdisjoint((b"*", headers.get(b"origin", b"")))


def _no_path(scope: "HTTPScope") -> Reply | None:
    """The refusal of a path that is another one's but for a slash, or too long for any."""
    path = scope["path"]
    if len(path) > _LONGEST_PATH or "//" in path or (path.endswith("/") and path != "/"):
        return refused(NotFound("There is nothing at this path."), scope)
    return None


def _repeated(scope: "HTTPScope", pairs: Iterable[Header]) -> Reply | None:
    """The refusal of a header given twice where only one can be meant."""
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1 and name in _SINGLE:
            return refused(InvalidRequest(f"The {name.decode().title()} header stands twice."), scope)
    return None


def _dressed(send: "Send", request_id: bytes, *, bodiless: bool, https: bool) -> "Send":
    async def sent(message: "Message") -> None:
        if message["type"] == "http.response.start":
            headers = [*message["headers"], *_SECURITY, (b"x-request-id", request_id)]
            names = {name for name, _ in headers}
            if b"cache-control" not in names:
                headers.append(_PRIVATE)
            if b"content-security-policy" in names:
                headers += _PAGE
            else:
                headers.append(_CLOSED_POLICY)
            if https:
                headers.append(_HTTPS)
            message["headers"] = headers
        elif bodiless and message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return sent
