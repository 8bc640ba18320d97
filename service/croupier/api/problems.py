"""Every refusal as an RFC 9457 problem document, from one table of codes."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from croupier.api.languages import locale_of
from croupier.api.replies import Header, Reply
from croupier.locales import DEFAULT, word
from croupier.sessions.errors import CroupierError, FieldError, InvalidRequest, NotFound

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER = 1
"""Seconds a client is told to wait where the refusal itself names no time."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table: the HTTP status, and in plain words what happened and what to do.

    Titles are among the words of each locale, under the problem's code.
    """

    status: int
    happened: str
    remedy: str


PROBLEMS: Mapping[str, Kind] = MappingProxyType(
    {
        "invalid-request": Kind(
            400,
            "A field, a query parameter or a header is missing, unknown, mistyped or out of bounds, or the "
            "body is not valid JSON.",
            "Look at `errors`: each entry points at one field and says what is allowed there.",
        ),
        "unauthorized": Kind(
            401,
            "The request carries no credential where one is needed, or one that this server does not know.",
            "Send `Authorization: Bearer ...` with an operator key, or a table's or seat's token.",
        ),
        "forbidden": Kind(
            403,
            "The credential is good, but it may not do this.",
            "Use the credential that may: a seat's token decides for that seat alone, the table's token "
            "deals, the operator voids.",
        ),
        "not-found": Kind(
            404,
            "There is no such thing here, or it is not yours to see.",
            "Check the path and the id. Sessions are deleted some time after they end.",
        ),
        "method-not-allowed": Kind(
            405,
            "The path exists but does not answer this method.",
            "Use one of the methods in the `Allow` header.",
        ),
        "not-acceptable": Kind(
            406,
            "The `Accept` header excludes every form this answer can take.",
            "Accept `application/json`, or leave the header out.",
        ),
        "round-in-progress": Kind(
            409,
            "A round is open and has to end first.",
            "Take the decisions that are still due, then ask again.",
        ),
        "no-round": Kind(
            409,
            "No round is open, so there is nothing to decide or to void.",
            "Deal a round first.",
        ),
        "not-enough-seats": Kind(
            409,
            "Too few seats want cards or can pay for them.",
            "Have seats sit in or rebuy, then deal.",
        ),
        "not-your-turn": Kind(
            409,
            "The seat has nothing to decide now.",
            "Read the session: `to_act` names the seats that are due.",
        ),
        "illegal-action": Kind(
            409,
            "The action or its amount is well formed but not legal now.",
            "Choose one of `legal_actions`.",
        ),
        "session-finished": Kind(
            409,
            "The session is over: it was played to its end or closed.",
            "Start another session.",
        ),
        "stale-version": Kind(
            409,
            "The session has changed since the version or the round that the request names.",
            "Read the session again and decide anew; `version` is the present one.",
        ),
        "payload-too-large": Kind(
            413,
            "The body is larger than this server takes.",
            "Send at most 64 KiB.",
        ),
        "unsupported-media-type": Kind(
            415,
            "The body is not declared as JSON in UTF-8, or it is compressed.",
            "Send `Content-Type: application/json` and no `Content-Encoding`.",
        ),
        "idempotency-key-reused": Kind(
            422,
            "The same `Idempotency-Key` came before, from you and on this path, with another body.",
            "Use a new key for a new request, and repeat a key with exactly the same body only.",
        ),
        "too-many-requests": Kind(
            429,
            "A limit on requests or on work is reached.",
            "Wait as many seconds as `Retry-After` says, then try again.",
        ),
        "internal-error": Kind(
            500,
            "The server made a mistake. It has been written to its log.",
            "Try again with the same `Idempotency-Key`; report the `X-Request-Id` should it persist.",
        ),
        "overloaded": Kind(
            503,
            "The server has as much to do as it takes on, and refused the request before it did anything.",
            "Wait as many seconds as `Retry-After` says, then try again.",
        ),
        "store-unavailable": Kind(
            503,
            "The store that keeps the sessions did not answer in time.",
            "Wait as many seconds as `Retry-After` says, then try again; a retry with the same "
            "`Idempotency-Key` is safe.",
        ),
        "shutting-down": Kind(
            503,
            "This server answers what it is asked, but is about to stop.",
            "Send what comes next to another server; or here again, after as many seconds as `Retry-After` "
            "says.",
        ),
    }
)


class HttpRefusal(CroupierError):
    """A refusal that HTTP knows and the use cases do not; each subclass has its code."""


class MethodNotAllowed(HttpRefusal):
    """The path does not answer this method."""

    code = "method-not-allowed"


class NotAcceptable(HttpRefusal):
    """The caller accepts none of the forms an answer can take."""

    code = "not-acceptable"


class PayloadTooLarge(HttpRefusal):
    """The body is larger than allowed."""

    code = "payload-too-large"


class UnsupportedMediaType(HttpRefusal):
    """The body is not declared as JSON."""

    code = "unsupported-media-type"


class ShuttingDown(HttpRefusal):
    """The server is about to stop, so nothing new should be sent to it."""

    code = "shutting-down"


class Overloaded(HttpRefusal):
    """The server has as much to do as it takes on."""

    code = "overloaded"


class InternalError(HttpRefusal):
    """A mistake of the server; nothing of it is shown."""

    code = "internal-error"


def title(code: str, locale: str = DEFAULT) -> str:
    """What a problem is called in *locale*."""
    return word("problems", code, locale)


def explanation(code: str, locale: str = DEFAULT) -> dict[str, str | int]:
    """A row of the table as JSON has it, its title in *locale*."""
    kind = PROBLEMS[code]
    return {
        "type": f"/problems/{code}",
        "code": code,
        "status": kind.status,
        "title": title(code, locale),
        "happened": kind.happened,
        "remedy": kind.remedy,
    }


def problem(code: str, refusal: CroupierError, instance: str, locale: str = DEFAULT) -> dict[str, Any]:
    """The problem document of *refusal*; *instance* is the reference of what was asked.

    Its title is in *locale*; what happened this time is told in English.
    """
    kind = PROBLEMS[code]
    document: dict[str, Any] = {
        "type": f"/problems/{code}",
        "title": title(code, locale),
        "status": kind.status,
        "detail": refusal.detail,
        "instance": instance,
        "code": code,
    }
    if refusal.errors:
        document["errors"] = [_field(error) for error in refusal.errors]
    if refusal.legal_actions is not None:
        document["legal_actions"] = [
            {"type": action.type, **asdict(action)} for action in refusal.legal_actions
        ]
    if refusal.version is not None:
        document["version"] = refusal.version
    return document


def _field(error: FieldError) -> dict[str, str]:
    return {"pointer": error.pointer, "detail": error.detail}


def _headers(refusal: CroupierError) -> dict[str, str]:
    match PROBLEMS[refusal.code].status:
        case 401:
            return {"WWW-Authenticate": 'Bearer realm="croupier"'}
        case 429 | 503:
            return {"Retry-After": str(refusal.retry_after or RETRY_AFTER)}
        case _:
            return {}


def refused(refusal: CroupierError, scope: Mapping[str, Any], *headers: Header) -> Reply:
    """The finished answer to a refused request."""
    body = msgspec.json.encode(problem(refusal.code, refusal, instance_of(scope), _locale(scope)))
    own = [(name.lower().encode(), value.encode()) for name, value in _headers(refusal).items()]
    return Reply(
        body,
        status=PROBLEMS[refusal.code].status,
        media_type=PROBLEM_JSON.encode(),
        headers=(*own, *headers),
    )


def _locale(scope: Mapping[str, Any]) -> str:
    return locale_of(next((value for name, value in scope["headers"] if name == b"accept-language"), None))


def instance_of(scope: Mapping[str, Any]) -> str:
    """The request's path as it was sent, without its query: a URI reference."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.partition(b"?")[0][:512].decode("ascii", "backslashreplace")


