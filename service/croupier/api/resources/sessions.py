"""Sessions: start, list, read, close."""

from litestar import Controller, get, post
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.sessions import Listed, Session, Started
from croupier.api.desk import HttpRequest, asker, order, page, sessions_of
from croupier.api.operations import Link, Operation
from croupier.api.reading import identifier, known_to
from croupier.api.replies import Reply, reply_to
from croupier.api.schemas import CloseRequest, ListQuery
from croupier.api.starting import StartRequest, asked

_STARTED = {"session_id": "$response.body#/session/id"}
_SESSION = {"session_id": "$request.path.session_id"}
_LEDGER = Link("readLedger", _SESSION, "Read the ledger.")
_REPORT = Link("reportRounds", {}, "Report what the operator's rounds come to.")
_FOLLOW = "Follow the session as it is played."


class SessionsResource(Controller):
    """``/v1/sessions``."""

    path = "/v1/sessions"

    @post(
        "/",
        opt={
            "operation": Operation(
                id="startSession",
                tag="sessions",
                summary="Start a session",
                description="Starts a session of one game. The tokens are shown here and never again.",
                body=StartRequest,
                answer=Started,
                status=201,
                credentials=("operatorKey",),
                headers=("ETag", "Location"),
                links={
                    "deal": Link("deal", _STARTED, "Deal the first round."),
                    "read": Link("readSession", _STARTED, "Read the position."),
                    "follow": Link("followSession", _STARTED, _FOLLOW),
                    "seat": Link("changeSeat", {**_STARTED, "seat": "1"}, "Change a seat, as the first."),
                    "close": Link("closeSession", _STARTED, "End the session early."),
                    "jackpots": Link("listJackpots", {}, "Read the meter of a progressive bet."),
                },
                requests=examples.STARTS,
                answers={"started": examples.STARTED},
            )
        },
    )
    async def start(self, request: HttpRequest) -> Reply:
        """Start a session."""
        given = await order(request, StartRequest)
        start = asked(given.body.root)
        return reply_to(await sessions_of(request).start(given.caller, start, given.retry))

    @get(
        "/",
        opt={
            "operation": Operation(
                id="listSessions",
                tag="sessions",
                summary="List the operator's sessions",
                description="The operator's own sessions, newest first, a page at a time.",
                query=ListQuery,
                answer=Listed,
                credentials=("operatorKey",),
                problems=("forbidden",),
                links={"report": _REPORT},
                answers={"page": {"sessions": [examples.SESSION], "next_after": None}},
            )
        },
    )
    async def list(self, request: HttpRequest) -> Reply:
        """List the operator's sessions."""
        asked_page = page(request, ListQuery)
        return reply_to(
            await sessions_of(request).list(await asker(request), asked_page.after, asked_page.limit)
        )

    @get(
        "/{session_id:str}",
        opt={
            "operation": Operation(
                id="readSession",
                tag="sessions",
                summary="Read a session",
                description="The whole position as the caller may see it: enough to reconnect with.",
                answer=Session,
                credentials=("operatorKey", "tableToken", "seatToken"),
                headers=("ETag",),
                links={
                    "deal": Link("deal", _SESSION, "Deal the next round."),
                    "follow": Link("followSession", _SESSION, _FOLLOW),
                    "rounds": Link("listRounds", _SESSION, "List the round records."),
                    "ledger": _LEDGER,
                },
                answers={"open": examples.SESSION},
            )
        },
    )
    async def read(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """Read a session."""
        answer = await sessions_of(request).read(identifier(session_id), await asker(request))
        return reply_to(answer, known_to(request))

    @post(
        "/{session_id:str}/close",
        status_code=200,
        opt={
            "operation": Operation(
                id="closeSession",
                tag="sessions",
                summary="End a session early",
                description="With a round open only the operator may: the round is voided first.",
                body=CloseRequest,
                answer=Session,
                credentials=("operatorKey", "tableToken", "seatToken"),
                problems=("round-in-progress", "session-finished"),
                headers=("ETag",),
                links={
                    "ledger": _LEDGER,
                    "report": _REPORT,
                },
                requests={"close": {}},
                answers={"closed": examples.CLOSED},
            )
        },
    )
    async def close(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """End a session early."""
        given = await order(request, CloseRequest)
        return reply_to(await sessions_of(request).close(identifier(session_id), given.caller, given.retry))
