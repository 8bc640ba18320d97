"""Checking a deck: the code that the server itself deals with."""

from litestar import Controller, post

from croupier.api import examples
from croupier.api.answers.hands import Verified
from croupier.api.desk import HttpRequest, question
from croupier.api.operations import Operation
from croupier.api.replies import Reply, json_reply
from croupier.api.schemas import VerifyRequest
from croupier.rules.cards import texts
from croupier.sessions.fairness import commitment, shuffled


class Fairness(Controller):
    """``/v1/fairness``."""

    path = "/v1/fairness"

    @post(
        "/verify",
        status_code=200,
        opt={
            "operation": Operation(
                id="verifyDeck",
                tag="fairness",
                summary="Shuffle once more with a revealed seed",
                description="Compare `commitment` with the one published before the deal, and `deck` with "
                "the cards that were dealt.",
                body=VerifyRequest,
                answer=Verified,
                requests={"vector": examples.VERIFY},
                answers={"vector": examples.VERIFIED},
            )
        },
    )
    async def verify(self, request: HttpRequest) -> Reply:
        """Shuffle once more with a revealed seed."""
        asked, _ = await question(request, VerifyRequest)
        seed = bytes.fromhex(asked.server_seed)
        deck = shuffled(seed, asked.client_seed, asked.session_id, asked.round)
        return json_reply({"commitment": commitment(seed), "deck": texts(deck)})
