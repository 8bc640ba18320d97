"""The odds of a spot: what each action is worth, or what share of the pot each hand is."""

from typing import Annotated, Literal

from pydantic import Field, RootModel

from croupier.api.answers.base import Answered

Chance = Annotated[float, Field(ge=0, le=1)]


class Valued(Answered):
    """One legal action and its expected net, everything already staked on the main bets counted."""

    type: Literal["fold", "check", "call", "play"]
    multiple: Annotated[int, Field(ge=1, le=4, description="Of a play.")] | None = None
    value: Annotated[float, Field(description="In antes.")]
    value_units: Annotated[float, Field(description="In units: the session's ante, or an ante of 1.")]
    cost: Annotated[float, Field(ge=0, description="What it gives away against the best, in antes.")]
    best: bool


class Advice(Answered):
    """Every legal action, the most valuable first, counted over all deals that may follow."""

    actions: list[Valued]
    deals: Annotated[int, Field(ge=1)]
    exact: bool


class Equity(Answered):
    """How often a hand wins alone, how often it splits, and the share of the pot it takes on average."""

    win: Chance
    tie: Chance
    equity: Chance


class Equities(Answered):
    """One equity a hand, in the order asked; past some 10^8 showdowns they are sampled."""

    equities: list[Equity]
    deals: Annotated[int, Field(ge=1)]
    exact: bool
    standard_error: Annotated[float, Field(ge=0, description="Of a sample.")] | None = None


class Odds(RootModel[Advice | Equities]):
    """A house game's advice, or no-limit's equities."""
