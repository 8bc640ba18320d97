"""A thread that works questions out for an event loop, and a bound on how many may wait for it."""

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

Q = TypeVar("Q")
T = TypeVar("T")

_NICENESS = 10
"""Odds give way to dealing and deciding: on Linux every thread has a priority of its own."""
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

    Going to the thread costs more than most questions, so it goes once for all that wait; and questions of
    one work that stand in line together are worked out, and come back, together.
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
        while self._questions:
            loop.call_soon_threadsafe(self._hand_over, _worked_out(self._alike()))
        loop.call_soon_threadsafe(self._rest, loop)

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

    def _rest(self, loop: asyncio.AbstractEventLoop) -> None:
        self._working = False
        self._go_on(loop)


def _worked_out(questions: Sequence[_Question]) -> list[_Worked]:
    """The answer to each of *questions*, which are of one work; nothing for those whose askers gave up."""
    wanted: list[_Question] = []
    given_up: list[_Worked] = []
    for one in questions:  # looked at once: an asker may give up at any time
        if one.answer.cancelled():
            given_up.append(_Worked(one.answer, None, None))
        else:
            wanted.append(one)
    if not wanted:
        return given_up
    try:
        values = wanted[0].work([one.about for one in wanted])
    except Exception as error:  # it is for who asked to hear
        if len(wanted) == 1:
            return [*given_up, _Worked(wanted[0].answer, None, error)]
        return given_up + [alone for one in wanted for alone in _worked_out([one])]
    return given_up + [_Worked(one.answer, value, None) for one, value in zip(wanted, values, strict=True)]


def _give_way() -> None:
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
