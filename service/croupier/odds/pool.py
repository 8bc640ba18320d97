"""A few threads that work questions out, and a bound on how many may wait for them."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_NICENESS = 10
"""Odds give way to dealing and deciding: on Linux every thread has a priority of its own."""


class PoolFull(Exception):
    """As many questions as may wait are waiting."""


class Pool:
    """*threads* that work, and at most *waiting* questions that wait for one of them."""

    def __init__(self, threads: int = 1, waiting: int = 32) -> None:
        self._threads = ThreadPoolExecutor(threads, "croupier-odds", initializer=_give_way)
        self._room = threading.Semaphore(threads + waiting)

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Have *work* done. Raises :class:`PoolFull`."""
        if not self._room.acquire(blocking=False):
            raise PoolFull
        try:
            future = self._threads.submit(work)
        except BaseException:
            self._room.release()
            raise
        future.add_done_callback(lambda _: self._room.release())
        return future


def _give_way() -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
