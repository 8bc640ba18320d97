"""The pages about the games say what the rules do, and their rounds can be played as they stand."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from croupier.odds.figures import shipped
from croupier.rules import tables
from croupier.rules.registry import GAMES
from serving import PATIENCE, Start

PAGES = Path(__file__).parent.parent / "docs/games"
_PAY_TABLE = re.compile(r"<!-- pay table: (\w+) -->\n\|[^\n]*\n\|---\|---\|\n((?:\|[^\n]*\n)+)")


def test_every_game_has_its_page() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(GAMES)


def test_the_pay_tables_are_those_of_the_rules() -> None:
    shown = {
        name: dict(re.findall(r"^\| ([^|]+) \| (\S+) \|$", rows, re.MULTILINE))
        for page in PAGES.glob("*.md")
        for name, rows in _PAY_TABLE.findall(page.read_text())
    }
    assert shown == {
        name: {what.replace("_", " "): str(odds) for what, odds in getattr(tables, name).items()}
        for name in ("CASINO_HOLDEM_ANTE", "BLIND", "TRIPS", "PROGRESSIVE_TRIPS", "HOLE_CARD_BONUS")
    }


@pytest.mark.parametrize(
    ("page", "profile", "digits"),
    [
        ("casino-holdem", None, r"keeps (\d\.\d{10}) % of the ante"),
        ("ultimate-texas-holdem", "seed", r"\| `seed` .* \| (\d\.\d{10}) \|"),
        ("ultimate-texas-holdem", "published", r"\| `published` .* \| (\d\.\d{10}) \|"),
    ],
)
def test_the_edges_are_those_we_counted(page: str, profile: str | None, digits: str) -> None:
    edge = shipped().edge(page, profile, (4,)) if profile else shipped().edge(page)
    (shown,) = re.findall(digits, (PAGES / f"{page}.md").read_text())
    assert shown == f"{float(edge.house_edge * 100):.10f}"


@pytest.mark.parametrize(
    ("page", "stage"),
    [("casino-holdem", "settled"), ("ultimate-texas-holdem", "preflop"), ("no-limit-holdem", "preflop")],
)
def test_a_round_is_played_as_it_stands(start: Start, page: str, stage: str) -> None:
    if shutil.which("curl") is None or shutil.which("python3") is None:
        pytest.skip("the page's lines need curl and python3")
    (lines,) = re.findall(r"```sh\n(.*?)```", (PAGES / f"{page}.md").read_text(), re.DOTALL)
    lines = lines.replace("http://127.0.0.1:8000", start().url)
    played = subprocess.run(["/bin/sh", "-c", lines], capture_output=True, text=True, timeout=PATIENCE)
    dealt, decided = map(json.loads, played.stdout.strip().splitlines())
    assert dealt["number"] == decided["number"] == 1
    assert decided["stage"] == stage
    assert decided["version"] == dealt["version"] + 1
