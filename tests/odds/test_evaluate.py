"""The batch evaluator against the rules' own, and what it refuses."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from phevaluator import evaluate_cards

from croupier.odds.evaluate import evaluate_batch
from croupier.rules.cards import DECK
from croupier.rules.hands import strength


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_of_every_size(size):
    random = Random(size)
    hands = [random.sample(DECK, size) for _ in range(20_000)]
    assert evaluate_batch(hands).tolist() == [strength(hand) for hand in hands]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_random_hands_beside_another_evaluator(size):
    random = Random(10 + size)
    hands = [random.sample(DECK, size) for _ in range(20_000)]
    assert evaluate_batch(hands).tolist() == [7463 - evaluate_cards(*hand) for hand in hands]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_every_hand_with_many_cards_of_one_suit(size):
    hands = [
        (*suited, *(1, 6)[: size - held])
        for held in range(5, size + 1)
        for suited in combinations(DECK[::4], held)
    ]
    assert len(hands) > 1_000
    assert evaluate_batch(hands).tolist() == [strength(hand) for hand in hands]


def test_all_five_card_hands_fall_into_the_known_categories():
    hands = np.array(list(combinations(DECK, 5)), np.uint8)
    values, counts = np.unique(evaluate_batch(hands), return_counts=True)
    assert values.tolist() == list(range(1, 7463))
    assert counts[-1] == 4  # royal flushes
    assert counts.sum() == 2_598_960


def test_any_integer_type_and_layout():
    hands = np.array([[0, 5, 9, 13, 18, 22, 51], [51, 47, 43, 39, 35, 0, 1]])
    expected = [strength(hand) for hand in hands.tolist()]
    for given in (hands, hands.astype(np.int8), np.asfortranarray(hands.astype(np.uint8)), hands.tolist()):
        assert evaluate_batch(given).tolist() == expected


@pytest.mark.parametrize(
    "hands",
    [
        [[0, 1, 2, 3]],
        [[0, 1, 2, 3, 4, 5, 6, 7]],
        [0, 1, 2, 3, 4],
        [[0.0, 1.0, 2.0, 3.0, 4.0]],
        [[0, 1, 2, 3, 52]],
        [[0, 1, 2, 3, 256]],
        [[0, 1, 2, 3, -1]],
        [[0, 1, 2, 3, 3]],
    ],
)
def test_what_is_no_hand_is_refused(hands):
    with pytest.raises(ValueError):
        evaluate_batch(hands)
