"""A new game is one file and one line: High Card is dealt, paid, shown, kept and audited like the others."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from croupier.rules.cards import TEXT
from croupier.sessions.fairness import shuffled

TESTS = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def match() -> Any:
    """In a process of its own, whose registry has the game from the start."""
    played = subprocess.run(
        [sys.executable, "-m", "fourth_game.match"], cwd=TESTS, capture_output=True, text=True, timeout=120
    )
    assert not played.returncode, played.stderr
    return json.loads(played.stdout)


def test_the_catalogue_shows_it(match: Any) -> None:
    entry = match["catalogue"]
    assert entry["names"]["fr"] == "High Card"
    assert [action["code"] for action in entry["actions"]] == ["fold", "call"]
    assert {option["name"]: option.get("max") for option in entry["options"]} == {
        "ante": 10**12 // 4,
        "rounds": 10_000,
    }


def test_its_options_are_checked_by_their_limits(match: Any) -> None:
    assert match["refusal"]["code"] == "invalid-request"
    assert match["refusal"]["errors"][0]["pointer"] == "/ante"


def test_it_is_dealt_hidden_and_paid_by_its_rules(match: Any) -> None:
    assert match["hidden"] is None
    won, tied, *others = match["rounds"]
    assert won["dealer"]["hole"] == ["Kd"]
    assert [bet["net"] for bet in won["settlement"]["seats"][0]["bets"]] == [5, 5]
    assert tied["settlement"]["seats"][0]["net"] == 0
    order = "23456789TJQKA"
    for one in others:
        (hole,) = one["seats"][0]["hole"]
        if one["seats"][0]["state"] == "folded":
            assert one["dealer"]["hole"] is None
            expected = -5
        else:
            mine, dealers = order.index(hole[0]), order.index(one["dealer"]["hole"][0][0])
            expected = 10 * ((mine > dealers) - (mine < dealers))
        assert one["settlement"]["seats"][0]["net"] == expected
        assert one["settlement"]["house_net"] == -expected


def test_the_session_ends_and_the_ledger_holds(match: Any) -> None:
    session, ledger = match["session"], match["ledger"]
    balance = sum(one["settlement"]["seats"][0]["net"] for one in match["rounds"])
    assert session["status"] == "finished"
    assert session["result"] == ("player" if balance > 0 else "house" if balance < 0 else "tie")
    assert session["seats"][0]["balance"] == ledger["totals"][0]["net"] == balance
    assert len(ledger["entries"]) == 1 + len(match["rounds"]) + 1
    assert match["findings"] == []


def test_every_round_can_be_dealt_again_from_its_revealed_seed(match: Any) -> None:
    for one in match["rounds"][2:]:
        fairness = one["fairness"]
        deck = shuffled(
            bytes.fromhex(fairness["server_seed"]),
            fairness["client_seed"],
            match["session"]["id"],
            one["number"],
        )
        assert one["seats"][0]["hole"] == [TEXT[deck[0]]]
        assert one["dealer"]["hole"] in (None, [TEXT[deck[1]]])
