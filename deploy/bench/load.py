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
    """The bytes of a request; *counts* when it is one of those that are measured.

    *or_else* is the one status of 400 or above that ends nothing.
    """

    data: bytes
    counts: bool = True
    or_else: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a body."""

    status: int
    body: bytes


Conversation: TypeAlias = Generator[Request, Answer, None]
"""Ends never."""


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


def get(host: str, path: str, *headers: str) -> bytes:
    """The bytes of a GET on a connection that is kept alive."""
    return "\r\n".join((f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", "")).encode()


def run(port: int, speakers: Sequence[Speaker], seconds: float, rate: float | None = None) -> Round:
    """Let every speaker go on for *seconds*, on a connection each.

    Each speaks again as soon as it is answered; with a *rate*, in requests a second of all together, when its
    turn comes. Who is answered after its next turn has come was late: the latency counts from that turn.
    """
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_run(port, speakers, seconds, rate))


async def _run(port: int, speakers: Sequence[Speaker], seconds: float, rate: float | None) -> Round:
    loop = asyncio.get_running_loop()
    found = Round()
    interval = len(speakers) / rate if rate else 0.0
    connections = [_Connection(one, found, interval) for one in speakers]
    for one in connections:
        await loop.create_connection(one.itself, "127.0.0.1", port)
    started, work = time.perf_counter(), time.process_time()
    for place, one in enumerate(connections):
        one.begin(place / len(connections))

    def end() -> None:
        found.seconds = time.perf_counter() - started
        found.busy = (time.process_time() - work) / found.seconds
        for one in connections:
            one.ending = True

    loop.call_later(seconds, end)
    await asyncio.gather(*(one.done for one in connections))
    return found


class _Connection(asyncio.Protocol):
    """Sends a conversation's next request once the last one is answered, or every *interval* seconds."""

    def __init__(self, speaker: Speaker, found: Round, interval: float) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ending = False
        self._speaker = speaker
        self._found = found
        self._interval = interval
        self._received = b""
        self._missing = 0

    def itself(self) -> "_Connection":
        """What a loop that wants to be given a protocol is given."""
        return self

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def begin(self, place: float) -> None:
        """Say the first thing; *place* is where in an interval this connection's turn comes."""
        self._turn = time.perf_counter() + (place - 1) * self._interval
        self._go_on()

    def _go_on(self) -> None:
        now = time.perf_counter()
        self._turn += self._interval
        if self._interval and self._turn > now:
            asyncio.get_running_loop().call_later(self._turn - now, self._send_at_turn)
        else:
            self._send(self._turn if self._interval else now)

    def _send_at_turn(self) -> None:
        if self.ending:
            self._end()
        else:
            self._send(time.perf_counter())

    def _send(self, since: float) -> None:
        """Say what is to be said now; the answer is awaited *since* then."""
        self._sent = since
        self._transport.write(self._speaker.request.data)

    def _end(self) -> None:
        self._transport.close()
        self.done.set_result(None)

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
        if answer.status >= 400 and answer.status != self._speaker.request.or_else:
            self._fail(Refused(f"{answer.status}: {answer.body.decode(errors='replace')}"))
            return
        if self._speaker.request.counts and not self.ending:
            self._found.latencies.append(late)
            self._found.body_bytes += len(answer.body)
        self._speaker.answered(answer)
        if self.ending:
            self._end()
        else:
            self._go_on()

    def _fail(self, reason: Exception) -> None:
        self._transport.close()
        if not self.done.done():
            self.done.set_exception(reason)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(Refused(f"the connection ended: {exc}"))
