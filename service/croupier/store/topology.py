"""Which server holds a key: the only one, the one that sentinels name, or one of a cluster.

redis-py has clients for both of the latter. What they lack is what this store stands on: they send an
unanswered write again, their pipelines give up what one server said when another one failed, a cluster's
connections are all opened anew whenever its slots are read, and none of them can end a batch with the
question whether replicas have it. So only its connections, its parser and its slot function are used here,
and each server has the same :class:`~croupier.store.lanes.Lanes` as a store of one.
"""

from collections.abc import Sequence
from typing import Protocol

from croupier.store.addresses import Address, Place
from croupier.store.cluster import Cluster
from croupier.store.sentinels import Sentinels
from croupier.store.servers import Limits, Server, pool


class Topology(Protocol):
    """Where keys are."""

    def server(self, key: str, now: float) -> Server | None:
        """The server that holds *key* as far as is known; *now* is the loop's clock."""

    async def find(self, key: str) -> Server:
        """The same, asked for if it is not known or in doubt. Raises :class:`NotSent`."""

    def doubt(self, server: Server | None) -> None:
        """*server* was lost, or takes no writes: it may not be the one any more."""

    def moved(self, place: Place, slot: int) -> None:
        """*slot* is at *place* now."""

    def at(self, place: Place) -> Server:
        """The server at *place*."""

    async def primaries(self) -> Sequence[Server]:
        """Every server that takes writes. Raises :class:`NotSent`."""

    async def close(self) -> None:
        """Let every connection go."""


def topology(address: Address, limits: Limits) -> Topology:
    """What finds the servers of *address*. Nothing is sent yet. Raises ``ValueError`` for bad options."""
    match address.kind:
        case "single":
            return Single(address, limits)
        case "sentinel":
            return Sentinels(address, limits)
        case "cluster":
            return Cluster(address, limits)


class Single:
    """One server, behind one address. Whoever moves the address has it refuse writes at the old place."""

    def __init__(self, address: Address, limits: Limits) -> None:
        self._server = Server(pool(address, limits), limits)

    def server(self, key: str, now: float) -> Server:
        """It."""
        return self._server

    async def find(self, key: str) -> Server:
        """It."""
        return self._server

    def doubt(self, server: Server | None) -> None:
        """A connection that is opened anew asks for the address again; nothing else can be done."""

    def moved(self, place: Place, slot: int) -> None:
        """A node of a cluster, used alone, has no others."""

    def at(self, place: Place) -> Server:
        """It: whatever it says, nobody else is known."""
        return self._server

    async def primaries(self) -> Sequence[Server]:
        """It."""
        return [self._server]

    async def close(self) -> None:
        """Let every connection go."""
        await self._server.close()
