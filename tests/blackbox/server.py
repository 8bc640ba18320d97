"""A real server process with data of its own, and the transcript of what it said."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

CROUPIER = Path(sys.executable).with_name("croupier")
PATIENCE = 60.0
"""Seconds to wait for the server before a test fails: the machine may be busy, the odds not yet compiled."""


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    """Where it listens, without `/v1`."""
    folder: Path

    @property
    def store(self) -> Path:
        """The unix socket of the embedded store."""
        (found,) = (self.folder / "data").glob("*.sock")
        return found

    def said(self) -> bytes:
        """Everything it has written so far, banner and log."""
        return (self.folder / "out").read_bytes() + (self.folder / "err").read_bytes()


@contextmanager
def running(*flags: str, **environment: str) -> Iterator[Server]:
    """`croupier serve` on a free port with sandbox sessions and a log of everything; gone at the end."""
    # A unix socket's path has room for some hundred bytes, so not in pytest's own deep folders.
    folder = Path(tempfile.mkdtemp(prefix="blackbox-"))
    bare = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    # Compiling the odds ahead would take the processor from the tests.
    quiet = {"CROUPIER_WARM_ODDS": "false"}
    command = [
        *(str(CROUPIER), "serve", "--port", "0", "--data", str(folder / "data")),
        *("--durability", "memory", "--sandbox", "--log", "json", "--log-level", "debug", *flags),
    ]
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(command, env=bare | quiet | environment, stdout=out, stderr=err)
    try:
        yield Server(_address(process, folder), folder)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _address(process: "subprocess.Popen[bytes]", folder: Path) -> str:
    deadline = time.monotonic() + PATIENCE
    while not (found := re.search(r'"api": ?"(http://[^"]+)/v1"', (folder / "err").read_text())):
        assert process.poll() is None, (folder / "err").read_text()
        assert time.monotonic() < deadline, "the server is not ready in time"
        time.sleep(0.02)
    return found[1]
