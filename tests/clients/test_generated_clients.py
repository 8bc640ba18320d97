"""Clients that are generated from the document, as ``openapi/README.md`` says, play whole matches.

Skipped where node, java or a package registry is missing; CROUPIER_REQUIRE_CLIENTS=1 makes that a failure.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from clients.conftest import KEY
from clients.workshop import OPENAPI, TOP, Client, Language, client, done, need, node_tools, python_tools
from serving import PATIENCE, Server

HERE = Path(__file__).parent
LOCKED = TOP / "requirements" / "clients.txt"
PYTHON, TYPESCRIPT, JAVA = map(Language.of, ("Python", "TypeScript", "Java"))

pytestmark = pytest.mark.timeout(600)


def python_client(url: str) -> Client:
    return client(PYTHON, "python-client", url, tools=python_tools() / "bin", sources=[LOCKED])


def typescript_client(url: str) -> Client:
    modules = node_tools()
    return client(TYPESCRIPT, "client", url, tools=modules / "node_modules" / ".bin", within=modules)


def java_client(url: str) -> Client:
    need("java", "javac")
    settings = [LOCKED, OPENAPI / "clients" / "java.yaml"]
    return client(JAVA, "java-client", url, tools=python_tools() / "bin", sources=settings)


LANGUAGES = {
    "python": (PYTHON, python_client, "play.py"),
    "typescript": (TYPESCRIPT, typescript_client, "play.mts"),
    "java": (JAVA, java_client, "Play.java"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readme_plays_a_round(language: str, server: Server) -> None:
    section, made, _ = LANGUAGES[language]
    played = made(server.url).runs(section.program, section.name, section.command, KEY=KEY)
    refused, net = played.splitlines()
    assert refused.startswith("refused: round-in-progress - Round 1 is still open.")
    assert re.match(r"net: -?\d*[05]\b", net)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_client_plays_a_match_of_every_game(language: str, server: Server) -> None:
    section, made, name = LANGUAGES[language]
    command = section.command.replace(Path(section.name).stem, Path(name).stem).strip()
    program = (HERE / name).read_text(encoding="utf-8")
    matches = json.loads(made(server.url).runs(program, name, f"{command} $URL {KEY}"))
    assert [match["game"] for match in matches] == [
        "casino-holdem",
        "ultimate-texas-holdem",
        "no-limit-holdem",
    ]
    for match in matches:
        session, ledger = kept_by(server, match["id"])
        assert session["status"] == "finished"
        assert match["rounds"] == session["rounds_played"] >= 1
        assert match["decisions"] >= match["rounds"]
        assert match["ledger"]["nets"] == [total["net"] for total in ledger["totals"]]
        assert match["ledger"]["entries"] == len(ledger["entries"]) == match["rounds"] + 2
        assert match["ledger"]["last"] == ledger["entries"][-1]["hash"]
        assert match.get("events", session["version"]) == session["version"]


def kept_by(server: Server, session: str) -> tuple[Any, Any]:
    """The session and its ledger, as the operator reads them."""
    headers = {"Authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=PATIENCE, trust_env=False) as http:
        path = f"/v1/sessions/{session}"
        return http.get(path).json(), http.get(f"{path}/ledger").json()


def test_the_python_client_is_typed_down_to_each_action(server: Server) -> None:
    made = python_client(server.url)
    mypy = [Path(sys.executable).with_name("mypy"), "--strict", "--config-file=", "--follow-imports=silent"]
    done([*mypy, "--cache-dir", made.folder / ".mypy_cache", HERE / "play.py"], made.folder)


def test_what_is_locked_names_no_registry() -> None:
    packages = json.loads((OPENAPI / "package-lock.json").read_text())["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)
    assert not [name for name, package in packages.items() if "resolved" in package]
    assert "://" not in LOCKED.read_text()
