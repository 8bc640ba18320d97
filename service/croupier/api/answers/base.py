"""The base of every answer, and the types that several share."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from croupier.api.schemas import CardText
from croupier.rules.game import MAX_AMOUNT
from croupier.rules.hands import CATEGORIES
from croupier.rules.registry import GAMES


class Answered(BaseModel):
    """The base of every answer."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_~-]{1,64}$")]
Digest = Annotated[
    str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Field(title="Digest", description="32 bytes in hex.")
]
Result = Annotated[
    Literal["player", "house", "tie"] | Annotated[int, Field(ge=1)] | None,
    Field(title="Result", description="Who won a finished session; in no-limit the seat's number."),
]
Time = Annotated[
    str,
    StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"),
    Field(title="Time", description="RFC 3339, UTC.", json_schema_extra={"format": "date-time"}),
]
Natural = Annotated[int, Field(ge=0)]
Amount = Annotated[int, Field(ge=0, le=MAX_AMOUNT)]
Number = Annotated[int, Field(ge=1)]
Category = Annotated[str, Field(title="Category", json_schema_extra={"enum": [*CATEGORIES]})]
GameName = Annotated[str, Field(title="GameName", json_schema_extra={"enum": [*GAMES]})]
Five = Annotated[list[CardText], Field(min_length=5, max_length=5)]
Hole = Annotated[list[CardText], Field(min_length=2, max_length=2)]
Board = Annotated[list[CardText], Field(max_length=5)]


class Hand(Answered):
    """The best five of a seat's or the dealer's cards."""

    category: Category
    cards: Five
    description: str