# ── What the framework calls when something was raised ───────────────────────────────────────────────────


def on_refusal(request: Request[Any, Any, Any], refusal: CroupierError) -> Response[bytes]:
    """A use case, or our own reading of the request, refused."""
    return _response(request, refusal, {})


def on_framework_refusal(request: Request[Any, Any, Any], raised: HTTPException) -> Response[bytes]:
    """The framework refused: no such path, no such method, a request it cannot read."""
    headers: dict[str, str] = {}
    refusal: CroupierError
    match raised.status_code:
        case 404:
            refusal = NotFound("There is nothing at this path. The API is under /v1, and described at /docs.")
        case 405:
            methods = allowed((raised.headers or {}).get("allow", ""))
            headers["Allow"] = methods
            refusal = MethodNotAllowed(f"This path answers {methods}.")
        case 413:
            refusal = PayloadTooLarge("The body is too large.")
        case status if status >= 500:
            return on_mistake(request, raised)
        case _:
            refusal = InvalidRequest(raised.detail)
    return _response(request, refusal, headers)


def on_mistake(request: Request[Any, Any, Any], raised: Exception) -> Response[bytes]:
    """Something nobody foresaw: logged in full, told in one sentence."""
    scope: Mapping[str, Any] = request.scope
    request_id = scope.get("request_id")
    _log.error(
        "unhandled error on %s %s, request %s",
        request.method,
        instance_of(scope),
        request_id,
        exc_info=raised,
    )
    return _response(request, InternalError("Something went wrong on the server's side."), {})


def allowed(methods: str) -> str:
    """An ``Allow`` header from the framework's list of methods: every GET answers HEAD too."""
    known = {method.strip() for method in methods.split(",")} - {""} | {"OPTIONS"}
    if "GET" in known:
        known.add("HEAD")
    return ", ".join(sorted(known))


def _response(
    request: Request[Any, Any, Any], refusal: CroupierError, headers: dict[str, str]
) -> Response[bytes]:
    return Response(
        content=msgspec.json.encode(
            problem(refusal.code, refusal, instance_of(request.scope), _locale(request.scope))
        ),
        status_code=PROBLEMS[refusal.code].status,
        media_type=PROBLEM_JSON,
        headers={**_headers(refusal), **headers},
    )
