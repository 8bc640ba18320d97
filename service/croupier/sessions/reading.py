"""The use cases that change nothing: positions, lists, ledgers, round records, meters."""

import asyncio
import base64
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import msgspec

from croupier.odds.pool import Pool, PoolFull
from croupier.rules.game import InvalidOption
from croupier.sessions import ledger
from croupier.sessions.access import Operator, Role, SeatHolder, seen_by
from croupier.sessions.answers import answer, etag, replayed, slot_of
from croupier.sessions.errors import (
    Forbidden,
    InvalidRequest,
    NotFound,
    TooManyRequests,
    Unauthorized,
)
from croupier.sessions.history import GAME, phh, phhs
from croupier.sessions.policy import Policy
from croupier.sessions.ports import Answer, Clock, Entropy, KeptAnswer, SessionStore
from croupier.sessions.reports import Period, rounds_report
from croupier.sessions.requests import Caller, Retry
from croupier.sessions.session import Round, Session
from croupier.sessions.spots import Spot, odds_view, spot_of
from croupier.sessions.views import meter_view, round_view, session_view, totals_view


def meter_tag(operator: str) -> str:
    """What the ids of an operator's progressive sessions begin with, so that its meter lies in their slot."""
    return base64.urlsafe_b64encode(hashlib.sha256(operator.encode()).digest()[:9]).decode()


def on_meter(session_id: str) -> bool:
    """Whether a session's id begins with a meter's tag."""
    return "~" in session_id


RETRY_ODDS = 1
"""Seconds to wait before odds are asked for again."""
_HELD = 0.25
"""Seconds for which a refusal of odds is held back."""


