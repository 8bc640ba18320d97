"""The README says what is true: its round is played, its settings are all there are."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from croupier.cli import app
from croupier.odds.figures import shipped
from croupier.settings import Settings, default, variable
from serving import PATIENCE, Start

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_settings_are_all_listed_with_their_defaults() -> None:
    rows = re.findall(r"^\| `(CROUPIER_\w+)` \| (?:`([^`]*)`)? ?\|", README, re.MULTILINE)
    assert dict(rows) == {variable(name): default(name) for name in Settings.model_fields}


def test_the_round_is_played_as_it_stands(start: Start) -> None:
    if shutil.which("curl") is None or shutil.which("python3") is None:
        pytest.skip("the README's lines need curl and python3")
    (lines,) = re.findall(r"```sh\n# README: play a round\n(.*?)```", README, re.DOTALL)
    server = start()
    lines = lines.replace("http://127.0.0.1:8000", server.url)
    played = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=PATIENCE)
    dealt, settled, ledger = map(json.loads, played.stdout.strip().splitlines())
    assert dealt["stage"] == "flop"
    assert settled["stage"] == "settled"
    assert ledger["totals"][0]["net"] == settled["settlement"]["seats"][0]["net"]


def test_the_session_is_followed_as_it_stands(start: Start) -> None:
    if shutil.which("curl") is None or shutil.which("python3") is None:
        pytest.skip("the README's lines need curl and python3")
    (lines,) = re.findall(r"```sh\n# README: follow a session\n(.*?)```", README, re.DOTALL)
    lines = lines.replace("http://127.0.0.1:8000", start().url)
    followed = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=PATIENCE)
    assert re.findall(r"^event: (\w+)$", followed.stdout, re.MULTILINE) == ["position", "change", "end"]


def test_the_refusal_is_the_one_that_is_shown(start: Start) -> None:
    if shutil.which("curl") is None:
        pytest.skip("the README's lines need curl")
    ((lines, shown),) = re.findall(
        r"```sh\n# README: be refused\n(.*?)```\n\n```json\n(.*?)```", README, re.DOTALL
    )
    lines = lines.replace("http://127.0.0.1:8000", start().url)
    refused = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=60)
    assert json.loads(refused.stdout) == json.loads(shown)


def test_the_odds_are_asked_for_as_they_stand(start: Start) -> None:
    if shutil.which("curl") is None:
        pytest.skip("the README's lines need curl")
    (lines,) = re.findall(r"```sh\n# README: ask for odds\n(.*?)```", README, re.DOTALL)
    lines = lines.replace("http://127.0.0.1:8000", start().url)
    asked = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=60)
    assert [one["type"] for one in json.loads(asked.stdout)["actions"]] == ["call", "fold"]


def test_the_report_is_asked_for_as_it_stands(start: Start) -> None:
    if shutil.which("curl") is None:
        pytest.skip("the README's lines need curl")
    (lines,) = re.findall(r"```sh\n# README: report the rounds\n(.*?)```", README, re.DOTALL)
    server = start()
    lines = lines.replace("http://127.0.0.1:8000", server.url)
    started = httpx.post(f"{server.url}/v1/sessions", json={"game": "casino-holdem"}).json()
    path = f"{server.url}/v1/sessions/{started['session']['id']}"
    seat = {"Authorization": f"Bearer {started['tokens']['seats'][0]}"}
    httpx.post(f"{path}/deal", json={}, headers=seat)
    httpx.post(f"{path}/decide", json={"action": {"type": "fold"}}, headers=seat)
    asked = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=PATIENCE)
    assert [(row["game"], row["rounds"]) for row in json.loads(asked.stdout)["games"]] == [
        ("casino-holdem", 1)
    ]


def test_the_edges_are_those_of_the_catalogue() -> None:
    rows = dict(re.findall(r"^\| (\w[^|]*?) \| (\d\.\d{10}) \|$", README, re.MULTILINE))
    edges = {
        "Casino Hold'em": shipped().edge("casino-holdem"),
        "Ultimate Texas Hold'em, `seed`": shipped().edge("ultimate-texas-holdem", "seed", (4,)),
        "Ultimate Texas Hold'em, `published`": shipped().edge("ultimate-texas-holdem", "published", (4,)),
    }
    assert rows == {rules: f"{float(100 * edge.house_edge):.10f}" for rules, edge in edges.items()}


def test_the_commands_are_all_there_are() -> None:
    named = set(re.findall(r"`croupier (\w+)", README.partition("## Commands")[2].partition("## ")[0]))
    commands = {command.name for command in app.registered_commands}
    assert named == commands | {group.name for group in app.registered_groups}


def test_a_key_is_made_listed_and_revoked_as_it_stands(tmp_path: Path) -> None:
    (lines,) = re.findall(r"```sh\n# README: make and revoke a key\n(.*?)```", README, re.DOTALL)
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CROUPIER_DATA": str(tmp_path / "store"),
    }
    # The id to revoke is the one that the list shows, as a reader would copy it.
    listing = 'croupier keys list --json | grep -o \'"id": *"[^"]*"\' | cut -d\'"\' -f4'
    lines = lines.replace("revoke ID", f"revoke $({listing})") + "croupier keys list --json\n"
    ran = subprocess.run(
        ["/bin/sh", "-ec", lines], capture_output=True, text=True, timeout=PATIENCE * 3, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    assert "cr_" in ran.stdout
    assert "back-office" in ran.stdout
    assert json.loads(ran.stdout.strip().splitlines()[-1]) == []


def test_every_snippet_is_run_by_a_test_or_is_a_target_of_make() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    tested = Path(__file__).read_text()
    for snippet in re.findall(r"```sh\n(.*?)```", README, re.DOTALL):
        first, *_ = snippet.splitlines()
        if first.startswith("# README: "):
            assert first in tested, first
            continue
        for line in snippet.splitlines():
            command = line.partition("#")[0].split()
            assert command == [".ci/run"] or (command[0] == "make" and command[1] in targets), line
