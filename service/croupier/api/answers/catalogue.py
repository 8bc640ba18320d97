"""The catalogue of games."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from croupier.api.answers.base import Answered, Category, GameName, Number
from croupier.rules.game import BetName

Percent = Annotated[
    str,
    StringConstraints(pattern=r"^\d+\.\d{10}$"),
    Field(title="Percent", description="Per cent, to ten places."),
]


class Names(Answered):
    """What people call it, by locale."""

    en: str
    pt: str
    pt_BR: Annotated[str, Field(alias="pt-BR")]
    es: str
    fr: str


class Named(Answered):
    """A code and its names."""

    code: str
    names: Names


class NamedCategory(Answered):
    """A hand category and its names."""

    category: Category
    names: Names


class SeatRange(Answered):
    """How many seats a session may have."""

    min: Number
    max: Number


class _Option(Answered):
    name: str
    nullable: bool


class BooleanOption(_Option):
    """An option of start-session that is on or off."""

    type: Literal["boolean"]
    default: bool


class IntegerOption(_Option):
    """An option of start-session that is a number, from `min` to `max`."""

    type: Literal["integer"]
    default: int | None
    min: int | None = None
    max: int | None = None


class IntegersOption(_Option):
    """An option of start-session that is a list of numbers."""

    type: Literal["integers"]
    default: list[int] | None


class StringOption(_Option):
    """An option of start-session that is one of `values`."""

    type: Literal["string"]
    default: str
    values: list[str] | None = None


Option: TypeAlias = Annotated[
    BooleanOption | IntegerOption | IntegersOption | StringOption, Field(title="Option", discriminator="type")
]


class PayLine(Answered):
    """What is paid on what: `win:per`, net of the stake."""

    on: str
    odds: str


class MeterShare(Answered):
    """The share of the progressive meter that is paid on what."""

    on: str
    percent: Number


class SideBetEdge(Answered):
    """A side bet's house edge in one profile, in per cent of its stake, for who plays the main bets best."""

    profile: str
    house_edge_percent: Percent


class PayTable(Answered):
    """What one bet pays; `otherwise` says what everything that the table does not list does."""

    bet: Annotated[BetName, Field(title="BetName")]
    paid_on: Literal["best_hand", "hole_cards"]
    lines: list[PayLine]
    otherwise: Literal["none", "push", "lose"]
    option: dict[str, str | bool] | None = None
    meter_shares_percent: list[MeterShare] | None = None
    house_edges: list[SideBetEdge] | None = None


class CatalogueProfile(Answered):
    """The exact house edge of the main bets with one set of rules, played best.

    `house_edge_percent` is of the ante, `element_of_risk_percent` of everything staked. Of a profile with
    several entries the first is that of the default `preflop_multiples`.
    """

    profile: str
    preflop_multiples: list[int] | None = None
    house_edge_percent: Percent
    element_of_risk_percent: Percent


class CatalogueGame(Answered):
    """One game."""

    game: GameName
    names: Names
    seats: SeatRange
    stages: list[Named]
    bets: list[Named]
    actions: list[Named]
    options: list[Option]
    pay_tables: list[PayTable]
    profiles: list[CatalogueProfile]


class Catalogue(Answered):
    """Every game, and the names of the hand categories, best first."""

    games: list[CatalogueGame]
    hands: list[NamedCategory]
