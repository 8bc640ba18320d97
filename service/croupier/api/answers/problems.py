"""Problem documents, what their codes mean, and health."""

from typing import Annotated, Literal

from pydantic import Field

from croupier.api.answers.base import Answered
from croupier.api.answers.rounds import LegalAction
from croupier.api.problems import PROBLEMS

ProblemCode = Annotated[str, Field(title="ProblemCode", json_schema_extra={"enum": [*PROBLEMS]})]


class Healthy(Answered):
    """The server is up, or ready to serve."""

    status: Literal["ok"]


class WrongField(Answered):
    """One wrong field: an RFC 6901 pointer into the body or the query, and what is allowed there."""

    pointer: str
    detail: str


class Problem(Answered):
    """An RFC 9457 problem document."""

    type: Annotated[str, Field(description="`/problems/` and the code: what it means, and what to do.")]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    instance: str
    code: ProblemCode
    errors: list[WrongField] | None = None
    legal_actions: list[LegalAction] | None = None
    version: int | None = None


class ProblemExplained(Answered):
    """What a problem code means, in plain words."""

    type: str
    code: ProblemCode
    status: Annotated[int, Field(ge=400, le=599)]
    title: str
    happened: str
    remedy: str
