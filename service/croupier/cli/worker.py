"""One worker process: the use cases on their store, the API on the use cases, uvicorn around them."""

import asyncio
import contextlib
import gc
import hashlib
import os
import random
import resource
import signal
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from types import MappingProxyType
from typing import TYPE_CHECKING

import structlog
import uvicorn
import uvloop

from croupier import log
from croupier.api.app import create_app, drain, end_streams
from croupier.api.config import ApiConfig, Bounds
from croupier.api.limits import Rates
from croupier.api.streams import Streams
from croupier.cli.opened import store_at
from croupier.cli.protocol import bounded
from croupier.cli.system import SystemClock, SystemEntropy
from croupier.odds import warm
from croupier.odds.pool import Pool
from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.operators import KnownKeys
from croupier.sessions.policy import Policy
from croupier.sessions.service import Sessions
from croupier.settings import Settings
from croupier.store import RedisStore
from croupier.telemetry import Board, Counts, measured

if TYPE_CHECKING:
    from croupier.telemetry.tracing import Tracing

_KEEP_ALIVE = 75
"""Seconds that an idle connection is kept: longer than proxies keep one, which is a minute as a rule, so that
it is they who close it and none sends a request into one that is just being closed."""
_OTHER_FILES = 64
"""Files that a worker has open besides its clients' connections: the store's, the odds', its own."""
_SWEEP = 1.0
"""Seconds between two sweeps."""
_GLANCE = 1.0
"""Seconds between two looks at what the metrics call gauges."""
_BATCH = 100
"""Sessions a sweep looks at before it lets others go first."""
_COLLECT_AFTER = (10_000, 20, 50)
"""When the garbage collector looks for cycles: refusals leave some, games none, and at its own pace it stops
the worker for milliseconds several times a second."""
_REPAIR = 3600.0
"""Seconds between two repairs of the lists, about."""

_log = structlog.stdlib.get_logger("croupier.worker")


def work(
    listener: socket.socket,
    ready: Connection,
    *,
    number: int,
    board: Board,
    settings: Settings,
    url: str,
    secrets: tuple[bytes, ...],
) -> None:
    """Serve on *listener* from the store at *url*, until SIGTERM; count in row *number* of *board*."""
    log.configure(settings.log, settings.log_level)
    tracing = _tracing(settings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(listener, ready, settings, url, secrets, Counts(board, number), tracing))
    if tracing is not None:
        tracing.stop()
    # Every request is answered and the store let go. Odds that are still being compiled are for nobody now.
    os._exit(0)


async def _serve(
    listener: socket.socket,
    ready: Connection,
    settings: Settings,
    url: str,
    secrets: tuple[bytes, ...],
    counts: Counts,
    tracing: "Tracing | None",
) -> None:
    store = store_at(settings, url, secrets)
    pool = Pool()
    if settings.warm_odds:
        pool.submit(warm)
    clock = SystemClock()
    watched = measured(store, counts)
    if tracing is not None:
        watched = tracing.store(watched)
    sessions = Sessions(watched, clock, SystemEntropy(), secrets, _policy(settings), pool)
    app = create_app(
        sessions if tracing is None else tracing.use_cases(sessions),
        _api(settings),
        KnownKeys(store.operators, clock),
        counts,
        tracing,
        _rates(settings, store, secrets[0]),
    )
    protocol = bounded(settings.request_seconds, _connections(settings.connections_per_worker))
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=settings.shutdown_seconds,
    )

    def stopping() -> None:
        protocol.draining = True
        drain(app)

    sweeping = asyncio.create_task(_sweep(sessions))
    glancing = asyncio.create_task(_glance(counts, pool, app.state.streams))
    ending = partial(end_streams, app)
    await _Server(config, ready, stopping, settings.drain_seconds, ending).serve([listener])
    for task in (sweeping, glancing):
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    await store.close()


