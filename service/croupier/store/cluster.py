"""A Redis Cluster: several primaries, each with some of the slots."""

import asyncio
import random
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from redis import exceptions as trouble
from redis.crc import REDIS_CLUSTER_HASH_SLOTS, key_slot

from croupier.store.addresses import Address, Place
from croupier.store.lanes import NotSent
from croupier.store.servers import Asked, Limits, Server, pool

_AT_A_TIME = 3
"""How many nodes are asked for the slots at the same time."""


class Cluster:
    """The primaries of a cluster, each with the slots that it holds.

    A slot that has moved is noted when its old node says so, and all of them are asked for anew then, and
    whenever a node is lost. Calls whose node is known are not held up by that.
    """

    def __init__(self, address: Address, limits: Limits) -> None:
        self._address = address
        self._limits = limits
        self._slots: list[Server | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        self._servers: dict[Place, Server] = {}
        self._places: set[Place] = set()
        self._doubted: Server | None = None
        self._asked = Asked(self._ask)
        self._closing: set[asyncio.Task[None]] = set()

    def server(self, key: str, now: float) -> Server | None:
        """The node that holds *key*'s slot."""
        return self._slots[key_slot(key.encode())]

    async def find(self, key: str) -> Server:
        """The same, once nobody is in doubt."""
        slot = key_slot(key.encode())
        if self._slots[slot] is None or self._asked.under_way:
            await self._asked.answer()
        found = self._slots[slot]
        if found is None:
            raise NotSent("no node serves the slot")
        return found

    def doubt(self, server: Server | None) -> None:
        """Ask for all slots, other nodes first."""
        self._doubted = server
        self._asked.begin()

    def moved(self, place: Place, slot: int) -> None:
        """*slot* is at *place* now; others probably moved with it. No host: the slots will tell."""
        self._slots[slot] = self.at(place) if place[0] else None
        self._asked.begin()

    def at(self, place: Place) -> Server:
        """The node at *place*."""
        found = self._servers.get(place)
        if found is None:
            host, port = place
            found = Server(pool(self._address, self._limits, host=host, port=port), self._limits)
            self._servers[place] = found
        return found

    async def primaries(self) -> Sequence[Server]:
        """Every node that holds slots."""
        await self._asked.answer()
        return list({id(one): one for one in self._slots if one is not None}.values())

    async def close(self) -> None:
        """Let every connection go."""
        await self._asked.close()
        for server in self._servers.values():
            await server.close()
        if self._closing:
            await asyncio.wait(self._closing)

    async def _ask(self) -> None:
        """Have the slots as the first node tells that answers. Raises :class:`NotSent`."""
        places = list(self._places | set(self._address.places))
        random.shuffle(places)
        places.sort(key=self._worth_asking)
        for start in range(0, len(places), _AT_A_TIME):
            some = places[start : start + _AT_A_TIME]
            questions = [asyncio.ensure_future(self._told(place)) for place in some]
            try:
                for answer in asyncio.as_completed(questions, timeout=self._limits.connect_seconds):
                    with suppress(NotSent, trouble.RedisError, OSError):
                        self._learn(*await answer)
                        return
            finally:
                for question in questions:
                    question.cancel()
                await asyncio.gather(*questions, return_exceptions=True)
        raise NotSent("no node of the cluster tells its slots")

    def _worth_asking(self, place: Place) -> int:
        """A rank: first those with connections, last the one that was lost."""
        server = self._servers.get(place)
        return 1 if server is None else 2 if server is self._doubted else 0

    async def _told(self, place: Place) -> tuple[Place, Iterable[Any]]:
        """Which node was asked, and its ``CLUSTER SLOTS``: first, last, primary, replicas of each range."""
        now = asyncio.get_running_loop().time()
        return place, await self.at(place).plain.call(("CLUSTER", "SLOTS"), now)

    def _learn(self, asked: Place, ranges: Iterable[Any]) -> None:
        slots: list[Server | None] = [None] * REDIS_CLUSTER_HASH_SLOTS
        places: set[Place] = set()
        held: set[Place] = set()
        for first, last, *nodes in ranges:
            found = [((node[0] or asked[0].encode()).decode(), int(node[1])) for node in nodes]
            places.update(found)
            held.add(found[0])
            slots[first : last + 1] = [self.at(found[0])] * (last + 1 - first)
        self._slots, self._places, self._doubted = slots, places, None
        for place in self._servers.keys() - held:
            # Nothing new is sent there. What is under way may be answered: the node knows what it holds.
            closing = asyncio.ensure_future(self._servers.pop(place).close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)
