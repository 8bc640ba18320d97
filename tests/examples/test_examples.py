"""The example clients, as they stand, against a real server."""

import asyncio
import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from serving import Start

EXAMPLES = Path(__file__).parents[2] / "openapi" / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, EXAMPLES / name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_bot_plays_a_match(start: Start) -> None:
    played = run("bot.py", start().url, "--rounds", "7", "--ante", "3")
    assert played.returncode == 0, played.stderr
    assert "7 rounds: " in played.stdout
    assert "Every deck was the one committed to" in " ".join(played.stdout.split())


def test_the_bots_say_in_one_line_that_no_server_answers() -> None:
    for name in ("bot.py", "ultimate.py"):
        played = run(name, "http://127.0.0.1:1")
        assert played.returncode == 1
        assert played.stderr.splitlines()[-1].startswith("No answer from http://127.0.0.1:1")


def test_the_bot_notices_a_deck_that_was_not_committed_to(example: Any) -> None:
    fair = example("fair")
    round_ = {
        "number": 1,
        "fairness": {"server_seed": "00" * 32, "client_seed": "client", "commitment": "00" * 32},
    }
    with pytest.raises(fair.Unfair):
        fair.check(round_, "session", "00" * 32)


@pytest.mark.timeout(240)
def test_six_bots_at_once_lose_no_decision_in_500_rounds(start: Start, example: Any) -> None:
    server = start("--workers", "2", "--durability", "memory")
    ledger = asyncio.run(example("ultimate").play(server.url, seats=6, rounds=500))
    assert [total["rounds"] for total in ledger["totals"]] == [500] * 6
    assert sum(total["net"] for total in ledger["totals"]) == -ledger["house_net"]
    for total in ledger["totals"]:
        assert total["won"] + total["lost"] + total["tied"] == 500
        assert total["net"] == total["returned"] - total["staked"]
    assert server.errors.read_text().count("\n") <= 1
