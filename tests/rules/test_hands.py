import random
from collections import Counter
from itertools import combinations, pairwise, permutations

import pytest
from phevaluator import evaluate_cards

from croupier.rules.cards import DECK, cards, texts
from croupier.rules.hands import BEST, CATEGORIES, best_hand, category, strength
from rules import brute


def written(text):
    """The category and the best five of *text*, as text."""
    hand = best_hand(cards(text))
    return hand.category, " ".join(texts(hand.cards))


def stronger(one, other):
    return strength(cards(one)) > strength(cards(other))


def random_hands(number, size=7, seed=0):
    sample = random.Random(seed).sample
    return (sample(DECK, size) for _ in range(number))


# ── The ranking ──────────────────────────────────────────────────────────────────────────────────────────

FIVE_CARDS = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pair": 123_552,
    "pair": 1_098_240,
    "high_card": 1_302_540,
}
SEVEN_CARDS = {
    "royal_flush": 4_324,
    "straight_flush": 37_260,
    "four_of_a_kind": 224_848,
    "full_house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three_of_a_kind": 6_461_620,
    "two_pair": 31_433_400,
    "pair": 58_627_800,
    "high_card": 23_294_460,
}


def by_category(strengths):
    counted = Counter()
    for value, number in Counter(strengths).items():
        counted[category(value)] += number
    return counted


def test_every_five_card_hand_counted_by_category():
    assert by_category(map(strength, combinations(DECK, 5))) == FIVE_CARDS


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_seven_card_hand_counted_by_category():
    assert by_category(map(strength, combinations(DECK, 7))) == SEVEN_CARDS


def test_there_are_7462_values_and_five_cards_reach_each_of_them():
    assert BEST == 7462
    assert set(map(strength, combinations(DECK, 5))) == set(range(1, 7463))


def test_categories_follow_each_other_from_worst_to_best():
    names = [category(value) for value in range(1, BEST + 1)]
    assert [name for name, after in pairwise([*names, None]) if name != after] == list(CATEGORIES)
    assert list(CATEGORIES) == list(brute.NAMES)


def test_the_ends_of_the_scale():
    assert strength(cards("7c 5d 4h 3s 2c")) == 1
    assert strength(cards("As Ks Qs Js Ts")) == 7462


# ── Against others ───────────────────────────────────────────────────────────────────────────────────────


def test_a_million_random_hands_as_phevaluator_values_them():
    assert all(strength(hand) == 7463 - evaluate_cards(*hand) for hand in random_hands(1_000_000))


@pytest.mark.parametrize("size", [5, 6])
def test_smaller_hands_as_phevaluator_values_them(size):
    assert all(strength(hand) == 7463 - evaluate_cards(*hand) for hand in random_hands(100_000, size))


@pytest.mark.parametrize(("size", "number"), [(5, 10_000), (6, 10_000), (7, 10_000)])
def test_random_hands_as_looking_at_every_five_of_them_orders_them(size, number):
    known = {}
    for hand in random_hands(number, size, seed=size):
        looked = brute.value(hand)
        valued = strength(hand)
        assert known.setdefault(looked, valued) == valued
        assert category(valued) == brute.NAMES[looked[0]]
    in_order = [known[looked] for looked in sorted(known)]
    assert all(one < other for one, other in pairwise(in_order))


@pytest.mark.parametrize("size", [5, 6, 7])
def test_the_best_five_are_worth_the_whole_hand_and_come_from_it(size):
    for hand in random_hands(5_000, size, seed=size):
        best = best_hand(hand)
        assert len(set(best.cards)) == 5
        assert set(best.cards) <= set(hand)
        assert strength(best.cards) == best.strength == strength(hand)
        assert best.category == category(best.strength)


# ── The traps ────────────────────────────────────────────────────────────────────────────────────────────


def test_trap_two_trips_are_a_full_house():
    assert written("9c 9d 9h 5c 5d 5h As") == ("full_house", "9c 9d 9h 5c 5d")
    assert written("9c 9d 9h 5c 5d 5h 5s") == ("four_of_a_kind", "5c 5d 5h 5s 9c")


def test_trap_three_pairs_keep_the_best_two_and_the_best_of_the_rest():
    assert written("Kc Kd 9c 9d 5c 5d 7h") == ("two_pair", "Kc Kd 9c 9d 7h")


def test_trap_the_third_pair_may_give_the_kicker():
    assert written("Kc Kd 9c 9d 8c 8d 7h") == ("two_pair", "Kc Kd 9c 9d 8c")


def test_trap_the_pair_in_a_full_house_is_the_best_of_two():
    assert written("4c 4d 4h 9c 9d Kc Kd") == ("full_house", "4c 4d 4h Kc Kd")


def test_trap_quads_with_trips_take_the_best_single_card():
    assert written("6c 6d 6h 6s Jc Jd Jh") == ("four_of_a_kind", "6c 6d 6h 6s Jc")


def test_trap_quads_with_a_pair_take_the_best_single_card():
    assert written("6c 6d 6h 6s Jc Jd Qh") == ("four_of_a_kind", "6c 6d 6h 6s Qh")
    assert written("6c 6d 6h 6s Qc Qd Jh") == ("four_of_a_kind", "6c 6d 6h 6s Qc")


