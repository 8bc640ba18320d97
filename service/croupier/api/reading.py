"""From a raw request to a strict model, or to the refusal that says what is wrong and where.

The framework's own decoding coerces (``"5"``, ``true`` and ``5.0`` become integers) and decodes whatever the
``Content-Type`` says, so bodies are read here: bounded, then checked, then parsed by Pydantic alone.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from pydantic import BaseModel, ValidationError

from croupier.api.problems import PayloadTooLarge, UnsupportedMediaType
from croupier.sessions.errors import FieldError, InvalidRequest, NotFound
from croupier.sessions.requests import Retry

MAX_NESTING = 32
MAX_ERRORS = 20
MAX_DIGITS = 100
MAX_ORDINAL = 10**6
"""No round, seat or deal is counted further."""

Model = TypeVar("Model", bound=BaseModel)

_IDENTIFIER = re.compile(r"[A-Za-z0-9_~-]{1,64}")
_ORDINAL = re.compile(r"[1-9][0-9]{0,6}")
_KEY = re.compile(rb"[\x21-\x7e]{1,255}")
_JSON_TYPE = re.compile(rb'application/json(?:\s*;\s*charset="?utf-8"?)?\s*', re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def headers_of(request: Request[Any, Any, Any]) -> Mapping[bytes, bytes]:
    """The request's headers by lower-case name."""
    return dict(request.scope["headers"])


def known_to(request: Request[Any, Any, Any]) -> bytes | None:
    """The entity tags that the caller knows already: the ``If-None-Match`` header."""
    return headers_of(request).get(b"if-none-match")


# ── Bodies ───────────────────────────────────────────────────────────────────────────────────────────────


async def body_of(request: Request[Any, Any, Any], headers: Mapping[bytes, bytes], limit: int) -> bytes:
    """The whole body, of at most *limit* bytes, declared as JSON unless empty.

    Raises ``PayloadTooLarge``, ``UnsupportedMediaType``, ``InvalidRequest``.
    """
    too_large = PayloadTooLarge(f"The body may have at most {limit} bytes.")
    declared = headers.get(b"content-length", b"0")
    if not declared.isdigit() or len(declared) > 18:
        raise InvalidRequest("The Content-Length header is not a number.")
    if int(declared) > limit:
        raise too_large
    body = b""
    while True:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise InvalidRequest("The body ended early.")
        if message["type"] == "http.request":
            body += message.get("body", b"")
            if len(body) > limit:
                raise too_large
            if not message.get("more_body", False):
                break
    if body:
        _refuse_other_media(headers)
    return body


def _refuse_other_media(headers: Mapping[bytes, bytes]) -> None:
    if not _JSON_TYPE.fullmatch(headers.get(b"content-type", b"")):
        raise UnsupportedMediaType("Send the body as Content-Type: application/json, in UTF-8.")
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise UnsupportedMediaType("Send the body as it is, with no Content-Encoding.")


def parsed(model: type[Model], body: bytes) -> tuple[Model, Any]:
    """*body* as a *model*, and as plain JSON values; an empty body is an empty object.

    Raises ``InvalidRequest`` with a pointer to each wrong field.
    """
    body = body or b"{}"
    if nesting_exceeds(body, MAX_NESTING):
        raise InvalidRequest.of("", f"nested more than {MAX_NESTING} deep")
    try:
        value = _read(body.decode())
    except UnicodeDecodeError:
        raise InvalidRequest.of("", "is not valid UTF-8") from None
    except json.JSONDecodeError as wrong:
        raise InvalidRequest.of(
            "", f"is not valid JSON: {wrong.msg} at line {wrong.lineno} column {wrong.colno}"
        ) from None
    try:
        return model.model_validate_json(body), value
    except ValidationError as wrong:
        raise _refusal(wrong, value) from None


def nesting_exceeds(body: bytes, limit: int) -> bool:
    """Whether arrays and objects stand more than *limit* deep; told without recursion."""
    if body.count(b"[") + body.count(b"{") <= limit:
        return False
    depth = 0
    for byte in _STRING.sub(b"", body):
        if byte in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


class _StandsTwice(Exception):
    """An object has two fields of one name."""


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _StandsTwice
    return found


def _int(digits: str) -> int:
    """An integer; one too long for any field is cut short, for only Pydantic says where it stands."""
    return int(digits[:MAX_DIGITS])


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_int)


