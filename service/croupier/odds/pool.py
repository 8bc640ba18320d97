"""A thread that works questions out for an event loop, and a bound on how many may wait for it."""

import asyncio
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

_NICENESS = 10
"""Odds give way to dealing and deciding: on Linux every thread has a priority of its own."""
_TOGETHER = 0.001
"""Seconds for which answers are gathered before they are handed over."""


class PoolFull(Exception):
    """As many questions as may wait are waiting."""


class _Question(NamedTuple):
    work: Callable[[], Any]
    answer: asyncio.Future[Any]


class _Worked(NamedTuple):
    answer: asyncio.Future[Any]
    value: Any
    error: BaseException | None


class Pool:
    """One thread that works, and at most *waiting* questions that wait for it, all from one event loop.

    Going to the thread and back costs more than most questions, so it goes once for all that wait, and short
    answers come back together.
    """

    def __init__(self, waiting: int = 32) -> None:
        self._thread = ThreadPoolExecutor(1, "croupier-odds", initializer=_give_way)
        self._questions: deque[_Question] = deque()
        self._most = waiting + 1
        self._open = 0
        self._working = False

    @property
    def open(self) -> int:
        """How many questions are not answered yet."""
        return self._open

    def submit(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        """Have *work* done. Raises :class:`PoolFull`."""
        if self._open >= self._most:
            raise PoolFull
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._questions.append(_Question(work, answer))
        self._open += 1
        self._go_on(loop)
        return answer

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._questions and not self._working:
            self._working = True
            self._thread.submit(self._work, loop)

    def _work(self, loop: asyncio.AbstractEventLoop) -> None:
        """On the thread: work out all that waits."""
        worked: list[_Worked] = []
        since = time.monotonic()
        while self._questions:
            question = self._questions.popleft()
            worked.append(_worked_out(question))
            if time.monotonic() - since > _TOGETHER:
                loop.call_soon_threadsafe(self._hand_over, worked)
                worked, since = [], time.monotonic()
        loop.call_soon_threadsafe(self._rest, worked, loop)

    def _hand_over(self, worked: list[_Worked]) -> None:
        self._open -= len(worked)
        for answer, value, error in worked:
            if answer.cancelled():
                continue
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(error)

    def _rest(self, worked: list[_Worked], loop: asyncio.AbstractEventLoop) -> None:
        self._working = False
        self._hand_over(worked)
        self._go_on(loop)


def _worked_out(question: _Question) -> _Worked:
    if question.answer.cancelled():
        return _Worked(question.answer, None, None)
    try:
        return _Worked(question.answer, question.work(), None)
    except Exception as error:  # it is for who asked to hear
        return _Worked(question.answer, None, error)


def _give_way() -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
