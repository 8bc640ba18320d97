"""Primaries that die or are replaced, slots that move: nothing acknowledged is lost, and nobody restarts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.ports import AnswerSlot, Raced
from croupier.store import Limits, RedisStore, Replicas, connect
from store.samples import ANSWER, SECRETS, change, entry, session, started
from store.topologies import Cluster, SentinelSet

REPLICATED = Limits(replicas=Replicas(1))
PLAYERS = 24


@dataclass
class Play:
    """Sessions that are played on all the time, and what their players were told."""

    store: RedisStore
    told: dict[str, int] = field(default_factory=dict)
    refused: int = 0
    running: bool = True
    players: list["asyncio.Task[None]"] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [f"s{number}" for number in range(PLAYERS)]

    async def one(self, session_id: str, *, keyed: bool) -> None:
        """Commit version after version, with a key for each, or else on top of what is there."""
        self.told[session_id] = 0
        while self.running:
            told = self.told[session_id]
            slot = AnswerSlot(str(told + 1), "") if keyed else None
            try:
                loaded = await self.store.load(session_id, slot)
                if loaded.kept:
                    self.told[session_id] = told + 1
                    continue
                found = loaded.session.version if loaded.session else 0
                # What was acknowledged is there. What was refused may be, and has an answer if it has a key.
                assert found == told if keyed else found >= told
                answer = (slot, ANSWER) if slot else None
                made = change(session(session_id, found + 1), entries=(entry(found + 1),), answer=answer)
                if await self.store.commit(made) != Raced():
                    self.told[session_id] = found + 1
            except StoreUnavailable:
                self.refused += 1
            await asyncio.sleep(0.005)

    async def progress(self, steps: int = 3) -> None:
        """Return when every player was told of so many more steps."""
        goal = {name: told + steps for name, told in self.told.items()}
        async with asyncio.timeout(20):
            while any(self.told[name] < version for name, version in goal.items()):
                for player in self.players:
                    if player.done():
                        player.result()
                await asyncio.sleep(0.02)


@asynccontextmanager
async def played(url: str, limits: Limits = REPLICATED) -> AsyncIterator[Play]:
    """The store while it is played on; at the end everything acknowledged is there, once."""
    store = connect(url, SECRETS, limits=limits)
    play = Play(store)
    play.players = [
        asyncio.create_task(play.one(name, keyed=number % 2 == 0)) for number, name in enumerate(play.names)
    ]
    try:
        await asyncio.sleep(0)
        await play.progress()
        yield play
        await play.progress()
        play.running = False
        await asyncio.gather(*play.players)
        for name, version in play.told.items():
            loaded = (await store.load(name)).session
            assert loaded is not None
            assert loaded.version >= version
            entries = await store.ledger(name, 0, 10_000)
            assert entries == [entry(one) for one in range(1, loaded.version + 1)]
    finally:
        for player in play.players:
            player.cancel()
        await asyncio.gather(*play.players, return_exceptions=True)
        await store.close()


async def test_a_killed_primary_under_sentinel(sentinel_set: SentinelSet) -> None:
    sentinel_set.flush()
    async with played(sentinel_set.url) as play:
        dead = sentinel_set.kill_primary()
        await asyncio.to_thread(sentinel_set.await_failover, dead)
        # The only replica is the primary now, and nobody has what it is told.
        with pytest.raises(StoreUnavailable):
            await play.store.ping()
        await asyncio.to_thread(sentinel_set.restart, dead)
        await play.progress()
        assert play.refused > 0


async def test_a_primary_that_others_replaced_while_it_was_frozen(sentinel_set: SentinelSet) -> None:
    sentinel_set.flush()
    async with played(sentinel_set.url) as play:
        frozen = sentinel_set.primary()
        frozen.freeze()
        await asyncio.to_thread(sentinel_set.await_failover, frozen)
        frozen.thaw()
        # It still takes itself for the primary, until somebody tells it otherwise.
        await asyncio.sleep(1)
        assert frozen.role() == "master"
        await asyncio.to_thread(sentinel_set.demote, frozen)
        await play.progress()


async def test_a_planned_change_of_primary(sentinel_set: SentinelSet) -> None:
    sentinel_set.flush()
    async with played(sentinel_set.url) as play:
        for _ in range(2):
            await asyncio.to_thread(sentinel_set.promote)
            await play.progress()


async def test_sentinels_and_servers_with_passwords_of_their_own(tmp_path: Path) -> None:
    with SentinelSet.run(tmp_path / "store", passwords=("ours", "theirs")) as sentinels:
        bare = sentinels.url.removeprefix("redis+sentinel://")
        store = connect(f"redis+sentinel://:ours@{bare}?sentinel_password=theirs", SECRETS, limits=REPLICATED)
        await started(store)
        dead = sentinels.kill_primary()
        await asyncio.to_thread(sentinels.await_failover, dead)
        assert (await store.load("s")).session == session()
        await store.close()
        for login in ("", ":ours@", ":theirs@"):
            stranger = connect(f"redis+sentinel://{login}{bare}", SECRETS, limits=REPLICATED)
            with pytest.raises(StoreUnavailable):
                await stranger.load("s")
            await stranger.close()


async def test_a_killed_primary_of_a_cluster(cluster: Cluster) -> None:
    cluster.flush()
    async with played(cluster.url) as play:
        dead = cluster.kill_primary(cluster.primary_of("croupier:{s1}"))
        await asyncio.to_thread(cluster.await_failover, dead)
        await asyncio.to_thread(cluster.restart, dead)
        await play.progress()
        assert play.refused > 0


async def test_a_planned_change_of_a_primary_in_a_cluster(cluster: Cluster) -> None:
    cluster.flush()
    async with played(cluster.url) as play:
        await asyncio.to_thread(cluster.promote, cluster.primary_of("croupier:{s1}"))
        await play.progress()


@pytest.mark.parametrize("limits", [REPLICATED, Limits()])
async def test_slots_that_move_fail_nothing(cluster: Cluster, limits: Limits) -> None:
    cluster.flush()
    async with played(cluster.url, limits) as play:
        first, second, third = cluster.primaries()
        for giver, taker in ((first, second), (second, third), (third, first)):
            await asyncio.to_thread(cluster.move_slots, giver, taker, PLAYERS // 3)
        await play.progress()
        assert play.refused == 0
        assert len(set(await names(play.store))) == PLAYERS


async def names(store: RedisStore) -> list[str]:
    return [one async for one in store.every_session()]
