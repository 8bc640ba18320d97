"""Start-session's schema: one branch a game, made from the options that the game itself declares."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from dataclasses import Field as DataclassField
from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

from pydantic import Field, RootModel, StringConstraints, create_model
from pydantic.functional_validators import AfterValidator
from pydantic_core import PydanticCustomError

from croupier.api.schemas import MAX_SEATS, PLAIN, PREFLOP_SCHEMA, Request
from croupier.rules.game import MAX_AMOUNT, Game, InvalidOption
from croupier.rules.options import Between, limits_of
from croupier.rules.registry import GAMES
from croupier.sessions.errors import InvalidRequest
from croupier.sessions.requests import Start

METADATA_BYTES = 1024

_DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "ante": "The ante of each round. In Ultimate Texas Hold'em it is even, and the size of the blind "
        "too; in no-limit each seat posts it, and 0 is none.",
        "big_blind": "The big blind, and the least bet.",
        "buy_in": "What every seat brings, and the most that one may hold after a rebuy.",
        "hole_card_bonus": "Whether a bet on the two hole cards is offered.",
        "preflop_multiples": "The plays offered before the flop, in antes: `[4]`, `[3, 4]` or `[3]`.",
        "profile": "By which pay tables and house edge to play: see the catalogue.",
        "rebuys": "Whether a seat may bring more chips between rounds.",
        "rounds": "After how many settled rounds the session ends; null: when it is closed.",
        "seats": "How many seats there are.",
        "side_bet_max": "The most that one optional bet may stake.",
        "small_blind": "The small blind, at most the big blind.",
        "stacks": "What each seat brings, from the big blind to the buy-in; null: the buy-in for all.",
        "trips": "The Trips bet: not offered, by a fixed table, or with a share of the meter.",
    }
)

_Name = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=PLAIN)]
_Value = Annotated[str, StringConstraints(max_length=METADATA_BYTES, pattern=r"^[^\x00]*$")]


def _small(metadata: dict[str, str]) -> dict[str, str]:
    if sum(len(name.encode()) + len(value.encode()) for name, value in metadata.items()) > METADATA_BYTES:
        raise PydanticCustomError("too_long", "must be at most 1 KiB in all")
    return metadata


_ALSO: Mapping[tuple[str, str], dict[str, Any]] = {
    ("ultimate-texas-holdem", "ante"): {"multipleOf": 2},
    ("ultimate-texas-holdem", "preflop_multiples"): {**PREFLOP_SCHEMA},
}
"""What the game itself checks, for the document: by game and option."""


class StartFields(Request):
    """What every game's session may be started with."""

    metadata: Annotated[
        dict[_Name, _Value],
        Field(max_length=128, description="Kept with the session and given back; at most 1 KiB in all."),
        AfterValidator(_small),
    ] = {}  # noqa: RUF012 - Pydantic copies defaults
    players: Annotated[
        tuple[_Name, ...] | None,
        Field(description="One opaque reference a seat, for the operator's reports."),
        Field(min_length=1, max_length=MAX_SEATS),
    ] = None
    advice: Annotated[bool, Field(description="Whether seats may ask for advice.")] = True
    decision_seconds: Annotated[
        int | None,
        Field(ge=1, le=86_400, description="How long a seat may think; null: as long as it likes."),
    ] = None
    sandbox: Annotated[
        bool,
        Field(description="Whether deals may choose the deck; for development, where the server allows it."),
    ] = False


def _start_model(game: Game[Any, Any]) -> type[StartFields]:
    """The branch of *game*: its options' fields, types, limits and defaults, and the common ones."""
    options: Any = game.options
    hints, limits = get_type_hints(options), limits_of(options)
    declared: dict[str, Any] = {
        option.name: (
            Annotated[
                _option_type(hints[option.name], limits.get(option.name), option),
                Field(json_schema_extra=_ALSO.get((game.name, option.name), {})),
            ],
            option.default,
        )
        for option in fields(options)
    }
    kind: Any = Literal[game.name]
    title = "".join(part.capitalize() for part in game.name.split("-"))
    model: type[StartFields] = create_model(
        f"{title}Start",
        __base__=StartFields,
        __doc__=f"Start a session of {game.name}.",
        game=(kind, ...),
        **declared,
    )
    return model


def _option_type(hint: Any, limit: Between | None, option: "DataclassField[Any]") -> Any:
    """A Pydantic type for one option: limits become bounds, and what has none gets the widest sane ones."""
    if option.default is MISSING:
        raise TypeError(f"the option {option.name} needs a default")
    description = _DESCRIPTIONS[option.name]
    if limit is not None:
        return Annotated[hint, Field(ge=limit.low, le=limit.high, description=description)]
    tuples = [part for part in (hint, *get_args(hint)) if get_origin(part) is tuple]
    if tuples:
        item = Annotated[int, Field(ge=0, le=MAX_AMOUNT)]
        bounded = Annotated[tuple[item, ...], Field(min_length=1, max_length=MAX_SEATS)]
        return Annotated[bounded if hint in tuples else bounded | None, Field(description=description)]
    return Annotated[hint, Field(description=description)]


STARTS: dict[str, type[StartFields]] = {name: _start_model(game) for name, game in GAMES.items()}


if TYPE_CHECKING:
    AnyStart: TypeAlias = StartFields
else:
    AnyStart = Annotated[reduce(or_, STARTS.values()), Field(discriminator="game")]


class StartRequest(RootModel[AnyStart]):
    """Start a session; `game` says which."""


def asked(model: StartFields) -> Start:
    """As the use case takes it.

    Raises ``InvalidRequest`` for options that the game cannot take.
    """
    name: str = model.game  # type: ignore[attr-defined]
    options_type = GAMES[name].options
    try:
        options = options_type(
            **{option.name: getattr(model, option.name) for option in fields(options_type)}
        )
    except InvalidOption as wrong:
        raise InvalidRequest.of(f"/{wrong.field}", wrong.reason) from None
    seats = len(GAMES[name].chairs(options))
    if model.players is not None and len(model.players) != seats:
        raise InvalidRequest.of("/players", f"must have one reference a seat: {seats}")
    return Start(
        game=name,
        options=options,
        metadata=model.metadata,
        players=model.players,
        advice=model.advice,
        decision_seconds=model.decision_seconds,
        sandbox=model.sandbox,
    )
