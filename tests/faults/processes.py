"""Workers and stores that die or freeze, and servers that are restarted one after the other."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable

from faults.bots import Manner, crowd
from faults.ground import Ground, Row, concluded, elsewhere
from faults.journal import Journal
from faults.relay import Balancer

STORE_TIMEOUT = 2.0


async def workers_killed(ground: Ground, times: int, bots: int = 50) -> Row:
    """``kill -9`` one of two workers, again and again."""
    server = ground.start("--workers", "2")

    def kill() -> bool:
        workers = server.workers()
        if len(workers) < 2:
            return False
        os.kill(random.choice(sorted(workers)), signal.SIGKILL)
        return True

    async with crowd(server.url, bots) as journal:
        await _repeatedly(journal, times, kill)
    return await concluded(f"kill -9 a worker, {times} times", journal, server, recovery=journal.recovery())


async def store_killed(ground: Ground, times: int, bots: int = 50) -> Row:
    """``kill -9`` the store, which keeps what it acknowledges, again and again."""
    server = ground.start("--durability", "always")

    def kill() -> bool:
        store = server.store()
        if store is None:
            return False
        os.kill(store, signal.SIGKILL)
        return True

    async with crowd(server.url, bots) as journal:
        await _repeatedly(journal, times, kill)
    return await concluded(
        f"kill -9 the store (always), {times} times", journal, server, recovery=journal.recovery()
    )


async def _repeatedly(journal: Journal, times: int, kill: Callable[[], bool]) -> None:
    """Have *kill* find somebody to kill as often as that, with a while of play before, between and after."""
    done = 0
    deadline = time.monotonic() + 20 + 5 * times
    while done < times:
        await asyncio.sleep(random.uniform(0.7, 1.7))
        done += await asyncio.to_thread(kill)
        if time.monotonic() > deadline:
            journal.complain(f"what was killed did not come back: killed {done} times of {times}")
            break
    await asyncio.sleep(2)


async def store_frozen(ground: Ground, seconds: float, bots: int = 50, calm: float = 0.1) -> Row:
    """SIGSTOP the store for so many seconds; a 99th percentile of *calm* seconds is good afterwards.

    So is one that is no more than twice what it was before.
    """
    server = ground.start("--durability", "always", "--store-timeout", str(STORE_TIMEOUT))
    store = server.store()
    assert store is not None
    async with crowd(server.url, bots) as journal:
        await asyncio.sleep(1)
        before = time.monotonic()
        await asyncio.sleep(4)
        os.kill(store, signal.SIGSTOP)
        frozen = time.monotonic()
        try:
            await asyncio.sleep(seconds)
        finally:
            os.kill(store, signal.SIGCONT)
        thawed = time.monotonic()
        await asyncio.sleep(8)
    refused = journal.slowest(frozen, thawed, {503})
    if not refused:
        journal.complain("nobody was told that the store was away")
    if refused > STORE_TIMEOUT + 1:
        journal.complain(f"it took {refused:.1f} s to say 503, the limit is {STORE_TIMEOUT} s")
    usual = journal.p99(before, frozen) or calm
    again = _calm_after(journal, thawed, max(2 * usual, calm))
    if again is None:
        journal.complain("the 99th percentile was not back within 5 s")
    notes = f"503 after {refused:.1f} s at most; p99 {usual * 1000:.0f} ms, back after {again} s"
    return await concluded(
        f"store frozen for {seconds:g} s", journal, server, recovery=journal.recovery(thawed), notes=notes
    )


def _calm_after(journal: Journal, thawed: float, limit: float) -> int | None:
    """After how many seconds the 99th percentile is below *limit*; None for more than five."""
    for second in range(6):
        now = journal.p99(thawed + second, thawed + second + 2)
        if now is not None and now <= limit:
            return second
    return None


async def rolling_restart(ground: Ground, times: int, bots: int = 50) -> Row:
    """Restart two servers on one store, one after the other, behind a balancer that looks at readiness."""
    with ground.store() as store:
        settings = elsewhere(f"redis://127.0.0.1:{store.port}")
        flags = ("--workers", "1", "--drain-seconds", "2")
        running = [ground.start(*flags, **settings) for _ in range(2)]
        balancer = Balancer([server.url for server in running])
        async with (
            balancer.listening(),
            crowd(f"http://127.0.0.1:{balancer.port}", bots, Manner(retries=False)) as journal,
        ):
            await asyncio.sleep(1)
            for turn in range(times):
                place = turn % 2
                code = await asyncio.to_thread(running[place].terminate)
                if code:
                    journal.complain(f"a server that was told to stop ended with {code}")
                stopped = running[place].url
                running[place] = await asyncio.to_thread(ground.start, *flags, **settings)
                balancer.replace(stopped, running[place].url)
                await asyncio.sleep(1)
        failed = sum(1 for one in journal.attempts if not 200 <= one.status < 300)
        if failed:
            journal.complain(f"{failed} requests failed")
        return await concluded(
            f"rolling restart of two servers, {times} times",
            journal,
            running[0],
            settings,
            recovery=None,
            notes=f"{len(journal.attempts)} requests, {failed} failed",
        )
