"""The README says what is true: its round is played, its settings are all there are."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from croupier.settings import Settings, default, variable
from serving import PATIENCE, Start

README = (Path(__file__).parent.parent / "README.md").read_text()


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
