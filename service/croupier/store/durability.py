"""What a store promises to keep, and whether it is set up to do so.

An embedded store is started as the setting says. Of any other store its own settings decide, so they are
compared with what the operator of this server wants; what falls short is told, and served all the same.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

from redis.exceptions import ResponseError

from croupier.sessions.errors import StoreUnavailable
from croupier.store.client import Client
from croupier.store.servers import Server

Durability: TypeAlias = Literal["memory", "everysec", "always", "replicated"]
"""What may be lost of what was acknowledged.

``memory``: everything, when the store ends. ``everysec``: the last second or so, when its machine fails.
``always``: nothing, as long as its disk is there. ``replicated``: nothing, as long as one of the replicas
that had to have it takes its place, or itself comes back.
"""

_ASKED = ("appendonly", "appendfsync", "maxmemory", "maxmemory-policy")
_STRENGTH = {"no": 0, "everysec": 1, "always": 2}


async def shortcomings(client: Client, wanted: Durability) -> Sequence[str]:
    """Why the store keeps less than *wanted*, a sentence for each reason.

    A store that does not let its settings be asked gets the benefit of the doubt. Raises
    ``StoreUnavailable``.
    """
    found: list[str] = []
    for server in await client.servers():
        found += [reason async for reason in _of_one(client, server, wanted) if reason not in found]
    return found


async def _of_one(client: Client, server: Server, wanted: Durability) -> AsyncIterator[str]:
    settings: dict[str, str] = {}
    with suppress(ResponseError, StoreUnavailable):
        given = [one.decode() for one in await client.tell(server, "CONFIG", "GET", *_ASKED)]
        settings = dict(zip(given[::2], given[1::2], strict=True))
    if wanted in {"everysec", "always"} and settings.get("appendonly") == "no":
        yield "the store keeps no file: when it ends, everything is lost (appendonly should be yes)"
    elif wanted in {"everysec", "always"}:
        fsync = settings.get("appendfsync", wanted)
        if _STRENGTH[fsync] < _STRENGTH[wanted]:
            yield (
                f"the store may lose what it acknowledged before it is on disk (appendfsync is {fsync}, "
                f"should be {wanted})"
            )
    if settings.get("maxmemory", "0") != "0" and settings.get("maxmemory-policy") != "noeviction":
        yield "the store drops sessions when it is full (maxmemory-policy should be noeviction)"
    if not client.fails_over and "cluster_enabled:1" in await _info(client, server, "cluster"):
        yield "the store is a node of a cluster (its address should begin with redis+cluster://)"
    if wanted == "replicated" and client.replicas:
        told = await _info(client, server, "replication")
        replicas = sum(line.startswith("slave") and "state=online" in line for line in told)
        if told and replicas < client.replicas.count:
            yield (
                f"a primary has {replicas} replicas, and no change is acknowledged before "
                f"{client.replicas.count} have it"
            )
    elif wanted == "always" and client.fails_over:
        yield (
            "a replica that takes over may lack what was acknowledged last (durability should be replicated)"
        )


async def _info(client: Client, server: Server, section: str) -> Sequence[str]:
    """The lines of a section of what *server* says of itself; none where it may not be asked."""
    with suppress(ResponseError, StoreUnavailable):
        told: bytes = await client.tell(server, "INFO", section)
        return told.decode().splitlines()
    return ()
