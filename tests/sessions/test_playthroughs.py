"""Whole hands as golden text play again byte for byte. How to write them: see ``playthroughs.py``."""

import pytest

from sessions.playthroughs import FOLDER, played

PLAYTHROUGHS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.txt"))}


def test_there_are_playthroughs_of_every_game() -> None:
    games = [name.split("-")[0] for name in PLAYTHROUGHS]
    assert {game: games.count(game) for game in games} == {"casino": 2, "no_limit": 7, "ultimate": 2}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PLAYTHROUGHS.items()])
async def test_a_playthrough_plays_again_byte_for_byte(text: str) -> None:
    assert await played(text) == text
