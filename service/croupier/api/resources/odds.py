"""Exact odds: of the spot that a seat is in, and of any spot."""

from litestar import Controller, get, post
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.odds import Advice
from croupier.api.answers.odds import Odds as OddsAnswer
from croupier.api.desk import HttpRequest, asker, order, sessions_of
from croupier.api.operations import Link, Operation
from croupier.api.reading import identifier
from croupier.api.replies import Reply, reply_to
from croupier.api.spots import OddsRequest


class Odds(Controller):
    """``/v1/odds`` and ``/v1/sessions/{session_id}/advice``."""

    path = "/v1"

    @post(
        "/odds",
        status_code=200,
        opt={
            "operation": Operation(
                id="workOutOdds",
                tag="odds",
                summary="Work out the odds of a spot",
                description="The exact expected value of each action of a house game, or the equities of "
                "hands of no-limit. Changes nothing; a request that comes when too many wait gets 429.",
                body=OddsRequest,
                answer=OddsAnswer,
                credentials=("operatorKey",),
                problems=("too-many-requests",),
                requests=examples.SPOTS,
                answers=examples.ODDS,
            )
        },
    )
    async def odds(self, request: HttpRequest) -> Reply:
        """Work out the odds of a spot."""
        given = await order(request, OddsRequest)
        spot = given.body.root.asked()
        return reply_to(await sessions_of(request).odds(given.caller, spot, given.retry))

    @get(
        "/sessions/{session_id:str}/advice",
        opt={
            "operation": Operation(
                id="readAdvice",
                tag="odds",
                summary="Ask what each action is worth",
                description="The exact expected value of each action that the asking seat may take now, from "
                "what it sees alone. House games only, and not where the session was started without advice.",
                answer=Advice,
                credentials=("seatToken",),
                problems=("not-your-turn", "too-many-requests"),
                headers=("ETag",),
                links={
                    "decide": Link(
                        "decide", {"session_id": "$request.path.session_id"}, "Decide for the seat."
                    )
                },
                answers={"flop": examples.ODDS["casino-holdem"]},
            )
        },
    )
    async def advice(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """Ask what each action is worth."""
        return reply_to(await sessions_of(request).advice(identifier(session_id), await asker(request)))
