"""Who in this process watches which session, and what was heard of it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

from croupier.sessions.ports import Event

ReadEvents: TypeAlias = Callable[[str, int, int], Awaitable[list[Event]]]

_BATCH = 20
"""Events that are read at a time: what is read is in memory until the slowest of its readers has sent it."""


class _Watched:
    """A session with its watches. ``heard`` is the latest version that anybody told of."""

    __slots__ = ("heard", "reading", "watches")

    def __init__(self, heard: int) -> None:
        self.heard = heard
        self.watches: set[Watch] = set()
        self.reading: dict[tuple[int, int], asyncio.Future[list[Event]]] = {}


class Watch:
    """A :class:`~croupier.sessions.ports.Watch`: it waits until its session is told of."""

    __slots__ = ("_answered", "_bell", "_of", "_session_id", "_stirred", "_watched")

    def __init__(self, of: "Watches", session_id: str, watched: _Watched) -> None:
        self._of = of
        self._session_id = session_id
        self._watched = watched
        self._bell = asyncio.Event()
        self._stirred = False
        self._answered = (0, 0)

    async def news(self, after: int) -> None:
        """Return once the session may have gone on from version *after*, or may be gone.

        The same news is told once: a version that was lost in a failover is looked for and then let be.
        """
        while not self._stirred and not self._told_beyond(after):
            self._bell.clear()
            await self._bell.wait()
        self._stirred = False
        self._answered = (after, self._watched.heard)

    def _told_beyond(self, after: int) -> bool:
        heard = self._watched.heard
        return heard > after and (after, heard) != self._answered

    async def events(self, after: int) -> list[Event]:
        """The kept events with a version above *after*, oldest first, at most twenty."""
        return await self._of.read(self._session_id, self._watched, after)

    def close(self) -> None:
        """Watch no more; whoever waits goes on."""
        self._of.closed(self, self._session_id, self._watched)
        self.ring(stir=True)

    def ring(self, *, stir: bool) -> None:
        """Wake whoever waits; with *stir* even though no higher version is known."""
        self._stirred = self._stirred or stir
        self._bell.set()


class Watches:
    """The watches of one process.

    *read* is the store's ``events``; those who ask for the same at the same time share an answer.
    *begun* and *ended* are called with a session's id when its first watch opens and its last one closes.
    """

    def __init__(self, read: ReadEvents, begun: Callable[[str], None], ended: Callable[[str], None]) -> None:
        self._read = read
        self._begun = begun
        self._ended = ended
        self._sessions: dict[str, _Watched] = {}

    def __iter__(self) -> Iterator[str]:
        """The ids of the sessions that are watched."""
        return iter(self._sessions)

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._sessions

    def open(self, session_id: str, version: int) -> Watch:
        """Watch a session that was read at *version*."""
        watched = self._sessions.get(session_id)
        if watched is None:
            watched = self._sessions[session_id] = _Watched(version)
            self._begun(session_id)
        watch = Watch(self, session_id, watched)
        watched.watches.add(watch)
        return watch

    def closed(self, watch: Watch, session_id: str, watched: _Watched) -> None:
        """Forget *watch*."""
        watched.watches.discard(watch)
        if not watched.watches and self._sessions.get(session_id) is watched:
            del self._sessions[session_id]
            self._ended(session_id)

    def told(self, session_id: str, version: int) -> None:
        """A change was committed that made *version*."""
        watched = self._sessions.get(session_id)
        if watched is not None and version > watched.heard:
            watched.heard = version
            for watch in watched.watches:
                watch.ring(stir=False)

    def found(self, session_id: str, version: int) -> None:
        """The store was asked and has *version*, 0 for none: to have less than was told is news too."""
        watched = self._sessions.get(session_id)
        if watched is not None and (version != watched.heard or not version):
            watched.heard = version
            for watch in watched.watches:
                watch.ring(stir=True)

    async def read(self, session_id: str, watched: _Watched, after: int) -> list[Event]:
        """The events after *after*; one read for all who ask while it is under way."""
        # A read that began before the latest news may not know of it.
        place = (after, watched.heard)
        reading = watched.reading.get(place)
        if reading is None:
            reading = asyncio.ensure_future(self._read(session_id, after, _BATCH))
            watched.reading[place] = reading
            reading.add_done_callback(lambda done: _finished(watched, place, done))
        return await asyncio.shield(reading)


def _finished(watched: _Watched, place: tuple[int, int], reading: "asyncio.Future[list[Event]]") -> None:
    del watched.reading[place]
    if not reading.cancelled():
        reading.exception()  # whoever asked may have gone; nobody is to be warned of what they did not fetch
