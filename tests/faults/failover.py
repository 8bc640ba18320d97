"""Primaries that die while replicas are there to take over, and slots that move."""

import asyncio
import random

from faults.bots import crowd
from faults.ground import Ground, Row, concluded, elsewhere
from store.topologies import Cluster, SentinelSet

_FLAGS = ("--workers", "2", "--durability", "replicated")


async def primary_killed(ground: Ground, times: int, bots: int = 50) -> Row:
    """``kill -9`` the primary, have Sentinel promote a replica, let the dead one come back as a replica."""
    with SentinelSet.run(ground.folder / "sentinel", replicas=2, durable=True) as sentinels:
        settings = elsewhere(sentinels.url)
        server = ground.start(*_FLAGS, **settings)
        async with crowd(server.url, bots) as journal:
            for _ in range(times):
                await asyncio.sleep(random.uniform(1, 2))
                dead = await asyncio.to_thread(sentinels.kill_primary)
                await asyncio.to_thread(sentinels.await_failover, dead)
                await asyncio.sleep(2)
                await asyncio.to_thread(sentinels.restart, dead)
            await asyncio.sleep(2)
        return await concluded(
            f"primary killed, replica promoted (replicated), {times} times",
            journal,
            server,
            settings,
            recovery=journal.recovery(),
        )


async def cluster_in_motion(ground: Ground, slots: int, kills: int, bots: int = 50) -> Row:
    """Move *slots* of a cluster, keys and all, and ``kill -9`` a primary now and then."""
    with Cluster.run(ground.folder / "cluster", durable=True) as cluster:
        settings = elsewhere(cluster.url)
        server = ground.start(*_FLAGS, **settings)
        moved = 0
        async with crowd(server.url, bots) as journal:
            for _ in range(kills):
                await asyncio.sleep(1)
                source, target = random.sample(await asyncio.to_thread(cluster.primaries), 2)
                moved += len(await asyncio.to_thread(cluster.move_slots, source, target, slots))
                await asyncio.sleep(1)
                dead = await asyncio.to_thread(cluster.kill_primary, random.choice([source, target]))
                await asyncio.to_thread(cluster.await_failover, dead)
                await asyncio.to_thread(cluster.restart, dead)
            await asyncio.sleep(2)
        said = server.errors.read_text()
        if "CROSSSLOT" in said:
            journal.complain(f"a command touched two slots: {said[-2000:]}")
        return await concluded(
            f"cluster of three: {moved} slots moved, a primary killed, {kills} times",
            journal,
            server,
            settings,
            recovery=journal.recovery(),
        )
