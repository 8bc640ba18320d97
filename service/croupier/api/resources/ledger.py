"""The ledger."""

from litestar import Controller, get
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.ledger import Ledger as LedgerPage
from croupier.api.desk import HttpRequest, asker, page, sessions_of
from croupier.api.operations import Link, Operation
from croupier.api.reading import identifier, known_to
from croupier.api.replies import Reply, reply_to
from croupier.api.schemas import PageQuery


class Ledger(Controller):
    """``/v1/sessions/{session_id}/ledger``."""

    path = "/v1/sessions/{session_id:str}"

    @get(
        "/ledger",
        opt={
            "operation": Operation(
                id="readLedger",
                tag="ledger",
                summary="Read the ledger",
                description="A page of the append-only, hash-chained ledger, and the totals of all of it.",
                query=PageQuery,
                answer=LedgerPage,
                headers=("ETag",),
                credentials=("operatorKey", "tableToken", "seatToken"),
                links={
                    "rounds": Link(
                        "listRounds", {"session_id": "$request.path.session_id"}, "List the round records."
                    )
                },
                answers={"page": examples.LEDGER},
            )
        },
    )
    async def read(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """Read the ledger."""
        asked = page(request, PageQuery)
        answer = await sessions_of(request).ledger(
            identifier(session_id), await asker(request), asked.after, asked.limit
        )
        return reply_to(answer, known_to(request))
