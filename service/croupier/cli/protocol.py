"""HTTP/1.1 as uvicorn speaks it, with bounds on what a client may make the server hold.

uvicorn bounds neither the head of a request nor the time in which a request arrives, so that one connection
could fill the memory and many could hold every file descriptor.
"""

import asyncio
import sys
from asyncio import TimerHandle
from itertools import count, islice
from typing import TYPE_CHECKING, Any, cast

import httptools
import msgspec
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from croupier.api.problems import PROBLEM_JSON, PROBLEMS, RETRY_AFTER, Overloaded, problem
from croupier.sessions.errors import CroupierError, InvalidRequest

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

HEAD_BYTES = 64 * 1024
"""The longest head of a request, from its first line to the empty one, give or take a read of the socket."""
HEADERS = 100
"""How many headers a request may have."""
UNREAD_SECONDS = 60
"""Seconds in which a client that is sent more than it takes has to take some of it."""
LEAST_TAKEN = 16 * 1024
"""How much that is, in bytes; the kernel cuts off who takes nothing much sooner (see ``serve``)."""
FIRST_SECONDS = 1
"""Seconds in which a connection that has asked nothing yet has to, once the server stops."""
_OFFER = {b"connection", b"upgrade", b"http2-settings"}
"""Headers by which a client offers to go on in another protocol."""
_LOOKED_AT = 64
"""Idle connections looked at for the one that has been idle the longest, when one has to go."""
_arrivals = count()


class _Together(asyncio.Transport):
    """What one answer is written to: its head leaves with the first part of its body, in one segment.

    That saves a call into the kernel; and Go's client, with which proxies ask, may lose the body of an answer
    that is its connection's last when it comes a moment behind the head.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head: bytes | None = None
        self._begun = False

    def write(self, data: "bytes | bytearray | memoryview") -> None:
        """The first is the head; it waits for its body, but not beyond this turn of the loop."""
        if self._begun:
            if self._head is not None:
                data, self._head = self._head + bytes(data), None
            self._send(data)
        else:
            self._begun = True
            self._head = bytes(data)
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        if self._head is not None:
            head, self._head = self._head, None
            self._send(head)

    def _send(self, data: "bytes | bytearray | memoryview") -> None:
        """Send it, unless the client has left: of several requests in work only the last is told so."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Close when all is sent."""
        self._flush()
        self._transport.close()

    def is_closing(self) -> bool:
        """Whether it is closed or about to be."""
        return self._transport.is_closing()