def _policy(settings: Settings) -> Policy:
    return Policy(
        allow_sandbox=settings.sandbox,
        idle_seconds=settings.idle_seconds,
        retention_seconds=settings.retention_seconds,
        progressive_stake=settings.progressive_stake,
        progressive_contribution=settings.progressive_contribution,
        progressive_seed_amount=settings.progressive_seed_amount,
    )


def _api(settings: Settings) -> ApiConfig:
    return ApiConfig(
        operator_keys=MappingProxyType(
            {
                hashlib.sha256(key.get_secret_value().encode()).hexdigest(): name
                for name, key in settings.operator_keys
            }
        ),
        open_mode=settings.open_mode,
        cors_origins=settings.cors_origins,
        bounds=Bounds(
            requests=settings.requests_per_worker,
            streams=settings.streams_per_worker,
            streams_of_caller=settings.streams_per_key,
        ),
        heartbeat_seconds=settings.heartbeat_seconds,
        access_log=settings.access_log,
        metrics_key=(
            None
            if settings.metrics_key is None
            else hashlib.sha256(settings.metrics_key.get_secret_value().encode()).hexdigest()
        ),
    )


def _connections(wanted: int) -> int:
    """How many connections may be open, once this process may open as many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted + _OTHER_FILES if hard == resource.RLIM_INFINITY else min(wanted + _OTHER_FILES, hard)
    if soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return min(wanted, max(allowed, soft) - _OTHER_FILES)


def _rates(settings: Settings, store: RedisStore, secret: bytes) -> Rates | None:
    limits = {
        "key": settings.limit_key,
        "token": settings.limit_token,
        "address": settings.limit_address,
        "guess": settings.limit_address,
    }
    given = {kind: text for kind, text in limits.items() if text is not None}
    return store.rates(given, secret) if given else None


def _tracing(settings: Settings) -> "Tracing | None":
    if settings.traces is None:
        return None
    # It takes a third of a second and 20 MB to load.
    from croupier.telemetry.tracing import Tracing  # noqa: PLC0415

    return Tracing(settings.traces)


async def _glance(counts: Counts, pool: Pool, streams: Streams) -> None:
    """Put down, again and again, how much there is of what comes and goes."""
    while True:
        counts.gauges(event_streams=len(streams), odds_waiting=pool.open)
        await asyncio.sleep(_GLANCE)


async def _sweep(sessions: Sessions) -> None:
    """Do what is due, again and again, and notice on the way whether the store is there."""
    away = False
    repair_at = time.monotonic()
    while True:
        await asyncio.sleep(_SWEEP)
        try:
            while await sessions.sweep(_BATCH) == _BATCH:
                pass
            if time.monotonic() >= repair_at:
                repaired = await sessions.repair()
                repair_at = time.monotonic() + _REPAIR * random.uniform(0.5, 1.5)  # noqa: S311 - jitter
                if repaired:
                    _log.warning("sessions put back on their lists", count=repaired)
        except StoreUnavailable as gone:
            if not away:
                _log.warning("store lost", reason=gone.detail, cause=str(gone.__cause__))
            away = True
        except Exception:
            _log.exception("sweep failed")
        else:
            if away:
                _log.info("store back")
            away = False


class _Server(uvicorn.Server):
    """uvicorn, which tells its parent when it serves, and which SIGTERM alone ends.

    After the signal *stopping* is called, and connections are accepted and served for *drain* seconds more:
    whoever spreads the requests over several servers needs that long to see that this one is not ready. Then
    *ending* is called, and what is under way gets its time to end.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Connection,
        stopping: Callable[[], None],
        drain: float,
        ending: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._ending = ending
        self._ready = ready
        self._stopping = stopping
        self._drain = drain

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What is loaded by now stays, so the collector need not go through it again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_COLLECT_AFTER)
        self._ready.send("")
        self._ready.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._told_to_stop)
        yield

    def _told_to_stop(self) -> None:
        self._stopping()
        asyncio.get_running_loop().call_later(self._drain, setattr, self, "should_exit", True)
