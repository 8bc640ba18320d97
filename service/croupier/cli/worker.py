"""One worker process: the use cases on their store, the API on the use cases, uvicorn around them."""

import asyncio
import contextlib
import gc
import hashlib
import os
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from types import MappingProxyType

import structlog
import uvicorn
import uvloop

from croupier import log
from croupier.api.app import create_app, drain
from croupier.api.config import ApiConfig
from croupier.cli.opened import store_at
from croupier.cli.protocol import bounded
from croupier.odds import warm
from croupier.odds.pool import Pool
from croupier.sessions.errors import StoreUnavailable
from croupier.sessions.policy import Policy
from croupier.sessions.service import Sessions
from croupier.settings import Settings

_KEEP_ALIVE = 75
"""Seconds that an idle connection is kept: longer than proxies keep one, which is a minute as a rule, so that
it is they who close it and none sends a request into one that is just being closed."""
_SWEEP = 1.0
"""Seconds between two sweeps."""
_BATCH = 100
"""Sessions a sweep looks at before it lets others go first."""
_REPAIR = 3600.0
"""Seconds between two repairs of the lists, about."""

_log = structlog.stdlib.get_logger("croupier.worker")


class SystemClock:
    """The time of day of this machine."""

    def now(self) -> int:
        """Milliseconds since the Unix epoch, UTC."""
        return time.time_ns() // 1_000_000


class SystemEntropy:
    """The randomness of the operating system."""

    def bytes(self, count: int) -> bytes:
        """*count* unpredictable bytes."""
        return os.urandom(count)


def work(
    listener: socket.socket, ready: Connection, *, settings: Settings, url: str, secrets: tuple[bytes, ...]
) -> None:
    """Serve on *listener* from the store at *url*, until SIGTERM."""
    log.configure(settings.log, settings.log_level)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(listener, ready, settings, url, secrets))
    # Every request is answered and the store let go. Odds that are still being compiled are for nobody now.
    os._exit(0)


async def _serve(
    listener: socket.socket, ready: Connection, settings: Settings, url: str, secrets: tuple[bytes, ...]
) -> None:
    store = store_at(settings, url, secrets)
    pool = Pool()
    if settings.warm_odds:
        pool.submit(warm)
    sessions = Sessions(store, SystemClock(), SystemEntropy(), secrets, _policy(settings), pool)
    app = create_app(sessions, _api(settings))
    protocol = bounded(settings.request_seconds)
    config = uvicorn.Config(
        app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=settings.shutdown_seconds,
    )

    def stopping() -> None:
        protocol.draining = True
        drain(app)

    sweeping = asyncio.create_task(_sweep(sessions))
    await _Server(config, ready, stopping, settings.drain_seconds).serve([listener])
    sweeping.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await sweeping
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
                name: hashlib.sha256(key.get_secret_value().encode()).hexdigest()
                for name, key in settings.operator_keys
            }
        ),
        open_mode=settings.open_mode,
        cors_origins=settings.cors_origins,
    )


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
                _log.warning("store lost", reason=gone.detail)
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
    whoever spreads the requests over several servers needs that long to see that this one is not ready.
    """

    def __init__(
        self, config: uvicorn.Config, ready: Connection, stopping: Callable[[], None], drain: float
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._stopping = stopping
        self._drain = drain

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # What is loaded by now stays, so the collector need not go through it again and again.
        gc.collect()
        gc.freeze()
        self._ready.send("")
        self._ready.close()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._told_to_stop)
        yield

    def _told_to_stop(self) -> None:
        self._stopping()
        asyncio.get_running_loop().call_later(self._drain, setattr, self, "should_exit", True)
