"""The OpenAPI 3.1 document, from the handlers' own descriptions and Pydantic's own schemas.

The framework's generator loses discriminators, patterns and closed objects, so the document is put together
here: paths and parameters from the routes, components from :mod:`croupier.api.components`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from litestar.handlers import HTTPRouteHandler
from pydantic import BaseModel

from croupier.api.components import Schema, Schemas, ref, schemas_of
from croupier.api.examples import PROBLEM_EXAMPLES
from croupier.api.operations import Operation
from croupier.api.problems import PROBLEM_JSON, PROBLEMS, title
from croupier.api.reading import MAX_ORDINAL
from croupier.api.schemas import MAX_SEATS
from croupier.api.streams import EVENT_STREAM
from croupier.rules.registry import GAMES

_SPECIFIC = 409
"""The status whose problems are an operation's own; those of the others are the same for many."""
_NEVER_REFUSED = "health"
"""The tag of the operations that no limit and no bound refuses: see ``NEVER_REFUSED`` of the limits."""
_PATH_PARAMETER = re.compile(r"\{(\w+):\w+\}")

_DESCRIPTION = """\
Croupier deals Casino Hold'em, Ultimate Texas Hold'em and No-Limit Texas Hold'em in symbolic units.

Start a session, deal, decide, read the ledger. Amounts are integers in the game's smallest unit. Cards are
strings, such as `Ah`. Requests with unknown fields are refused; answers may gain fields in later versions.
Every POST with a credential takes an `Idempotency-Key`: a retry with the same key and body gives the
first answer again. Refusals are RFC 9457 problem documents; `GET /problems/{code}` explains each code."""

_TAGS = {
    "games": "What can be played, with its options, pay tables and words.",
    "sessions": "Starting, reading and ending sessions.",
    "rounds": "Dealing, deciding, and what was dealt.",
    "seats": "Taking part, leaving, chips, client seeds and tokens.",
    "ledger": "What was staked and returned, in a chain of hashes.",
    "jackpots": "Progressive meters.",
    "reports": "What an operator's rounds come to.",
    "odds": "What actions and hands are worth, counted exactly.",
    "hands": "Evaluating hands.",
    "fairness": "Checking a shuffle.",
    "problems": "What each problem code means.",
    "health": "Whether the server lives and can serve.",
    "documentation": "This document.",
}

_CREDENTIALS = {
    "operatorKey": "An operator's key, made by whoever runs the server. Without any, on a loopback address, "
    "a request with no credential acts as the operator `local`.",
    "tableToken": "A session's table token, from the answer that started it: `tbl_...`.",
    "seatToken": "A seat's token, from the answer that started the session: `seat_...`.",
    "metricsKey": "The key of the metrics, from the server's settings. In open mode they need none.",
}

_PATH: Mapping[str, tuple[str, Schema]] = {
    "session_id": ("The session's id.", {"type": "string", "pattern": "^[A-Za-z0-9_~-]{1,64}$"}),
    "game": ("The game's name.", {"type": "string", "enum": list(GAMES)}),
    "number": ("The round's number, from 1.", {"type": "integer", "minimum": 1, "maximum": MAX_ORDINAL}),
    "seat": ("The seat's number, from 1.", {"type": "integer", "minimum": 1, "maximum": MAX_SEATS}),
    "code": ("A problem's `code`.", {"type": "string", "enum": list(PROBLEMS)}),
}

