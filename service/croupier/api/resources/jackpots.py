"""The operator's progressive meters."""

from litestar import Controller, get

from croupier.api import examples
from croupier.api.answers.jackpots import Jackpots as JackpotsAnswer
from croupier.api.desk import HttpRequest, asker, sessions_of
from croupier.api.operations import Operation
from croupier.api.replies import Reply, reply_to


class Jackpots(Controller):
    """``/v1/jackpots``."""

    path = "/v1/jackpots"

    @get(
        "/",
        opt={
            "operation": Operation(
                id="listJackpots",
                tag="jackpots",
                summary="List the operator's meters",
                description="The progressive meters that the operator's sessions feed and are paid from.",
                answer=JackpotsAnswer,
                credentials=("operatorKey",),
                answers={"meters": examples.JACKPOTS},
            )
        },
    )
    async def list(self, request: HttpRequest) -> Reply:
        """List the operator's meters."""
        return reply_to(await sessions_of(request).jackpots(await asker(request)))
