"""The use cases: load, take a pure step, commit. The only place where a session changes.

Every change is one read and one atomic commit, which carries the new state, its ledger entries, its event and
the answer kept for a retry. Who loses a race reads again and tries anew where the request still makes sense.
"""

import asyncio
import base64
import hmac
import random
from collections.abc import Callable, Sequence
from dataclasses import replace

from croupier.odds.pool import Pool
from croupier.sessions import access, play, seats
from croupier.sessions.access import Operator, Role, SeatHolder, Tokens, seen_by
from croupier.sessions.answers import answer, replayed, reused, slot_of
from croupier.sessions.errors import (
    Forbidden,
    InvalidRequest,
    NotFound,
    StaleVersion,
    StoreUnavailable,
    Unauthorized,
)
from croupier.sessions.events import Following
from croupier.sessions.policy import Policy
from croupier.sessions.ports import (
    Answer,
    AnswerSlot,
    Change,
    Clock,
    Committed,
    Entropy,
    KeptAnswer,
    Loaded,
    SessionStore,
)
from croupier.sessions.reading import Reading, meter_tag, on_meter
from croupier.sessions.requests import Caller, Deal, Decide, Retry, SeatChange, Start
from croupier.sessions.session import Millis, Session
from croupier.sessions.settle import Now, Step
from croupier.sessions.views import round_view, session_view

ATTEMPTS = 32
"""How often a change that lost its race is tried anew before the caller is told."""

PUT_OFF: Millis = 3_600_000
"""When to look again at a session that could not be looked after."""


