"""The example clients, as they stand, against a real server."""

import asyncio
import hashlib
import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from serving import PATIENCE, Start, until

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
    for name in ("bot.py", "ultimate.py", "no_limit.py"):
        played = run(name, "http://127.0.0.1:1")
        assert played.returncode == 1
        assert played.stderr.splitlines()[-1].startswith("No answer from http://127.0.0.1:1")


def test_a_session_is_watched_to_its_end_through_a_dropped_line(start: Start) -> None:
    server = start()
    with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as http:
        started = http.post("/v1/sessions", json={"game": "no-limit-holdem"}).json()
        session, token = started["session"]["id"], started["tokens"]["table"]
        command = [sys.executable, EXAMPLES / "watch.py", session, server.url]
        with subprocess.Popen(
            command, env={**os.environ, "CROUPIER_TOKEN": token}, stdout=subprocess.PIPE, text=True
        ) as watch:
            assert watch.stdout is not None
            assert watch.stdout.readline().split()[:2] == ["1", "position"]
            # The streams of a worker end with it; another one takes its place.
            (worker,) = server.workers()
            os.kill(worker, signal.SIGTERM)
            until(lambda: not server.workers() & {worker})
            for verb in ("deal", "close"):
                path, bearer = f"/v1/sessions/{session}/{verb}", token if verb == "deal" else None
                headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
                assert http.post(path, json={}, headers=headers).is_success
            told = [line.split()[:2] for line in watch.stdout]
    assert watch.returncode == 0
    assert told == [["2", "round_dealt"], ["3", "round_voided,"], ["over:", "closed"]]


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


def test_six_bots_play_no_limit_until_the_table_closes(start: Start) -> None:
    played = run("no_limit.py", start().url, "--hands", "12")
    assert played.returncode == 0, played.stderr
    assert "Every deck was the one committed to" in " ".join(played.stdout.split())


@pytest.mark.timeout(240)
def test_a_no_limit_table_of_bots_ends_with_one_who_has_all_the_chips(start: Start, example: Any) -> None:
    server = start("--workers", "2", "--durability", "memory")
    session, ledger = asyncio.run(example("no_limit").play(server.url, seats=6, buy_in=300, hands=500))
    assert session["status"] == "finished"
    stacks = {seat["seat"]: seat["stack"] for seat in session["seats"]}
    assert stacks == {seat: 1800 if seat == session["result"] else 0 for seat in range(1, 7)}
    assert {total["seat"]: total["net"] + 300 for total in ledger["totals"]} == stacks
    assert ledger["house_net"] == 0


def test_a_bot_that_was_shown_other_cards_notices(example: Any) -> None:
    fair, no_limit = example("fair"), example("no_limit")
    seed = "00" * 32
    committed = hashlib.sha256(bytes(32)).hexdigest()
    deck = fair.deck(seed, "client", "session", 1)
    seats = [{"seat": seat, "state": "all_in"} for seat in (1, 2)]
    fairness = {"server_seed": seed, "client_seed": "client", "commitment": committed}
    round_ = {"number": 1, "button": 1, "seats": seats, "board": deck[4:9], "fairness": fairness}
    seen = {(1, 2): [deck[0], deck[2]], (1, 1): [deck[1], deck[3]]}
    no_limit.check_hand(round_, "session", committed, seen)
    with pytest.raises(fair.Unfair, match="seat 1"):
        no_limit.check_hand(round_, "session", committed, seen | {(1, 1): [deck[3], deck[1]]})
    with pytest.raises(fair.Unfair, match="board"):
        no_limit.check_hand(round_ | {"board": deck[5:10]}, "session", committed, seen)
