"""Sessions in this process's memory, for unit tests of the use cases: what the Redis store means, no more.

Sessions, rounds and answers pass through the same codec, so what comes back is what Redis would give back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from croupier.sessions.operators import OperatorKey
from croupier.sessions.ports import AnswerSlot, Change, Committed, Event, KeptAnswer, Loaded, Raced, Watch
from croupier.sessions.session import Millis, Round, Session
from croupier.store import codec, indexes
from croupier.store.watches import Watches

EVENTS = 1000
IDLE: Millis = 30 * 86_400_000


def _nothing(session_id: str) -> None:
    """There is nobody else to hear of it."""


@dataclass
class _Kept:
    version: int
    state: bytes
    ledger: list[bytes] = field(default_factory=list)
    rounds: list[bytes] = field(default_factory=list)
    events: list[tuple[int, tuple[str, ...], bytes]] = field(default_factory=list)


class MemoryStore:
    """A :class:`~croupier.sessions.ports.SessionStore` without durability, expiry or sealing."""

    def __init__(self) -> None:
        self._sessions: dict[str, _Kept] = {}
        self._answers: dict[tuple[str, str], bytes] = {}
        self._claims: dict[str, str] = {}
        self._meters: dict[str, int] = {}
        self._listed: dict[str, tuple[str, Millis]] = {}
        self._due: dict[str, Millis] = {}
        self._seen: set[str] = set()
        self._watches = Watches(self.events, _nothing, _nothing)

    async def load(self, session_id: str, slot: AnswerSlot | None = None) -> Loaded:
        """Read the session, the answer kept in *slot*, and the meter it settles on."""
        answer = None if slot is None else self._answers.get((session_id, slot.slot))
        tag, meter, _ = session_id.partition("~")
        return Loaded(
            self._session(session_id),
            None if answer is None else codec.decode_answer(answer),
            self._meters.get(tag) if meter else None,
        )

    async def commit(self, change: Change) -> Committed | Raced | KeptAnswer:
        """One atomic step: the kept answer first, then the version, then the meter, then everything."""
        session = change.session
        place = (session.id, change.answer[0].slot) if change.answer else None
        if place in self._answers:
            return codec.decode_answer(self._answers[place])
        kept = self._sessions.get(session.id)
        if (kept.version if kept else 0) != session.version - 1:
            return Raced()
        tag = session.id.partition("~")[0]
        if change.meter and self._meters.get(tag) != change.meter.before:
            return Raced()
        if change.record:
            archived = len(kept.rounds) if kept else 0
            position = session.position(change.record.number, change.record.deal)
            if archived - change.record_replaces != position:
                raise ValueError(f"the archive has {archived} rounds, this one is for {position}")
        self._write(change, kept)
        if change.answer and place:
            slot, given = change.answer
            self._answers[place] = codec.encode_answer(given, slot.body_digest)
        if change.meter:
            self._meters[tag] = change.meter.after
        self._watches.told(session.id, session.version)
        return Committed()

    def _write(self, change: Change, kept: _Kept | None) -> None:
        session = change.session
        state = codec.encode_session(session)
        if kept is None:
            kept = self._sessions[session.id] = _Kept(session.version, state)
            self._listed[session.id] = session.operator, session.created_at
        kept.version, kept.state = session.version, state
        kept.ledger += change.entries
        if change.record:
            if change.record_replaces:
                kept.rounds.pop()
            kept.rounds.append(codec.encode_round(change.record))
        kept.events.append((session.version, change.changes, state))
        del kept.events[:-EVENTS]
        if (at := indexes.reminder(change, IDLE)) is not None:
            self._remind(session.id, at)

    async def claim(self, slot: AnswerSlot, claimant: str) -> str:
        """Who has *slot*: the first to claim it."""
        return self._claims.setdefault(slot.slot, claimant)

    async def ledger(self, session_id: str, start: int, stop: int) -> list[bytes]:
        """Ledger entries by position, ``start`` to ``stop`` exclusive."""
        kept = self._sessions.get(session_id)
        return kept.ledger[start:stop] if kept else []

    async def rounds(self, session_id: str, start: int, stop: int) -> list[Round]:
        """Archived rounds by position, ``start`` to ``stop`` exclusive."""
        kept = self._sessions.get(session_id)
        return [codec.decode_round(one) for one in kept.rounds[start:stop]] if kept else []

    async def sessions_of(
        self, operator: str, after: str | None, limit: int
    ) -> tuple[list[Session], str | None]:
        """An operator's sessions, newest first, and the cursor of the next page."""
        found = self._before(operator, None if after is None else indexes.place(after))
        if len(found) <= limit:
            return found, None
        last = found[limit - 1]
        return found[:limit], indexes.cursor((last.created_at, last.id))

    async def sessions_before(
        self, operator: str, started: Millis, session_id: str, limit: int
    ) -> list[Session]:
        """An operator's sessions, newest first, behind a start and, where starts are equal, an id."""
        return self._before(operator, (started, session_id))[:limit]

    def _before(self, operator: str, last: indexes.Place | None) -> list[Session]:
        places = sorted(
            ((started, one) for one, (owner, started) in self._listed.items() if owner == operator),
            reverse=True,
        )
        places = [place for place in places if last is None or place < last]
        return [session for _, one in places if (session := self._session(one))]

    async def events(self, session_id: str, after: int, limit: int) -> list[Event]:
        """Kept events with a version above *after*, oldest first."""
        kept = self._sessions.get(session_id)
        found = [one for one in kept.events if one[0] > after][:limit] if kept else []
        return [
            Event(version, changes, codec.decode_session(session_id, version, state))
            for version, changes, state in found
        ]

    def watch(self, session_id: str, version: int) -> Watch:
        """Watch a session that was read at *version*."""
        return self._watches.open(session_id, version)

    async def meter(self, tag: str) -> int | None:
        """The meter of *tag* in hundredths of a unit; None where it was never written."""
        return self._meters.get(tag)

    async def due(self, now: Millis, limit: int) -> Sequence[str]:
        """Ids of sessions somebody has to look at now, the earliest first; each is marked as seen."""
        ids = sorted((one for one, at in self._due.items() if at <= now), key=self._due.__getitem__)[:limit]
        self._seen.update(ids)
        return ids

    async def remind(self, session_id: str, at: Millis | None) -> None:
        """Have *session_id* show up in :meth:`due` from *at* on; None takes it off every list."""
        if at is None:
            self._due.pop(session_id, None)
            self._listed.pop(session_id, None)
        else:
            self._remind(session_id, at)

    def _remind(self, session_id: str, at: Millis) -> None:
        before = self._due.get(session_id)
        if before is None or session_id in self._seen or at < before:
            self._due[session_id] = at
            self._seen.discard(session_id)

    async def repair(self) -> int:
        """Put sessions that no index knows back on their lists; how many there were."""
        repaired = 0
        for session_id in self._sessions:
            session = self._session(session_id)
            if session and (session_id not in self._due or session_id not in self._listed):
                self._due.setdefault(session_id, indexes.first_look(session, IDLE))
                self._listed[session_id] = session.operator, session.created_at
                repaired += 1
        return repaired

    async def ping(self) -> None:
        """Always there."""

    async def close(self) -> None:
        """Nothing to let go."""

    def _session(self, session_id: str) -> Session | None:
        kept = self._sessions.get(session_id)
        return None if kept is None else codec.decode_session(session_id, kept.version, kept.state)


class MemoryKeyStore:
    """A :class:`~croupier.sessions.operators.KeyStore` without durability."""

    def __init__(self) -> None:
        self._keys: dict[str, OperatorKey] = {}

    async def every(self) -> Sequence[OperatorKey]:
        """All keys, the oldest first."""
        return sorted(self._keys.values(), key=lambda key: (key.created_at, key.id))

    async def add(self, key: OperatorKey) -> None:
        """Keep a new key."""
        self._keys[key.id] = key

    async def revoke(self, key_id: str) -> bool:
        """Forget a key; whether there was one."""
        return self._keys.pop(key_id, None) is not None

    async def used(self, key_id: str, at: Millis) -> None:
        """Note that a key was used; nothing for one that has been revoked meanwhile."""
        if (key := self._keys.get(key_id)) and (key.used_at or 0) < at:
            self._keys[key_id] = replace(key, used_at=at)
