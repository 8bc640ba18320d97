"""``croupier serve``: the listening socket, the store, the workers, in this order, and back."""

import errno
import os
import signal
import socket
from collections.abc import Sequence
from functools import partial
from multiprocessing.connection import Connection

import structlog
import typer
import uvloop

from croupier import __version__, log
from croupier.api.app import board
from croupier.cli.banner import banner, facts
from croupier.cli.opened import embedded, opened, secrets_of
from croupier.cli.supervisor import CannotStart, Supervisor, Work
from croupier.cli.worker import work
from croupier.sessions.errors import StoreUnavailable
from croupier.settings import KEY_RECIPE, Settings, WrongSetting, variable
from croupier.store.embedded import EmbeddedStoreError

_BACKLOG = 2048
_UNREAD_SECONDS = 12
"""Seconds in which a client has to take some of what is sent to it. Streams of events send something at every
heartbeat: with 15 seconds between two, one whose client is gone without a word is forgotten within 30."""
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
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Of a client that is gone without a word, or that never reads its answers, nothing is kept long.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD_SECONDS * 1000)
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
    """Serve until a signal says stop; the exit code. Raises :class:`CannotServe` and ``WrongSetting``."""
    log.configure(settings.log, settings.log_level)
    if not settings.loopback and _with_keys(settings) == ():
        raise WrongSetting(
            f"{variable('operator_keys')}: needed to listen on {settings.host}, which others can reach; "
            f'for example export {variable("operator_keys")}="me:$({KEY_RECIPE})", or croupier keys new me'
        )
    if settings.open_mode and "*" in settings.cors_origins and _with_keys(settings) == ():
        raise WrongSetting(
            f"{variable('cors_origins')}: must name the origins while there is no operator key: with * every "
            "page that somebody on this machine looks at could act as the operator"
        )
    listener = listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    stages: list[list[tuple[str, Work]]] = []
    counted = board(settings.workers)
    try:
        secrets = secrets_of(settings)
    except EmbeddedStoreError as reason:
        raise CannotServe(str(reason)) from None
    if settings.redis_url is not None:
        url = settings.redis_url.get_secret_value()
    else:
        url = embedded(settings).url
        stages.append([("store", partial(_keep_store, settings, listener))])
    stages.append(
        [
            (
                f"worker {number + 1}",
                partial(
                    work, listener, number=number, board=counted, settings=settings, url=url, secrets=secrets
                ),
            )
            for number in range(settings.workers)
        ]
    )

    def announce() -> None:
        operators = _with_keys(settings) or ()
        told: dict[str, str] = {}
        if settings.log == "json":  # nothing but JSON then: who collects the lines may collect both streams
            told = {name.lower(): fact for name, fact in facts(settings, port, operators).items()}
        else:
            typer.echo(banner(settings, port, operators))
        _log.info("started", version=__version__, port=port, workers=settings.workers, **told)
        for reason in _shortcomings(settings):
            _log.warning(reason)

    try:
        # Once the workers have closed the socket nobody may be left waiting in the queue of the parent's.
        Supervisor(stages, settings.drain_seconds + settings.shutdown_seconds + _GRACE).run(
            announce, listener.close
        )
    except CannotStart as reason:
        raise CannotServe(str(reason)) from None
    _log.info("stopped")
    return 0


def _with_keys(settings: Settings) -> tuple[str, ...] | None:
    """The operators with a key: those of the settings, else those in the store; None while it is away.

    Raises :class:`CannotServe`.
    """

    async def stored() -> list[str]:
        async with opened(settings) as store:
            return [key.operator for key in await store.operators.every()]

    found = [name for name, _ in settings.operator_keys]
    try:
        return tuple(dict.fromkeys(found or uvloop.run(stored())))
    except StoreUnavailable:
        return None
    except EmbeddedStoreError as reason:
        raise CannotServe(str(reason)) from None


def _shortcomings(settings: Settings) -> Sequence[str]:
    """Why a store that somebody else runs keeps less than the settings want; nothing while it is away."""

    async def asked() -> Sequence[str]:
        async with opened(settings) as store:
            return await store.shortcomings(settings.durability)

    if settings.redis_url is None:
        return ()
    try:
        return uvloop.run(asked())
    except StoreUnavailable:
        return ()


def _keep_store(settings: Settings, listener: socket.socket, ready: Connection) -> None:
    """Keep the embedded store alive until SIGTERM."""
    listener.close()  # a copy of the parent's, which would keep the queue open when the workers have gone
    log.configure(settings.log, settings.log_level)
    # A pipe, because a handler may run while its own thread holds the lock of an Event that it would set.
    stopped, stop = os.pipe()
    signal.signal(signal.SIGTERM, lambda *_: os.write(stop, b"."))
    store = embedded(settings)
    try:
        store.start()
    except EmbeddedStoreError as reason:
        ready.send(str(reason))
        return
    ready.send("")
    os.read(stopped, 1)
    store.stop()
