"""Equities of no-limit hands: against plain loops with two evaluators, and what every answer must keep."""

from fractions import Fraction
from itertools import combinations, permutations
from random import Random

import pytest
from phevaluator import evaluate_cards

from croupier.odds import equities as module
from croupier.odds.equities import equities
from croupier.odds.tally import Equity
from croupier.rules.cards import DECK, cards
from croupier.rules.game import InvalidOption
from croupier.rules.hands import strength

FLOPS = ("2c 7d Th", "9h 9s 3h", "As Ks Qs", "5d 6d 7d", "Ah Ad Ac")


def by_loops(hands, boards) -> list[Equity]:
    """Plain counting over *boards*, each with the hands to compare there."""
    wins, ties, shares, deals = [0] * len(hands), [0] * len(hands), [Fraction()] * len(hands), 0
    for board, held in boards:
        values = [strength((*hand, *board)) for hand in held]
        winners = [place for place, value in enumerate(values) if value == max(values)]
        for place in winners:
            (wins if len(winners) == 1 else ties)[place] += 1
            shares[place] += Fraction(1, len(winners))
        deals += 1
    return [
        Equity(Fraction(win, deals), Fraction(tie, deals), share / deals)
        for win, tie, share in zip(wins, ties, shares, strict=True)
    ]


def full_boards(seen, board):
    unseen = [card for card in DECK if card not in seen]
    return ((*board, *rest) for rest in combinations(unseen, 5 - len(board)))


@pytest.mark.parametrize("flop", FLOPS)
@pytest.mark.parametrize("number", [2, 3, 6, 10])
def test_known_hands_by_plain_loops(flop, number):
    board = cards(flop)
    dealt = Random(f"{flop} {number}").sample([card for card in DECK if card not in board], 2 * number)
    hands = [tuple(dealt[place : place + 2]) for place in range(0, 2 * number, 2)]
    found = equities(hands, board, seed=0)
    assert list(found.equities) == by_loops(
        hands, ((full, hands) for full in full_boards((*dealt, *board), board))
    )
    assert found.exact
    assert found.standard_error is None


@pytest.mark.parametrize("place", [0, 1])
def test_an_unknown_hand_on_the_turn_by_plain_loops(place):
    hole, board = cards("Ah 5h"), cards("2c 7h Th 3h")

    def deals():
        for full in full_boards((*hole, *board), board):
            for two in combinations([card for card in DECK if card not in (*hole, *full)], 2):
                yield full, (hole, two) if place == 0 else (two, hole)

    asked = [hole, ()] if place == 0 else [(), hole]
    found = equities(asked, board, seed=0)
    assert list(found.equities) == by_loops(asked, deals())
    assert found.deals == 46 * 990


def test_two_unknown_hands_share_what_the_known_hand_leaves():
    found = equities([(), cards("Ah As"), ()], cards("2c 7d Th 3h 3s"), seed=0)
    first, aces, second = found.equities
    assert first == second
    assert found.deals == 990 * 903
    assert aces.equity + 2 * first.equity == 1


def test_aces_against_kings_by_another_evaluator():
    hands = [cards("Ah As"), cards("Kh Ks")]
    seen = (*hands[0], *hands[1])
    wins = ties = deals = 0
    for board in full_boards(seen, ()):
        first, second = (evaluate_cards(*hand, *board) for hand in hands)
        wins += first < second
        ties += first == second
        deals += 1
    aces, kings = equities(hands, (), seed=0).equities
    assert aces.win + kings.win + aces.tie == 1
    assert aces == Equity(Fraction(wins, deals), Fraction(ties, deals), Fraction(2 * wins + ties, 2 * deals))


def test_a_board_that_plays_for_everyone_splits_exactly():
    hands = [cards(text) for text in ("2c 3d", "4h 5s", "6c 7d")]
    found = equities(hands, cards("Th Jh Qh Kh Ah"), seed=0)
    assert found.equities == (Equity(Fraction(0), Fraction(1), Fraction(1, 3)),) * 3
    assert found.deals == 1


def test_neither_the_names_of_suits_nor_the_order_of_cards_matters():
    random = Random(3)
    hands, board = [cards("Ah 5h"), cards("Kd Kc"), cards("8h 9h")], cards("2h 7h Td")
    expected = equities(hands, board, seed=0)
    for naming in permutations(range(4)):

        def renamed(dealt, naming=naming):
            return random.sample([card - card % 4 + naming[card % 4] for card in dealt], len(dealt))

        assert equities([renamed(hand) for hand in hands], renamed(board), seed=0) == expected


# ── Samples ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_seed_decides_the_sample():
    hands = [cards("Ah As"), ()]
    assert equities(hands, (), seed=1) == equities(hands, (), seed=1)
    assert equities(hands, (), seed=1) != equities(hands, (), seed=2)


def test_aces_against_any_hand_come_out_at_their_known_equity():
    found = equities([cards("Ah As"), ()], (), seed=5)
    assert not found.exact
    assert abs(float(found.equities[0].equity) - 0.8520371) < 4 * found.standard_error
    assert found.standard_error == pytest.approx((0.8520 * 0.1480 / found.deals) ** 0.5, rel=0.02)


@pytest.mark.parametrize("hands", [("Ah As", ""), ("", "9h 8h"), ("Ah 5h", "", "Kd Kc"), ("Ah 5h", "Kd Kc")])
def test_a_sample_agrees_with_the_full_count(hands, monkeypatch):
    asked, board = [cards(hand) for hand in hands], cards("2h 7h Td 9c")
    exact = equities(asked, board, seed=0)
    assert exact.exact
    monkeypatch.setattr(module, "EXACT_SHOWDOWNS", 0)
    for seed in range(5):
        found = equities(asked, board, seed)
        assert found.standard_error < 0.001
        for sampled, known in zip(found.equities, exact.equities, strict=True):
            assert abs(sampled.equity - known.equity) < 4.5 * found.standard_error


@pytest.mark.parametrize("unknown", range(1, 10))
def test_a_sampled_pot_is_shared_out_whole(unknown):
    found = equities([cards("Ah As"), *[()] * unknown], (), seed=unknown)
    assert sum(one.equity for one in found.equities) == 1
    assert all(one.win <= one.equity <= one.win + one.tie / 2 for one in found.equities)


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hands", "board", "field"),
    [
        (["Ah As"], "", "hands"),
        ([""] * 11, "", "hands"),
        (["Ah As", "Kh"], "", "hands/1"),
        (["Ah As", "Kh Ah"], "", "hands/1/1"),
        (["Ah As", ""], "2c 3c", "board"),
        (["Ah As", ""], "2c 3c As", "board/2"),
    ],
)
def test_what_is_no_showdown_is_refused(hands, board, field):
    with pytest.raises(InvalidOption) as refusal:
        equities([cards(hand) for hand in hands], cards(board), seed=0)
    assert refusal.value.field == field


def test_equities_stand_in_the_order_asked():
    hands = [cards("Ah As"), cards("2c 7d")]
    better = equities(hands, cards("Kd Qd 3s"), seed=0).equities
    assert better == equities(hands[::-1], cards("Kd Qd 3s"), seed=0).equities[::-1]
    assert better[0].equity > better[1].equity
