"""What the use cases need of the world: a store, a clock, and entropy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from croupier.sessions.session import Millis, Round, Session


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished HTTP answer: its status, its JSON body as bytes, and the headers that belong to it."""

    status: int
    body: bytes
    etag: str | None = None
    location: str | None = None
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class AnswerSlot:
    """Where an idempotent answer is kept: a digest of caller, path and key; and a digest of the body."""

    slot: str
    body_digest: str


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer found in its slot, with the digest of the body that it answered."""

    answer: Answer
    body_digest: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """One read: the session, if it exists; the kept answer, if asked for and there; the operator's meter in
    hundredths, for a session with a progressive bet whose meter has been written before.
    """

    session: Session | None
    kept: KeptAnswer | None = None
    meter: int | None = None


@dataclass(frozen=True, slots=True)
class MeterMove:
    """A compare-and-set of the operator's meter, in hundredths; *before* None where it was never written."""

    before: int | None
    after: int


@dataclass(frozen=True, slots=True)
class Change:
    """One accepted change, committed whole or not at all.

    ``session.version`` is one more than the version that must be there now (1: the session must not exist).
    ``entries`` are new ledger entries as JSON, appended in order. ``changes`` names what happened, for the
    event of this version. ``record`` is a round to archive: appended, or put in the place of the last one if
    ``record_replaces``. ``answer`` is kept in its slot. ``due`` is when somebody has to look at the session
    again if nobody asks for it before (a decision's deadline; None leaves the index as it is).
    ``expire_after`` starts the retention of everything the session owns, in seconds.
    """

    session: Session
    changes: tuple[str, ...]
    entries: tuple[bytes, ...] = ()
    record: Round | None = None
    record_replaces: bool = False
    answer: tuple[AnswerSlot, Answer] | None = None
    meter: MeterMove | None = None
    due: Millis | None = None
    expire_after: int | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """The change is in, durably."""


@dataclass(frozen=True, slots=True)
class Raced:
    """Somebody else changed the session (or its meter) first; nothing of this change is in."""


@dataclass(frozen=True, slots=True)
class Event:
    """One version's event: what changed and the session as it then was."""

    version: int
    changes: tuple[str, ...]
    session: Session


class Watch(Protocol):
    """One reader's watch over a session's changes, wherever they are committed."""

    async def news(self, after: int) -> None:
        """Return once the session may have gone on from version *after*, or may be gone.

        A change is told at once as a rule, within seconds at worst, and once. May return without cause.
        """

    async def events(self, after: int) -> list[Event]:
        """Some of the kept events with a version above *after*, oldest first; readers may share an answer.

        Raises ``StoreUnavailable``.
        """

    def close(self) -> None:
        """Watch no more; whoever waits for news goes on."""


class SessionStore(Protocol):
    """Where sessions live. Every method raises ``StoreUnavailable`` when the store does not answer in time.

    A commit that raised may or may not be in; the caller's retry with its Idempotency-Key finds out.
    """

    async def load(self, session_id: str, slot: AnswerSlot | None = None) -> Loaded:
        """Read the session and, in the same round trip, the answer kept in *slot*."""

    async def commit(self, change: Change) -> Committed | Raced | KeptAnswer:
        """One atomic step: the kept answer first, then the version, then everything together."""

    async def claim(self, slot: AnswerSlot, claimant: str) -> str:
        """Who has *slot*: the first to claim it, for as long as answers live.

        A session's id, where a key starts a session: of two in two places no commit sees the other's kept
        answer. Else a question, whose answer need not be kept.
        """

    async def ledger(self, session_id: str, start: int, stop: int) -> list[bytes]:
        """Ledger entries by position, ``start`` to ``stop`` exclusive, as they were committed."""

    async def rounds(self, session_id: str, start: int, stop: int) -> list[Round]:
        """Archived rounds by position, ``start`` to ``stop`` exclusive."""

    async def sessions_of(
        self, operator: str, after: str | None, limit: int
    ) -> tuple[list[Session], str | None]:
        """An operator's sessions, newest first, and the cursor of the next page (None at the end).

        Raises ``ValueError`` for a cursor that is not one of ours.
        """

    async def sessions_before(
        self, operator: str, started: Millis, session_id: str, limit: int
    ) -> list[Session]:
        """An operator's sessions, newest first, behind a start and, where starts are equal, an id.

        Fewer than *limit* only where there are no more.
        """

    async def events(self, session_id: str, after: int, limit: int) -> list[Event]:
        """Kept events with a version above *after*, oldest first."""

    def watch(self, session_id: str, version: int) -> Watch:
        """Watch a session that was read at *version*. The watch has to be closed."""

    async def meter(self, tag: str) -> int | None:
        """The meter of *tag* in hundredths of a unit; None where it was never written."""

    async def due(self, now: Millis, limit: int) -> Sequence[str]:
        """Ids of sessions to look at now: a deadline, an idle limit or a retention has passed."""

    async def remind(self, session_id: str, at: Millis | None) -> None:
        """Have *session_id* show up in :meth:`due` from *at* on; None takes it off every list."""

    async def repair(self) -> int:
        """Put sessions that no index knows back on their lists; how many there were."""

    async def ping(self) -> None:
        """Return when the store can be written to."""

    async def close(self) -> None:
        """Let every connection go."""


class Clock(Protocol):
    """The time of day."""

    def now(self) -> Millis:
        """Milliseconds since the Unix epoch, UTC."""


class Entropy(Protocol):
    """The operating system's randomness."""

    def bytes(self, count: int) -> bytes:
        """*count* unpredictable bytes."""
