"""A thread that works questions out for an event loop, and a bound on how many may wait for it."""

import asyncio
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

Q = TypeVar("Q")
T = TypeVar("T")

_NICENESS = 10
"""Odds give way to dealing and deciding: on Linux every thread has a priority of its own."""
_TOGETHER = 0.001
"""Seconds for which answers are gathered before they are handed over."""
_AT_ONCE = 16
"""Questions that are put at once to work that takes several: no answer is kept back for long."""


class PoolFull(Exception):
    """As many questions as may wait are waiting."""


class _Question(NamedTuple):
    work: Callable[[Sequence[Any]], Sequence[Any]]
    about: Any
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
        return self.ask(lambda _: [work()], None)

    def ask(self, work: Callable[[Sequence[Q]], Sequence[T]], about: Q) -> "asyncio.Future[T]":
        """Have *work* done *about* something, and with it about what others ask of the same *work* by then.

        *work* gives an answer for each thing that it is asked about; where it raises, each is tried alone.
        Raises :class:`PoolFull`.
        """
        if self._open >= self._most:
            raise PoolFull
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()
        self._questions.append(_Question(work, about, answer))
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
            worked += _worked_out(self._alike())
            if time.monotonic() - since > _TOGETHER:
                loop.call_soon_threadsafe(self._hand_over, worked)
                worked, since = [], time.monotonic()
        loop.call_soon_threadsafe(self._rest, worked, loop)

    def _alike(self) -> list[_Question]:
        """The question whose turn it is, and those behind it that are of the same work."""
        found = [self._questions.popleft()]
        while self._questions and len(found) < _AT_ONCE and self._questions[0].work is found[0].work:
            found.append(self._questions.popleft())
        return found

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


def _worked_out(questions: Sequence[_Question]) -> list[_Worked]:
    """The answers to *questions* of one work, and nothing for those whose askers gave up."""
    wanted = [one for one in questions if not one.answer.cancelled()]
    worked = [_Worked(one.answer, None, None) for one in questions if one.answer.cancelled()]
    if not wanted:
        return worked
    try:
        values = wanted[0].work([one.about for one in wanted])
    except Exception as error:  # it is for who asked to hear
        if len(wanted) == 1:
            return [*worked, _Worked(wanted[0].answer, None, error)]
        return worked + [alone for one in wanted for alone in _worked_out([one])]
    return worked + [_Worked(one.answer, value, None) for one, value in zip(wanted, values, strict=True)]


def _give_way() -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
