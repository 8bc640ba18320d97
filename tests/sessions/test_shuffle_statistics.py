"""The server's shuffle passes the tests of ``deploy/shuffles.py``, and shuffles with a fault do not."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import TypeAlias

import numpy as np
import pytest

from croupier.rules.cards import DECK
from croupier.sessions import fairness

PROGRAM = Path(__file__).parents[2] / "deploy" / "shuffles.py"
DECKS = 20_000
Shuffle: TypeAlias = Callable[[bytes], Sequence[int]]


@pytest.fixture(scope="module")
def shuffles() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shuffles", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["shuffles"] = module
    spec.loader.exec_module(module)
    return module


def words(seed: bytes) -> Iterator[int]:
    source = Random(seed)
    while True:
        yield source.getrandbits(32)


def swapped(seed: bytes, choose: Callable[[int, int], int]) -> list[int]:
    """Fisher-Yates from the top index down, with the place to swap with as *choose* has it."""
    deck = list(DECK)
    for i, word in zip(range(51, 0, -1), words(seed), strict=False):
        j = choose(i, word)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def any_place(seed: bytes) -> list[int]:
    """The well-known mistake: 52 ways at each step make 52^51 histories, which 52! does not divide."""
    return swapped(seed, lambda i, word: word % 52)


def never_itself(seed: bytes) -> list[int]:
    """Sattolo's algorithm: only decks that are one cycle."""
    return swapped(seed, lambda i, word: word % i)


def bytes_without_rejection(seed: bytes) -> list[int]:
    """A remainder of one byte: up to a fifth less often the last places."""
    return swapped(seed, lambda i, word: word % 256 % (i + 1))


def stops_early(seed: bytes) -> list[int]:
    """The last two indices are never drawn for."""
    return swapped(seed, lambda i, word: word % (i + 1) if i > 1 else i)


def sticky(seed: bytes) -> list[int]:
    """In one deck of ten the ace of spades is put back on top, whatever was there."""
    deck = list(fairness.shuffled(seed, "", "", 1))
    if seed[0] < 26:
        at = deck.index(DECK[-1])
        deck[0], deck[at] = deck[at], deck[0]
    return deck


def cut(seed: bytes) -> list[int]:
    """A new deck, cut: every card is everywhere as often, but the same card always follows it."""
    at = next(words(seed)) % 52
    return [*DECK[at:], *DECK[:at]]


def pair_kept(seed: bytes) -> list[int]:
    """In one deck of four the ace of spades is moved to behind the ace of hearts, if that is not the last."""
    deck = list(fairness.shuffled(seed, "", "", 1))
    at = deck.index(DECK[-2]) + 1
    if seed[0] < 64 and at < 52:
        was = deck.index(DECK[-1])
        deck[at], deck[was] = deck[was], deck[at]
    return deck


def test_the_server_s_shuffle_is_uniform(shuffles: ModuleType) -> None:
    counts = shuffles.counted(shuffles.fair, 2006, 0, DECKS)
    assert counts.places.sum() == 52 * DECKS
    assert counts.pairs.sum() == 1326 * DECKS
    found = shuffles.results(counts)
    assert [one.freedom for one in found] == [51 * 51, 52 * 51 - 1, 52 * 51 - 1 - 2 * 51]
    assert all(one.p > 0.01 for one in found)
    # Nor is it more even than chance: a statistic as small is as unlikely as one as large.
    for one in (found[0], found[2]):
        assert abs(one.statistic - one.freedom) < 2.6 * (2 * one.freedom) ** 0.5


@pytest.mark.parametrize(
    "shuffle",
    [any_place, never_itself, bytes_without_rejection, stops_early, sticky],
    ids=lambda one: one.__name__,
)
def test_a_card_that_has_its_places_is_found(shuffles: ModuleType, shuffle: Shuffle) -> None:
    assert shuffles.places(shuffles.counted(shuffle, 2006, 0, DECKS)).p < 1e-9


@pytest.mark.parametrize("shuffle", [cut, pair_kept], ids=lambda one: one.__name__)
def test_a_card_that_follows_another_is_found(shuffles: ModuleType, shuffle: Shuffle) -> None:
    counts = shuffles.counted(shuffle, 2006, 0, DECKS)
    assert shuffles.neighbours(counts).p < 1e-9
    if shuffle is cut:
        assert shuffles.places(counts).p > 0.01
        assert shuffles.pairs(counts).p < 1e-9


def test_the_statistics_are_on_average_what_their_degrees_of_freedom_say(shuffles: ModuleType) -> None:
    """Exactly so for any number of decks, which a wrong factor would not survive."""
    rng, decks = Random(2006), list(range(52))
    means = {"places": 0.0, "neighbours": 0.0}
    runs = 400
    for _ in range(runs):
        rng.shuffle(decks)
        places = np.zeros((52, 52), np.int64)
        places[range(52), decks] = 1
        pairs = np.zeros((1326, 2704), np.int64)
        for number, (i, j) in enumerate(shuffles.PAIRS):
            pairs[number, 52 * decks[i] + decks[j]] = 1
        counts = shuffles.Counts(1, places, pairs)
        for one in (shuffles.places(counts), shuffles.neighbours(counts)):
            means[one.name] += one.statistic / runs
    assert means["places"] == pytest.approx(51 * 51, rel=0.01)
    assert means["neighbours"] == pytest.approx(2549, rel=0.01)


def test_the_program_shuffles_in_several_processes_and_says_what_it_found() -> None:
    ran = subprocess.run(
        [sys.executable, PROGRAM, "--shuffles", "2000", "--processes", "2"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    for said in ("2,000 shuffles", "places", "2601", "pairs", "2651", "neighbours", "2549"):
        assert said in ran.stdout
