"""``croupier serve``: the listening socket, the store, the workers, in this order, and back."""

import errno
import os
import signal
import socket
from functools import partial
from multiprocessing.connection import Connection

import structlog
import typer

from croupier import __version__, log
from croupier.cli.banner import banner
from croupier.cli.opened import secrets_of
from croupier.cli.supervisor import CannotStart, Supervisor, Work
from croupier.cli.worker import work
from croupier.settings import Settings, variable
from croupier.store.embedded import EmbeddedStore, EmbeddedStoreError

_BACKLOG = 2048
_GRACE = 2
"""Seconds that a process gets beyond what its requests may take."""

_log = structlog.stdlib.get_logger("croupier.server")


class CannotServe(Exception):
    """The server cannot start; the message says why and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on *host* and *port*. Raises :class:`CannotServe`."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as wrong:
        raise CannotServe(
            f"{host} is no address of this machine ({wrong.strerror}): {variable('host')}"
        ) from None
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as wrong:
        listener.close()
        if wrong.errno == errno.EADDRINUSE:
            reason = "something else listens there; stop it, or choose another port"
        else:
            reason = os.strerror(wrong.errno or 0)
        raise CannotServe(
            f"cannot listen on {host} port {port}: {reason} ({variable('port')}, --port)"
        ) from None
    return listener


def serve(settings: Settings) -> int:
    """Serve until a signal says stop; the exit code. Raises :class:`CannotServe`."""
    log.configure(settings.log, settings.log_level)
    listener = listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    stages: list[list[tuple[str, Work]]] = []
    try:
        secrets = secrets_of(settings)
    except EmbeddedStoreError as reason:
        raise CannotServe(str(reason)) from None
    if settings.redis_url is not None:
        url = settings.redis_url.get_secret_value()
    else:
        url = EmbeddedStore(settings.data, settings.durability).url
        stages.append([("store", partial(_keep_store, settings, listener))])
    stages.append(
        [
            (f"worker {number}", partial(work, listener, settings=settings, url=url, secrets=secrets))
            for number in range(1, settings.workers + 1)
        ]
    )

    def announce() -> None:
        typer.echo(banner(settings, port))
        _log.info("started", version=__version__, port=port, workers=settings.workers)

    try:
        # Once the workers have closed the socket nobody may be left waiting in the queue of the parent's.
        Supervisor(stages, settings.drain_seconds + settings.shutdown_seconds + _GRACE).run(
            announce, listener.close
        )
    except CannotStart as reason:
        raise CannotServe(str(reason)) from None
    _log.info("stopped")
    return 0


def _keep_store(settings: Settings, listener: socket.socket, ready: Connection) -> None:
    """Keep the embedded store alive until SIGTERM."""
    listener.close()  # a copy of the parent's, which would keep the queue open when the workers have gone
    log.configure(settings.log, settings.log_level)
    # A pipe, because a handler may run while its own thread holds the lock of an Event that it would set.
    stopped, stop = os.pipe()
    signal.signal(signal.SIGTERM, lambda *_: os.write(stop, b"."))
    store = EmbeddedStore(settings.data, settings.durability)
    try:
        store.start()
    except EmbeddedStoreError as reason:
        ready.send(str(reason))
        return
    ready.send("")
    os.read(stopped, 1)
    store.stop()
