"""Finished answers: a status, headers and bytes, sent as they are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

    from croupier.sessions.ports import Answer

Header: TypeAlias = tuple[bytes, bytes]

JSON = b"application/json"
HTML = b"text/html; charset=utf-8"
TEXT = b"text/plain; charset=utf-8"
PUBLIC = (b"cache-control", b"public, max-age=300")

_KEPT = frozenset({b"etag", b"cache-control", b"vary", b"content-security-policy"})
"""What a 304 says again, for its headers take the place of those that the caller has kept."""


class Reply:
    """An ASGI application that sends one finished answer; cheaper than a framework response a request."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self,
        body: bytes,
        *,
        status: int = 200,
        media_type: bytes = JSON,
        headers: Sequence[Header] = (),
    ) -> None:
        self.status = status
        self.body = body
        self.headers: list[Header] = [*headers]
        if status not in (204, 304):
            self.headers += ((b"content-type", media_type), (b"content-length", b"%d" % len(body)))

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Send the answer."""
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": False})


def json_reply(value: Any, *, status: int = 200, headers: Sequence[Header] = ()) -> Reply:
    """*value* as JSON."""
    return Reply(msgspec.json.encode(value), status=status, headers=headers)


def quoted(etag: str) -> bytes:
    """An entity tag as its header has it."""
    return f'"{etag}"'.encode()


def reply_to(answer: "Answer", if_none_match: bytes | None = None, *, media_type: bytes = JSON) -> Reply:
    """A use case's answer with the headers that belong to it; 304 where the caller has it already."""
    headers: list[Header] = []
    if answer.etag is not None:
        headers.append((b"etag", answer.etag.encode()))
    if answer.location is not None:
        headers.append((b"location", answer.location.encode()))
    if answer.replayed:
        headers.append((b"idempotency-replayed", b"true"))
    return unless_known(
        Reply(answer.body, status=answer.status, media_type=media_type, headers=headers), if_none_match
    )


def unless_known(reply: Reply, if_none_match: bytes | None) -> Reply:
    """*reply*, or 304 where the caller already has what its ``ETag`` names."""
    if if_none_match is None:
        return reply
    etag = next((value for name, value in reply.headers if name == b"etag"), None)
    known = {tag.strip().removeprefix(b"W/") for tag in if_none_match.split(b",")}
    if etag is None or (etag not in known and b"*" not in known):
        return reply
    kept = [pair for pair in reply.headers if pair[0] in _KEPT]
    return Reply(b"", status=304, headers=kept)
