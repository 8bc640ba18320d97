"""Rounds: deal, decide, read, void."""

from litestar import Controller, get, post
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.rounds import Round
from croupier.api.answers.rounds import Rounds as RoundsPage
from croupier.api.desk import HttpRequest, asker, order, page, preferred, sessions_of
from croupier.api.operations import Link, Operation
from croupier.api.problems import NotAcceptable
from croupier.api.reading import headers_of, identifier, known_to, ordinal
from croupier.api.replies import JSON, TEXT, Reply, reply_to
from croupier.api.schemas import DealRequest, DecideRequest, RoundQuery, RoundsQuery, VoidRequest

_SESSION = {"session_id": "$request.path.session_id"}
_ROUND = {**_SESSION, "number": "$response.body#/number"}
_DECIDE = Link("decide", _SESSION, "Decide for a seat in `to_act`.")
_LEDGER = Link("readLedger", _SESSION, "Read the ledger once the round is settled.")
_DEAL = Link("deal", _SESSION, "Deal the next round once this one is settled.")
_ADVICE = Link("readAdvice", _SESSION, "Ask what each action of the seat is worth.")
_READ = Link("readRound", _ROUND, "Read the round's record.")
_LIST = Link("listRounds", _SESSION, "List the round records.")
_VOID = Link("voidRound", _ROUND, "Void the round while it is the latest.")
_FORMS = ("application/json", "text/plain")
_MEDIA = {"json": JSON, "phh": TEXT}


class Rounds(Controller):
    """``/v1/sessions/{session_id}``: ``deal``, ``decide`` and ``rounds``."""

    path = "/v1/sessions/{session_id:str}"

    @post(
        "/deal",
        opt={
            "operation": Operation(
                id="deal",
                tag="rounds",
                summary="Deal the next round",
                description="Shuffles with the committed server seed and the client seed, and deals.",
                body=DealRequest,
                answer=Round,
                status=201,
                credentials=("tableToken", "seatToken"),
                problems=("round-in-progress", "not-enough-seats", "session-finished", "stale-version"),
                headers=("ETag",),
                links={
                    "decide": _DECIDE,
                    "advice": _ADVICE,
                    "read": _READ,
                    "void": _VOID,
                    "ledger": _LEDGER,
                },
                requests=examples.DEALS,
                answers={"house game": examples.ROUND, "no-limit": examples.NO_LIMIT_ROUND},
            )
        },
    )
    async def deal(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """Deal the next round."""
        given = await order(request, DealRequest)
        return reply_to(
            await sessions_of(request).deal(
                identifier(session_id), given.caller, given.body.asked(), given.retry
            )
        )

    @post(
        "/decide",
        status_code=200,
        opt={
            "operation": Operation(
                id="decide",
                tag="rounds",
                summary="Decide for a seat",
                description="Takes one of the seat's `legal_actions`. The answer is the round after it.",
                body=DecideRequest,
                answer=Round,
                credentials=("seatToken",),
                problems=("no-round", "not-your-turn", "illegal-action", "session-finished", "stale-version"),
                headers=("ETag",),
                links={
                    "decide": _DECIDE,
                    "advice": _ADVICE,
                    "deal": _DEAL,
                    "read": _READ,
                    "list": _LIST,
                    "void": _VOID,
                    "ledger": _LEDGER,
                },
                requests=examples.DECISIONS,
                answers={"house game": examples.SETTLED_ROUND, "no-limit": examples.NO_LIMIT_SETTLED_ROUND},
            )
        },
    )
    async def decide(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """Decide for a seat."""
        given = await order(request, DecideRequest)
        return reply_to(
            await sessions_of(request).decide(
                identifier(session_id), given.caller, given.body.asked(), given.retry
            )
        )

    @get(
        "/rounds",
        opt={
            "operation": Operation(
                id="listRounds",
                tag="rounds",
                summary="List the round records",
                description="Round records, finished or not, as the caller may see them; with proof once "
                "it is revealed. All deals of one number stand on one page.",
                query=RoundsQuery,
                answer=RoundsPage,
                credentials=("operatorKey", "tableToken", "seatToken"),
                produces=_FORMS,
                headers=("ETag",),
                links={"ledger": Link("readLedger", _SESSION, "Read the ledger.")},
                answers={"page": {"rounds": [examples.SETTLED_ROUND], "next_after": None}},
                texts={"no-limit": examples.HISTORIES},
            )
        },
    )
    async def list(self, request: HttpRequest, session_id: FromPath[str]) -> Reply:
        """List the round records."""
        asked, sessions = page(request, RoundsQuery), sessions_of(request)
        media = _accepted(request, asked.format)
        read = sessions.histories if asked.format == "phh" else sessions.rounds
        answer = await read(identifier(session_id), await asker(request), asked.after, asked.limit)
        return reply_to(answer, known_to(request), media_type=media)

    @get(
        "/rounds/{number:str}",
        opt={
            "operation": Operation(
                id="readRound",
                tag="rounds",
                summary="Read a round record",
                description="One round record; `deal` picks an earlier, voided deal of that number.",
                query=RoundQuery,
                answer=Round,
                credentials=("operatorKey", "tableToken", "seatToken"),
                produces=_FORMS,
                headers=("ETag",),
                links={"list": _LIST},
                answers={"house game": examples.SETTLED_ROUND, "no-limit": examples.NO_LIMIT_SETTLED_ROUND},
                texts={"no-limit": examples.HISTORY},
            )
        },
    )
    async def read(self, request: HttpRequest, session_id: FromPath[str], number: FromPath[str]) -> Reply:
        """Read a round record."""
        asked, sessions = page(request, RoundQuery), sessions_of(request)
        media = _accepted(request, asked.format)
        read = sessions.history if asked.format == "phh" else sessions.round
        answer = await read(identifier(session_id), ordinal(number), await asker(request), asked.deal)
        return reply_to(answer, known_to(request), media_type=media)

    @post(
        "/rounds/{number:str}/void",
        status_code=200,
        opt={
            "operation": Operation(
                id="voidRound",
                tag="rounds",
                summary="Void a round",
                description="Gives stakes back and has the round dealt again. The operator's alone; a "
                "settled round may be voided only while it is the latest and no seat has changed since.",
                body=VoidRequest,
                answer=Round,
                credentials=("operatorKey",),
                problems=("no-round", "session-finished", "stale-version"),
                headers=("ETag",),
                links={
                    "deal": _DEAL,
                    "read": Link("readRound", _ROUND, "Read the round's record, of its last deal."),
                    "ledger": _LEDGER,
                },
                requests={"misdeal": {"reason": "misdeal"}},
                answers={"voided": examples.VOIDED_ROUND},
            )
        },
    )
    async def void(self, request: HttpRequest, session_id: FromPath[str], number: FromPath[str]) -> Reply:
        """Void a round."""
        given = await order(request, VoidRequest)
        return reply_to(
            await sessions_of(request).void(
                identifier(session_id), ordinal(number), given.caller, given.body.reason, given.retry
            )
        )


def _accepted(request: HttpRequest, form: str) -> bytes:
    """The media type of *form*. Raises ``NotAcceptable`` where the caller takes only the other one."""
    media = _MEDIA[form]
    name = media.decode().partition(";")[0]
    accept = headers_of(request).get(b"accept")
    if accept is not None and preferred(accept, (name,)) is None:
        raise NotAcceptable(f"With format={form} the answer is {name}.")
    return media
