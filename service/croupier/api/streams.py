"""Streams of events: how one is written, and how all of them end when the server stops."""

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from croupier.api.replies import Header
from croupier.sessions.errors import CroupierError, StoreUnavailable
from croupier.sessions.events import Feed, Told

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

EVENT_STREAM = "text/event-stream"
_HEADERS: tuple[Header, ...] = (
    (b"content-type", EVENT_STREAM.encode()),
    (b"cache-control", b"private, no-store"),
    # nginx would hold a stream back until it has a buffer full of it.
    (b"x-accel-buffering", b"no"),
)
_RECONNECT = b"retry: 1000\n"
"""A client is to wait a second before it connects again. It goes with the first event, since some clients
take a block without data for an event."""
_HEARTBEAT = b":\n\n"

_log = logging.getLogger(__name__)


class Streams:
    """The feeds that this worker has open for clients; ``len`` counts them."""

    def __init__(self) -> None:
        self._feeds: set[Feed] = set()

    def __len__(self) -> int:
        return len(self._feeds)

    @contextlib.contextmanager
    def holding(self, feed: Feed) -> Iterator[Feed]:
        """Count *feed*, and close it at the end."""
        self._feeds.add(feed)
        try:
            yield feed
        finally:
            self._feeds.discard(feed)
            feed.close()

    def end(self) -> None:
        """End every stream: its client will connect again, to another server."""
        for feed in self._feeds:
            feed.close()


class EventStream:
    """An ASGI application that sends what *feed* tells as server-sent events, until it is over.

    *known* is called every *heartbeat* seconds, about, and raises what it has against the caller by now.
    """

    __slots__ = ("_feed", "_heartbeat", "_known", "_streams")

    def __init__(
        self, feed: Feed, streams: Streams, heartbeat: float, known: Callable[[], Awaitable[object]]
    ) -> None:
        self._feed = feed
        self._streams = streams
        self._heartbeat = heartbeat
        self._known = known

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Send the stream."""
        with self._streams.holding(self._feed):
            await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS]})
            if "bodiless" not in scope:
                leaving = asyncio.create_task(self._until_left(receive))
                try:
                    await self._write(send)
                except CroupierError as refusal:  # the client asks again and is told so
                    _log.debug("a stream of events ends: %s", refusal)
                except Exception:
                    _log.exception("a stream of events broke")
                finally:
                    leaving.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_left(self, receive: "Receive") -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._feed.close()

    async def _write(self, send: "Send") -> None:
        """Write until nothing follows, or the client has left, or the server stops."""
        feed, first = self._feed, _RECONNECT
        loop = asyncio.get_running_loop()
        known_until = loop.time() + self._heartbeat
        while not feed.closed:
            try:
                async with asyncio.timeout(self._heartbeat):
                    told = await self._heard()
            except TimeoutError:
                text = _HEARTBEAT
            else:
                text = b"".join(map(_event, told))
                if feed.over is not None:
                    text += _end(feed.over)
                if text:
                    text, first = first + text, b""
            if loop.time() >= known_until:
                with contextlib.suppress(StoreUnavailable):
                    await self._known()
                known_until = loop.time() + self._heartbeat
            if text:
                await send({"type": "http.response.body", "body": text, "more_body": True})
            if feed.over is not None:
                return

    async def _heard(self) -> Sequence[Told]:
        """What the feed tells next, in spite of a store that is away for a while."""
        while True:
            try:
                return await self._feed.next()
            except StoreUnavailable:
                await asyncio.sleep(random.uniform(0.5, 1.5))  # noqa: S311 - jitter


def _event(told: Told) -> bytes:
    name = b"position" if told.whole else b"change"
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (told.version, name, told.body)


def _end(reason: str) -> bytes:
    """The last event. It has no id of its own, so that a client that asks again gets 204 and asks no more."""
    return b"event: end\ndata: %b\n\n" % msgspec.json.encode({"reason": reason})
