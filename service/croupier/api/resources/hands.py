"""Hand evaluation."""

from litestar import Controller, post

from croupier.api import examples
from croupier.api.answers.hands import Evaluated
from croupier.api.desk import HttpRequest, question
from croupier.api.operations import Operation
from croupier.api.replies import Reply, json_reply
from croupier.api.schemas import EvaluateRequest
from croupier.locales import describe
from croupier.rules.cards import cards, texts
from croupier.rules.hands import best_hand


class Hands(Controller):
    """``/v1/hands``."""

    path = "/v1/hands"

    @post(
        "/evaluate",
        status_code=200,
        opt={
            "operation": Operation(
                id="evaluateHands",
                tag="hands",
                summary="Evaluate hands",
                description="The best five cards of each hand, and its place in the order of all hands.",
                body=EvaluateRequest,
                answer=Evaluated,
                requests={"pair": examples.EVALUATE},
                answers={"pair": examples.EVALUATED},
            )
        },
    )
    async def evaluate(self, request: HttpRequest) -> Reply:
        """Evaluate hands."""
        asked, locale = await question(request, EvaluateRequest)
        hands = [best_hand(cards(hand)) for hand in asked.hands]
        return json_reply(
            {
                "hands": [
                    {
                        "category": hand.category,
                        "cards": texts(hand.cards),
                        "strength": hand.strength,
                        "description": describe(hand, locale),
                    }
                    for hand in hands
                ]
            }
        )
