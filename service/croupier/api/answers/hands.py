"""What is asked of no session: hands evaluated, decks checked."""

from typing import Annotated

from pydantic import Field

from croupier.api.answers.base import Answered, Digest, Hand
from croupier.api.schemas import CardText


class EvaluatedHand(Hand):
    """A hand and its place in the order of all hands: 1 is the worst, 7462 the best."""

    strength: Annotated[int, Field(ge=1, le=7462)]


class Evaluated(Answered):
    """The hands, in the order asked."""

    hands: list[EvaluatedHand]


class Verified(Answered):
    """What the seed commits to, and the deck it gives."""

    commitment: Digest
    deck: Annotated[list[CardText], Field(min_length=52, max_length=52)]
