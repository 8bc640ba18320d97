"""``croupier replay`` from outside: a line a hand, a count, and an exit status."""

from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from croupier.cli.replay import replay_files

DATA = Path(__file__).parent / "data" / "phh"


def replay(*arguments: object):
    app = typer.Typer()
    app.command()(replay_files)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_every_recorded_hand_is_ok():
    result = replay(*sorted(DATA.glob("*.phh")))
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert len(lines) == 172
    assert all(line.startswith("ok ") for line in lines[:-1])
    assert lines[-1] == "171 ok, 0 differs, 0 skipped, 0 unreadable"


@pytest.fixture
def spoilt(tmp_path):
    """A file of four hands: in order, with an illegal action, of another game, with a card dealt twice."""
    text = (DATA / "pluribus-44-17.phh").read_text()
    hands = [
        text,
        text.replace("p5 cbr 225", "p5 cbr 175"),
        text.replace("'NT'", "'FT'"),
        text.replace("KdQh", "KdKd"),
    ]
    path = tmp_path / "session.phhs"
    path.write_text("\n".join(f"[{n}]\n{hand}" for n, hand in enumerate(hands, start=1)))
    return path


def test_what_differs_is_named_and_counted_and_is_the_exit_status(spoilt):
    result = replay(spoilt)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"ok          {spoilt} #1",
        f"differs     {spoilt} #2: p5 cbr 175: a total of 175 is below the minimum of 200",
        f"skipped     {spoilt} #3: variant FT, not no-limit hold'em",
        f"unreadable  {spoilt} #4: a card is dealt twice, or the board has more than five",
        "1 ok, 1 differs, 1 skipped, 1 unreadable",
    ]


def test_files_of_other_games_alone_are_no_failure(tmp_path):
    path = tmp_path / "limit.phh"
    path.write_text("variant = 'FT'")
    result = replay(path)
    assert (result.exit_code, result.output.splitlines()[-1]) == (
        0,
        "0 ok, 0 differs, 1 skipped, 0 unreadable",
    )


@pytest.mark.parametrize(
    ("content", "why"), [(b"", "no hand in it"), (b"\xff", "not UTF-8"), (b"Once upon a time", "not TOML")]
)
def test_a_file_that_is_no_history_is_unreadable(tmp_path, content, why):
    path = tmp_path / "story.phh"
    path.write_bytes(content)
    result = replay(path)
    assert result.exit_code == 1
    assert f"unreadable  {path}: {why}" in result.output


def test_a_hand_is_shown_step_by_step_up_to_what_it_came_to():
    """The big blind's ante of 225,000 is in no stack and goes with the main pot."""
    output = replay("--steps", DATA / "wsop-2023-43-5-68.phh").output
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in output.splitlines() if "│" in line]
    assert rows[0][:4] == ["deal", "", "225000 + antes 225000", "2200000"]
    assert rows[5][:5] == ["p2 cbr 3350000", "", "3725000 + antes 225000", "folded", "0"]
    assert rows[-2][:3] == ["d db 6d", "2c 8c Th Ah 6d", ""]
    assert rows[-1][:5] == ["settled", "", "p5 7000000", "2200000", "0"]


def test_the_steps_of_a_hand_that_differs_end_before_its_illegal_action(spoilt):
    output = replay("--steps", spoilt).output
    assert "p4 f" in output
    assert output.count("p5 cbr 175") == 1, "in the line that says what differs, and in no row"
