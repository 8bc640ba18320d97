"""The catalogue of games, made once and sent as ready bytes."""

import hashlib
from functools import cache

import msgspec
from litestar import Controller, get
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.catalogue import Catalogue, CatalogueGame
from croupier.api.catalogue import catalogue
from croupier.api.desk import HttpRequest
from croupier.api.operations import Link, Operation
from croupier.api.reading import known_to
from croupier.api.replies import PUBLIC, Reply, quoted, unless_known
from croupier.sessions.errors import NotFound

_START = Link("startSession", {}, "Start a session of one.")


class Games(Controller):
    """``/v1/games``."""

    path = "/v1/games"

    @get(
        "/",
        opt={
            "operation": Operation(
                id="listGames",
                tag="games",
                summary="List the games",
                description="Seats, stages, bets, actions, options with defaults and limits, pay tables, "
                "profiles with their exact house edge, and what people call it all in each locale.",
                answer=Catalogue,
                headers=("ETag",),
                links={"start": _START},
                answers={"catalogue": examples.CATALOGUE},
            )
        },
    )
    async def list(self, request: HttpRequest) -> Reply:
        """List the games."""
        return unless_known(_ready()[""], known_to(request))

    @get(
        "/{game:str}",
        opt={
            "operation": Operation(
                id="readGame",
                tag="games",
                summary="Read one game of the catalogue",
                description="One entry of the list.",
                answer=CatalogueGame,
                problems=("not-found",),
                headers=("ETag",),
                links={"start": _START},
                answers={"game": examples.CATALOGUE["games"][0]},
            )
        },
    )
    async def read(self, request: HttpRequest, game: FromPath[str]) -> Reply:
        """Read one game of the catalogue."""
        found = _ready().get(game) if game else None
        if found is None:
            raise NotFound("There is no such game.")
        return unless_known(found, known_to(request))


@cache
def _ready() -> dict[str, Reply]:
    """The answers by game's name; the whole catalogue under the empty one."""
    whole = catalogue()
    return {"": _reply(whole), **{entry["game"]: _reply(entry) for entry in whole["games"]}}


def _reply(value: object) -> Reply:
    body = msgspec.json.encode(value)
    return Reply(body, headers=(PUBLIC, (b"etag", quoted(hashlib.sha256(body).hexdigest()[:32]))))
