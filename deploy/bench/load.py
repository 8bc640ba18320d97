"""A load generator that is not the bottleneck: one process, raw sockets, requests built in advance.

What a connection says is a *conversation*: a generator that yields the bytes of a request and is sent the
answer. Connections are kept alive, each with one request under way. Of an answer only what is needed is read:
the status, the length and the body.
"""

import asyncio
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from statistics import quantiles
from typing import TypeAlias, cast

import uvloop


@dataclass(frozen=True, slots=True)
class Request:
    """The bytes of a request; *counts* when it is one of those that are measured."""

    data: bytes
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a body."""

    status: int
    body: bytes


Conversation: TypeAlias = Generator[Request, Answer, None]


class Speaker:
    """Who holds a conversation; it is interrupted between two rounds of load and goes on in the next."""

    def __init__(self, talk: Conversation) -> None:
        self._talk = talk
        self.request = next(talk)
        """What to say now."""

    def answered(self, answer: Answer) -> None:
        """Move on to the next request."""
        self.request = self._talk.send(answer)


class Refused(Exception):
    """A request was answered with an error, or the connection ended: the run is worth nothing."""


@dataclass(slots=True)
class Round:
    """What one round of load found: answers that count, in how long, how late each, and the work it took."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    body_bytes: int = 0
    busy: float = 0.0

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies) / self.seconds

    @property
    def percentiles(self) -> tuple[float, float]:
        """The latencies that half and 99 % of the answers kept, in milliseconds."""
        cuts = quantiles(self.latencies, n=100)
        return cuts[49] * 1000, cuts[98] * 1000


def post(host: str, path: str, body: bytes, *headers: str) -> bytes:
    """The bytes of a POST of JSON on a connection that is kept alive."""
    head = [
        f"POST {path} HTTP/1.1",
        f"Host: {host}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *headers,
    ]
    return "\r\n".join((*head, "", "")).encode() + body


def run(port: int, speakers: Sequence[Speaker], seconds: float) -> Round:
    """Let every speaker go on for *seconds*, on a connection each."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_run(port, speakers, seconds))


async def _run(port: int, speakers: Sequence[Speaker], seconds: float) -> Round:
    loop = asyncio.get_running_loop()
    found = Round()
    connections = [_Connection(one, found) for one in speakers]
    for one in connections:
        await loop.create_connection(one.itself, "127.0.0.1", port)
    started, work = time.perf_counter(), time.process_time()
    for one in connections:
        one.send()
    loop.call_later(seconds, _end_all, connections)
    await asyncio.gather(*(one.done for one in connections))
    found.seconds = time.perf_counter() - started
    found.busy = (time.process_time() - work) / found.seconds
    return found


def _end_all(connections: "Sequence[_Connection]") -> None:
    for one in connections:
        one.ending = True


class _Connection(asyncio.Protocol):
    """Sends a conversation's next request as soon as the last one is answered."""

    def __init__(self, speaker: Speaker, found: Round) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ending = False
        self._speaker = speaker
        self._found = found
        self._received = b""
        self._missing = 0

    def itself(self) -> "_Connection":
        """What a loop that wants to be given a protocol is given."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def send(self) -> None:
        """Say what is to be said now."""
        self._sent = time.perf_counter()
        self._transport.write(self._speaker.request.data)

    def data_received(self, data: bytes) -> None:
        received = self._received + data if self._received else data
        if len(received) < self._missing or (head := received.find(b"\r\n\r\n") + 4) < 4:
            self._received = received
            return
        at = received.lower().find(b"content-length:", 0, head) + 15
        end = head + int(received[at : received.index(b"\r", at)])
        if len(received) < end:
            self._received, self._missing = received, end
            return
        late = time.perf_counter() - self._sent
        self._received, self._missing = b"", 0
        answer = Answer(int(received[9:12]), received[head:end])
        if answer.status >= 400:
            self._fail(Refused(f"{answer.status}: {answer.body.decode(errors='replace')}"))
            return
        if self._speaker.request.counts:
            self._found.latencies.append(late)
            self._found.body_bytes += len(answer.body)
        self._speaker.answered(answer)
        if self.ending:
            self._transport.close()
            self.done.set_result(None)
        else:
            self.send()

    def _fail(self, reason: Exception) -> None:
        self._transport.close()
        if not self.done.done():
            self.done.set_exception(reason)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(Refused(f"the connection ended: {exc}"))
