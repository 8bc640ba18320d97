"""The OpenAPI document, and a page to read and try it on that needs no other server."""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import msgspec
from litestar import Controller, get
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.desk import HttpRequest
from croupier.api.operations import Operation
from croupier.api.reading import known_to
from croupier.api.replies import HTML, JSON, PUBLIC, Reply, quoted, unless_known
from croupier.api.swagger import ASSETS, PAGE, POLICY, START, asset, in_version_3_0
from croupier.sessions.errors import NotFound

Document: TypeAlias = Callable[[], dict[str, Any]]
"""Puts the document together from all resources, this one too: the application hands it in."""


class Documentation(Controller):
    """``/openapi.json`` and ``/docs``."""

    @get(
        "/openapi.json",
        opt={
            "operation": Operation(
                id="readDocument",
                tag="documentation",
                summary="This document",
                description="The OpenAPI 3.1 document of this server.",
                answers={"its beginning": examples.DOCUMENT},
            )
        },
    )
    async def document(self, request: HttpRequest) -> Reply:
        """The OpenAPI document."""
        return unless_known(_document(request.app.state.document), known_to(request))

    @get("/docs")
    async def page(self) -> Reply:
        """The page."""
        return Reply(PAGE, media_type=HTML, headers=(PUBLIC, POLICY))

    @get("/docs/{name:str}")
    async def asset(self, request: HttpRequest, name: FromPath[str]) -> Reply:
        """A file of the page."""
        match name:
            case "start.js":
                return Reply(START, media_type=b"text/javascript; charset=utf-8", headers=(PUBLIC,))
            case "openapi.json":
                return _older_document(request.app.state.document)
            case _ if name in ASSETS:
                return Reply(asset(name), media_type=ASSETS[name], headers=(PUBLIC,))
            case _:
                raise NotFound("There is nothing at this path.")


@cache
def _document(document: Document) -> Reply:
    body = msgspec.json.encode(document())
    etag = quoted(hashlib.sha256(body).hexdigest()[:32])
    return Reply(body, media_type=JSON, headers=(PUBLIC, (b"etag", etag)))


@cache
def _older_document(document: Document) -> Reply:
    return Reply(msgspec.json.encode(in_version_3_0(document())), headers=(PUBLIC,))
