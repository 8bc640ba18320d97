"""Stores that cannot take what they are given, stores whose primary dies, and slots that move."""

import asyncio
import contextlib
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from redis import Redis

from faults.bots import crowd
from faults.ground import Ground, Row, concluded
from faults.journal import Journal
from serving import Server, parent, until

_ROOM = 5_000
"""Bytes that a disk still takes before it is full."""


async def no_room(ground: Ground, seconds: float, bots: int = 10) -> Row:
    """A full disk, a full memory and a store that only reads, each for so many seconds."""
    server = ground.start("--durability", "always")
    said: list[str] = []
    async with crowd(server.url, bots) as journal:
        for name, fault in _FAULTS.items():
            await asyncio.sleep(1)
            with fault(server):
                since = time.monotonic()
                await _first_refusal(journal)
                refused = time.monotonic()
                await asyncio.sleep(seconds)
                over = time.monotonic()
            said.append(
                f"{name} {sum(1 for one in journal.attempts if since < one.began and one.status == 503)}"
            )
            changes = [one for one in journal.receipts if refused <= one.asked and one.acknowledged <= over]
            # What a disk has no room for leaves room for something smaller, which is then kept like anything.
            if changes and "disk" not in name:
                journal.complain(f"{name}: {len(changes)} changes were acknowledged, the first {changes[0]}")
        ended = time.monotonic()
        await asyncio.sleep(3)
    return await concluded(
        f"disk full, memory full, store read-only, {seconds:g} s each",
        journal,
        server,
        recovery=journal.recovery(ended),
        notes="503: " + ", ".join(said),
    )


async def _first_refusal(journal: Journal) -> None:
    """Wait until somebody is refused, which has to happen soon."""
    begun = time.monotonic()
    while journal.attempts[-1].status != 503:
        if time.monotonic() > begun + 10:
            journal.complain("nobody was refused")
            return
        await asyncio.sleep(0.01)


@contextlib.contextmanager
def _full_disk(server: Server) -> Iterator[None]:
    """No file of the store may grow by more than a little; it dies of it and is started again and again."""
    store = server.store()
    assert store is not None
    keeper = parent(store)
    largest = max(file.stat().st_size for file in server.data.rglob("*") if file.is_file())
    for pid in (keeper, store):
        _limit_files(pid, largest + _ROOM)
    try:
        yield
    finally:
        for pid in (keeper, *_children(keeper)):
            with contextlib.suppress(ProcessLookupError):
                _limit_files(pid, resource.RLIM_INFINITY)


@contextlib.contextmanager
def _full_disk_everysec(server: Server) -> Iterator[None]:
    """The same for a store that writes every second: it lives on and refuses."""
    with _redis(server) as redis:
        redis.config_set("appendfsync", "everysec")
        with _full_disk(server):
            yield
        until(lambda: redis.info("persistence")["aof_last_write_status"] == "ok")
        redis.config_set("appendfsync", "always")


def _limit_files(pid: int, size: int) -> None:
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def _children(pid: int) -> list[int]:
    """Processes that a thread of *pid* has started."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]


@contextlib.contextmanager
def _full_memory(server: Server) -> Iterator[None]:
    with _redis(server) as redis:
        redis.config_set("maxmemory", 1)
        try:
            yield
        finally:
            redis.config_set("maxmemory", 0)


@contextlib.contextmanager
def _read_only(server: Server) -> Iterator[None]:
    with _redis(server) as redis:
        redis.replicaof("127.0.0.1", 1)  # a primary that nobody will ever find there
        try:
            yield
        finally:
            redis.replicaof("NO", "ONE")


_FAULTS: dict[str, Callable[[Server], AbstractContextManager[None]]] = {
    "disk (always)": _full_disk,
    "disk (everysec)": _full_disk_everysec,
    "memory": _full_memory,
    "read-only": _read_only,
}


def _redis(server: Server) -> AbstractContextManager[Redis]:
    return Redis.from_url(f"unix://{next(server.data.glob('*.sock'))}", socket_timeout=5)
