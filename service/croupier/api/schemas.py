"""What requests may say: strict Pydantic models, every string and integer bounded.

The actions and side bets are the rules' own dataclasses, given bounds here, not copies of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    RootModel,
    StringConstraints,
    WithJsonSchema,
)
from pydantic.functional_validators import AfterValidator, BeforeValidator
from pydantic_core import CoreSchema, PydanticCustomError

from croupier.rules.actions import AllIn, Bet, Call, Check, Fold, Play, Raise
from croupier.rules.cards import cards
from croupier.rules.game import MAX_AMOUNT, SideBets
from croupier.sessions.reports import MAX_SESSIONS, Period
from croupier.sessions.requests import Deal, Decide, SeatChange
from croupier.sessions.session import Millis

MAX_SEATS = 10
MAX_HANDS = 1000


class Request(BaseModel):
    """The base of every request: no coercion, no unknown field."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


@dataclass(frozen=True, slots=True, eq=False)
class Bounded:
    """Gives the integer fields of a rules' dataclass limits: *fields* by name, any other 0 to 10^12."""

    fields: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """The dataclass's own schema, with ``ge`` and ``le`` on its integers."""
        schema = handler(source)
        own: Any = handler.resolve_ref_schema(schema)
        for part in own["schema"]["fields"]:
            inner = part["schema"]
            inner = inner["schema"] if inner["type"] == "default" else inner
            if inner["type"] == "int":
                inner["ge"], inner["le"] = self.fields.get(part["name"], (0, MAX_AMOUNT))
        return schema


