"""Events: a session followed as it is played."""

import re
from functools import partial

from litestar import Controller, get
from litestar.params import FromPath
from litestar.types import ASGIApp

from croupier.api import examples
from croupier.api.answers.events import Events as EventsPage
from croupier.api.desk import HttpRequest, asker, config_of, page, preferred, sessions_of, streams_of
from croupier.api.operations import Link, Operation
from croupier.api.problems import NotAcceptable
from croupier.api.reading import headers_of, identifier
from croupier.api.replies import Reply, reply_to
from croupier.api.schemas import EventsQuery
from croupier.api.streams import EVENT_STREAM, EventStream
from croupier.sessions.errors import InvalidRequest, Unauthorized
from croupier.sessions.requests import Caller

_JSON = "application/json"
_FORMS = (EVENT_STREAM, _JSON)
_EVENT_ID = re.compile(rb"0|[1-9][0-9]{0,11}")
_SESSION = {"session_id": "$request.path.session_id"}


class Events(Controller):
    """``/v1/sessions/{session_id}/events``."""

    path = "/v1/sessions/{session_id:str}"

    @get(
        "/events",
        opt={
            "operation": Operation(
                id="followSession",
                tag="sessions",
                summary="Follow a session",
                description=(
                    "Server-sent events, one a version, or with `wait` the next of them as a list. Each "
                    "carries what changed and the whole position as the caller may see it, so that one is "
                    "enough to draw the table. A stream begins with the position (`event: position`) and "
                    "goes on with every change (`event: change`); after `Last-Event-ID`, which wins over "
                    "`after`, it goes on from there, or with the position where what came next is not kept "
                    "any more. When the session is over `event: end` says why, and who asks again from the "
                    "last event gets 204. Comments come every few seconds, so silence is a broken line."
                ),
                query=EventsQuery,
                answer=EventsPage,
                credentials=("operatorKey", "tableToken", "seatToken"),
                produces=_FORMS,
                links={
                    "decide": Link("decide", _SESSION, "Decide for a seat in `to_act`."),
                    "deal": Link("deal", _SESSION, "Deal the next round once this one is settled."),
                    "read": Link("readSession", _SESSION, "Read the position."),
                },
                answers={"round settled": examples.EVENTS},
                texts={"round settled": examples.EVENT_STREAM},
            )
        },
    )
    async def follow(self, request: HttpRequest, session_id: FromPath[str]) -> ASGIApp:
        """Follow a session."""
        asked = page(request, EventsQuery)
        form = _form(request, asked.wait)
        after = _resumed(request, asked.after)
        caller = await asker(request)
        feed = await sessions_of(request).follow(identifier(session_id), caller, after)
        streams = streams_of(request)
        if form == _JSON:
            bodiless = "bodiless" in request.scope
            with streams.holding(feed):
                return reply_to(await feed.polled(0 if bodiless else asked.wait or 0))
        if feed.over is not None:
            feed.close()
            return Reply(b"", status=204)
        return EventStream(
            feed, streams, config_of(request).heartbeat_seconds, partial(_still, request, caller)
        )


async def _still(request: HttpRequest, caller: Caller) -> None:
    """Raise ``Unauthorized`` when *request* would not come from *caller* any more."""
    if await asker(request) != caller:
        raise Unauthorized("Who asked is not let in any more.")


def _form(request: HttpRequest, wait: int | None) -> str:
    """The form of the answer: a list with *wait* or for who takes nothing else. Raises ``NotAcceptable``."""
    accept = headers_of(request).get(b"accept", b"*/*")
    form = preferred(accept, _FORMS if wait is None else (_JSON,))
    if form is None:
        raise NotAcceptable(f"With wait the answer is {_JSON}.")
    return form


def _resumed(request: HttpRequest, after: int | None) -> int | None:
    """The version to go on from: the ``Last-Event-ID`` of a client that connects again, else *after*."""
    given = headers_of(request).get(b"last-event-id")
    if not given:
        return after
    if not _EVENT_ID.fullmatch(given):
        raise InvalidRequest("The Last-Event-ID header has to be the id of an event, which is a version.")
    return int(given)
