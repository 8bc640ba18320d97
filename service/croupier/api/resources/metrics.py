"""What Prometheus reads."""

import hashlib
import hmac

from litestar import Controller, get

from croupier.api import examples
from croupier.api.desk import HttpRequest, config_of, credentials_of
from croupier.api.operations import Operation
from croupier.api.reading import headers_of
from croupier.api.replies import TEXT, Reply
from croupier.sessions.errors import NotFound, Unauthorized

_EXPOSITION = b"text/plain; version=0.0.4; charset=utf-8"
_OFF = "There are no metrics for anybody: the setting CROUPIER_METRICS_KEY has no key for them."


class Metrics(Controller):
    """``/metrics``."""

    path = "/metrics"

    @get(
        "/",
        opt={
            "operation": Operation(
                id="readMetrics",
                tag="health",
                summary="Read the metrics",
                description="Counts and times of all workers in Prometheus' text format. They tell what all "
                "operators' rounds won and lost together, so they want a key of their own; in open mode they "
                "want none.",
                credentials=("metricsKey",),
                problems=("not-found",),
                produces=(TEXT.decode().partition(";")[0],),
                texts={"gauge": examples.METRICS},
            )
        },
    )
    async def read(self, request: HttpRequest) -> Reply:
        """Read the metrics."""
        await _admit(request)
        # Loaded when it is first asked for: a server that nobody watches need not hold it.
        from croupier.telemetry.exposition import exposition  # noqa: PLC0415

        return Reply(exposition(request.app.state.board), media_type=_EXPOSITION)


async def _admit(request: HttpRequest) -> None:
    """Let who holds the metrics' key pass. Raises ``Unauthorized``, and ``NotFound`` where there is none."""
    wanted = config_of(request).metrics_key
    if wanted is None:
        if await credentials_of(request).open_mode():
            return
        raise NotFound(_OFF)
    scheme, _, key = headers_of(request).get(b"authorization", b"").partition(b" ")
    if scheme.lower() != b"bearer" or not hmac.compare_digest(
        hashlib.sha256(key.strip()).hexdigest(), wanted
    ):
        raise Unauthorized("Send the metrics' key as a bearer token.")
