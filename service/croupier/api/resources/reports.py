"""The operator's reports."""

from litestar import Controller, get

from croupier.api import examples
from croupier.api.answers.reports import RoundsReport
from croupier.api.desk import HttpRequest, asker, page, sessions_of
from croupier.api.operations import Operation
from croupier.api.replies import Reply, reply_to
from croupier.api.schemas import ReportQuery


class Reports(Controller):
    """``/v1/reports``."""

    path = "/v1/reports"

    @get(
        "/rounds",
        opt={
            "operation": Operation(
                id="reportRounds",
                tag="reports",
                summary="Report the operator's rounds",
                description="What the operator's rounds staked, returned and left to the house, by game, "
                "exact and from the ledgers. Rounds count by when they were settled, from `from` on and "
                "before `to`; voided ones in `voids` alone, by when they were voided. Sandbox sessions are "
                "left out. A page walks some of the operator's sessions and gives the sums of those: add up "
                "the pages, asked for with the same parameters, until `next_after` is null.",
                query=ReportQuery,
                answer=RoundsReport,
                credentials=("operatorKey",),
                answers={"page": examples.REPORT},
            )
        },
    )
    async def rounds(self, request: HttpRequest) -> Reply:
        """Report the operator's rounds."""
        asked = page(request, ReportQuery)
        return reply_to(await sessions_of(request).report(await asker(request), asked.asked()))
