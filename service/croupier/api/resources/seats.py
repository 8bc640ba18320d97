"""Seats: sit out, sit in, leave, rebuy, set a client seed, renew a token."""

from litestar import Controller, post
from litestar.params import FromPath

from croupier.api import examples
from croupier.api.answers.sessions import SeatChanged
from croupier.api.desk import HttpRequest, order, sessions_of
from croupier.api.operations import Link, Operation
from croupier.api.reading import identifier, ordinal
from croupier.api.replies import Reply, reply_to
from croupier.api.schemas import SeatRequest

_SESSION = {"session_id": "$request.path.session_id"}


class Seats(Controller):
    """``/v1/sessions/{session_id}/seats/{seat}``."""

    path = "/v1/sessions/{session_id:str}/seats"

    @post(
        "/{seat:str}",
        status_code=200,
        opt={
            "operation": Operation(
                id="changeSeat",
                tag="seats",
                summary="Change a seat",
                description="`do` says what. The answer is the session; after `new_token` with `token`.",
                body=SeatRequest,
                answer=SeatChanged,
                credentials=("tableToken", "seatToken"),
                problems=("round-in-progress", "illegal-action", "session-finished", "stale-version"),
                headers=("ETag",),
                links={
                    "deal": Link("deal", _SESSION, "Deal the next round."),
                    "read": Link("readSession", _SESSION, "Read the position."),
                    "change": Link(
                        "changeSeat", {**_SESSION, "seat": "$request.path.seat"}, "Change it again."
                    ),
                },
                requests=examples.SEAT_CHANGES,
                answers={"changed": examples.SEAT_CHANGED},
            )
        },
    )
    async def change(self, request: HttpRequest, session_id: FromPath[str], seat: FromPath[str]) -> Reply:
        """Change a seat."""
        given = await order(request, SeatRequest)
        return reply_to(
            await sessions_of(request).seat(
                identifier(session_id), ordinal(seat), given.caller, given.body.asked(), given.retry
            )
        )