def test_trap_six_cards_of_one_suit():
    assert written("2h 4h 6h 8h Th Qh As") == ("flush", "Qh Th 8h 6h 4h")
    assert written("3h 4h 6h 8h Th Qh As") == ("flush", "Qh Th 8h 6h 4h")


def test_trap_seven_cards_of_one_suit():
    assert written("2d 4d 6d 8d Td Qd Ad") == ("flush", "Ad Qd Td 8d 6d")
    assert written("3d 4d 5d 6d 7d Qd Ad") == ("straight_flush", "7d 6d 5d 4d 3d")


def test_trap_a_straight_and_a_flush_are_not_a_straight_flush():
    assert written("5h 6h 7h 8h 9c Kh 2d") == ("flush", "Kh 8h 7h 6h 5h")
    assert written("5h 6h 7h 8h 9h Tc Kd") == ("straight_flush", "9h 8h 7h 6h 5h")


def test_trap_a_flush_with_trips_or_two_pair_stays_a_flush():
    assert written("Ah Kh 9h 5h 2h Ac Ad") == ("flush", "Ah Kh 9h 5h 2h")
    assert written("Ah Kh 9h 5h 2h Ac Kd") == ("flush", "Ah Kh 9h 5h 2h")


def test_trap_ace_high_straight_before_the_wheel_in_the_same_seven():
    assert written("Ac Kd Qh Js Tc 2d 3h") == ("straight", "Ac Kd Qh Js Tc")
    assert written("Ac 2d 3h 4s 5c Kd Qh") == ("straight", "5c 4s 3h 2d Ac")


def test_trap_a_six_card_straight_counts_from_its_top():
    assert written("4c 5d 6h 7s 8c 9d Kh") == ("straight", "9d 8c 7s 6h 5d")
    assert written("Ac 2d 3h 4s 5c 6d Kh") == ("straight", "6d 5c 4s 3h 2d")


def test_trap_a_seven_card_straight_counts_from_its_top():
    assert written("4c 5d 6h 7s 8c 9d Th") == ("straight", "Th 9d 8c 7s 6h")


def test_trap_a_straight_does_not_wrap_around_the_ace():
    assert written("Qc Kd Ah 2s 3c 8d 9h") == ("high_card", "Ah Kd Qc 9h 8d")
    assert written("Qc Kc Ac 2c 3c") == ("flush", "Ac Kc Qc 3c 2c")


def test_trap_the_wheel_is_the_lowest_straight():
    assert stronger("2c 3d 4h 5s 6c", "Ac 2d 3h 4s 5c")
    assert stronger("Ac 2d 3h 4s 5c", "Ac Ad Ah Ks Qc")
    assert written("Ad 2d 3d 4d 5d") == ("straight_flush", "5d 4d 3d 2d Ad")
    assert stronger("2c 3c 4c 5c 6c", "Ad 2d 3d 4d 5d")


def test_trap_a_board_that_plays_for_everyone():
    board = "Tc Jd Qh Ks Ac"
    assert len({strength(cards(f"{board} {hole}")) for hole in ("2c 3d", "9h 9s", "Ad Ah", "Kd Qs")}) == 1


def test_trap_the_sixth_and_seventh_cards_break_no_tie():
    assert strength(cards("Ac Ad Kh Qs Jc 9d 8h")) == strength(cards("Ah As Kd Qc Jh 3c 2d"))


def test_royal_flush_apart_from_the_other_straight_flushes():
    assert written("Ts Js Qs Ks As 9s 8s") == ("royal_flush", "As Ks Qs Js Ts")
    assert written("9s Ts Js Qs Ks Ac Ad") == ("straight_flush", "Ks Qs Js Ts 9s")


# ── How a hand is written ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("seven", "name", "five"),
    [
        ("As Ah Kd 9h 7d 4c 2s", "pair", "Ah As Kd 9h 7d"),
        ("2c 2d 2h Ac Kd 9h 7s", "three_of_a_kind", "2c 2d 2h Ac Kd"),
        ("2c 2d 3h 3s Ac Kd 9h", "two_pair", "3h 3s 2c 2d Ac"),
        ("Ac Jd 9h 7s 5c 3d 2h", "high_card", "Ac Jd 9h 7s 5c"),
        ("Kc Kd 4c 4d 4h 7s 9c", "full_house", "4c 4d 4h Kc Kd"),
    ],
)
def test_groups_come_first_then_high_to_low(seven, name, five):
    assert written(seven) == (name, five)


def test_the_order_of_the_cards_changes_nothing():
    hand = cards("9c 9d 9h 5c 5d 5h As")
    assert len({best_hand(order) for order in permutations(hand)}) == 1
    hand = cards("5h 6h 7h 8h 9c Kh 2d")
    assert len({best_hand(order) for order in permutations(hand)}) == 1


# ── What is refused ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [0, 1, 4, 8, 52])
@pytest.mark.parametrize("function", [strength, best_hand])
def test_other_numbers_of_cards_are_refused(function, number):
    with pytest.raises(ValueError, match=f"from 5 to 7 cards, not {number}"):
        function(DECK[:number])


@pytest.mark.parametrize("value", [-1, 0, 7463])
def test_what_is_no_strength_has_no_category(value):
    with pytest.raises(ValueError, match="from 1 to 7462"):
        category(value)