def distinct(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """*items*; refuses one that stands twice."""
    if len(set(items)) != len(items):
        raise PydanticCustomError("not_unique", "an item stands twice")
    return items


def _one_a_seat(bets: tuple[SideBets, ...]) -> tuple[SideBets, ...]:
    if len({bet.seat for bet in bets}) != len(bets):
        raise PydanticCustomError("not_unique", "a seat stands twice")
    return bets


Amount = Annotated[int, Field(ge=1, le=MAX_AMOUNT)]
Version = Annotated[
    int, Field(ge=1, le=MAX_AMOUNT, description="Refuse unless the session is at this version.")
]
SeatNumber = Annotated[int, Field(ge=1, le=MAX_SEATS, description="Seats are numbered from 1.")]
RoundNumber = Annotated[int, Field(ge=1, le=10**6)]
CardText = Annotated[
    str,
    StringConstraints(min_length=2, max_length=2, pattern=r"^[2-9TJQKA][cdhs]$"),
    Field(title="Card", description="A card: rank, then suit.", examples=["Ah"]),
]
ClientSeed = Annotated[
    str,
    StringConstraints(max_length=128, pattern=r"^[^\x00]*$"),
    Field(description="Text of the client's choice that goes into the shuffle."),
]
PLAIN = r"^[^\x00-\x1f\x7f]*$"
"""Text without control characters."""
UNIQUE = Field(json_schema_extra={"uniqueItems": True})
PREFLOP_SCHEMA: Mapping[str, Any] = {
    "items": {"type": "integer", "minimum": 3, "maximum": 4},
    "minItems": 1,
    "maxItems": 2,
    "uniqueItems": True,
}
"""``PREFLOP_MULTIPLES`` but for their order: generators of clients cannot read an enum of lists."""

ActionRequest: TypeAlias = Annotated[
    Annotated[Fold, Bounded()]
    | Annotated[Check, Bounded()]
    | Annotated[Call, Bounded()]
    | Annotated[AllIn, Bounded()]
    | Annotated[Bet, Bounded({"to": (1, MAX_AMOUNT)})]
    | Annotated[Raise, Bounded({"to": (1, MAX_AMOUNT)})]
    | Annotated[Play, Bounded({"multiple": (1, 10)})],
    Field(title="Action", discriminator="type"),
]


class DealRequest(Request):
    """Deal the next round. Every field is optional."""

    version: Version | None = None
    client_seed: ClientSeed | None = None
    bets: Annotated[
        tuple[Annotated[SideBets, Bounded({"seat": (1, MAX_SEATS)})], ...],
        Field(max_length=MAX_SEATS, description="Optional bets that go with the deal, one entry a seat."),
        AfterValidator(_one_a_seat),
    ] = ()
    sit_out: Annotated[
        tuple[SeatNumber, ...],
        Field(max_length=MAX_SEATS, description="Seats to leave out of this round alone."),
        AfterValidator(distinct),
        UNIQUE,
    ] = ()
    deck: (
        Annotated[
            tuple[CardText, ...],
            Field(max_length=52, description="The top of the deck; sandbox sessions alone."),
            AfterValidator(distinct),
            UNIQUE,
        ]
        | None
    ) = None

    def asked(self) -> Deal:
        """As the use case takes it."""
        return Deal(
            version=self.version,
            client_seed=self.client_seed,
            bets=self.bets,
            sit_out=self.sit_out,
            deck=None if self.deck is None else cards(self.deck),
        )


class DecideRequest(Request):
    """Decide for a seat."""

    action: ActionRequest
    seat: Annotated[SeatNumber | None, Field(description="May be left out with a seat token.")] = None
    version: Version | None = None
    round: Annotated[
        RoundNumber | None,
        Field(
            description="Refuse unless this is the round in progress. It guards where `version` is "
            "too much: whatever a neighbour does to its own seat makes a new version."
        ),
    ] = None

    def asked(self) -> Decide:
        """As the use case takes it."""
        return Decide(action=self.action, seat=self.seat, version=self.version, round=self.round)


class VoidRequest(Request):
    """Void a round."""

    reason: Annotated[
        str,
        StringConstraints(min_length=1, max_length=200, pattern=PLAIN),
        Field(description="Why; it stands in the ledger."),
    ]


class CloseRequest(Request):
    """End a session early. There is nothing to say."""


class SitOut(Request):
    """Take no part until further notice."""

    do: Literal["sit_out"]


class SitIn(Request):
    """Take part again, from the next round."""

    do: Literal["sit_in"]


class Leave(Request):
    """Leave for good."""

    do: Literal["leave"]


class NewToken(Request):
    """Replace the seat's token; the old one stops working."""

    do: Literal["new_token"]


class Rebuy(Request):
    """Bring more chips, up to ``buy_in``."""

    do: Literal["rebuy"]
    amount: Amount


class SetClientSeed(Request):
    """Set the seat's part of the next deal's client seed."""

    do: Literal["client_seed"]
    value: ClientSeed


class SeatRequest(
    RootModel[Annotated[SitOut | SitIn | Leave | NewToken | Rebuy | SetClientSeed, Field(discriminator="do")]]
):
    """Change a seat."""

    def asked(self) -> SeatChange:
        """As the use case takes it."""
        match self.root:
            case Rebuy(do=do, amount=amount):
                return SeatChange(do, amount=amount)
            case SetClientSeed(do=do, value=value):
                return SeatChange(do, value=value)
            case verb:
                return SeatChange(verb.do)


class EvaluateRequest(Request):
    """Evaluate hands, each on its own."""

    hands: Annotated[
        tuple[
            Annotated[
                tuple[CardText, ...], Field(min_length=5, max_length=7), AfterValidator(distinct), UNIQUE
            ],
            ...,
        ],
        Field(min_length=1, max_length=MAX_HANDS, description="Hands of five to seven cards."),
    ]


class VerifyRequest(Request):
    """Shuffle once more with a revealed seed."""

    server_seed: Annotated[
        str,
        StringConstraints(min_length=64, max_length=64, pattern=r"^[0-9a-fA-F]{64}$"),
        Field(description="The revealed seed: 32 bytes in hex."),
    ]
    client_seed: Annotated[
        str, StringConstraints(max_length=2048), Field(description="The round's `fairness.client_seed`.")
    ] = ""
    session_id: Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_~-]+$")]
    round: RoundNumber


# ── Queries ──────────────────────────────────────────────────────────────────────────────────────────────


