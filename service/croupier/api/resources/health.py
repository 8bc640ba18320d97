"""Whether the server lives, and whether it can serve."""

from litestar import Controller, get

from croupier.api.answers.problems import Healthy
from croupier.api.desk import HttpRequest, sessions_of
from croupier.api.operations import Operation
from croupier.api.problems import ShuttingDown
from croupier.api.replies import Reply, json_reply


class Health(Controller):
    """``/health``."""

    path = "/health"

    @get(
        "/live",
        opt={
            "operation": Operation(
                id="isLive",
                tag="health",
                summary="Whether the server lives",
                description="Answers as long as the process does.",
                answer=Healthy,
                answers={"ok": {"status": "ok"}},
            )
        },
    )
    async def live(self) -> Reply:
        """Whether the server lives."""
        return json_reply({"status": "ok"})

    @get(
        "/ready",
        opt={
            "operation": Operation(
                id="isReady",
                tag="health",
                summary="Whether the server can serve",
                description="Answers 503 while the store cannot be written to, and once the server was told "
                "to stop.",
                answer=Healthy,
                problems=("store-unavailable", "shutting-down"),
                answers={"ok": {"status": "ok"}},
            )
        },
    )
    async def ready(self, request: HttpRequest) -> Reply:
        """Whether the server can serve."""
        if request.app.state.draining:
            raise ShuttingDown("The server was told to stop.")
        await sessions_of(request).ready()
        return json_reply({"status": "ok"})
