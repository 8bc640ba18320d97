"""HTTP/1.1 as uvicorn speaks it, with bounds on what a client may make the server hold.

uvicorn bounds neither the head of a request nor the time in which a request arrives, so that one connection
could fill the memory and many could hold every file descriptor.
"""

from asyncio import TimerHandle
from typing import Any

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from croupier.api.problems import PROBLEM_JSON, problem
from croupier.sessions.errors import InvalidRequest

HEAD_BYTES = 64 * 1024
"""The longest head of a request, from its first line to the empty one, give or take a read of the socket."""


class BoundedProtocol(HttpToolsProtocol):
    """Requests arrive whole within ``seconds``, with a head of at most :data:`HEAD_BYTES`, or not at all.

    Once ``draining``, every answer is its connection's last and says so: the client is to go elsewhere.
    """

    seconds: float
    draining = False

    _arriving = False
    _in_head = False
    _begun = 0
    _head = 0
    _patience: TimerHandle | None = None

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._arriving = self._in_head = True
        self._begun += 1
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is whole."""
        self._in_head = False
        super().on_headers_complete()
        if self.draining:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """The request is whole."""
        self._arriving = False
        self._stop_waiting()
        super().on_message_complete()

    def data_received(self, data: bytes) -> None:
        """Some bytes: most often a whole request, which costs nothing here."""
        head = self._begun if self._in_head else None
        super().data_received(data)
        if self._in_head and head == self._begun:  # all of it belongs to one head
            self._head += len(data)
            if self._head > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response(f"The head of a request may have at most {HEAD_BYTES} bytes.")
                return
        if self._arriving and self._patience is None:
            self._patience = self.loop.call_later(self.seconds, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone, or was sent away."""
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server stops: end at once when idle, else with the answer to the request that has begun."""
        if not self._in_head:
            super().shutdown()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, as a problem document like every other refusal."""
        refusal = InvalidRequest(msg)
        body = msgspec.json.encode(problem(refusal.code, refusal, "/"))
        head = f"content-type: {PROBLEM_JSON}\r\ncontent-length: {len(body)}\r\nconnection: close"
        self.transport.write(b"HTTP/1.1 400 Bad Request\r\n%b\r\n\r\n%b" % (head.encode(), body))
        self.transport.close()

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self._arriving and not self.transport.is_closing():
            self.transport.close()


def bounded(seconds: float) -> type[BoundedProtocol]:
    """The protocol with a limit of *seconds* on how long a request may take to arrive.

    A class of its own, so that ``draining`` set on it means the connections of one server.
    """
    attributes: dict[str, Any] = {"seconds": seconds}
    return type("Bounded", (BoundedProtocol,), attributes)
