"""The processes of a run: where each of them runs, how it is found, what it costs, and that it ends."""

import contextlib
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from croupier.store import EmbeddedStore
from croupier.store.embedded import Durability

_BARE = Path(__file__).with_name("bare.py")
_PORT = re.compile(r"http://127\.0\.0\.1:(\d+)/v1")
_PATIENCE = 10.0
_COMPILED_IN = 120.0


@dataclass(frozen=True, slots=True)
class Places:
    """Which core each process has for itself. With two cores the store shares the generator's."""

    server: int
    generator: int
    store: int


def places() -> Places | None:
    """Where the processes go; None where they cannot be placed, or where there is one core only."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    return Places(cores[0], cores[1], cores[-1]) if len(cores) > 1 else None


@contextlib.contextmanager
def on_core(core: int | None) -> Iterator[None]:
    """Run this thread, and what it starts meanwhile, on one core."""
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@dataclass(frozen=True, slots=True)
class Server:
    """A server that listens on a port of this machine, and the process that does its work."""

    port: int
    worker: int

    @property
    def host(self) -> str:
        """What a request calls it."""
        return f"127.0.0.1:{self.port}"

    def seconds(self) -> float | None:
        """Processor time of the worker so far; None where the system does not tell."""
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{self.worker}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return None

    def post(self, path: str, body: bytes) -> bytes:
        """The answer to one POST, whose first time may have odds compiled."""
        request = urllib.request.Request(
            f"http://{self.host}{path}", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_COMPILED_IN) as answer:
            found: bytes = answer.read()
        return found

    def memory(self) -> dict[str, float]:
        """Megabytes: resident (RSS), and with what is shared divided among its owners (PSS)."""
        found = {}
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{self.worker}/smaps_rollup").read_text().splitlines():
                name, _, rest = line.partition(":")
                if name in ("Rss", "Pss"):
                    found[name.upper()] = int(rest.split()[0]) / 1024
        return found


@contextlib.contextmanager
def store(durability: Durability, core: int | None) -> Iterator[str]:
    """An embedded Valkey with an empty folder; its URL."""
    with tempfile.TemporaryDirectory(prefix="croupier-bench-") as folder, on_core(core):
        kept = EmbeddedStore(Path(folder), durability)
        url = kept.start()
        try:
            yield url
        finally:
            kept.stop()


@contextlib.contextmanager
def croupier(url: str, core: int | None, *, odds: bool = False) -> Iterator[Server]:
    """``croupier serve`` with one worker on the store at *url*; *odds* has it load them after the start."""
    command = [
        str(Path(sys.executable).with_name("croupier")),
        "serve",
        "--port",
        "0",
        "--log-level",
        "warning",
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    environment |= {
        "CROUPIER_REDIS_URL": url,
        "CROUPIER_DURABILITY": "memory",  # the store is started as each measurement wants it
        "CROUPIER_SECRET_KEYS": secrets.token_urlsafe(32),
        "CROUPIER_WARM_ODDS": str(odds).lower(),
    }
    with _running(command, core, environment) as process:
        for line in process.stdout or ():
            if found := _PORT.search(line):
                yield Server(int(found[1]), _worker_of(process.pid))
                return
        raise RuntimeError("croupier serve did not start; its messages are above")


@contextlib.contextmanager
def reference(url: str, core: int | None, state_bytes: int, answer_bytes: int) -> Iterator[Server]:
    """The bare handler on the store at *url*, with states and answers of these sizes."""
    command = [sys.executable, str(_BARE), "bare", url, str(state_bytes), str(answer_bytes)]
    with _running(command, core) as process:
        yield Server(_port_of(process), process.pid)


@contextlib.contextmanager
def echo(core: int | None, answer_bytes: int) -> Iterator[Server]:
    """A socket that answers at once."""
    with _running([sys.executable, str(_BARE), "echo", str(answer_bytes)], core) as process:
        yield Server(_port_of(process), process.pid)


@contextlib.contextmanager
def _running(
    command: list[str], core: int | None, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    with on_core(core):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()


def _port_of(process: subprocess.Popen[str]) -> int:
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise RuntimeError("the reference server did not start; its messages are above")
    return int(line)


def _worker_of(parent: int) -> int:
    """The worker among a server's children: the one that has used the most memory. The parent without any."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        sizes = {int(child): Path(f"/proc/{child}/statm").read_text().split()[1] for child in children}
        return max(sizes, key=lambda child: int(sizes[child]), default=parent)
    return parent
