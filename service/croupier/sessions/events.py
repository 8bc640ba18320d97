"""What happens in a session, told to who may see it: one event a version."""

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from croupier.sessions.access import Operator, Role, SeatHolder, no_session, seen_by
from croupier.sessions.errors import Unauthorized
from croupier.sessions.ports import Answer, SessionStore
from croupier.sessions.requests import Caller
from croupier.sessions.session import Session
from croupier.sessions.views import event_view

Ending: TypeAlias = Literal["finished", "closed", "gone", "replaced"]
"""Why nothing will follow: the session's own end, its deletion, or another token in the place of this one."""


@dataclass(frozen=True, slots=True)
class Told:
    """One event as its reader may see it, in JSON.

    ``whole``: it tells the position and not what led to it, because the reader asked for no version to go on
    from, or for one whose successors are not kept any more.
    """

    version: int
    body: bytes
    whole: bool


class Feed:
    """A session's events for one reader, without a gap from the version after *after*; None: from now on,
    the position first.

    ``after`` is the version last told; ``over``, once it is set, says why nothing will follow. A feed has to
    be closed.
    """

    __slots__ = (
        *("_caller", "_generation", "_look", "_position", "_role", "_session_id", "_store", "_watch"),
        *("after", "closed", "over"),
    )

    def __init__(
        self, store: SessionStore, session: Session, role: Role, caller: Caller, after: int | None
    ) -> None:
        self._store = store
        self._session_id = session.id
        self._role = role
        self._generation = _generation(role, session)
        self._caller = caller
        self._position = session if after is None else None
        self.after = session.version if after is None else after
        # Besides what has happened since: a version that the session has not reached yet can only be another
        # history's, as after a store was restored from a dump.
        self._look = self.after != session.version
        self.closed = False
        self.over: Ending | None = None
        if session.status != "open" and after == session.version:
            self.over = session.status
        self._watch = store.watch(session.id, session.version)

    async def next(self) -> Sequence[Told]:
        """What comes next, however long that takes; nothing once ``over`` is set or the feed is closed.

        Raises ``StoreUnavailable``. After that, or cancelled, the next call goes on without loss.
        """
        if self._position is not None:
            position, self._position = self._position, None
            return self._given([self._told(position)], position)
        while self.over is None and not self.closed:
            if not self._look:
                await self._watch.news(self.after)
                self._look = True
                continue
            told = await self._found()
            self._look = False
            if told:
                return told
        return ()

    async def polled(self, wait: float) -> Answer:
        """The next events, waited for *wait* seconds where there are none (200).

        ``next_after`` is what to ask on from, null when the session is over and all is told. Raises
        ``NotFound``, ``Unauthorized``, ``StoreUnavailable``.
        """
        told: Sequence[Told] = ()
        if self._position is not None or self._look:
            told = await self.next()
        elif wait:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    told = await self.next()
        if self.over == "gone":
            raise no_session(self._session_id)
        if self.over == "replaced":
            raise Unauthorized("The token has been replaced by a new one.")
        events = b",".join(one.body for one in told)
        following = b"null" if self.over else b"%d" % self.after
        return Answer(200, b'{"events":[' + events + b'],"next_after":' + following + b"}")

    def close(self) -> None:
        """Follow no more; a :meth:`next` that waits gives nothing."""
        self.closed = True
        self._watch.close()

    async def _found(self) -> Sequence[Told]:
        """What the store has beyond the last event told, which may be nothing."""
        events = await self._watch.events(self.after)
        if not events:
            session = await self._present()
            if session is None or session.version == self.after:
                return ()
            events = await self._watch.events(self.after)  # there may be one since they were read
        if events and events[0].version == self.after + 1:
            return self._given([self._told(one.session, one.changes) for one in events], events[-1].session)
        session = await self._present()
        return () if session is None else self._given([self._told(session)], session)

    async def _present(self) -> Session | None:
        session = (await self._store.load(self._session_id)).session
        if session is None:
            self.over = "gone"
        return session

    def _given(self, told: Sequence[Told], latest: Session) -> Sequence[Told]:
        """*told*, which ends with *latest*, unless another token has taken the place of the reader's."""
        if _generation(self._role, latest) > self._generation:
            self.over = "replaced"
            return ()
        self.after = latest.version
        if latest.status != "open":
            self.over = latest.status
        return told

    def _told(self, session: Session, changes: Sequence[str] = ()) -> Told:
        operator = isinstance(self._role, Operator)
        view = event_view(session, changes, seen_by(self._role), self._caller.locale, operator=operator)
        return Told(session.version, msgspec.json.encode(view), whole=not changes)


def _generation(role: Role, session: Session) -> int:
    """How often the token that gives *role* has been renewed; only seats' are."""
    return session.seats[role.seat - 1].generation if isinstance(role, SeatHolder) else 0


class Following(ABC):
    """The use case of following a session."""

    _store: SessionStore

    @abstractmethod
    async def _seen(self, session_id: str, caller: Caller) -> tuple[Session, Role]:
        """The session, up to date, and the caller's role in it."""

    async def follow(self, session_id: str, caller: Caller, after: int | None) -> Feed:
        """The session's events from the one after *after* on; with None its position, and then those."""
        session, role = await self._seen(session_id, caller)
        return Feed(self._store, session, role, caller, after)