class BoundedProtocol(HttpToolsProtocol):
    """Requests arrive whole within ``seconds``, with a head of at most :data:`HEAD_BYTES`, or not at all.

    A request is handed on when it is whole: who sends slowly keeps a connection busy and nothing else. One
    that offers another protocol, as Java's client offers HTTP/2 with every first request, is answered in
    this one; uvicorn would lose its body. Of
    more than ``most`` connections an idle one is closed or, where none is, the new one. Once ``draining``,
    every answer is its connection's last and says so: the client is to go elsewhere.
    """

    seconds: float
    most: int
    draining = False

    _arrival = 0
    _arriving = False
    _in_head = False
    _begun = 0
    _head = 0
    _patience: TimerHandle | None = None
    _held: "tuple[RequestResponseCycle, ASGI3Application] | None" = None
    _wrong: str | None = None
    _unread: TimerHandle | None = None
    _offers = False
    _offered_at: int | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there; it has as much time for its first request as for any."""
        super().connection_made(transport)
        self._arrival = next(_arrivals)
        if len(self.connections) > self.most and not self._made_room():
            self._refuse(Overloaded("This server has as many connections open as it takes on."))
            return
        self._patience = self.loop.call_later(self.seconds, self._give_up)

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._arriving = self._in_head = True
        self._begun += 1
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head = False
        if len(self.headers) > HEADERS:
            self._wrong = f"A request may have at most {HEADERS} headers."
            raise ValueError(self._wrong)
        if self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT":
            self._offers = True  # the parser stops here, and `_declined` says what to go on with
            return
        super().on_headers_complete()
        self.cycle.transport = _Together(self.transport, self.loop)
        if self.draining:
            self.cycle.keep_alive = False

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: "ASGI3Application") -> None:
        # Behind it the next request may have begun already, so that `_arriving` says nothing of this one.
        if cycle.more_body:
            self._held = cycle, app
            if cycle.waiting_for_100_continue:
                self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                cycle.waiting_for_100_continue = False
        else:
            super()._start_asgi_task(cycle, app)

    def on_message_complete(self) -> None:
        """The request is whole."""
        if self._offers:
            return
        self._arriving = False
        if self._patience is not None:
            self._stop_waiting()
        super().on_message_complete()
        if self._held is not None:
            self._hand_on(*self._held)

    def _hand_on(self, cycle: RequestResponseCycle, app: "ASGI3Application") -> None:
        self._held = None
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        """Some bytes: most often a whole request, which costs nothing here."""
        self._take_in(data)
        while self._offered_at is not None:  # in turn: there may be thousands, one behind the other
            data = self._declined(data[self._offered_at :])
            self._take_in(data)

    def _take_in(self, data: bytes) -> None:
        head = self._begun if self._in_head else None
        super().data_received(data)
        if self._offered_at is not None:
            return
        if self._arriving:
            if self._in_head and head == self._begun:  # all of it belongs to one head
                self._head += len(data)
                if self._head > HEAD_BYTES and not self.transport.is_closing():
                    self._refuse(
                        InvalidRequest(f"The head of a request may have at most {HEAD_BYTES} bytes.")
                    )
                    return
            elif self._held is not None and len(self.cycle.body) > HIGH_WATER_LIMIT:
                self._hand_on(*self._held)  # it is refused for its size, so the rest is not waited for
        elif self.cycle is not None and not self.cycle.response_complete:
            return
        # An empty line between two requests begins none, but ends the time for which the connection is kept.
        if self._patience is None:
            self._patience = self.loop.call_later(self.seconds, self._give_up)

    def _unsupported_upgrade_warning(self) -> None:
        # Called while the parser's exception is handled, which says where in the data it stopped.
        stopped = sys.exception()
        self._offered_at = stopped.args[0] if stopped is not None else None

    def _declined(self, rest: bytes) -> bytes:
        """The request from its head on, without the offer, for a new parser: *rest* came behind the head."""
        method, version = self.parser.get_method(), self.parser.get_http_version().encode()
        lines = [b"%b %b HTTP/%b" % (method, self.url, version)]
        lines += [b"%b: %b" % header for header in self.headers if header[0] not in _OFFER]
        if not self.parser.should_keep_alive():
            lines.append(b"connection: close")
        self._offers, self._offered_at = False, None
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        return b"\r\n".join(lines) + b"\r\n\r\n" + rest

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more was asked for a while; an answer that was not fetched by now never will be."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone, or was sent away."""
        self._stop_waiting()
        self._stop_pressing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client takes less than it is sent; nothing more is written until it has caught up."""
        super().pause_writing()
        self._press(None)

    def resume_writing(self) -> None:
        """The client has caught up."""
        super().resume_writing()
        self._stop_pressing()

    def shutdown(self) -> None:
        """The server stops: end at once when idle, else with the answer to the request that has begun.

        Who has just connected is about to ask.
        """
        if not self._begun:
            self._stop_waiting()
            self._patience = self.loop.call_later(FIRST_SECONDS, self._give_up)
        elif not self._in_head:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, or what this server does not take of it."""
        self._refuse(InvalidRequest(self._wrong or msg))

    def _refuse(self, refusal: CroupierError) -> None:
        """Answer with a problem document, like every other refusal, and close."""
        body = msgspec.json.encode(problem(refusal.code, refusal, "/"))
        status = PROBLEMS[refusal.code].status
        head = f"content-type: {PROBLEM_JSON}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n"
        if status == 503:
            head += f"retry-after: {RETRY_AFTER}\r\n"
        self.transport.write(b"%b%b\r\n%b" % (STATUS_LINE[status], head.encode(), body))
        self.transport.close()

    @property
    def _idle(self) -> bool:
        """Whether nothing is asked and nothing is due."""
        return not self._arriving and (self.cycle is None or self.cycle.response_complete)

    @property
    def _kept_until(self) -> tuple[float, int]:
        """When, by the loop's clock, an idle connection would be closed anyway; of one time, as they came.

        The clock stands still while the loop accepts what came at once.
        """
        timer = self.timeout_keep_alive_task or self._patience
        return 0.0 if timer is None else timer.when(), self._arrival

    def _made_room(self) -> bool:
        """Close the connection that was idle the longest, or about; False where none is idle."""
        everyone = cast("set[BoundedProtocol]", self.connections)
        idle = (one for one in everyone if one is not self and one._idle and not one.transport.is_closing())
        found = min(islice(idle, _LOOKED_AT), key=lambda one: one._kept_until, default=None)
        if found is not None:
            found.transport.close()
        return found is not None

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _press(self, before: int | None) -> None:
        """Look again in a while whether the client takes anything; *before*: what was left last time."""
        left = self.transport.get_write_buffer_size()
        if before is not None and left > before - LEAST_TAKEN:
            self.transport.abort()
        else:
            self._unread = self.loop.call_later(UNREAD_SECONDS, self._press, left)

    def _stop_pressing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _give_up(self) -> None:
        self._patience = None
        if not self.transport.is_closing():
            self.transport.close()


def bounded(seconds: float, connections: int) -> type[BoundedProtocol]:
    """The protocol with a limit of *seconds* on how long a request may take to arrive, and of *connections*.

    A class of its own, so that ``draining`` set on it means the connections of one server.
    """
    attributes: dict[str, Any] = {"seconds": seconds, "most": connections}
    return type("Bounded", (BoundedProtocol,), attributes)
