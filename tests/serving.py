"""Real servers for tests: ``croupier serve`` on a free port, with its data in a folder of the test's own."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

CROUPIER = Path(sys.executable).with_name("croupier")
PATIENCE = 20.0
"""Seconds to wait for anything before a test fails; the machine may be busy."""


def until(condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
    deadline = time.monotonic() + patience
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)
    return value


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@dataclass
class Server:
    process: subprocess.Popen[str]
    mark: str
    data: Path
    output: Path
    errors: Path

    @property
    def banner(self) -> str:
        return self.output.read_text()

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Its log lines, with ``CROUPIER_LOG=json``."""
        return [json.loads(line) for line in self.errors.read_text().splitlines()]

    @property
    def url(self) -> str:
        said = self.banner + self.errors.read_text()
        return re.search(r"(?:API +|\"api\":\")(http://[^\s\"]+)/v1", said)[1]  # type: ignore[index]

    def processes(self) -> dict[int, str]:
        """Every living process that came from this server, with its command line."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                line = (folder / "cmdline").read_text().replace("\0", " ")
                # The store writes its title over its environment.
                if self.mark.encode() in (folder / "environ").read_bytes() or f":{self.data}/" in line:
                    found[int(folder.name)] = line
        return found

    def store(self) -> int | None:
        return next((pid for pid, line in self.processes().items() if "-server unix" in line), None)

    def workers(self) -> set[int]:
        store = self.store()
        return set(self.processes()) - {self.process.pid, store, parent(store) if store else None}

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


Start = Callable[..., Server]
SERVE = (CROUPIER, "serve")


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[Start]:
    """Starts servers with their data in *folder*; whatever is left of them at the end is killed."""
    started: list[Server] = []

    def _start(
        *flags: str, ready: bool = True, command: Sequence[str | Path] = SERVE, **environment: str
    ) -> Server:
        mark = uuid4().hex
        output, errors = folder / f"{mark}.out", folder / f"{mark}.err"
        bare = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
        with output.open("w") as out, errors.open("w") as err:
            process = subprocess.Popen(
                [*command, "--port", "0", *flags],
                env={
                    **bare,
                    "CROUPIER_DATA": str(folder / "data"),
                    "CROUPIER_TEST": mark,
                    "CROUPIER_WARM_ODDS": "false",
                    **environment,
                },
                stdout=out,
                stderr=err,
                text=True,
                start_new_session=True,
            )
        server = Server(process, mark, folder / "data", output, errors)
        started.append(server)
        if ready:
            until(
                lambda: (
                    "decide" in server.banner
                    or '"event":"started"' in errors.read_text()
                    or process.poll() is not None
                )
            )
            assert process.poll() is None, errors.read_text()
        return server

    try:
        yield _start
    finally:
        for server in started:
            for pid in server.processes():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            server.process.wait()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts servers of a test's own."""
    with servers(tmp_path) as starting:
        yield starting
