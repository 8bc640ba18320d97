"""Where clients are made, as ``openapi/README.md`` says: a folder a language, kept until something changes.

Each language's section has the commands that make a client, a program, and the command that runs it. The
tools that its first command installs are there already, as locked.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
OPENAPI = TOP / "openapi"
DOCUMENT = OPENAPI / "openapi.json"
README = (OPENAPI / "README.md").read_text(encoding="utf-8")
KEPT = TOP / ".clients"
PATIENCE = 240.0
"""Seconds for one command; the machine may be busy, and the first time everything is downloaded."""


def missing(what: str) -> None:
    """End the test: *what* is not to be had here."""
    if os.environ.get("CROUPIER_REQUIRE_CLIENTS") == "1":
        pytest.fail(what)
    pytest.skip(what)


def need(*programs: str) -> None:
    """End the test where one of *programs* is not on the machine."""
    for program in programs:
        if shutil.which(program) is None:
            missing(f"{program} is not on this machine")


def run(
    command: Sequence[str | Path] | str, folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run *command*, a shell's where it is one string, in *folder*."""
    return subprocess.run(
        ["sh", "-euc", command] if isinstance(command, str) else command,
        cwd=folder,
        env={**os.environ, "NO_PROXY": "127.0.0.1", **(environment or {})},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def done(
    command: Sequence[str | Path] | str, folder: Path, environment: Mapping[str, str] | None = None
) -> str:
    """What *command* prints; it has to end well."""
    ended = run(command, folder, environment)
    assert ended.returncode == 0, f"{command}\n{ended.stdout[-4000:]}{ended.stderr[-4000:]}"
    return ended.stdout


def downloaded(what: str, command: Sequence[str | Path], folder: Path) -> None:
    """Run *command*, which needs a package registry; the test ends where there is none."""
    ended = run(command, folder)
    if ended.returncode:
        missing(f"{what} could not be installed: {ended.stderr.strip()[-500:]}")


def kept(
    name: str, sources: Sequence[Path | str], make: Callable[[Path], None], *, within: Path = KEPT
) -> Path:
    """The folder that *make* filled from *sources*, files and texts; made anew when one of them changes."""
    mark = hashlib.sha256()
    for source in sources:
        mark.update(source.encode() if isinstance(source, str) else source.read_bytes())
    within.mkdir(exist_ok=True)
    folder = within / f"{name}-{mark.hexdigest()[:16]}"
    with (within / f"{name}.lock").open("w") as lock:  # several test processes may want it at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".made").exists():
            for older in within.glob(f"{name}-*"):
                shutil.rmtree(older)
            folder.mkdir()
            make(folder)
            (folder / ".made").touch()
    return folder


def python_tools() -> Path:
    """A virtual environment with what ``requirements/clients.txt`` locks."""
    locked = TOP / "requirements" / "clients.txt"

    def make(folder: Path) -> None:
        done([sys.executable, "-m", "venv", folder], folder)
        pip = [folder / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check"]
        downloaded("What requirements/clients.txt locks", [*pip, "--require-hashes", "-r", locked], folder)

    return kept("python", [locked, sys.version], make)


def node_tools() -> Path:
    """A folder with the node modules that ``openapi/package-lock.json`` locks."""
    need("node", "npm")
    locked = [OPENAPI / name for name in ("package.json", "package-lock.json", ".npmrc")]

    def make(folder: Path) -> None:
        for file in locked:
            shutil.copy(file, folder)
        downloaded("What openapi/package-lock.json locks", ["npm", "ci", "--silent"], folder)

    return kept("node", locked, make)


@dataclass(frozen=True)
class Language:
    """One language's section of the README: how a client is made, a program with it, and how that is run."""

    commands: str
    program: str
    name: str
    command: str

    @classmethod
    def of(cls, heading: str) -> "Language":
        (section,) = re.findall(rf"^## {heading}\n(.*?)^## ", README, re.DOTALL | re.MULTILINE)
        commands, command = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
        ((name, program),) = re.findall(r"```\w+\n(?:#|//) (\S+\.\w+)\n(.*?)```", section, re.DOTALL)
        return cls(commands, program, name, command)


@dataclass(frozen=True)
class Client:
    """A made client: the folder it is in, and the environment that its programs run in."""

    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def runs(self, program: str, name: str, command: str, **environment: str) -> str:
        """What *command* prints, with *program* in the file *name*."""
        (self.folder / name).write_text(program, encoding="utf-8")
        return done(command, self.folder, {**self.environment, **environment})


def client(
    language: Language, name: str, url: str, *, tools: Path, within: Path = KEPT, sources: Sequence[Path] = ()
) -> Client:
    """*language*'s client, made *within* a folder by the README's commands from the server at *url*."""
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "URL": url}

    def make(folder: Path) -> None:
        (folder / "clients").symlink_to(OPENAPI / "clients")
        done(language.commands, folder, environment)

    folder = kept(name, [language.commands, DOCUMENT, *sources], make, within=within)
    for line in re.findall(r"^export (.*)", language.commands, re.MULTILINE):
        variable, _, value = line.partition("=")
        environment[variable] = done(f"echo {value}", folder, environment).strip()
    return Client(folder, environment)
