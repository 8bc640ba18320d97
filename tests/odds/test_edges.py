"""The shipped figures: as published to the last digit given; counted anew, partly quickly, wholly slowly."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from croupier.odds import sweep
from croupier.odds.advice import casino_holdem, ultimate_texas_holdem
from croupier.odds.edges import compute, distinct_flops
from croupier.odds.figures import casino_deals, from_json, shipped
from croupier.odds.stakes import PROFILE_ORDER, stakes
from croupier.odds.starting_hands import STARTING_HANDS, combinations_of, starting_hand
from croupier.odds.tables import tables
from croupier.rules.actions import Call, Check, Play
from croupier.rules.cards import DECK, cards

DEALS = 27_813_810_024_000
CASINO, ULTIMATE = "casino-holdem", "ultimate-texas-holdem"


def percent(value, digits: int) -> str:
    return f"{float(100 * value):.{digits}f}"


# ── As published ─────────────────────────────────────────────────────────────────────────────────────────


def test_casino_holdem():
    edge = shipped().edge(CASINO)
    assert edge.deals == DEALS
    assert percent(edge.house_edge, 10) == "2.1576458362"
    assert percent(edge.element_of_risk, 7) == "0.8173476"
    assert edge.frequencies["call"] == Fraction(21_309_060, 25_989_600)
    assert sum(shipped().casino_calls.values()) == 21_309_060
    assert sum(casino_deals(name) for name in STARTING_HANDS) == 25_989_600


@pytest.mark.parametrize(
    ("profile", "multiples", "edge", "digits"),
    [
        ("seed", (4,), "2.6878865500", 10),
        ("seed", (3, 4), "2.6878865500", 10),
        ("published", (4,), "2.1849713763", 10),
        ("published", (3, 4), "2.1849713763", 10),
        ("published", (3,), "9.6654791", 7),
    ],
)
def test_ultimate(profile, multiples, edge, digits):
    found = shipped().edge(ULTIMATE, profile, multiples)
    assert found.deals == DEALS
    assert percent(found.house_edge, digits) == edge


def test_ultimate_in_the_published_profile_plays_and_folds_as_often_as_published():
    edge = shipped().edge(ULTIMATE, "published", (4,))
    assert percent(edge.element_of_risk, 7) == "0.5262136"
    assert {action: f"{float(share):.9f}" for action, share in edge.frequencies.items()} == {
        "4x": "0.377073906",
        "2x": "0.212846215",
        "1x": "0.218263508",
        "fold": "0.191816370",
    }
    assert edge.standard_deviation == pytest.approx(4.94, abs=0.005)


def test_edges_that_do_not_exist_are_no_edges():
    with pytest.raises(KeyError):
        shipped().edge(ULTIMATE, "seed", (2,))


def test_the_starting_hands_that_are_worth_four_antes():
    def played(profile):
        return {
            name
            for name, hand in shipped().preflop[profile].items()
            if hand.play_value(4) > hand.check_value()
        }

    def at_least(first, lowest, ending):
        ranks = "23456789TJQKA"
        return {first + rank + ending for rank in ranks[ranks.index(lowest) : ranks.index(first)]}

    pairs = {rank * 2 for rank in "3456789TJQKA"}
    aces = at_least("A", "2", "s") | at_least("A", "2", "o")
    kings = at_least("K", "2", "s") | at_least("K", "5", "o")
    queens = at_least("Q", "6", "s") | at_least("Q", "8", "o")
    jacks = at_least("J", "8", "s") | {"JTo"}
    assert played("published") == pairs | aces | kings | queens | jacks
    assert played("seed") == played("published") - {"K2s", "J8s"}


def test_side_bets():
    edges = {(side.bet, side.profile): side.house_edge for side in shipped().side_bets}
    # Of all C(52, 7) hands, as many as the ranking's well-known frequencies say.
    pays = {4_324: 50, 37_260: 40, 224_848: 30, 3_473_184: 8, 4_047_644: 7, 6_180_020: 4, 6_461_620: 3}
    net = sum(hands * odds for hands, odds in pays.items()) - (133_784_560 - sum(pays))
    assert edges["trips", None] == Fraction(-net, 133_784_560)
    assert percent(edges["trips", None], 7) == "3.4979373"
    assert percent(edges["trips", "seed"], 2) == "5.25"
    assert percent(edges["hole_card_bonus", None], 2) == "8.54"


# ── Counted anew ─────────────────────────────────────────────────────────────────────────────────────────


def test_distinct_flops_stand_for_all():
    flops = distinct_flops()
    assert len(flops) == 1_755
    assert sum(flops.values()) == 22_100
    assert set(flops.values()) == {4, 12, 24}


@pytest.mark.parametrize("flop", ["Ah 9h 4h", "8c 8d 3h", "Ks Qs 2d"])
def test_a_swept_flop_is_the_sum_of_its_decisions(flop):
    """Two ways of counting that share no more than the tables."""
    board = cards(flop)
    classes = np.array([[starting_hand(first, second) for second in DECK] for first in DECK], np.int16)
    counts = sweep.sweep_flop(tables(), stakes(), np.array(board, np.int64), classes, 1)
    folds, checks = Counter(), Counter()
    for hole in combinations([card for card in DECK if card not in board], 2):
        place = starting_hand(*hole)
        folds[place] += casino_holdem(hole, board).actions[0].action != Call()
        for index, profile in enumerate(PROFILE_ORDER):
            advice = ultimate_texas_holdem(hole, board, profile.name)
            values = {choice.action: choice.value for choice in advice.actions}
            checks[place, index] += values[Play(2)] < values[Check()]
    for place in range(169):
        assert counts[place, sweep.CASINO_FOLD] == 1_070_190 * folds[place]
        for index in range(len(PROFILE_ORDER)):
            start = sweep.PROFILES_AT + index * sweep.PROFILE_BLOCK
            left = counts[place, start + sweep.RIVER_PLAY : start + sweep.PROFILE_BLOCK].sum()
            assert left == 1_070_190 * checks[place, index]


@pytest.mark.parametrize(("hole", "profile"), [("Kc 5d", "published"), ("7h 4h", "seed")])
def test_a_starting_hand_is_the_mean_of_its_flops(hole, profile):
    two = cards(hole)
    best = Fraction()
    for flop in combinations([card for card in DECK if card not in two], 3):
        best += ultimate_texas_holdem(two, flop, profile).actions[0].value
    assert shipped().preflop[profile][STARTING_HANDS[starting_hand(*two)]].check_value() == best / 19_600


@pytest.mark.parametrize("hole", ["9c 4d", "3c 3d"])
def test_the_flops_that_a_starting_hand_calls_in_casino_holdem(hole):
    two = cards(hole)
    name = STARTING_HANDS[starting_hand(*two)]
    calls = sum(
        casino_holdem(two, flop).actions[0].action == Call()
        for flop in combinations([card for card in DECK if card not in two], 3)
    )
    assert shipped().casino_calls[name] == calls * combinations_of(name)


def test_the_shipped_form_reads_back():
    assert from_json(shipped().to_json()) == shipped()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_everything_counted_anew_is_what_is_shipped():
    seen = []
    assert compute(lambda done, flops: seen.append((done, flops))) == shipped()
    assert seen == [(done, 1_755) for done in range(1, 1_756)]
