"""The operator's progressive meters."""

from typing import Annotated

from pydantic import Field

from croupier.api.answers.base import Amount, Answered, GameName, Natural


class Jackpot(Answered):
    """A progressive meter as it stands: what a bet's stake adds to it, and what it starts again from."""

    game: GameName
    bet: Annotated[str, Field(description="The bet that feeds it and is paid from it.")]
    hundredths: Annotated[Natural, Field(description="Its whole content, in hundredths of a unit.")]
    amount: Annotated[Natural, Field(description="Its content in whole units, rounded down.")]
    stake: Annotated[Amount, Field(description="The stake that takes part in it.")]
    contribution_percent: Annotated[int, Field(ge=0, le=100, description="The share of a stake added to it.")]
    seed_amount: Annotated[Amount, Field(description="What it starts from, and again after it was won.")]


class Jackpots(Answered):
    """The operator's meters."""

    jackpots: list[Jackpot]
