"""`croupier play`, `bot` and `doctor` as people run them: processes against a running server."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from serving import PATIENCE, Server, Start


def croupier(*arguments: str, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("croupier"), *arguments],
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=os.environ | environment,
    )


@pytest.fixture
def server(start: Start) -> Server:
    return start(CROUPIER_SANDBOX="true")


@pytest.mark.parametrize(
    ("game", "options", "said"),
    [
        ("casino-holdem", (), "the house's share of a round"),
        ("ultimate-texas-holdem", ("--seats", "2"), "play 4×"),
        ("no-limit-holdem", ("--hasty",), "requests a second"),
    ],
)
def test_bots_play_as_many_rounds_as_they_were_told(
    server: Server, game: str, options: tuple[str, ...], said: str
) -> None:
    played = croupier("bot", game, "--rounds", "30", "--tables", "3", *options, "--url", server.url)
    assert played.returncode == 0, played.stderr
    assert f"{game}, 30 rounds" in played.stdout
    assert said in played.stdout
    staked, returned = (
        int(re.search(rf"{word} +│ +([\d,]+)", played.stdout)[1].replace(",", ""))  # type: ignore[index]
        for word in ("staked", "returned")
    )
    assert staked > 0
    if game == "no-limit-holdem":
        assert staked == returned


def test_a_round_is_played_with_the_keyboard_and_its_deck_checked(server: Server) -> None:
    keys = "\n" + "?\n" + "x\n" + "c\n" + "q\n"
    played = croupier("play", "casino-holdem", "-o", "ante=10", "--url", server.url, given=keys)
    assert played.returncode == 0, played.stderr
    assert "[c] call 20" in played.stdout
    assert re.search(r"call +[+-]\d+\.\d{6} antes", played.stdout)
    assert "One of the letters" in played.stdout
    assert "The deck is the one committed to before the round." in played.stdout
    assert "NOT" not in played.stdout
    assert re.search(r"│ +1 │ +1 │", played.stdout), "a ledger of one round"


def test_words_come_in_the_players_language(server: Server) -> None:
    played = croupier("play", "--words", "fr", "--url", server.url, given="\nc\nq\n")
    assert re.search(r"paire|carte haute|brelan|quinte|couleur|full|carré", played.stdout)


def test_no_limit_is_played_against_bots(server: Server) -> None:
    options = ("-o", "seats=3", "-o", "buy_in=1000")
    keys = "\n" + "a\n" * 30 + "q\n"
    played = croupier("play", "no-limit-holdem", *options, "--url", server.url, given=keys)
    assert played.returncode == 0, played.stderr
    assert "Seat 2:" in played.stdout
    assert "The seed of this deck is shown when the session ends." in played.stdout


def test_a_refusal_says_what_is_allowed(server: Server) -> None:
    played = croupier("play", "casino-holdem", "-o", "ante=0", "--url", server.url)
    assert played.returncode == 1
    assert "ante" in played.stderr


def test_bots_pass_a_refusal_on(server: Server) -> None:
    played = croupier("bot", "ultimate-texas-holdem", "--seats", "9", "--url", server.url)
    assert played.returncode == 1
    assert "seats" in played.stderr
    assert "Traceback" not in played.stderr


@pytest.mark.parametrize("command", [("play",), ("bot", "casino-holdem")])
def test_nobody_there_is_said_and_what_to_do(command: tuple[str, ...]) -> None:
    played = croupier(*command, "--url", "http://127.0.0.1:9")
    assert played.returncode == 2
    assert "Is the server running?" in played.stderr
    assert "Traceback" not in played.stderr


def test_the_doctor_finds_nothing_wrong_with_a_server_that_runs(server: Server, tmp_path: Path) -> None:
    looked = croupier("doctor", "--url", server.url, CROUPIER_DATA=str(tmp_path / "store"))
    assert looked.returncode == 0, looked.stdout
    assert re.search(r"store +the embedded store answers in \d", looked.stdout)
    assert "is ready" in looked.stdout
    assert "✗" not in looked.stdout
    assert "open mode" in looked.stdout


def test_the_doctor_sees_the_keys_in_the_store(tmp_path: Path) -> None:
    data = str(tmp_path / "store")
    assert croupier("keys", "new", "my-casino", CROUPIER_DATA=data).returncode == 0
    looked = croupier("doctor", "--no-server", CROUPIER_DATA=data)
    assert looked.returncode == 0, looked.stdout
    assert "operator keys of my-casino in the store" in looked.stdout
    assert "open mode" not in looked.stdout


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"CROUPIER_PORT": "many"}, "CROUPIER_PORT: must be"),
        (
            {"CROUPIER_REDIS_URL": "redis://127.0.0.1:9", "CROUPIER_SECRET_KEYS": "x" * 40},
            "does not take writes",
        ),
    ],
)
def test_the_doctor_says_what_is_wrong_and_what_to_do(environment: dict[str, str], said: str) -> None:
    looked = croupier("doctor", "--no-server", **environment)
    assert looked.returncode == 1
    assert "✗" in looked.stdout
    assert said in looked.stdout
    assert "Traceback" not in looked.stderr
