"""What a request for odds may say: a spot of one game, told apart by `game`."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, RootModel

from croupier.api.schemas import UNIQUE, CardText, Request, distinct
from croupier.odds.equities import MOST_HANDS
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
Flop = Annotated[
    tuple[CardText, ...],
    Field(min_length=3, max_length=3, description="The flop."),
    AfterValidator(distinct),
    UNIQUE,
]
Board = Annotated[
    tuple[CardText, ...],
    Field(max_length=5, description="The board so far; how many cards says which street it is."),
    AfterValidator(distinct),
    UNIQUE,
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
    board: Board = ()
    profile: ProfileName = "seed"
    preflop_multiples: Annotated[
        tuple[Annotated[int, Field(ge=3, le=4)], ...],
        Field(
            min_length=1,
            max_length=2,
            description="What may be played before the flop: `[4]`, `[3, 4]` or `[3]`.",
            json_schema_extra={"enum": [list(choice) for choice in PREFLOP_MULTIPLES]},
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
            Annotated[tuple[CardText, ...], Field(max_length=2), AfterValidator(distinct), UNIQUE],
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
