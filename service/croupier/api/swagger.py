"""What the documentation page is made of: Swagger UI's own files, and the document in the form it reads.

The packaged Swagger UI reads OpenAPI 3.0 and no later. Its copy of the document says in 3.0's words what the
real one, at ``/openapi.json``, says in 3.1's.
"""

from collections.abc import Mapping
from typing import Any

from swagger_ui_bundle import swagger_ui_path

ASSETS: Mapping[str, bytes] = {
    "swagger-ui.css": b"text/css; charset=utf-8",
    "swagger-ui-bundle.js": b"text/javascript; charset=utf-8",
    "favicon-32x32.png": b"image/png",
}
"""The files served from the package, and their media types."""

PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Croupier API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript; the document itself is at
<a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""

START = b"""SwaggerUIBundle({
  url: "/docs/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
"""

POLICY = (
    b"content-security-policy",
    b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
)
"""Swagger UI writes styles into the page as it goes; scripts and requests stay with this server."""


def asset(name: str) -> bytes:
    """One of :data:`ASSETS`."""
    content: bytes = (swagger_ui_path / name).read_bytes()
    return content


def in_version_3_0(document: Mapping[str, Any]) -> dict[str, Any]:
    """A 3.1 *document* in the words of 3.0."""
    older: dict[str, Any] = _older(document)
    older["openapi"] = "3.0.3"
    older["info"].pop("summary", None)
    older["info"]["license"].pop("identifier", None)
    older.pop("jsonSchemaDialect", None)
    return older


def _older(node: Any) -> Any:
    if not isinstance(node, dict):
        return [_older(value) for value in node] if isinstance(node, list) else node
    match node:
        case {"anyOf": [*choices], **rest} if {"type": "null"} in choices:
            others = [_older(choice) for choice in choices if choice != {"type": "null"}]
            return {**_one_of_them(others), **_older(rest), "nullable": True}
        case {"$ref": ref, **rest} if rest:
            return {**_one_of_them([{"$ref": ref}]), **_older(rest)}
        case {"const": value, "type": "string", **rest}:
            return {**_older(rest), "type": "string", "enum": [value]}
        case {"examples": [first, *_], **rest}:
            return {**_older(rest), "example": first}
        case _:
            # Names cannot be described in 3.0.
            return {key: _older(value) for key, value in node.items() if key != "propertyNames"}


def _one_of_them(schemas: list[Any]) -> dict[str, Any]:
    """Any of *schemas*, in a form that more can be said beside: in 3.0 nothing stands beside a ``$ref``."""
    match schemas:
        case [{"$ref": _}]:
            return {"allOf": schemas}
        case [only]:
            alone: dict[str, Any] = only
            return alone
        case _:
            return {"anyOf": schemas}
