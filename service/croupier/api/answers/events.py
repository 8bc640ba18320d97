"""Events."""

from typing import Annotated, Literal

from pydantic import Field

from croupier.api.answers.base import Answered, Number
from croupier.api.answers.sessions import Session

Change = Annotated[
    Literal[
        "session_started",
        "round_dealt",
        "decided",
        "stage_opened",
        "round_settled",
        "round_voided",
        "seat_changed",
        "session_finished",
        "session_closed",
    ],
    Field(title="Change"),
]


class Event(Answered):
    """What happened at a version, and the whole position that it made, as the caller may see it."""

    version: Number
    changes: Annotated[
        list[Change], Field(description="In their order; empty where the position alone is told.")
    ]
    session: Session


class Events(Answered):
    """The next events of a session."""

    events: list[Event]
    next_after: Annotated[
        Number | None,
        Field(description="Ask on with this as `after`; null when the session is over and all is told."),
    ]
