"""Sessions, seats and tokens."""

from collections.abc import Mapping
from dataclasses import fields
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, get_type_hints

from pydantic import Field, create_model

from croupier.api.answers.base import (
    Amount,
    Answered,
    Digest,
    GameName,
    Identifier,
    Natural,
    Number,
    Result,
    Time,
)
from croupier.api.answers.rounds import Round
from croupier.rules.game import Game
from croupier.rules.registry import GAMES
from croupier.sessions.session import SeatStatus, Status


class SharedOptions(Answered):
    """What the sessions of every game play by, beside the game's own options."""

    decision_seconds: Number | None
    advice: bool


def _options_model(game: Game[Any, Any]) -> type[SharedOptions]:
    options: Any = game.options
    hints = get_type_hints(options)
    own: dict[str, Any] = {option.name: (hints[option.name], ...) for option in fields(options)}
    title = "".join(part.capitalize() for part in game.name.split("-"))
    model: type[SharedOptions] = create_model(
        f"{title}Options", __base__=SharedOptions, __doc__=f"What a session of {game.name} plays by.", **own
    )
    return model


OPTIONS: Mapping[str, type[SharedOptions]] = {name: _options_model(game) for name, game in GAMES.items()}
if TYPE_CHECKING:
    AnyOptions: TypeAlias = SharedOptions
else:
    # Readers that try one after the other find the right one only where the one with most fields comes first.
    AnyOptions = Annotated[
        reduce(or_, sorted(OPTIONS.values(), key=lambda model: -len(model.model_fields))),
        Field(title="Options", description="What the session plays by; `game` says which they are."),
    ]


class Seat(Answered):
    """A seat between rounds; `stack` is no-limit's alone."""

    seat: Number
    status: Annotated[SeatStatus, Field(title="SeatStatus")]
    balance: int
    stack: Amount | None = None


class Session(Answered):
    """The whole position as the caller may see it: enough to reconnect with."""

    id: Identifier
    game: GameName
    status: Annotated[Status, Field(title="Status")]
    options: AnyOptions
    version: Number
    rounds_played: Natural
    seats: list[Seat]
    round: Round | None
    next_commitment: Digest | None
    result: Result
    created_at: Time
    sandbox: bool
    metadata: dict[str, str]
    players: Annotated[list[str] | None, Field(description="Shown to the operator alone.")] = None


class SeatChanged(Session):
    """The session after a change of a seat; `token` is there after `new_token`."""

    token: str | None = None


class Tokens(Answered):
    """The credentials of a session's table and seats, shown once."""

    table: str
    seats: list[str]


class Started(Answered):
    """A new session and its tokens."""

    session: Session
    tokens: Tokens


class Listed(Answered):
    """A page of sessions, newest first."""

    sessions: list[Session]
    next_after: str | None
