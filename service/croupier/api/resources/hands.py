"""Hand evaluation."""

import asyncio
from collections.abc import Sequence
from typing import Any

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

_AT_ONCE = 100
"""Hands evaluated before other requests get their turn: half a millisecond."""


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
        shown: list[dict[str, Any]] = []
        for first in range(0, len(asked.hands), _AT_ONCE):
            shown += [_shown(hand, locale) for hand in asked.hands[first : first + _AT_ONCE]]
            await asyncio.sleep(0)
        return json_reply({"hands": shown})


def _shown(hand: Sequence[str], locale: str) -> dict[str, Any]:
    best = best_hand(cards(hand))
    return {
        "category": best.category,
        "cards": texts(best.cards),
        "strength": best.strength,
        "description": describe(best, locale),
    }
