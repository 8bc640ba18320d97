"""Advice in the house games: against the published values, plain loops, and what must not matter."""

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from croupier.odds.advice import Advice, casino_holdem, casino_holdem_flops, ultimate_texas_holdem
from croupier.rules.actions import Call, Check, Fold, Play
from croupier.rules.cards import DECK, cards
from croupier.rules.game import InvalidOption
from odds import plain


def values(advice: Advice) -> dict[object, Fraction]:
    return {choice.action: choice.value for choice in advice.actions}


# ── Values known from elsewhere ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hole", "flop", "call", "best"),
    [
        ("Ah Kd", "As 7d 4c", 1.708399, Call()),
        ("Kc 2d", "9s 7h 4h", -0.994497, Call()),
        ("Jc 4d", "8s 6h 2h", -1.011219, Fold()),
        ("2c 7d", "Ks Qh 9c", -1.521333, Fold()),
        ("Th 9h", "Ah 5h 2c", 0.523162, Call()),
    ],
)
def test_casino_holdem_on_the_flop(hole, flop, call, best):
    advice = casino_holdem(cards(hole), cards(flop))
    assert float(values(advice)[Call()]) == pytest.approx(call, abs=5e-7)
    assert values(advice)[Fold()] == -1
    assert advice.actions[0].action == best
    assert advice.deals == 1_070_190
    assert advice.exact


@pytest.mark.parametrize(
    ("hole", "play", "check"),
    [
        ("Ah As", 3.601072638, 2.192924106),
        ("Ah Kh", 1.658326405, 0.986740230),
        ("Kh 5s", -0.117582135, -0.151099702),
        ("Kh 4s", -0.228811639, -0.206014324),
        ("2h 2s", -0.287877699, -0.179478437),
        ("3h 2s", -2.348116417, -0.925837406),
    ],
)
def test_ultimate_before_the_flop_in_the_published_profile(hole, play, check):
    advice = ultimate_texas_holdem(cards(hole), (), "published")
    assert float(values(advice)[Play(4)]) == pytest.approx(play, abs=5e-10)
    assert float(values(advice)[Check()]) == pytest.approx(check, abs=5e-10)
    assert advice.deals == 20_975_724_000


# Worked out once by the plain loops of ``plain.py``; the slow test below works such values out again.
@pytest.mark.parametrize(
    ("hole", "flop", "seed", "published"),
    [
        ("Th 9h", "Ah 5h 2c", (506330, 541544), (596576, 546476)),
        ("7c 7d", "Ks Qs 4s", (-1212402, -1204188), (-1212402, -1204188)),
        ("Ac 3d", "9h 9s 3c", (2596196, 1804566), (2596196, 1804566)),
    ],
)
def test_ultimate_on_the_flop(hole, flop, seed, published):
    for profile, (play, check) in (("seed", seed), ("published", published)):
        found = values(ultimate_texas_holdem(cards(hole), cards(flop), profile))
        assert found == {Play(2): Fraction(play, 2 * 1_070_190), Check(): Fraction(check, 2 * 1_070_190)}


# ── Plain loops over every deal ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["two-tone", "suited"])
def test_casino_holdem_by_plain_loops(kind):
    hole, flop = plain.flop_of(kind, Random(kind))
    assert values(casino_holdem(hole, flop))[Call()] == plain.casino_call(hole, flop)


def test_flops_counted_together_are_those_counted_alone():
    flops = [
        (*hole, *flop) for one in range(6) for hole, flop in [plain.flop_of(plain.KINDS[one], Random(one))]
    ]
    assert casino_holdem_flops(flops) == [casino_holdem(flop[:2], flop[2:]) for flop in flops]


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("kind", plain.KINDS)
def test_every_flop_decision_by_plain_loops(kind, number):
    hole, flop = plain.flop_of(kind, Random(f"{kind} {number}"))
    assert values(casino_holdem(hole, flop))[Call()] == plain.casino_call(hole, flop)
    for profile, pushes in (("seed", False), ("published", True)):
        play, check = plain.ultimate_flop(hole, flop, pushes)
        assert values(ultimate_texas_holdem(hole, flop, profile)) == {Play(2): play, Check(): check}


