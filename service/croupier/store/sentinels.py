"""A primary with replicas, watched by sentinels."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from redis import exceptions as trouble
from redis.asyncio import Redis

from croupier.store.addresses import Address, Place
from croupier.store.lanes import NotSent
from croupier.store.servers import Asked, Limits, Server, pool

_ASK_EVERY = 1.0
"""Seconds between two questions to the sentinels while nothing is wrong."""


class Sentinels:
    """The primary that sentinels name.

    They are asked at the start, whenever the primary is lost or refuses to write, and every second besides:
    so a primary that was replaced while it was frozen, or on the other side of a broken network, is left
    although its connections still work, and what is under way on them is not acknowledged.
    """

    def __init__(self, address: Address, limits: Limits) -> None:
        self._address = address
        self._limits = limits
        login = {"username": None, "password": None, **(address.login or {})}
        self._sentinels = [
            Redis.from_pool(pool(address, limits, host=host, port=port, db=0, decode_responses=True, **login))
            for host, port in address.places
        ]
        self._place: Place | None = None
        self._server: Server | None = None
        self._again = 0.0
        self._asked = Asked(self._ask)
        self._closing: set[asyncio.Task[None]] = set()

    def server(self, key: str, now: float) -> Server | None:
        """The primary that was named last."""
        if now > self._again:
            self._again = now + _ASK_EVERY
            self._asked.begin()
        return self._server

    async def find(self, key: str) -> Server:
        """The primary, as it is named now."""
        if self._server is None or self._asked.under_way:
            await self._asked.answer()
        if self._server is None:
            raise NotSent("no sentinel names a primary")
        return self._server

    def doubt(self, server: Server | None) -> None:
        """Ask who is the primary now."""
        self._asked.begin()

    def moved(self, place: Place, slot: int) -> None:
        """Sentinels watch no cluster."""

    def at(self, place: Place) -> Server:
        """Sentinels watch no cluster; who gets here has its call refused by the primary once more."""
        return self._server or self._new(place)

    async def primaries(self) -> Sequence[Server]:
        """The primary."""
        return [self._server or await self.find("")]

    async def close(self) -> None:
        """Let every connection go."""
        await self._asked.close()
        if self._server is not None:
            await self._server.close()
        if self._closing:
            await asyncio.wait(self._closing)
        for sentinel in self._sentinels:
            await sentinel.aclose()

    async def _ask(self) -> None:
        """Have the primary that most sentinels know of; the latest, where they differ."""
        questions = [asyncio.ensure_future(self._named(sentinel)) for sentinel in self._sentinels]
        found: list[tuple[int, Place]] = []
        try:
            for answer in asyncio.as_completed(questions, timeout=self._limits.connect_seconds):
                with suppress(trouble.RedisError, OSError, ValueError):
                    found.append(await answer)
                if 2 * len(found) > len(questions):
                    break
        finally:
            for question in questions:
                question.cancel()
            await asyncio.gather(*questions, return_exceptions=True)
        if not found:
            return  # the primary that is known may well be there still, and says itself whether it is one
        _, place = max(found)
        if place != self._place:
            if self._server is not None:
                closing = asyncio.ensure_future(self._server.close(at_once=True))
                self._closing.add(closing)
                closing.add_done_callback(self._closing.discard)
            self._place, self._server = place, self._new(place)

    async def _named(self, sentinel: "Redis") -> tuple[int, Place]:
        """The primary that *sentinel* knows of, and since which epoch: a higher one is later."""
        found: Any = await sentinel.execute_command("SENTINEL", "MASTER", self._address.name)  # type: ignore[no-untyped-call]
        state = dict(zip(found[::2], found[1::2], strict=True))
        return int(state["config-epoch"]), (str(state["ip"]), int(state["port"]))

    def _new(self, place: Place) -> Server:
        host, port = place
        return Server(
            pool(self._address, self._limits, host=host, port=port, redis_connect_func=_as_primary),
            self._limits,
        )


async def _as_primary(connection: Any) -> None:
    """Greet a server, and leave it when it is no primary: sentinels may not have told it yet, or not us."""
    await connection.on_connect()
    await connection.send_command("ROLE")
    try:
        role = await connection.read_response()
    except trouble.NoPermissionError:
        return  # then the first write tells
    if role[0] != b"master":
        raise trouble.ConnectionError("the server is not the primary")
