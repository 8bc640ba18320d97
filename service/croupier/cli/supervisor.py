"""The parent process: it starts the others, starts them again when they die, and ends them in order.

It runs no event loop and no thread, so that it may fork: a process starts from code that is already loaded,
in milliseconds. Whatever ends the parent ends the others too, since each of them watches a pipe whose other
end only the parent holds.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Protocol

import structlog

_STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_GLANCE = 0.25
"""Seconds between two looks at the processes, when no signal told to look."""
_PACE = 1.0
"""Seconds between two starts in the same place, at least."""
_SAME_WISH = 1.0
"""Seconds in which further signals repeat the first: a terminal, a shell and make may each pass it on."""

_FORKS = sys.platform == "linux"
_processes = multiprocessing.get_context("fork") if _FORKS else multiprocessing.get_context("spawn")
_log = structlog.stdlib.get_logger("croupier.supervisor")


class Work(Protocol):
    """What a process does."""

    def __call__(self, ready: Connection) -> None:
        """Send an empty text through *ready* when at work, or else why it cannot be done. End on SIGTERM."""


class CannotStart(Exception):
    """A process could not start its work; the message says why."""


@dataclass(slots=True)
class _Process:
    name: str
    work: Work
    process: BaseProcess
    ready: Connection
    since: float
    at_work: bool = False


class Supervisor:
    """Keeps processes at work until a signal says stop.

    *stages* are ended from the last to the first, each with its *patience*: how many seconds its processes
    get before they are killed.
    """

    def __init__(self, stages: Sequence[Sequence[tuple[str, Work]]], patience: float) -> None:
        self._stages = stages
        self._patience = patience
        self._running: list[list[_Process]] = []
        self._stop_at: float | None = None
        self._force = False
        self._life, self._held = _processes.Pipe(duplex=False)

    def run(self, announce: Callable[[], None], stopping: Callable[[], None]) -> None:
        """Start all, call *announce* when all are at work, and return when all have ended after a signal.

        *stopping* is called before the first is ended.

        Raises :class:`CannotStart` when one of them cannot.
        """
        with self._signals() as news:
            try:
                for stage in self._stages:
                    self._running.append([])
                    for name, work in stage:
                        self._running[-1].append(self._start(name, work))
                self._watch(news, announce)
            finally:
                stopping()
                for running in reversed(self._running):
                    self._end(news, running)

    def _watch(self, news: int, announce: Callable[[], None]) -> None:
        announced = False
        while self._stop_at is None:
            self._sleep(news, _GLANCE)
            for stage in self._running:
                for place, one in enumerate(stage):
                    if one.process.is_alive() or self._stop_at is not None:
                        continue
                    if not announced:
                        raise CannotStart(f"the {one.name} ended at once (exit code {one.process.exitcode})")
                    if time.monotonic() >= one.since + _PACE:
                        _log.warning(f"{one.name} died", pid=one.process.pid, exit_code=one.process.exitcode)
                        stage[place] = self._start(one.name, one.work)
            if not announced and all(one.at_work for one in self._all()):
                announced = True
                announce()

    def _end(self, news: int, running: Sequence[_Process]) -> None:
        for one in running:
            one.process.terminate()
        deadline = time.monotonic() + self._patience
        while any(one.process.is_alive() for one in running):
            if self._force or time.monotonic() > deadline:
                for one in running:
                    if one.process.is_alive():
                        _log.warning(f"{one.name} killed at its work", pid=one.process.pid)
                        one.process.kill()
                break
            self._sleep(news, _GLANCE)
        for one in running:
            one.process.join()

    def _start(self, name: str, work: Work) -> _Process:
        hears, tells = _processes.Pipe(duplex=False)
        process = _processes.Process(
            target=_live,
            kwargs={
                "work": work,
                "ready": tells,
                "life": self._life,
                "held": self._held if _FORKS else None,
                "patience": self._patience,
            },
        )
        # A signal between the fork and the child's own handlers would be lost in the parent's.
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        tells.close()
        return _Process(name, work, process, hears, time.monotonic())

    def _all(self) -> Iterator[_Process]:
        return (one for stage in self._running for one in stage)

    def _sleep(self, news: int, seconds: float) -> None:
        """Wait for a signal (a child's end is one), for a process to be at work, or for *seconds* to pass."""
        starting = {one.ready: one for one in self._all() if not one.at_work and one.process.is_alive()}
        heard = wait([news, *starting], seconds)
        if news in heard:
            os.read(news, 512)
        for ready, one in starting.items():
            if ready in heard:
                with contextlib.suppress(EOFError):
                    if reason := ready.recv():
                        raise CannotStart(reason)
                    one.at_work = True
                    ready.close()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[int]:
        """Note every signal to stop, and give a file descriptor that becomes readable with every signal."""
        news, write = os.pipe()
        os.set_blocking(news, False)
        os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        before = {number: signal.signal(number, self._stop) for number in _STOPPING}
        if before[signal.SIGHUP] is signal.SIG_IGN:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # nohup wants the server to outlive its terminal
        before[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _nothing)
        try:
            yield news
        finally:
            for number, action in before.items():
                signal.signal(number, action)
            signal.set_wakeup_fd(-1)
            os.close(news)
            os.close(write)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._stop_at is None:
            self._stop_at = now
        elif now > self._stop_at + _SAME_WISH:
            self._force = True


def _nothing(number: int, frame: FrameType | None) -> None:
    """A handler, so that the signal wakes the parent up."""


def _live(
    *, work: Work, ready: Connection, life: Connection, held: Connection | None, patience: float
) -> None:
    """A process, from its first line on."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    # A terminal sends these to every process; what they mean is for the parent to say.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
    if held is not None:
        held.close()
    threading.Thread(target=_end_with_parent, args=(life, patience), daemon=True).start()
    work(ready)


def _end_with_parent(life: Connection, patience: float) -> None:
    wait([life])
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(patience)
    os._exit(1)
