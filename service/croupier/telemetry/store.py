"""A store whose calls are counted and timed."""

import inspect
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any, cast

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import Change, Committed, KeptAnswer, Raced, SessionStore
from croupier.telemetry.counts import Counts


def measured(store: SessionStore, counts: Counts) -> SessionStore:
    """*store*, with every call to it counted and timed in *counts*."""
    return cast(SessionStore, _Measured(store, counts))


class _Measured:
    """Stands before a store. Methods are wrapped when they are first asked for."""

    def __init__(self, store: SessionStore, counts: Counts) -> None:
        self._store = store
        self._counts = counts
        self._commit = _timed("commit", store.commit, counts)

    async def commit(self, change: Change) -> Committed | Raced | KeptAnswer:
        outcome: Committed | Raced | KeptAnswer = await self._commit(change)
        match outcome:
            case Committed():
                self._counts.committed(change)
            case Raced():
                self._counts.lost()
        return outcome

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if inspect.iscoroutinefunction(found):
            found = _timed(name, found, self._counts)
        setattr(self, name, found)
        return found


def _timed(name: str, method: Callable[..., Awaitable[Any]], counts: Counts) -> Callable[..., Awaitable[Any]]:
    async def timed(*arguments: Any, **named: Any) -> Any:
        since = perf_counter()
        try:
            return await method(*arguments, **named)
        except StoreUnavailable:
            counts.failed(name)
            raise
        finally:
            counts.called(name, perf_counter() - since)

    return timed