class Sessions(Reading, Following):
    """Start, deal, decide, void, close, change seats, read and follow; each gives a finished answer."""

    def __init__(
        self,
        store: SessionStore,
        clock: Clock,
        entropy: Entropy,
        secrets: Sequence[bytes],
        policy: Policy,
        pool: Pool | None = None,
    ) -> None:
        self._pool = pool or Pool()
        self._store = store
        self._clock = clock
        self._entropy = entropy
        self._secrets = tuple(secrets)
        self._tokens = Tokens(secrets)
        self._policy = policy

    # ── Changes ──────────────────────────────────────────────────────────────────────────────────────────

    async def start(self, caller: Caller, request: Start, retry: Retry | None) -> Answer:
        """A new session and its tokens (201). Operators only.

        With an Idempotency-Key the session's id follows from caller and key; its tokens from id and start.
        """
        if caller.operator is None:
            if caller.token is not None:
                raise Forbidden("Sessions are started by an operator, not with a session's token.")
            raise Unauthorized("Send an operator key as a bearer token to start sessions.")
        if request.sandbox and not self._policy.allow_sandbox:
            raise Forbidden("This server does not allow sandbox sessions.")
        progressive = getattr(request.options, "trips", "off") == "progressive"
        if progressive and request.sandbox:
            raise InvalidRequest.of("/sandbox", "a sandbox session cannot move a progressive meter")
        slot = slot_of(caller, retry)
        session_id = self._session_id(caller.operator, retry, 0, shared=progressive)
        if slot is not None:
            # The key leads to another id under an older secret, and for a session that is to settle on the
            # meter: whoever was there first says which it is.
            session_id = await self._store.claim(slot, session_id)
            if on_meter(session_id) is not progressive:
                raise reused()
        for attempt in range(ATTEMPTS):
            if attempt:
                session_id = self._session_id(caller.operator, retry, attempt, shared=progressive)
            loaded = await self._store.load(session_id, slot)
            if loaded.kept is not None and slot is not None:
                return replayed(loaded.kept, slot)
            if loaded.session is not None:
                continue
            step = play.start(session_id, caller.operator, request, self._now(loaded))
            tokens = {
                "table": self._tokens.table(step.session),
                "seats": [self._tokens.seat(step.session, seat.seat) for seat in step.session.seats],
            }
            shown = session_view(step.session, None, caller.locale, operator=True)
            given = answer(201, {"session": shown, "tokens": tokens}, step.session)
            given = replace(given, location=f"/v1/sessions/{session_id}")
            done = await self._store.commit(self._change(step, slot, given))
            if isinstance(done, KeptAnswer) and slot is not None:
                return replayed(done, slot)
            if isinstance(done, Committed):
                return given
        raise StaleVersion("Too many sessions were started with this Idempotency-Key; use a new one.")

    async def deal(self, session_id: str, caller: Caller, request: Deal, retry: Retry | None) -> Answer:
        """Deal the next round (201): the table, or the only seat."""

        def step(session: Session, role: Role, now: Now) -> Step:
            access.may_deal(role)
            return play.deal(session, request, now)

        return await self._change_round(session_id, caller, retry, step, 201)

    async def decide(self, session_id: str, caller: Caller, request: Decide, retry: Retry | None) -> Answer:
        """Take an action for the caller's own seat (200)."""

        def step(session: Session, role: Role, now: Now) -> Step:
            return play.decide(session, access.deciding_seat(role, request.seat), request, now)

        return await self._change_round(session_id, caller, retry, step, 200)

    async def void(
        self, session_id: str, number: int, caller: Caller, reason: str, retry: Retry | None
    ) -> Answer:
        """Take the latest round back (200): the operator."""

        def step(session: Session, role: Role, now: Now) -> Step:
            access.may_void(role)
            return play.void(session, number, reason, now)

        return await self._change_round(session_id, caller, retry, step, 200)

    async def close(self, session_id: str, caller: Caller, retry: Retry | None) -> Answer:
        """End the session early (200); with a round open only the operator may."""

        def step(session: Session, role: Role, now: Now) -> Step:
            access.may_close(role)
            operator = isinstance(role, Operator)
            by = "operator" if operator else "seat" if isinstance(role, SeatHolder) else "table"
            return play.close(session, now, by=by, void_open=operator)

        return await self._change_session(session_id, caller, retry, step)

    async def seat(
        self, session_id: str, seat: int, caller: Caller, request: SeatChange, retry: Retry | None
    ) -> Answer:
        """Change a seat (200): that seat, or the table. ``new_token`` answers with the token besides."""

        def step(session: Session, role: Role, now: Now) -> Step:
            access.may_change_seat(role, seat)
            return seats.change(session, seat, request, now)

        return await self._change_session(
            session_id, caller, retry, step, token_of=seat if request.do == "new_token" else None
        )

    async def _change_round(
        self,
        session_id: str,
        caller: Caller,
        retry: Retry | None,
        step: Callable[[Session, Role, Now], Step],
        status: int,
    ) -> Answer:
        def shown(session: Session, role: Role) -> Answer:
            if session.round is None:
                raise NotFound("The session has no round.")
            return answer(status, round_view(session, session.round, seen_by(role), caller.locale), session)

        return await self._changed(session_id, caller, retry, step, shown)

    async def _change_session(
        self,
        session_id: str,
        caller: Caller,
        retry: Retry | None,
        step: Callable[[Session, Role, Now], Step],
        token_of: int | None = None,
    ) -> Answer:
        def shown(session: Session, role: Role) -> Answer:
            view = session_view(session, seen_by(role), caller.locale, operator=isinstance(role, Operator))
            if token_of is not None:
                view["token"] = self._tokens.seat(session, token_of)
            return answer(200, view, session)

        return await self._changed(session_id, caller, retry, step, shown, replay_first=token_of is not None)

    async def _changed(
        self,
        session_id: str,
        caller: Caller,
        retry: Retry | None,
        step: Callable[[Session, Role, Now], Step],
        shown: Callable[[Session, Role], Answer],
        *,
        replay_first: bool = False,
    ) -> Answer:
        """Load, take *step*, commit; try anew for who lost a race.

        *replay_first*: a kept answer is given before the token is looked at, because the change it answers
        put another token in its place. Only who holds the old token and the key finds it.
        """
        slot = slot_of(caller, retry)
        session: Session | None = None
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(random.uniform(0, 0.002 * 2 ** min(attempt, 6)))  # noqa: S311
            loaded = await self._up_to_date(session_id, slot)
            if replay_first and loaded.kept is not None and slot is not None:
                return replayed(loaded.kept, slot)
            session, role = self._admitted(session_id, loaded, caller)
            if loaded.kept is not None and slot is not None:
                return replayed(loaded.kept, slot)
            taken = step(session, role, self._now(loaded))
            given = shown(taken.session, role)
            done = await self._store.commit(self._change(taken, slot, given))
            if isinstance(done, KeptAnswer) and slot is not None:
                return replayed(done, slot)
            if isinstance(done, Committed):
                return given
        raise StaleVersion(
            "Others changed the session at the same time, again and again; read it and try anew.",
            version=session.version if session is not None else None,
        )

    async def ready(self) -> None:
        """Return when the store can be written to; raise ``StoreUnavailable`` when it cannot."""
        await self._store.ping()

    # ── Time ─────────────────────────────────────────────────────────────────────────────────────────────

    async def sweep(self, limit: int = 100) -> int:
        """Do what is due: overdue decisions, idle sessions, ended retentions. How many sessions were seen."""
        ids = await self._store.due(self._clock.now(), limit)
        failures: list[Exception] = []
        for session_id in ids:
            try:
                loaded = await self._up_to_date(session_id, None)
                await self._store.remind(session_id, self._next_look(loaded.session))
            except StoreUnavailable:
                raise
            except Exception as failure:  # one broken session must not keep the others waiting
                failures.append(failure)
                await self._store.remind(session_id, self._clock.now() + PUT_OFF)
        if failures:
            raise ExceptionGroup("sessions that could not be looked after", failures)
        return len(ids)

    async def repair(self) -> int:
        """Put sessions that no index knows back on their lists."""
        return await self._store.repair()

    def _next_look(self, session: Session | None) -> Millis | None:
        if session is None:
            return None
        if session.status != "open":
            gone = session.changed_at + self._policy.retention_seconds * 1000
            return None if gone <= self._clock.now() else gone
        idle = session.changed_at + self._policy.idle_seconds * 1000
        deadline = session.round.deadline if session.round is not None else None
        return idle if deadline is None else min(idle, deadline)

    async def _up_to_date(self, session_id: str, slot: AnswerSlot | None) -> Loaded:
        """Read a session; first let the clock decide what is overdue, whoever gets there first."""
        for _ in range(ATTEMPTS):
            loaded = await self._store.load(session_id, slot)
            session = loaded.session
            if session is None or session.status != "open" or loaded.kept is not None:
                return loaded
            at = self._clock.now()
            deadline = session.round.deadline if session.round is not None else None
            if at - session.changed_at >= self._policy.idle_seconds * 1000:
                step = play.abandoned(session, self._now(loaded))
            elif deadline is not None and at >= deadline:
                step = play.overdue(session, self._now(loaded))
            else:
                return loaded
            await self._store.commit(self._change(step, None, None))
        return await self._store.load(session_id, slot)

    # ── What they share ──────────────────────────────────────────────────────────────────────────────────

    def _now(self, loaded: Loaded) -> Now:
        session = loaded.session
        if session is None or getattr(session.options, "trips", "off") != "progressive":
            return Now(self._clock.now(), self._entropy.bytes(32))
        return Now(self._clock.now(), self._entropy.bytes(32), self._policy.meter(loaded.meter), loaded.meter)

    def _change(self, step: Step, slot: AnswerSlot | None, answer: Answer | None) -> Change:
        session = step.session
        deadline = session.round.deadline if session.round is not None else None
        return Change(
            session=session,
            changes=step.changes,
            entries=step.entries,
            record=step.record,
            record_replaces=step.record_replaces,
            answer=None if slot is None or answer is None else (slot, answer),
            meter=step.meter,
            due=deadline,
            expire_after=None if session.status == "open" else self._policy.retention_seconds,
        )

    def _admitted(self, session_id: str, loaded: Loaded, caller: Caller) -> tuple[Session, Role]:
        if loaded.session is None:
            if caller.operator is None and caller.token is None:
                raise Unauthorized("Send the session's token, or an operator key, as a bearer token.")
            raise access.no_session(session_id)
        return loaded.session, self._tokens.role(loaded.session, caller)

    async def _seen(self, session_id: str, caller: Caller) -> tuple[Session, Role]:
        return self._admitted(session_id, await self._up_to_date(session_id, None), caller)

    def _session_id(self, operator: str, retry: Retry | None, attempt: int, *, shared: bool) -> str:
        """A random id; with a key one that follows from operator and key, the *attempt*-th where an older
        session has it whose answer is no longer kept. *shared* puts the tag of the operator's meter in front.
        """
        if retry is None:
            raw = self._entropy.bytes(18)
        else:
            text = f"session:{operator}\0{retry.key}\0{attempt}"
            raw = hmac.digest(self._secrets[0], text.encode(), "sha256")[:18]
        own = base64.urlsafe_b64encode(raw).decode()
        return f"{meter_tag(operator)}~{own}" if shared else own
