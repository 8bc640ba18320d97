"""Who may do what: tokens are derived from the server's secret, never stored.

A token is ``tbl_`` or ``seat_`` and an HMAC-SHA-256 over session id, role, seat, generation and the session's
start: an id that follows from an Idempotency-Key comes again when the key does and the session is long gone,
and who held a token then is nobody now. Several secrets may be listed: the first signs, each is accepted, so
a secret can be changed with no session lost.
"""

import base64
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from croupier.sessions.errors import Forbidden, NotFound, Unauthorized
from croupier.sessions.requests import Caller
from croupier.sessions.session import Millis, Seat, Session


@dataclass(frozen=True, slots=True)
class Operator:
    """The operator that started the session."""


@dataclass(frozen=True, slots=True)
class TableHolder:
    """The bearer of the session's table token."""


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """The bearer of one seat's token; ``alone`` in a one-seat session, where it also deals and closes."""

    seat: int
    alone: bool


Role: TypeAlias = Operator | TableHolder | SeatHolder


def seen_by(role: Role) -> int | None:
    """The seat through whose eyes *role* sees; None is a bystander."""
    return role.seat if isinstance(role, SeatHolder) else None


class Tokens:
    """Derives tokens and tells whose they are."""

    def __init__(self, secrets: Sequence[bytes]) -> None:
        self._secrets = tuple(secrets)

    def table(self, session: Session) -> str:
        """The session's table token."""
        return _table_token(self._secrets[0], session)

    def seat(self, session: Session, seat: int) -> str:
        """The token of *seat* in its present generation."""
        return _seat_token(self._secrets[0], session, session.seats[seat - 1])

    def role(self, session: Session, caller: Caller) -> Role:
        """What *caller* is to *session*.

        Raises ``NotFound`` for another operator, ``Unauthorized`` for a token that is none of the session's.
        """
        if caller.token is not None:
            return self._bearer(session, caller.token)
        if caller.operator is None:
            raise Unauthorized(
                "Send the session's table or seat token, or an operator key, as a bearer token."
            )
        if not hmac.compare_digest(caller.operator.encode(), session.operator.encode()):
            raise no_session(session.id)
        return Operator()

    def _bearer(self, session: Session, token: str) -> Role:
        given = token.encode()
        found: Role | None = None
        for secret in self._secrets:
            if token.startswith("tbl_"):
                if hmac.compare_digest(given, _table_token(secret, session).encode()):
                    found = TableHolder()
            else:
                for seat in session.seats:
                    own = _seat_token(secret, session, seat)
                    if hmac.compare_digest(given, own.encode()):
                        found = SeatHolder(seat.seat, alone=len(session.seats) == 1)
        if found is None:
            raise Unauthorized(
                "The token is not one of this session's, or it has been replaced by a new one."
            )
        return found


def _table_token(secret: bytes, session: Session) -> str:
    return _token(secret, "tbl", session.id, session.created_at, 0, 0)


def _seat_token(secret: bytes, session: Session, seat: Seat) -> str:
    return _token(secret, "seat", session.id, session.created_at, seat.seat, seat.generation)


@lru_cache(8192)
def _token(secret: bytes, role: str, session_id: str, start: Millis, seat: int, generation: int) -> str:
    text = f"token:{session_id}:{role}:{seat}:{generation}:{start}"
    digest = hmac.digest(secret, text.encode(), "sha256")
    return f"{role}_{base64.urlsafe_b64encode(digest).decode().rstrip('=')}"


def no_session(session_id: str) -> NotFound:
    """The refusal for a session that is not there, or not the caller's."""
    return NotFound(f"There is no session {session_id}.")


def may_deal(role: Role) -> None:
    """Raise ``Forbidden`` unless *role* deals: the table, or the only seat."""
    if not (isinstance(role, TableHolder) or (isinstance(role, SeatHolder) and role.alone)):
        raise Forbidden(
            "Deal with the session's table token; in a one-seat session the seat token deals too."
        )


def may_close(role: Role) -> None:
    """Raise ``Forbidden`` for a seat at a table of several."""
    if isinstance(role, SeatHolder) and not role.alone:
        raise Forbidden("Close with the session's table token or as its operator.")


def deciding_seat(role: Role, asked: int | None) -> int:
    """The seat that *role* decides for. Raises ``Forbidden`` for any seat but its own."""
    if not isinstance(role, SeatHolder):
        raise Forbidden("Decide with the token of the seat.")
    if asked is not None and asked != role.seat:
        raise Forbidden(f"This token decides for seat {role.seat} only.")
    return role.seat


def may_change_seat(role: Role, seat: int) -> None:
    """Raise ``Forbidden`` unless *role* is the table or that very seat."""
    if not (isinstance(role, TableHolder) or (isinstance(role, SeatHolder) and role.seat == seat)):
        raise Forbidden("Change a seat with its own token or with the session's table token.")


def may_void(role: Role) -> None:
    """Raise ``Forbidden`` unless *role* is the operator: a player could otherwise void a bad hand."""
    if not isinstance(role, Operator):
        raise Forbidden("Only the operator may void a round.")
