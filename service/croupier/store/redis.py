"""Sessions in Redis or Valkey: a request is one read and one commit.

Of each session there are: a hash (version, sealed state), the ledger, the archive of sealed rounds, and a
stream of events whose payload is the very same sealed state. Sealed answers lie beside them. Only the ledger,
which holds no card and no seed, is in clear text; see :mod:`croupier.store.keys` and ``commit.lua``.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from redis.exceptions import ResponseError

from croupier.sessions.errors import StoreUnavailable, Unreadable
from croupier.sessions.ports import (
    AnswerSlot,
    Change,
    Committed,
    Event,
    KeptAnswer,
    Loaded,
    Raced,
    Watch,
)
from croupier.sessions.session import Millis, Round, Session
from croupier.store import codec, indexes
from croupier.store.client import Client, Limits, Script
from croupier.store.durability import Durability, shortcomings
from croupier.store.indexes import Indexes
from croupier.store.keys import Keys, is_session_id
from croupier.store.operators import RedisKeyStore
from croupier.store.sealing import Seals
from croupier.store.tail import Tail

if TYPE_CHECKING:
    from croupier.store.rates import StoredRates

_log = logging.getLogger(__name__)

_COMMIT = Script("commit.lua")
_LOAD = Script("load.lua")
_KEPT = Script("kept.lua")
_DAY = 86_400
_COMMITTED, _RACED = 1, 0
_REMEMBERED = 2048
_EVENT_BYTES = 4 * 1024 * 1024
"""What one session's events may take: a hand of very many decisions has a large state in each of them."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How long things are kept: seconds, and for events also how many of a session.

    ``idle_seconds`` is when an untouched session is due to be looked at.
    """

    idle_seconds: int = 30 * _DAY
    answer_seconds: int = _DAY
    events_seconds: int = _DAY
    events: int = 1000


def connect(
    url: str,
    secrets: Sequence[bytes],
    *,
    prefix: str = "croupier",
    limits: Limits | None = None,
    keeping: Keeping | None = None,
) -> "RedisStore":
    """The store at *url*, sealed under *secrets* (the first seals, all open). Nothing is sent yet.

    *url* is one of :mod:`croupier.store.addresses`; ``ValueError`` for another, and for a bad secret.
    """
    return RedisStore(Client(url, limits or Limits()), Seals(secrets), Keys(prefix), keeping or Keeping())


class RedisStore:
    """A :class:`~croupier.sessions.ports.SessionStore` in Redis or Valkey.

    Besides ``StoreUnavailable`` a read raises :class:`~croupier.store.sealing.SealError` for a record that
    was altered or whose secret is gone, and :class:`~croupier.store.codec.UnreadableRecord` for one that a
    newer release wrote. Whole sessions are deleted by their retention; a stored answer may outlive a session
    whose retention is shorter than the answer's own time.
    """

    def __init__(self, client: Client, seals: Seals, keys: Keys, keeping: Keeping) -> None:
        self._client = client
        self._seals = seals
        self._keys = keys
        self._keeping = keeping
        self._written: dict[str, tuple[bytes, Session]] = {}
        self._probing: asyncio.Future[Any] | None = None
        self._indexes = Indexes(client, keys, keeping.idle_seconds * 1000)
        self._tail = Tail(client, keys, self.events)
        self.operators = RedisKeyStore(client, keys)

    def rates(self, limits: Mapping[str, str], secret: bytes) -> "StoredRates":
        """What counts requests in this store against *limits*, each kind of caller's in its own."""
        # The library that counts takes a while to load, and few servers limit anything.
        from croupier.store.rates import StoredRates  # noqa: PLC0415

        return StoredRates(self._client, self._keys.rates, limits, secret)

    # ── A request ────────────────────────────────────────────────────────────────────────────────────────

    async def load(self, session_id: str, slot: AnswerSlot | None = None) -> Loaded:
        """Read the session and, in the same round trip, the answer kept in *slot*."""
        if not is_session_id(session_id):
            return Loaded(None)
        key, meter_key = self._keys.session(session_id), self._keys.meter(session_id)
        if slot is None and meter_key is None:
            version, state = await self._client.read("HMGET", key, "v", "s")
            kept = meter = None
        else:
            answer_key = key if slot is None else self._answer_key(key, slot)
            version, state, kept, meter = await self._client.ask(_LOAD, (key, answer_key, meter_key or key))
        # Replicas may not have it yet, and a failover would lose what the retry is told here.
        if kept and self._client.replicas and await self._client.commit(_KEPT, (answer_key,)) != kept:
            raise StoreUnavailable("The store has just lost its primary.", retry_after=1)
        return Loaded(
            None if version is None else self._open_session(session_id, int(version), state),
            None if kept is None or slot is None else self._open_answer(session_id, slot, kept),
            None if meter is None else int(meter),
        )

    async def commit(self, change: Change) -> Committed | Raced | KeptAnswer:
        """One atomic step: the kept answer first, then the version, then everything together.

        Raises ``ValueError`` for an id that none can be, for a meter's move in a session whose id carries no
        meter's tag, and for a round that is not the archive's next one (or its last one, to replace).
        """
        session = change.session
        if not is_session_id(session.id):
            raise ValueError(f"{session.id!r} cannot be the id of a session")
        keys, arguments = self._prepare(change)
        try:
            outcome = await self._client.commit(_COMMIT, keys, *arguments)
        except ResponseError as error:
            if str(error).startswith("MISPLACED"):
                raise ValueError(str(error)) from None
            raise
        if outcome == _RACED:
            return Raced()
        if outcome != _COMMITTED and change.answer:
            return self._open_answer(session.id, change.answer[0], outcome)
        self._remember(session, arguments[2])
        self._tail.told(session.id, session.version)
        await self._indexes.committed(change)
        return Committed()

    async def claim(self, slot: AnswerSlot, claimant: str) -> str:
        """Who has *slot*: the first to claim it, for as long as answers live."""
        key, seconds = self._keys.claim_of(slot.slot), self._keeping.answer_seconds
        kept: bytes = await self._client.commit(_KEPT, (key,), claimant, seconds)
        return kept.decode()

    def _prepare(self, change: Change) -> tuple[list[str], list[Any]]:
        """The keys and arguments of ``commit.lua``."""
        session, keeping = change.session, self._keeping
        key = answer_key = meter_key = self._keys.session(session.id)
        answer: bytes | str = ""
        record: bytes | str = ""
        after: int | str = ""
        before: int | str | None = None
        position = 0
        expire = change.expire_after
        if change.answer:
            slot, given = change.answer
            answer_key = self._answer_key(key, slot)
            plain = codec.encode_answer(given, slot.body_digest)
            answer = self._seals.seal("answer", session.id, slot.slot, plain)
        if change.meter:
            shared = self._keys.meter(session.id)
            if shared is None:
                raise ValueError(f"session {session.id} settles on no meter")
            meter_key, before, after = shared, change.meter.before, change.meter.after
        if change.record:
            position = session.position(change.record.number, change.record.deal)
            plain = codec.encode_round(change.record)
            record = self._seals.seal("round", session.id, position, plain)
        state = self._seals.seal("state", session.id, session.version, codec.encode_session(session))
        longest = min(keeping.events_seconds, expire or keeping.events_seconds)
        kept_answer = min(keeping.answer_seconds, expire or keeping.answer_seconds)
        keys = [key, f"{key}:ledger", f"{key}:rounds", f"{key}:events", answer_key, meter_key]
        arguments = [
            session.version - 1,
            session.version,
            state,
            ",".join(change.changes),
            min(keeping.events, max(1, _EVENT_BYTES // len(state))),
            longest,
            "" if expire is None else expire,
            answer,
            kept_answer * 1000,
            after,
            "" if before is None else before,
            record,
            position,
            int(change.record_replaces),
            *change.entries,
        ]
        return keys, arguments

    # ── What a session keeps ─────────────────────────────────────────────────────────────────────────────

    async def ledger(self, session_id: str, start: int, stop: int) -> list[bytes]:
        """Ledger entries by position, ``start`` to ``stop`` exclusive, as they were committed."""
        return await self._slice(session_id, "ledger", start, stop)

    async def rounds(self, session_id: str, start: int, stop: int) -> list[Round]:
        """Archived rounds by position, ``start`` to ``stop`` exclusive."""
        sealed = await self._slice(session_id, "rounds", start, stop)
        return [
            codec.decode_round(self._seals.open("round", session_id, position, one))
            for position, one in enumerate(sealed, start)
        ]

    async def _slice(self, session_id: str, part: str, start: int, stop: int) -> list[bytes]:
        if stop <= start or not is_session_id(session_id):
            return []
        key = f"{self._keys.session(session_id)}:{part}"
        found: list[bytes] = await self._client.read("LRANGE", key, start, stop - 1)
        return found

    async def events(self, session_id: str, after: int, limit: int) -> list[Event]:
        """Kept events with a version above *after*, oldest first."""
        if not is_session_id(session_id):
            return []
        key = self._keys.events(session_id)
        found = await self._client.read("XRANGE", key, f"{after + 1}-0", "+", "COUNT", limit)
        events = []
        for entry_id, (_, changes, _, state) in found:
            version = int(entry_id.partition(b"-")[0])
            told = tuple(changes.decode().split(","))
            events.append(Event(version, told, self._open_session(session_id, version, state)))
        return events

    def watch(self, session_id: str, version: int) -> Watch:
        """Watch a session that was read at *version*."""
        return self._tail.open(session_id, version)

    async def meter(self, tag: str) -> int | None:
        """The meter of *tag* in hundredths of a unit; None where it was never written."""
        found = await self._client.read("GET", self._keys.meter_of(tag))
        return None if found is None else int(found)

    # ── Indexes: hints, never the truth ──────────────────────────────────────────────────────────────────

    async def sessions_of(
        self, operator: str, after: str | None, limit: int
    ) -> tuple[list[Session], str | None]:
        """An operator's sessions, newest first, and the cursor of the next page (None at the end)."""
        found = await self._listed(operator, None if after is None else indexes.place(after), limit + 1)
        if len(found) <= limit:
            return found, None
        last = found[limit - 1]
        return found[:limit], indexes.cursor((last.created_at, last.id))

    async def sessions_before(
        self, operator: str, started: Millis, session_id: str, limit: int
    ) -> list[Session]:
        """An operator's sessions, newest first, behind a start and, where starts are equal, an id."""
        return await self._listed(operator, (started, session_id), limit)

    async def _listed(self, operator: str, place: indexes.Place | None, limit: int) -> list[Session]:
        found: list[Session] = []
        while len(found) < limit:
            places = await self._indexes.page(operator, place, limit - len(found))
            if not places:
                break
            place = places[-1]
            found += await self._sessions([session_id for _, session_id in places])
        return found

    async def due(self, now: Millis, limit: int) -> Sequence[str]:
        """Ids of sessions somebody has to look at now; the same again until they are reminded anew."""
        return await self._indexes.due(now, limit)

    async def remind(self, session_id: str, at: Millis | None) -> None:
        """Have *session_id* show up in :meth:`due` from *at* on; None forgets it and takes it off its lists.

        A reminder that :meth:`due` has not given out yet is brought forward but never put off.
        """
        if at is None:
            await self._indexes.forget(session_id)
        else:
            await self._indexes.remind(session_id, at)

    async def repair(self) -> int:
        """Put sessions that no index knows back on their lists; how many there were."""
        repaired, batch = 0, []
        async for session_id in self.every_session():
            batch.append(session_id)
            if len(batch) == 200:
                repaired += await self._indexes.restore(await self._sessions(batch))
                batch.clear()
        return repaired + await self._indexes.restore(await self._sessions(batch))

    async def every_session(self) -> AsyncIterator[str]:
        """The id of every session, in no order; one that comes or goes meanwhile may be missing."""
        async for key in self._client.hashes(self._keys.sessions):
            yield self._keys.session_id(key.decode())

    async def _sessions(self, session_ids: Sequence[str]) -> list[Session]:
        """Those of *session_ids* that exist and can be read, in their order."""
        if not session_ids:
            return []
        reads = [("HMGET", self._keys.session(one), "v", "s") for one in session_ids]
        sessions = []
        for session_id, (version, state) in zip(session_ids, await self._client.together(reads), strict=True):
            if version is None:
                continue
            try:
                sessions.append(self._open_session(session_id, int(version), state))
            except Unreadable as error:
                _log.error("session %s is left out: %s", session_id, error)
        return sessions

    # ── The store itself ─────────────────────────────────────────────────────────────────────────────────

    async def ping(self) -> None:
        """Return when the store can be written to.

        Anybody may ask that, and it is a write to the disk: who asks meanwhile waits for the same one.
        """
        if self._probing is None or self._probing.done():
            probe = self._client.write("SET", self._keys.probe, "", "EX", 60)
            self._probing = asyncio.ensure_future(probe)
            self._probing.add_done_callback(_heard)
        await asyncio.shield(self._probing)

    async def shortcomings(self, wanted: Durability) -> Sequence[str]:
        """Why the store keeps less than *wanted*, a sentence for each reason."""
        return await shortcomings(self._client, wanted)

    async def close(self) -> None:
        """Let every connection go."""
        await self._tail.close()
        await self._client.close()

    def _remember(self, session: Session, sealed: bytes) -> None:
        """Keep what was written: the next request reads the same bytes, and need not open them."""
        self._written.pop(session.id, None)
        self._written[session.id] = (sealed, session)
        if len(self._written) > _REMEMBERED:
            del self._written[next(iter(self._written))]

    def _open_session(self, session_id: str, version: int, sealed: bytes) -> Session:
        written = self._written.get(session_id)
        if written and written[0] == sealed and written[1].version == version:
            return written[1]
        plain = self._seals.open("state", session_id, version, sealed)
        return codec.decode_session(session_id, version, plain)

    def _open_answer(self, session_id: str, slot: AnswerSlot, sealed: bytes) -> KeptAnswer:
        return codec.decode_answer(self._seals.open("answer", session_id, slot.slot, sealed))

    @staticmethod
    def _answer_key(key: str, slot: AnswerSlot) -> str:
        return f"{key}:answer:{slot.slot}"


def _heard(probe: "asyncio.Future[Any]") -> None:
    """Nobody may be left to hear of a failure."""
    if not probe.cancelled():
        probe.exception()
