"""Lists of sessions and of reminders, in slots of their own: written after the commit, never the truth.

A write that fails here is logged and made good by ``repair``; it never fails the request.
"""

import base64
import binascii
import logging
from collections.abc import Sequence
from typing import TypeAlias

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Change
from croupier.sessions.session import Millis, Session
from croupier.store.client import Client, Script
from croupier.store.keys import Keys, is_session_id

_DUE = Script("due.lua")
_REMIND = Script("remind.lua")

_log = logging.getLogger(__name__)

Place: TypeAlias = tuple[Millis, str]
"""Where a session stands in its operator's list: its start, then its id where starts are equal."""


def cursor(place: Place) -> str:
    """*place* as callers carry it around."""
    started, session_id = place
    return base64.urlsafe_b64encode(f"{started}.{session_id}".encode()).decode().rstrip("=")


def place(text: str) -> Place:
    """The place that a :func:`cursor` stands for; ``ValueError`` when it is none of ours."""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
        started, _, session_id = raw.partition(".")
        found = int(started), session_id
    except (binascii.Error, UnicodeError, ValueError):
        raise ValueError("not a cursor of this list") from None
    if not is_session_id(session_id) or cursor(found) != text:
        raise ValueError("not a cursor of this list")
    return found


def first_look(session: Session, idle: Millis) -> Millis:
    """When somebody has to look at *session* if nobody asks for it: its deadline, or the idle limit."""
    late = session.changed_at + idle
    deadline = session.round.deadline if session.round else None
    return late if deadline is None else min(late, deadline)


def reminder(change: Change, idle: Millis) -> Millis | None:
    """When somebody has to look at a session after *change*; None leaves the index as it is."""
    session, at = change.session, change.due
    if change.expire_after is not None:
        at = session.changed_at + change.expire_after * 1000
    if session.version > 1:
        return at
    late = session.created_at + idle
    return late if at is None else min(late, at)


class Indexes:
    """Each operator's sessions by their start, and every session's next reminder.

    *idle* is after how many milliseconds without a change a session is due to be looked at.
    """

    def __init__(self, client: Client, keys: Keys, idle: Millis) -> None:
        self._client = client
        self._keys = keys
        self._idle = idle

    async def committed(self, change: Change) -> None:
        """Note what a commit means to the lists: a new session, a deadline, a retention."""
        session, at = change.session, reminder(change, self._idle)
        if at is None:
            return
        try:
            if session.version == 1:
                await self._list([(session, at)])
            else:
                await self.remind(session.id, at)
        except StoreUnavailable:
            _log.warning("session %s is in, but not on its lists; repair will put it there", session.id)

    async def _list(self, sessions: Sequence[tuple[Session, Millis]]) -> None:
        """Put *sessions* on their lists, where they are not there already."""
        writes: list[tuple[object, ...]] = []
        for session, at in sessions:
            writes.append(("SADD", self._keys.operators, session.operator))
            writes.append(("ZADD", self._keys.list_of(session.operator), session.created_at, session.id))
            writes.append(("ZADD", self._keys.due, "NX", at, session.id))
        await self._client.together(writes)

    async def page(self, operator: str, after: Place | None, count: int) -> list[Place]:
        """The first *count* places of an operator's list that come after *after*, newest first."""
        highest = "+inf" if after is None else str(after[0])
        found: list[Place] = []
        offset = 0
        while len(found) < count:
            rows = await self._client.read(
                "ZREVRANGEBYSCORE",
                self._keys.list_of(operator),
                highest,
                "-inf",
                "WITHSCORES",
                "LIMIT",
                offset,
                count,
            )
            places = [
                (int(score), member.decode()) for member, score in zip(rows[::2], rows[1::2], strict=True)
            ]
            found += [one for one in places if after is None or one < after]
            offset += count
            if len(places) < count:
                break
        return found[:count]

    async def due(self, now: Millis, limit: int) -> list[str]:
        """Ids whose reminder has passed, the earliest first; each is marked as seen."""
        found = await self._client.run(_DUE, (self._keys.due,), now, limit)
        return [session_id.decode() for session_id in found]

    async def remind(self, session_id: str, at: Millis) -> None:
        """Set a reminder; one that nobody has seen yet is only brought forward."""
        await self._client.run(_REMIND, (self._keys.due,), session_id, at)

    async def forget(self, session_id: str) -> None:
        """Take a session off every list. It may be gone already, so its operator is not known."""
        operators = await self._client.read("SMEMBERS", self._keys.operators)
        lists = [self._keys.list_of(operator.decode()) for operator in operators]
        await self._client.together([("ZREM", name, session_id) for name in (self._keys.due, *lists)])

    async def restore(self, sessions: Sequence[Session]) -> int:
        """Put those of *sessions* back that one of their lists lacks; how many there were."""
        if not sessions:
            return 0
        asked: list[tuple[object, ...]] = []
        for session in sessions:
            asked.append(("ZSCORE", self._keys.due, session.id))
            asked.append(("ZSCORE", self._keys.list_of(session.operator), session.id))
        scores = await self._client.together(asked)
        lost = [
            (session, first_look(session, self._idle))
            for session, due, listed in zip(sessions, scores[::2], scores[1::2], strict=True)
            if due is None or listed is None
        ]
        if lost:
            await self._list(lost)
        return len(lost)
