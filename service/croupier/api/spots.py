"""What a request for odds may say: a spot of one game, told apart by `game`."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, RootModel

from croupier.api.schemas import PREFLOP_SCHEMA, UNIQUE, CardText, Request, distinct
from croupier.odds.tally import MOST_HANDS
from croupier.rules.cards import cards
from croupier.rules.ultimate_texas_holdem import PREFLOP_MULTIPLES, ProfileName
from croupier.sessions.spots import (
    CasinoHoldemSpot,
    NoLimitHoldemSpot,
    Spot,
    UltimateTexasHoldemSpot,
)

Hole = Annotated[
    tuple[CardText, ...],
    Field(min_length=2, max_length=2, description="The seat's two cards."),
    AfterValidator(distinct),
    UNIQUE,
]


def _sizes(*refused: tuple[int, int]) -> dict[str, Any]:
    """What a list's schema says of the lengths between its limits that it may not have."""
    ranges = [{"minItems": low, "maxItems": high} for low, high in refused]
    return {"not": ranges[0] if len(ranges) == 1 else {"anyOf": ranges}}


Flop = Annotated[
    tuple[CardText, ...],
    Field(min_length=3, max_length=3, description="The flop."),
    AfterValidator(distinct),
    UNIQUE,
]
Board = Annotated[
    tuple[CardText, ...],
    Field(
        max_length=5, description="No card before the flop, three on it, four on the turn, five at the river."
    ),
    AfterValidator(distinct),
    Field(json_schema_extra={"uniqueItems": True, **_sizes((1, 2))}),
]
UltimateBoard = Annotated[
    tuple[CardText, ...],
    Field(max_length=5, description="No card before the flop, three on it, five at the river."),
    AfterValidator(distinct),
    Field(json_schema_extra={"uniqueItems": True, **_sizes((1, 2), (4, 4))}),
]


class CasinoHoldemOdds(Request):
    """Casino Hold'em's one decision, on the flop."""

    game: Literal["casino-holdem"]
    hole: Hole
    board: Flop

    def asked(self) -> Spot:
        """As the use case takes it."""
        return CasinoHoldemSpot(cards(self.hole), cards(self.board))


class UltimateTexasHoldemOdds(Request):
    """A decision of Ultimate Texas Hold'em: no board card before the flop, three on it, five at the river."""

    game: Literal["ultimate-texas-holdem"]
    hole: Hole
    board: UltimateBoard = ()
    profile: ProfileName = "seed"
    preflop_multiples: Annotated[
        tuple[Annotated[int, Field(ge=3, le=4)], ...],
        Field(
            min_length=1,
            max_length=2,
            description="What may be played before the flop: `[4]`, `[3, 4]` or `[3]`.",
            json_schema_extra={**PREFLOP_SCHEMA},
        ),
    ] = PREFLOP_MULTIPLES[0]

    def asked(self) -> Spot:
        """As the use case takes it."""
        return UltimateTexasHoldemSpot(
            cards(self.hole), cards(self.board), self.profile, self.preflop_multiples
        )


class NoLimitHoldemOdds(Request):
    """Hands of no-limit against each other, if no more is bet; an empty one stands for unknown cards."""

    game: Literal["no-limit-holdem"]
    hands: Annotated[
        tuple[
            Annotated[
                tuple[CardText, ...],
                Field(max_length=2),
                AfterValidator(distinct),
                Field(json_schema_extra={"uniqueItems": True, **_sizes((1, 1))}),
            ],
            ...,
        ],
        Field(min_length=2, max_length=MOST_HANDS, description="Two cards each, or none."),
    ]
    board: Board = ()

    def asked(self) -> Spot:
        """As the use case takes it."""
        return NoLimitHoldemSpot(tuple(cards(hand) for hand in self.hands), cards(self.board))


class OddsRequest(
    RootModel[
        Annotated[CasinoHoldemOdds | UltimateTexasHoldemOdds | NoLimitHoldemOdds, Field(discriminator="game")]
    ]
):
    """A spot; `game` says of which game."""