_REQUEST_HEADERS: Mapping[str, tuple[str, Schema]] = {
    "Idempotency-Key": (
        "Makes a retry harmless: the same key with the same body gives the first answer again, for 24 hours.",
        {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[\\x21-\\x7e]+$"},
    ),
    "If-None-Match": (
        "An `ETag` that the caller knows: 304 while it is still the present one.",
        {"type": "string"},
    ),
    "Last-Event-ID": (
        "The last event that a client of a stream has seen: what comes after it follows.",
        {"type": "string", "pattern": "^(0|[1-9][0-9]{0,11})?$"},
    ),
    "Accept-Language": ("The locale of words for people, such as a hand's description.", {"type": "string"}),
    "X-Request-Id": (
        "Comes back with the answer. One that is not 1 to 128 visible ASCII characters is replaced.",
        {"type": "string"},
    ),
}

_ANSWER_HEADERS: Mapping[str, tuple[str, Schema]] = {
    "ETag": ("The version of what was answered.", {"type": "string"}),
    "Idempotency-Replayed": (
        "There when this is the answer kept for the key.",
        {"type": "string", "const": "true"},
    ),
    "Location": ("The new session's path.", {"type": "string", "format": "uri-reference"}),
    "RateLimit": (
        "What is left of each limit that counts for the caller, and the seconds until it grows, such as "
        '`"token-60s";r=4999;t=12`. Absent where nothing is limited.',
        {"type": "string"},
    ),
    "RateLimit-Policy": (
        'Each limit that counts for the caller, such as `"token-60s";q=5000;w=60`: so many requests in so '
        "many seconds.",
        {"type": "string"},
    ),
    "Retry-After": ("Seconds to wait.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("The scheme to authenticate by.", {"type": "string"}),
    "X-Request-Id": ("The request's id, as given or made.", {"type": "string"}),
}

_RATES = ("RateLimit", "RateLimit-Policy")
_PROBLEM_HEADERS = {
    401: ("WWW-Authenticate",),
    429: ("Retry-After", *_RATES),
    503: ("Retry-After",),
}


def document() -> dict[str, Any]:
    """The whole document, as JSON has it."""
    operations = list(_operations())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Croupier",
            "version": version("croupier"),
            "summary": "A stateless card game server.",
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
        "servers": [{"url": "/", "description": "This server."}],
        "tags": [{"name": name, "description": description} for name, description in _TAGS.items()],
        "paths": _paths(operations),
        "components": {
            "schemas": schemas_of(operation for _, _, operation in operations),
            "responses": {
                _response_name(codes): _problem_response(PROBLEMS[codes[0]].status, codes)
                for status, codes in _all_refusals(operations)
                if status != _SPECIFIC
            },
            "parameters": {
                name: {"name": name, "in": "header", "description": description, "schema": schema}
                for name, (description, schema) in _REQUEST_HEADERS.items()
            },
            "headers": {
                name: {"description": description, "schema": schema}
                for name, (description, schema) in _ANSWER_HEADERS.items()
            },
            "examples": {
                code: {"summary": title(code), "value": PROBLEM_EXAMPLES[code]}
                for _, codes in _all_refusals(operations)
                for code in codes
            },
            "securitySchemes": {
                name: {"type": "http", "scheme": "bearer", "description": description}
                for name, description in _CREDENTIALS.items()
            },
        },
    }


# ── Paths ────────────────────────────────────────────────────────────────────────────────────────────────


def _operations() -> Iterator[tuple[str, str, Operation]]:
    """The path, the method and the description of every operation that has one."""
    # The resources know this module, through the one of them that serves the document.
    from croupier.api.resources import RESOURCES  # noqa: PLC0415

    for controller in RESOURCES:
        for handler in vars(controller).values():
            if isinstance(handler, HTTPRouteHandler) and "operation" in handler.opt:
                (own,) = handler.paths
                path = f"{vars(controller).get('path', '')}/{own.strip('/')}".rstrip("/")
                (method,) = handler.http_methods - {"HEAD", "OPTIONS"}
                yield path, str(method).lower(), handler.opt["operation"]


def _paths(operations: list[tuple[str, str, Operation]]) -> dict[str, Any]:
    paths: dict[str, Any] = {}
    for path, method, operation in operations:
        place = paths.setdefault(_PATH_PARAMETER.sub(r"{\1}", path), {})
        place[method] = _operation(operation, method, _PATH_PARAMETER.findall(path))
    return paths


def _operation(operation: Operation, method: str, named: list[str]) -> dict[str, Any]:
    keyed = _keyed(operation, method)
    found: dict[str, Any] = {
        "operationId": operation.id,
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [
            *(_path_parameter(name) for name in named),
            *_query_parameters(operation),
            *(ref("parameters", name) for name in _headers_taken(operation, method, keyed=keyed)),
        ],
    }
    if operation.body is not None:
        found["requestBody"] = {
            "required": any(field.is_required() for field in operation.body.model_fields.values()),
            "content": {"application/json": _content(operation.body, operation.requests)},
        }
    found["responses"] = _responses(operation, method, keyed=keyed, named=bool(named))
    found["security"] = [{name: []} for name in operation.credentials]
    return found


def _keyed(operation: Operation, method: str) -> bool:
    """Whether it heeds an ``Idempotency-Key``: without a credential there is nobody whose key it would be."""
    return method == "post" and bool(operation.credentials)


def _path_parameter(name: str) -> dict[str, Any]:
    description, schema = _PATH[name]
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _query_parameters(operation: Operation) -> Iterator[dict[str, Any]]:
    if operation.query is None:
        return
    for name, schema in operation.query.model_json_schema(schema_generator=Schemas)["properties"].items():
        one, description = dict(schema), schema.get("description", "")
        # In a query a parameter is left out, never null.
        for choice in one.pop("anyOf", []):
            one |= choice if choice != {"type": "null"} else {}
        if one.get("default", ...) is None:
            del one["default"]
        one.pop("description", None)
        yield {"name": name, "in": "query", "description": description, "schema": one}


def _headers_taken(operation: Operation, method: str, *, keyed: bool) -> Iterator[str]:
    if keyed:
        yield "Idempotency-Key"
    if method == "get" and "ETag" in operation.headers:
        yield "If-None-Match"
    if EVENT_STREAM in operation.produces:
        yield "Last-Event-ID"
    if operation.answer is not None and operation.tag in ("sessions", "rounds", "seats", "hands"):
        yield "Accept-Language"
    yield "X-Request-Id"


# ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────


def _responses(operation: Operation, method: str, *, keyed: bool, named: bool) -> dict[str, Any]:
    headers = [*operation.headers, *(("Idempotency-Replayed",) if keyed else ()), "X-Request-Id"]
    if operation.tag != _NEVER_REFUSED:
        headers += _RATES
    good: dict[str, Any] = {
        "description": operation.summary + ".",
        "headers": {name: ref("headers", name) for name in headers},
        "content": {
            media: _content(operation.answer, operation.answers)
            if media == "application/json"
            else {"schema": {"type": "string"}} | _named(operation.texts)
            # Generators of clients read the first form alone.
            for media in sorted(operation.produces, key=lambda media: media != "application/json")
        },
    }
    if operation.links:
        good["links"] = {
            name: {
                "operationId": link.operation,
                "parameters": {f"path.{parameter}": source for parameter, source in link.parameters.items()},
                "description": link.description,
            }
            for name, link in operation.links.items()
        }
    responses: dict[str, Any] = {str(operation.status): good}
    if EVENT_STREAM in operation.produces:
        responses["204"] = {
            "description": "The session is over and all of it was told: connect no more.",
            "headers": {"X-Request-Id": ref("headers", "X-Request-Id")},
        }
    if method == "get" and "ETag" in operation.headers:
        responses["304"] = {
            "description": "Nothing has changed since the `ETag` in `If-None-Match`.",
            "headers": {name: ref("headers", name) for name in ("ETag", "X-Request-Id")},
        }
    for status, codes in _refusals(operation, keyed=keyed, named=named).items():
        responses[str(status)] = (
            _problem_response(status, codes)
            if status == _SPECIFIC
            else ref("responses", _response_name(codes))
        )
    return responses


def _refusals(operation: Operation, *, keyed: bool, named: bool) -> dict[int, tuple[str, ...]]:
    """The codes of an operation's problems by their status, the lowest first."""
    by_status: dict[int, tuple[str, ...]] = {}
    for code in _codes(operation, keyed=keyed, named=named):
        status = PROBLEMS[code].status
        by_status[status] = (*by_status.get(status, ()), code)
    return dict(sorted(by_status.items()))


def _all_refusals(operations: list[tuple[str, str, Operation]]) -> list[tuple[int, tuple[str, ...]]]:
    """Every group of codes that operations answer with under one status, in the order of the table."""
    found = {
        refusal
        for path, method, operation in operations
        for refusal in _refusals(
            operation, keyed=_keyed(operation, method), named=bool(_PATH_PARAMETER.search(path))
        ).items()
    }
    order = list(PROBLEMS)
    return sorted(found, key=lambda refusal: [order.index(code) for code in refusal[1]])


def _codes(operation: Operation, *, keyed: bool, named: bool) -> list[str]:
    """The codes of every problem that an operation can answer with, in the order of the table."""
    codes = {"invalid-request", "forbidden", "not-acceptable", "internal-error", *operation.problems}
    if operation.credentials:
        codes |= {"unauthorized", "store-unavailable"} | ({"not-found"} if named else set())
    if operation.tag != _NEVER_REFUSED:
        codes |= {"too-many-requests", "overloaded"}
    if operation.body is not None:
        codes |= {"payload-too-large", "unsupported-media-type"}
    if keyed:
        codes |= {"idempotency-key-reused"} | ({"stale-version"} if named else set())
    return [code for code in PROBLEMS if code in codes]


def _problem_response(status: int, codes: Sequence[str]) -> dict[str, Any]:
    return {
        "description": " ".join(PROBLEMS[code].happened for code in codes),
        "headers": {
            name: ref("headers", name) for name in (*_PROBLEM_HEADERS.get(status, ()), "X-Request-Id")
        },
        "content": {
            PROBLEM_JSON: {
                "schema": ref("schemas", "Problem"),
                "examples": {code: ref("examples", code) for code in codes},
            }
        },
    }


def _response_name(codes: Sequence[str]) -> str:
    return "Or".join("".join(part.capitalize() for part in code.split("-")) for code in codes)


def _content(model: type[BaseModel] | None, examples: Mapping[str, Any]) -> dict[str, Any]:
    if model is None:
        return {"schema": {"type": "object"}} | _named(examples)
    return {"schema": ref("schemas", model.__name__)} | _named(examples)


def _named(examples: Mapping[str, Any]) -> dict[str, Any]:
    return {"examples": {name: {"value": value} for name, value in examples.items()}} if examples else {}