def _read(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except _StandsTwice:
        raise InvalidRequest.of(_place_of_the_second(text), "stands twice") from None


def _place_of_the_second(text: str) -> str:
    """The pointer to a field whose name stands twice in its object."""
    found: list[tuple[dict[str, Any], str]] = []

    def kept(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        whole = dict(pairs)
        if len(whole) != len(pairs):
            found.append((whole, Counter(name for name, _ in pairs).most_common(1)[0][0]))
        return whole

    value = json.loads(text, object_pairs_hook=kept, parse_int=_int)
    return next(
        pointer + _step(name) for pointer, part in _parts(value) for whole, name in found if part is whole
    )


def _parts(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every value inside *value*, itself first, with its pointer."""
    yield pointer, value
    match value:
        case dict():
            for name, inner in value.items():
                yield from _parts(inner, pointer + _step(name))
        case list():
            for index, inner in enumerate(value):
                yield from _parts(inner, pointer + _step(index))


def _step(name: str | int) -> str:
    """One step of an RFC 6901 pointer; names are cut, so that an answer is never as long as a request."""
    return "/" + str(name).encode(errors="replace").decode()[:64].replace("~", "~0").replace("/", "~1")


def _unreadable(value: Any, detail: str) -> FieldError:
    """What Pydantic's parser stumbled over though ours did not: a lone surrogate, or thousands of digits."""
    for pointer, found in _parts(value):
        for part in found if isinstance(found, dict) else (found,):
            place = pointer + _step(part) if isinstance(found, dict) else pointer
            match part:
                case str() if _SURROGATE.search(part):
                    return FieldError(place, "is not valid Unicode")
                case int() if abs(part) >= 10 ** (MAX_DIGITS - 2):
                    return FieldError(place, "is too large")
    return FieldError("", detail)


def _refusal(wrong: ValidationError, value: Any) -> InvalidRequest:
    found: list[FieldError] = []
    errors = wrong.errors(include_url=False, include_input=False)
    # A list that lost an item to its own error is then found too short: that says nothing new.
    inside = {error["loc"][:-1] for error in errors}
    errors = [error for error in errors if error["type"] != "too_short" or error["loc"] not in inside]
    for error in errors[:MAX_ERRORS]:
        pointer = pointer_to(error["loc"], value)
        detail = re.sub(r"^(?:Input|String) should", "must", error["msg"][:200])
        match error["type"]:
            case "json_invalid":
                found.append(_unreadable(value, detail))
                continue
            case "union_tag_not_found" | "union_tag_invalid":
                tag = str(error["ctx"]["discriminator"]).strip("'")
                expected = error["ctx"].get("expected_tags")
                pointer += f"/{tag}"
                detail = f"must be one of {expected}" if expected else "is needed"
            case "too_short" if "ctx" in error:
                detail = f"must have {error['ctx']['min_length']} items or more"
            case "too_long" if "ctx" in error:
                detail = f"must have {error['ctx']['max_length']} items or fewer"
            case "extra_forbidden" | "unexpected_keyword_argument":
                detail = "is not a field that this takes"
            case "missing" | "missing_argument" | "missing_keyword_only_argument":
                detail = "is needed"
        found.append(FieldError(pointer, detail))
    first = found[0]
    return InvalidRequest(f"{first.pointer or 'body'}: {first.detail}", errors=tuple(found))


def pointer_to(location: Sequence[int | str], value: Any) -> str:
    """An RFC 6901 pointer from Pydantic's *location* of an error in *value*.

    Pydantic puts the tag of a union's branch into the location, and ``[key]`` behind the name of a field that
    is itself wrong; they are no part of the document.
    """
    pointer = ""
    for step in location:
        if step == "[key]" and not (isinstance(value, dict) and step in value):
            continue
        match value:
            case {"type": tag} | {"game": tag} | {"do": tag} if step == tag and step not in value:
                continue
            case dict():
                value = value.get(step)
            case list() if isinstance(step, int) and step < len(value):
                value = value[step]
            case _:
                value = None
        pointer += _step(step)
    return pointer


# ── Queries, paths and headers ───────────────────────────────────────────────────────────────────────────


def query_of(model: type[Model], request: Request[Any, Any, Any]) -> Model:
    """The query parameters as a *model*. Raises ``InvalidRequest`` for unknown, repeated or bad ones."""
    raw: bytes = request.scope["query_string"]
    if not raw:
        return model()
    try:
        pairs = parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=16,
            strict_parsing=True,
        )
    except ValueError:
        raise InvalidRequest("The query is not a list of name=value pairs in UTF-8.") from None
    values = dict(pairs)
    if len(values) != len(pairs):
        raise InvalidRequest("A query parameter may be given once only.")
    try:
        return model.model_validate_strings(values, strict=False)
    except ValidationError as wrong:
        raise _refusal(wrong, values) from None


def identifier(text: str) -> str:
    """A path's id. Raises ``NotFound`` for what cannot be one."""
    if not _IDENTIFIER.fullmatch(text):
        raise NotFound("There is nothing at this path.")
    return text


def ordinal(text: str) -> int:
    """A path's number, from 1. Raises ``NotFound`` for what cannot be one."""
    if not _ORDINAL.fullmatch(text) or int(text) > MAX_ORDINAL:
        raise NotFound("There is nothing at this path.")
    return int(text)


def retry_of(headers: Mapping[bytes, bytes], path: str, value: Any) -> Retry | None:
    """The request's ``Idempotency-Key`` with what it stands for; None without one."""
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise InvalidRequest("The Idempotency-Key header has to be 1 to 255 visible ASCII characters.")
    return Retry(key.decode(), path, msgspec.json.encode(value, order="sorted"))