@pytest.mark.parametrize("number", range(40))
def test_ultimate_at_the_river_by_plain_loops(number):
    hole, flop = plain.flop_of(plain.KINDS[number % 6], Random(number))
    board = (*flop, *Random(number).sample([card for card in DECK if card not in (*hole, *flop)], 2))
    for profile, pushes in (("seed", False), ("published", True)):
        advice = ultimate_texas_holdem(hole, board, profile)
        assert values(advice) == {Play(1): plain.ultimate_river(hole, board, pushes), Fold(): -2}
        assert advice.deals == 990


def test_a_flop_check_is_the_mean_of_the_best_at_its_rivers():
    hole, flop = cards("Th 9h"), cards("Ah 5h 2c")
    rest = [card for card in DECK if card not in (*hole, *flop)]
    total = Fraction()
    for place, turn in enumerate(rest):
        for river in rest[place + 1 :]:
            total += ultimate_texas_holdem(hole, (*flop, turn, river), "published").actions[0].value
    assert values(ultimate_texas_holdem(hole, flop, "published"))[Check()] == total / 1081


# ── What must not matter, and what must ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", plain.KINDS)
def test_neither_the_names_of_suits_nor_the_order_of_cards_matters(kind):
    random = Random(kind)
    hole, flop = plain.flop_of(kind, random)
    casino, ultimate = casino_holdem(hole, flop), ultimate_texas_holdem(hole, flop)
    for naming in permutations(range(4)):
        renamed = [card - card % 4 + naming[card % 4] for card in (*hole, *flop)]
        two, three = random.sample(renamed[:2], 2), random.sample(renamed[2:], 3)
        assert casino_holdem(two, three) == casino
        assert ultimate_texas_holdem(two, three) == ultimate


def test_the_best_comes_first_and_costs_nothing():
    advice = ultimate_texas_holdem(cards("Ah Kd"), (), "published", (3, 4))
    assert [choice.action for choice in advice.actions] == [Play(4), Play(3), Check()]
    assert [choice.best for choice in advice.actions] == [True, False, False]
    assert [choice.cost for choice in advice.actions] == [
        advice.actions[0].value - choice.value for choice in advice.actions
    ]


def test_multiples_change_what_may_be_played_before_the_flop_and_nothing_else():
    hole = cards("Ah Kd")
    assert set(values(ultimate_texas_holdem(hole, (), "seed", (3,)))) == {Play(3), Check()}
    by_four = values(ultimate_texas_holdem(hole, (), "seed", (4,)))
    by_both = values(ultimate_texas_holdem(hole, (), "seed", (3, 4)))
    assert by_both.items() >= by_four.items()


def test_a_push_of_the_ante_is_never_worth_less():
    for number in range(20):
        hole, flop = plain.flop_of(plain.KINDS[number % 6], Random(number))
        seed, published = (values(ultimate_texas_holdem(hole, flop, name)) for name in ("seed", "published"))
        assert all(published[action] >= value for action, value in seed.items())


@pytest.mark.parametrize(
    ("hole", "board", "field"),
    [
        ("Ah", "As 7d 4c", "hole"),
        ("Ah Kd", "As 7d 4c 2c", "board"),
        ("Ah Kd", "", "board"),
        ("Ah Ah", "As 7d 4c", "hole/1"),
        ("Ah Kd", "As Kd 4c", "board/1"),
    ],
)
def test_casino_holdem_refuses_what_is_no_flop_decision(hole, board, field):
    with pytest.raises(InvalidOption) as refusal:
        casino_holdem(cards(hole), cards(board))
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("board", "options", "field"),
    [
        ("As", {}, "board"),
        ("As 7d 4c 2c", {}, "board"),
        ("", {"profile": "house"}, "profile"),
        ("", {"preflop_multiples": (2,)}, "preflop_multiples"),
    ],
)
def test_ultimate_refuses_what_the_rules_do_not_have(board, options, field):
    with pytest.raises(InvalidOption) as refusal:
        ultimate_texas_holdem(cards("Ah Kd"), cards(board), **options)
    assert refusal.value.field == field


def test_a_number_beyond_the_deck_is_refused():
    with pytest.raises(InvalidOption) as refusal:
        casino_holdem((52, 3), cards("As 7d 4c"))
    assert refusal.value.field == "hole/0"