class Reading(ABC):
    """Reads; each method gives a finished answer."""

    _store: SessionStore
    _clock: Clock
    _policy: Policy
    _entropy: Entropy
    _pool: Pool

    @abstractmethod
    async def _seen(self, session_id: str, caller: Caller) -> tuple[Session, Role]:
        """The session, up to date, and the caller's role in it."""

    async def read(self, session_id: str, caller: Caller) -> Answer:
        """The whole position as the caller may see it (200)."""
        session, role = await self._seen(session_id, caller)
        view = session_view(session, seen_by(role), caller.locale, operator=isinstance(role, Operator))
        return answer(200, view, session)

    async def list(self, caller: Caller, after: str | None, limit: int) -> Answer:
        """The operator's sessions, newest first, a page at a time (200)."""
        operator = _operator(caller, "Sessions are listed by their operator.")
        try:
            found, following = await self._store.sessions_of(operator, after, limit)
        except ValueError as wrong:
            raise InvalidRequest.of("/after", str(wrong)) from None
        shown = [session_view(session, None, caller.locale, operator=True) for session in found]
        return answer(200, {"sessions": shown, "next_after": following})

    async def ledger(self, session_id: str, caller: Caller, after: int, limit: int) -> Answer:
        """A page of the ledger, with the totals of the whole (200)."""
        session, _ = await self._seen(session_id, caller)
        first = max(after - 1, 0)
        kept = await self._store.ledger(session_id, first, after + limit)
        previous = ledger.GENESIS
        if after > 0 and kept:
            previous, kept = ledger.split(kept[0])[0], kept[1:]
        kept = kept[: max(session.ledger_length - after, 0)]
        reached = after + len(kept)
        following = reached if kept and reached < session.ledger_length else None
        rest = {
            "totals": [totals_view(seat) for seat in session.seats],
            "house_net": session.house_net,
            "voids": len(session.voided),
            "result": session.result,
            "next_after": following,
        }
        body = b'{"entries":' + ledger.page(kept, previous) + b"," + msgspec.json.encode(rest)[1:]
        return Answer(200, body, etag=etag(session))

    async def rounds(self, session_id: str, caller: Caller, after: int, limit: int) -> Answer:
        """Round records with a number above *after*, voided deals among them, a page at a time (200)."""
        session, role = await self._seen(session_id, caller)
        page, following = await self._page(session, after, limit)
        shown = [round_view(session, one, seen_by(role), caller.locale) for one in page]
        return answer(200, {"rounds": shown, "next_after": following}, session)

    async def round(self, session_id: str, number: int, caller: Caller, deal: int | None) -> Answer:
        """One round's record: its last deal, or the deal asked for (200)."""
        session, role = await self._seen(session_id, caller)
        found = await self._record(session, number, deal)
        return answer(200, round_view(session, found, seen_by(role), caller.locale), session)

    async def histories(self, session_id: str, caller: Caller, after: int, limit: int) -> Answer:
        """The same page as :meth:`rounds` gives, of a no-limit session, as PHH text (200)."""
        session, role = await self._seen(session_id, caller)
        _must_have_histories(session)
        page, _ = await self._page(session, after, limit)
        return Answer(200, phhs(session, page, seen_by(role)).encode(), etag=etag(session))

    async def history(self, session_id: str, number: int, caller: Caller, deal: int | None) -> Answer:
        """The same record as :meth:`round` gives, of a no-limit session, as PHH text (200)."""
        session, role = await self._seen(session_id, caller)
        _must_have_histories(session)
        found = await self._record(session, number, deal)
        return Answer(200, phh(session, found, seen_by(role)).encode(), etag=etag(session))

    async def advice(self, session_id: str, caller: Caller) -> Answer:
        """The exact value of each action that the asking seat may take now (200)."""
        session, role = await self._seen(session_id, caller)
        if not isinstance(role, SeatHolder):
            raise Forbidden("Ask for advice with the token of the seat.")
        if not session.advice:
            raise Forbidden("This session was started without advice.")
        spot = spot_of(session, role.seat)
        return answer(200, await self._worked_out(spot, session.options.ante), session)

    async def odds(self, caller: Caller, spot: Spot, retry: Retry | None) -> Answer:
        """The odds of a given spot (200). Operators only.

        They follow from the spot alone, so of the first answer to a key no more is kept than whose it was.
        """
        _operator(caller, "Odds are worked out for operators; a seat asks for advice.")
        given = answer(200, await self._worked_out(spot))
        slot = slot_of(caller, retry)
        if slot is None:
            return given
        mine = f"{slot.body_digest}.{self._entropy.bytes(9).hex()}"
        first = await self._store.claim(slot, mine)
        if first == mine:
            return given
        return replayed(KeptAnswer(given, first.partition(".")[0]), slot)

    async def _worked_out(self, spot: Spot, ante: int = 1) -> dict[str, Any]:
        """The odds of *spot*. Raises ``TooManyRequests`` when too many wait, ``InvalidRequest``."""
        try:
            return odds_view(await spot.ask(self._pool), ante)
        except InvalidOption as wrong:
            raise InvalidRequest.of(f"/{wrong.field}", wrong.reason) from None
        except PoolFull:
            # Who asks again at once would take the time that the refusal was to save.
            await asyncio.sleep(_HELD)
            raise TooManyRequests(
                "Too many odds are being worked out; try again later.", retry_after=RETRY_ODDS
            ) from None

    async def jackpots(self, caller: Caller) -> Answer:
        """The operator's progressive meters (200)."""
        operator = _operator(caller, "Meters are shown to their operator.")
        written = await self._store.meter(meter_tag(operator))
        return answer(200, {"jackpots": [meter_view(self._policy.meter(written))]})

    async def report(self, caller: Caller, asked: Period) -> Answer:
        """What the operator's rounds of a period come to by game, a page at a time (200)."""
        operator = _operator(caller, "Reports are made for operators.")
        return answer(200, await rounds_report(self._store, operator, asked, self._clock.now()))

    async def _page(self, session: Session, after: int, limit: int) -> tuple[Sequence[Round], int | None]:
        """Rounds with a number above *after*, and the number to go on after, None at the end.

        All deals of one number stand on one page, which may therefore be longer than *limit*.
        """
        found = await self._records(session, session.position(after + 1, 1), limit + 1)
        page, more = found[:limit], len(found) > limit
        if more and found[limit].number == page[-1].number:
            last = page[-1].number
            page = [one for one in page if one.number != last]
            if not page:
                deals = session.voided.count(last) + 1
                page = await self._records(session, session.position(last, 1), deals)
        return page, page[-1].number if more else None

    async def _record(self, session: Session, number: int, deal: int | None) -> Round:
        """The last deal of a round, or the *deal* asked for. Raises ``NotFound``."""
        deals = session.voided.count(number) + 1
        found = await self._records(session, session.position(number, deal or 1), 1 if deal else deals)
        found = [one for one in found if one.number == number and deal in (None, one.deal)]
        if not found:
            which = f"round {number}" if deal is None else f"deal {deal} of round {number}"
            raise NotFound(f"There is no {which} in this session.")
        return found[-1]

    async def _records(self, session: Session, start: int, limit: int) -> Sequence[Round]:
        """Rounds by position: the archived ones, and behind them the open one."""
        archived = session.rounds_played + len(session.voided)
        found = await self._store.rounds(session.id, start, min(start + limit, archived))
        if session.round is not None and session.round.open and start <= archived < start + limit:
            return [*found, session.round]
        return found


def _must_have_histories(session: Session) -> None:
    if session.game != GAME.name:
        raise InvalidRequest.of("/format", f"phh is for {GAME.name}; this is a session of {session.game}")


def _operator(caller: Caller, refusal: str) -> str:
    """The operator who asks. Raises ``Forbidden`` for a token's bearer, ``Unauthorized`` for nobody."""
    if caller.operator is not None:
        return caller.operator
    if caller.token is not None:
        raise Forbidden(refusal)
    raise Unauthorized("Send an operator key as a bearer token.")
