"""The operator's report of its rounds."""

from typing import Annotated

from pydantic import Field

from croupier.api.answers.base import Answered, GameName, Natural, Time


class GameRounds(Answered):
    """What the walked rounds of one game come to."""

    game: GameName
    rounds: Annotated[Natural, Field(description="Settled rounds that have not been voided.")]
    voids: Annotated[Natural, Field(description="Rounds that were voided in the period.")]
    staked: Natural
    returned: Natural
    net: Annotated[int, Field(description="The seats' net: `returned` less `staked`.")]
    house_net: Annotated[int | None, Field(description="Null in the report of one player.")]
    jackpot_net: Annotated[
        int | None, Field(description="By how much the meter grew. Null in the report of one player.")
    ]


class RoundsReport(Answered):
    """A page of a report. Without `player` the nets of a row sum to 0; the rows of all pages add up."""

    begin: Annotated[Time | None, Field(alias="from")]
    end: Annotated[Time, Field(alias="to")]
    player: str | None
    games: list[GameRounds]
    next_after: str | None
