"""Every way a use case can refuse. Nothing has changed when one of these is raised.

CroupierError
├── InvalidRequest          400  a field is wrong; says which and what is allowed
├── Unauthorized            401  no credential, or one that is not known
├── Forbidden               403  a good credential that may not do this
├── NotFound                404  no such session, round, game …
├── Conflict                409
│   ├── RoundInProgress
│   ├── NoRound
│   ├── NotEnoughSeats
│   ├── NotYourTurn
│   ├── IllegalAction
│   ├── SessionFinished
│   └── StaleVersion
├── IdempotencyKeyReused    422  the key came before with another body
├── TooManyRequests         429
├── Unreadable              503  a record that this server cannot open, which its operator has to mend
└── StoreUnavailable        503  try again; a retry with the same Idempotency-Key is safe

The numbers are the HTTP statuses that :mod:`croupier.api.problems` gives them; the use cases know only codes.
"""

from dataclasses import dataclass
from typing import ClassVar

from croupier.rules.actions import LegalAction


@dataclass(frozen=True, slots=True)
class FieldError:
    """One wrong field: an RFC 6901 pointer into the request's body, and what is allowed there."""

    pointer: str
    detail: str


class CroupierError(Exception):
    """A refusal with a stable ``code`` and a sentence for people."""

    code: ClassVar[str]

    def __init__(
        self,
        detail: str,
        *,
        errors: tuple[FieldError, ...] = (),
        legal_actions: tuple[LegalAction, ...] | None = None,
        version: int | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors
        self.legal_actions = legal_actions
        self.version = version
        self.retry_after = retry_after


class InvalidRequest(CroupierError):
    """A field of the request is wrong."""

    code = "invalid-request"

    @classmethod
    def of(cls, pointer: str, detail: str) -> "InvalidRequest":
        """The refusal of one field, by its JSON pointer."""
        return cls(f"{pointer or 'body'}: {detail}", errors=(FieldError(pointer, detail),))


class Unauthorized(CroupierError):
    """No credential, or one that nobody knows."""

    code = "unauthorized"


class Forbidden(CroupierError):
    """The credential is good but may not do this."""

    code = "forbidden"


class NotFound(CroupierError):
    """There is no such thing, or it is not the caller's."""

    code = "not-found"


class Conflict(CroupierError):
    """Well formed and allowed, but not now."""


class RoundInProgress(Conflict):
    """A round is open; it has to end first."""

    code = "round-in-progress"


class NoRound(Conflict):
    """No round is open."""

    code = "no-round"


class NotEnoughSeats(Conflict):
    """Too few seats want, or can pay for, cards."""

    code = "not-enough-seats"


class NotYourTurn(Conflict):
    """The seat has nothing to decide now."""

    code = "not-your-turn"


class IllegalAction(Conflict):
    """The action is not among the legal ones, which come with the refusal."""

    code = "illegal-action"


class SessionFinished(Conflict):
    """The session is over."""

    code = "session-finished"


class StaleVersion(Conflict):
    """The request names a version or a round that is not the present one."""

    code = "stale-version"


class IdempotencyKeyReused(CroupierError):
    """The same Idempotency-Key came before with another body."""

    code = "idempotency-key-reused"


class TooManyRequests(CroupierError):
    """A limit is reached."""

    code = "too-many-requests"


class Unreadable(CroupierError):
    """A record is there, but this server lacks the secret key, or is too old, to open it."""

    code = "store-unavailable"


class StoreUnavailable(CroupierError):
    """The store did not answer in time."""

    code = "store-unavailable"