class NoQuery(Request):
    """No parameter at all."""


_DIGITS = re.compile(r"0|[1-9][0-9]{0,15}")


def _in_digits(text: Any) -> Any:
    """Only what a client would write for a whole number: no sign, space, point or underscore."""
    if isinstance(text, str) and not _DIGITS.fullmatch(text):
        raise PydanticCustomError("not_in_digits", "must be a whole number, in digits")
    return text


InDigits = BeforeValidator(_in_digits)
Limit = Annotated[int, Field(ge=1, le=100, description="How many to give at most."), InDigits]


class ListQuery(Request):
    """A page of sessions."""

    after: Annotated[
        str | None,
        StringConstraints(pattern=r"^[A-Za-z0-9_-]{16,128}$"),
        Field(description="The `next_after` of the page before."),
    ] = None
    limit: Limit = 50


class PageQuery(Request):
    """A page of numbered things."""

    after: Annotated[
        int, Field(ge=0, le=MAX_AMOUNT, description="Give what comes after this number."), InDigits
    ] = 0
    limit: Limit = 50


Format = Annotated[
    Literal["json", "phh"],
    Field(description="`phh` gives no-limit hands as text in the Poker Hand History format."),
]


class RoundsQuery(PageQuery):
    """A page of round records, and the form to give them in."""

    format: Format = "json"


class RoundQuery(Request):
    """Which deal of a round, and the form to give it in."""

    deal: Annotated[
        Annotated[int, Field(ge=1, le=10**6), InDigits] | None,
        Field(description="An earlier, voided deal; the last one if left out."),
    ] = None
    format: Format = "json"


MAX_WAIT = 30
"""Seconds for which events are waited for at most."""


class EventsQuery(Request):
    """Where to go on, and for how long to wait."""

    after: Annotated[
        Annotated[int, Field(ge=0, le=MAX_AMOUNT), InDigits] | None,
        Field(description="Give the events after this version; the whole position first if left out."),
    ] = None
    wait: Annotated[
        Annotated[int, Field(ge=0, le=MAX_WAIT), InDigits] | None,
        Field(description="Answer with a list, within this many seconds, and not with a stream."),
    ] = None


def _moment(text: Any) -> Any:
    """RFC 3339 in UTC as milliseconds since the Unix epoch; parts of one are rounded up."""
    if not isinstance(text, str) or not _MOMENT.fullmatch(text):
        raise PydanticCustomError("not_a_time", "must be a time in UTC, such as 2026-01-31T00:00:00Z")
    whole, _, fraction = text[:-1].partition(".")
    try:
        seconds = int(datetime.fromisoformat(whole).replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise PydanticCustomError("not_a_time", "is no day of the calendar") from None
    return seconds * 1000 - -int(fraction.ljust(9, "0")) // 10**6


_MOMENT = re.compile(
    r"(19[7-9][0-9]|2[0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?Z"
)
Moment = Annotated[
    Millis, BeforeValidator(_moment), WithJsonSchema({"type": "string", "pattern": f"^{_MOMENT.pattern}$"})
]


class ReportQuery(Request):
    """A page of a report."""

    since: Annotated[
        Moment | None, Field(alias="from", description="The beginning, in UTC; of all time if left out.")
    ] = None
    until: Annotated[
        Moment | None,
        Field(alias="to", description="The end, which is no part of it; the present if left out."),
    ] = None
    player: Annotated[
        Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=PLAIN)] | None,
        Field(description="Count the seats alone that were started with this reference in `players`."),
    ] = None
    after: Annotated[
        str | None,
        StringConstraints(pattern=r"^[A-Za-z0-9_-]{16,256}$"),
        Field(description="The `next_after` of the page before."),
    ] = None
    limit: Annotated[
        int, Field(ge=1, le=MAX_SESSIONS, description="How many sessions to walk at most."), InDigits
    ] = MAX_SESSIONS

    def asked(self) -> Period:
        """As the use case takes it."""
        return Period(self.since, self.until, self.player, self.after, self.limit)
