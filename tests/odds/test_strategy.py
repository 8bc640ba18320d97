"""Strategy cards, and the commands that print them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from croupier.cli.odds import app
from croupier.odds import decisions
from croupier.odds.figures import from_json, shipped
from croupier.odds.starting_hands import STARTING_HANDS
from croupier.odds.strategy import casino_holdem_card, rows, shorthand, svg, ultimate_card

PUBLISHED = "33+, A2s+, K2s+, Q6s+, J8s+, A2o+, K5o+, Q8o+, JTo"


@pytest.mark.parametrize(
    ("hands", "text"),
    [
        (["AA", "KK", "QQ"], "QQ+"),
        (["88", "77", "22"], "88-77, 22"),
        (["AKs", "AQs", "ATs", "KQo"], "AQs+, ATs, KQo"),
        (["32s"], "32s"),
        (STARTING_HANDS[-1:], "22"),
        ([], ""),
    ],
)
def test_shorthand(hands, text):
    assert shorthand(hands) == text


def test_the_published_start_of_ultimate():
    card = ultimate_card("published", (4,))
    assert card.rules[0] == f"Play 4×: {PUBLISHED}."
    assert card.rules[1:] == (
        "Check every other hand.",
        "House edge when so played, and rightly after: 2.1850 % of the ante.",
    )


def test_three_times_is_never_best_beside_four_and_has_a_card_of_its_own():
    assert ultimate_card("seed", (3, 4)).rules == ultimate_card("seed", (4,)).rules
    assert ultimate_card("seed", (3,)).rules[0].startswith("Play 3×: ")
    with pytest.raises(KeyError):
        ultimate_card("seed", (2,))


def test_casino_holdem_says_how_often_each_hand_is_called():
    cells = {cell.hand: cell for cell in casino_holdem_card().cells}
    assert tuple(cells) == STARTING_HANDS
    assert cells["AA"].label == "100"
    assert cells["AKs"].label == "99"  # folded on a flop or two, so not rounded up
    assert cells["32o"].strength == min(cell.strength for cell in cells.values())


def test_a_chart_has_aces_at_the_top_and_pairs_on_the_diagonal():
    chart = rows(casino_holdem_card())
    assert [row[place].hand for place, row in enumerate(chart)] == [rank * 2 for rank in "AKQJT98765432"]


@pytest.mark.parametrize("card", [casino_holdem_card(), ultimate_card("seed", (4,))])
def test_the_picture_is_a_picture_of_all_hands(card):
    picture = ElementTree.fromstring(svg(card))
    space = "{http://www.w3.org/2000/svg}"
    written = [text.text for text in picture.iter(f"{space}text")]
    assert set(STARTING_HANDS) <= set(written)
    assert picture.find(f"{space}title").text == card.title
    assert set(card.rules) <= set(written)


# ── The commands ─────────────────────────────────────────────────────────────────────────────────────────


def run(*arguments: str):
    return CliRunner().invoke(app, arguments)


def test_the_edges_that_this_version_came_with(tmp_path):
    printed = run("edge", "--known")
    assert printed.exit_code == 0
    assert "2.1576458362 %" in printed.stdout
    assert "2.6878865500 %" in printed.stdout
    path = tmp_path / "figures.json"
    known = json.loads(run("edge", "--known", "--json", "--save", str(path)).stdout)
    assert {edge["deals"] for edge in known["edges"]} == {27_813_810_024_000}
    assert len(known["edges"]) == 7
    assert from_json(path.read_text("utf-8")) == shipped()


def test_a_strategy_card(tmp_path):
    path = tmp_path / "card.svg"
    printed = run("strategy", "ultimate-texas-holdem", "--profile", "published", "--svg", str(path))
    assert PUBLISHED in printed.stdout.replace("\n", " ")
    assert path.read_text("utf-8") == svg(ultimate_card("published", (4,)))
    assert run("strategy", "casino-holdem").exit_code == 0


def test_warming_ahead_leaves_machine_code_on_disk():
    assert run("warm").exit_code == 0
    kept = Path(vars(decisions)["_casino_calls"].stats.cache_path)
    assert list(kept.glob("decisions._casino_calls-*.nbi"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-limit-holdem",),
        ("ultimate-texas-holdem", "--multiples", "2"),
        ("ultimate-texas-holdem", "--profile", "x"),
    ],
)
def test_what_has_no_card_is_refused(arguments):
    assert run("strategy", *arguments).exit_code == 2
