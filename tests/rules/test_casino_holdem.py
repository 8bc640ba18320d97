import random

import pytest

from croupier.rules.actions import AllIn, Bet, Call, Check, Fold, LegalCall, Play, Raise
from croupier.rules.cards import DECK, cards
from croupier.rules.casino_holdem import CasinoHoldem, CasinoHoldemOptions
from croupier.rules.game import (
    MAX_AMOUNT,
    Chair,
    DealerView,
    Finish,
    IllegalAction,
    InvalidOption,
    NotEnoughSeats,
    NotYourTurn,
    SideBets,
    Table,
)
from croupier.rules.hands import best_hand
from croupier.rules.options import limits_of
from rules import brute

GAME = CasinoHoldem()
TABLE = Table((1,))


def deal(hole, dealer, board, ante=1):
    """A round whose cards are known, before its decision."""
    top = cards(f"{hole} {dealer} {board}")
    rest = tuple(one for one in DECK if one not in top)
    return GAME.deal(CasinoHoldemOptions(ante=ante), TABLE, top + rest).state


def call(hole, dealer, board, ante=1):
    """The settlement of a round that was called."""
    return GAME.decide(deal(hole, dealer, board, ante), 1, Call()).settlement


def lines(settlement):
    """Bet, net, outcome and odds of each of the seat's bets."""
    return [(bet.bet, bet.net, bet.outcome, bet.odds) for bet in settlement.seats[0].bets]


# ── The worked example ───────────────────────────────────────────────────────────────────────────────────


def test_the_seeds_worked_example_pays_three_and_returns_six():
    settlement = call("Ah Kd", "Qs Qc", "As 7d 4c 9h 2s")
    (row,) = settlement.seats
    assert lines(settlement) == [("ante", 1, "win", "1:1"), ("call", 2, "win", "1:1")]
    assert [(bet.staked, bet.returned) for bet in row.bets] == [(1, 2), (2, 4)]
    assert row.net == 3
    assert settlement.house_net == -3
    assert row.hand.category == "pair"
    assert row.hand.cards == cards("Ah As Kd 9h 7d")
    assert settlement.dealer.qualified is True
    assert settlement.dealer.hand.cards == cards("Qc Qs As 9h 7d")


# ── Settlement, case by case ─────────────────────────────────────────────────────────────────────────────


def test_a_fold_loses_the_ante_alone():
    transition = GAME.decide(deal("2c 7d", "Qs Qc", "Ks Qh 9c 3d 4h", ante=5), 1, Fold())
    assert lines(transition.settlement) == [("ante", -5, "lose", None)]
    assert transition.settlement.seats[0].hand is None
    assert transition.settlement.dealer.qualified is None
    assert transition.settlement.dealer.hand is None
    assert transition.settlement.house_net == 5
    assert transition.meter is None


def test_a_dealer_that_does_not_qualify_pays_the_ante_and_pushes_the_call():
    settlement = call("Ah Kd", "Qs Jc", "As 7d 4c 9h 2s", ante=3)
    assert lines(settlement) == [("ante", 3, "win", "1:1"), ("call", 0, "push", None)]
    assert settlement.seats[0].bets[1].returned == 6
    assert settlement.dealer.qualified is False
    assert settlement.dealer.hand.category == "high_card"


def test_a_dealer_that_does_not_qualify_pays_the_ante_even_to_a_weaker_hand():
    settlement = call("8c 6d", "Ah Kd", "Qs 9c 7h 3d 2c")
    assert settlement.dealer.hand.strength > settlement.seats[0].hand.strength
    assert lines(settlement) == [("ante", 1, "win", "1:1"), ("call", 0, "push", None)]


def test_a_dealer_that_does_not_qualify_pays_the_ante_at_its_table():
    settlement = call("Ah 9h", "Kd Jc", "3h 6h Th 2s Qc", ante=10)
    assert settlement.dealer.qualified is False
    assert lines(settlement) == [("ante", 20, "win", "2:1"), ("call", 0, "push", None)]


def test_a_stronger_dealer_that_qualifies_takes_both_bets():
    settlement = call("Ah Kd", "7s 7c", "As 7d 4c 9h 2s", ante=4)
    assert lines(settlement) == [("ante", -4, "lose", None), ("call", -8, "lose", None)]
    assert settlement.house_net == 12


def test_a_hand_of_the_pay_table_that_loses_is_paid_nothing():
    settlement = call("Ah 9h", "Kh Kc", "3h 6h Th Ks 6s", ante=1)
    assert settlement.seats[0].hand.category == "flush"
    assert settlement.dealer.hand.category == "full_house"
    assert lines(settlement) == [("ante", -1, "lose", None), ("call", -2, "lose", None)]


def test_an_exact_tie_pushes_both_bets():
    settlement = call("Ah Kd", "As Kc", "Qs Qd 4c 9h 2s", ante=4)
    assert lines(settlement) == [("ante", 0, "push", None), ("call", 0, "push", None)]
    assert [bet.returned for bet in settlement.seats[0].bets] == [4, 8]
    assert settlement.house_net == 0


def test_a_tie_with_a_hand_of_the_pay_table_pushes_all_the_same():
    settlement = call("2c 3d", "4h 5c", "Ts Js Qs Ks As")
    assert settlement.seats[0].hand.category == "royal_flush"
    assert lines(settlement) == [("ante", 0, "push", None), ("call", 0, "push", None)]


@pytest.mark.parametrize(
    ("dealer", "board", "qualified"),
    [
        ("4c 2d", "4d 5h 3s 7c 8d", True),
        ("4c Kd", "4d Ah Qs 7c 8d", True),
        ("3c Ad", "3d Kh Qs 7c 9d", False),
        ("Kc Ad", "3d 3h Qs 7c 9d", False),
        ("Kc Ad", "4d 4h Qs 7c 9d", True),
        ("2c 3c", "2d 3d Qs 7h 9s", True),
        ("Ac Kd", "Qs Jh 9c 7d 5s", False),
        ("2c 2d", "Qs Jh 9c 7d 5s", False),
        ("2c 2d", "2s Jh 9c 7d 5s", True),
    ],
)
def test_the_dealer_qualifies_with_a_pair_of_fours_or_better(dealer, board, qualified):
    assert call("8s Ts", dealer, board).dealer.qualified is qualified


# ── The ante's pay table: against a dealer that qualifies and is beaten ──────────────────────────────────


@pytest.mark.parametrize(
    ("category", "hole", "dealer", "board", "net", "odds"),
    [
        ("royal_flush", "As Ks", "9c 9d", "Qs Js Ts 2c 3d", 100, "100:1"),
        ("straight_flush", "8s 7s", "Ac Ad", "6s 5s 4s 2c 3d", 20, "20:1"),
        ("straight_flush", "Kd Qd", "5c 5h", "Jd Td 9d Ah 3c", 20, "20:1"),
        ("four_of_a_kind", "8s 8h", "Ac Ad", "8d 8c 4s 2c 3d", 10, "10:1"),
        ("full_house", "8s 8h", "Ac Ad", "8d 4c 4s 2c 3d", 3, "3:1"),
        ("flush", "As 9s", "Kc Kd", "8s 4s 2s Jc 3d", 2, "2:1"),
        ("straight", "9s 8h", "Kc Kd", "7d 6c 5s 2c Jd", 1, "1:1"),
        ("three_of_a_kind", "9s 9h", "Kc Kd", "9d 6c 5s 2c Jd", 1, "1:1"),
        ("two_pair", "9s 8h", "Kc Kd", "9d 8c 5s 2c Jd", 1, "1:1"),
        ("pair", "As Ah", "Kc Kd", "9d 8c 5s 2c Jd", 1, "1:1"),
    ],
)
def test_the_ante_is_paid_by_the_seats_hand_and_the_call_at_even_money(
    category, hole, dealer, board, net, odds
):
    settlement = call(hole, dealer, board, ante=7)
    assert settlement.seats[0].hand.category == category
    assert settlement.dealer.qualified is True
    assert lines(settlement) == [("ante", 7 * net, "win", odds), ("call", 14, "win", "1:1")]


def test_high_card_is_paid_evens_by_a_dealer_that_does_not_qualify():
    settlement = call("Ah Kd", "Qs Jc", "9s 7d 4c 3h 2s", ante=7)
    assert settlement.seats[0].hand.category == "high_card"
    assert lines(settlement) == [("ante", 7, "win", "1:1"), ("call", 0, "push", None)]


def test_the_highest_ante_pays_no_more_than_the_greatest_amount():
    highest = limits_of(CasinoHoldemOptions)["ante"].high
    (row,) = call("As Ks", "9c 9d", "Qs Js Ts 2c 3d", ante=highest).seats
    assert sum(bet.returned for bet in row.bets) == 105 * highest <= MAX_AMOUNT


def test_the_greatest_sums_of_a_session_are_exact_in_every_json_reader():
    limits = limits_of(CasinoHoldemOptions)
    assert 105 * limits["ante"].high * limits["rounds"].high < 2**53


# ── Against a settlement by brute force ──────────────────────────────────────────────────────────────────

ANTE_NETS = {
    "royal_flush": 100, "straight_flush": 20, "four_of_a_kind": 10, "full_house": 3, "flush": 2,
}  # fmt: skip


def nets_by_brute_force(hole, dealer, board, ante):
    seat, house = brute.value(hole + board), brute.value(dealer + board)
    paid = ante * ANTE_NETS.get(brute.NAMES[seat[0]], 1)
    if house[0] == 0 or (house[0] == 1 and house[1][0] < 4):
        return [paid, 0]
    if seat > house:
        return [paid, 2 * ante]
    return [0, 0] if seat == house else [-ante, -2 * ante]


def test_random_rounds_settle_as_brute_force_says_and_sum_to_zero():
    rng = random.Random(2024)
    seen = set()
    for _ in range(4_000):
        deck = rng.sample(DECK, 52)
        ante = rng.randint(1, 1000)
        state = GAME.deal(CasinoHoldemOptions(ante=ante), TABLE, deck).state
        settlement = GAME.decide(state, 1, Call()).settlement
        (row,) = settlement.seats
        expected = nets_by_brute_force(deck[:2], deck[2:4], deck[4:9], ante)
        assert [bet.net for bet in row.bets] == expected
        assert [bet.staked for bet in row.bets] == [ante, 2 * ante]
        assert all(bet.net == bet.returned - bet.staked for bet in row.bets)
        assert sum(expected) + settlement.house_net == 0
        seen.add((settlement.dealer.qualified, *(bet.outcome for bet in row.bets)))
    assert seen == {
        (False, "win", "push"),
        (True, "win", "win"),
        (True, "push", "push"),
        (True, "lose", "lose"),
    }


# ── The deal ─────────────────────────────────────────────────────────────────────────────────────────────


def test_cards_leave_the_deck_from_the_top_hole_dealer_flop_turn_river():
    state = GAME.deal(CasinoHoldemOptions(), TABLE, DECK).state
    shown = GAME.view(GAME.decide(state, 1, Call()).state, 1)
    assert shown.seats[0].hole == DECK[:2]
    assert shown.dealer.hole == DECK[2:4]
    assert shown.board == DECK[4:9]


def test_one_seat_brings_no_stack_and_is_dealt_in():
    options = CasinoHoldemOptions()
    assert GAME.chairs(options) == (Chair(1),)
    assert GAME.table(options, GAME.chairs(options), 1) == Table((1,))


def test_nobody_to_deal_in():
    with pytest.raises(NotEnoughSeats):
        GAME.table(CasinoHoldemOptions(), (), 1)


@pytest.mark.parametrize(
    ("side_bets", "field"),
    [
        ([SideBets(1, trips=5)], "bets/0/trips"),
        ([SideBets(1, hole_card_bonus=5)], "bets/0/hole_card_bonus"),
        ([SideBets(2)], "bets/0/seat"),
        ([SideBets(1), SideBets(1)], "bets/1/seat"),
    ],
)
def test_side_bets_are_refused(side_bets, field):
    with pytest.raises(InvalidOption) as refused:
        GAME.deal(CasinoHoldemOptions(), TABLE, DECK, side_bets)
    assert refused.value.field == field


def test_side_bets_of_nothing_are_no_side_bets():
    assert GAME.deal(CasinoHoldemOptions(), TABLE, DECK, [SideBets(1)]) == GAME.deal(
        CasinoHoldemOptions(), TABLE, DECK
    )


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"ante": 0}, "ante"),
        ({"ante": -1}, "ante"),
        ({"ante": MAX_AMOUNT // 200 + 1}, "ante"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 10_001}, "rounds"),
    ],
)
def test_options_outside_their_limits_are_refused(values, field):
    with pytest.raises(InvalidOption) as refused:
        CasinoHoldemOptions(**values)
    assert refused.value.field == field


def test_options_have_the_seeds_defaults():
    assert CasinoHoldemOptions() == CasinoHoldemOptions(ante=1, rounds=20)


# ── The decision ─────────────────────────────────────────────────────────────────────────────────────────

ROUND = ("Ah Kd", "Qs Qc", "As 7d 4c 9h 2s")


def test_fold_or_call_for_twice_the_ante():
    state = deal(*ROUND, ante=3)
    assert GAME.to_act(state) == (1,)
    assert GAME.legal_actions(state, 1) == (Fold(), LegalCall(6))
    assert GAME.legal_actions(state, 2) == ()


@pytest.mark.parametrize("action", [Check(), AllIn(), Bet(2), Raise(2), Play(4)])
def test_any_other_action_is_illegal(action):
    state = deal(*ROUND)
    with pytest.raises(IllegalAction, match=f"not {action.type}") as refused:
        GAME.decide(state, 1, action)
    assert refused.value.legal == (Fold(), LegalCall(2))


def test_a_seat_that_is_not_dealt_in_is_not_in_turn():
    with pytest.raises(NotYourTurn) as refused:
        GAME.decide(deal(*ROUND), 2, Call())
    assert refused.value.to_act == (1,)


@pytest.mark.parametrize("first", [Fold(), Call()])
def test_a_settled_round_takes_no_further_decision(first):
    settled = GAME.decide(deal(*ROUND), 1, first).state
    assert GAME.to_act(settled) == ()
    assert GAME.legal_actions(settled, 1) == ()
    with pytest.raises(NotYourTurn) as refused:
        GAME.decide(settled, 1, Call())
    assert refused.value.to_act == ()


def test_the_same_decisions_on_the_same_deck_give_the_same_round():
    assert GAME.decide(deal(*ROUND), 1, Call()) == GAME.decide(deal(*ROUND), 1, Call())


# ── Sight ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_seat_sees_its_cards_and_the_flop():
    view = GAME.view(deal(*ROUND), 1)
    assert view.stage == "flop"
    assert view.board == cards("As 7d 4c")
    assert view.seats[0].hole == cards("Ah Kd")
    assert view.seats[0].state == "deciding"
    assert view.seats[0].bets == {"ante": 1}
    assert view.dealer == DealerView(None, None)
    assert view.to_act == (1,)
    assert view.legal_actions == (Fold(), LegalCall(2))
    assert view.settlement is None


@pytest.mark.parametrize("viewer", [None, 2])
def test_others_see_no_hole_cards_before_the_settlement(viewer):
    view = GAME.view(deal(*ROUND), viewer)
    assert view.seats[0].hole is None
    assert view.dealer == DealerView(None, None)
    assert view.board == cards("As 7d 4c")
    assert view.to_act == (1,)
    assert view.legal_actions == ()


@pytest.mark.parametrize("viewer", [None, 1])
def test_a_fold_opens_the_seats_cards_and_nothing_of_the_dealers(viewer):
    transition = GAME.decide(deal(*ROUND), 1, Fold())
    view = GAME.view(transition.state, viewer)
    assert view.stage == "settled"
    assert view.board == cards("As 7d 4c")
    assert view.seats[0].hole == cards("Ah Kd")
    assert view.seats[0].state == "folded"
    assert view.seats[0].bets == {"ante": 1}
    assert view.dealer == DealerView(None, None)
    assert view.settlement == transition.settlement
    hidden = {*cards("Qs Qc 9h 2s")}
    shown = {*view.board, *view.seats[0].hole}
    assert not hidden & shown


@pytest.mark.parametrize("viewer", [None, 1])
def test_a_call_opens_everything(viewer):
    transition = GAME.decide(deal(*ROUND), 1, Call())
    view = GAME.view(transition.state, viewer)
    assert view.stage == "settled"
    assert view.board == cards("As 7d 4c 9h 2s")
    assert view.seats[0].hole == cards("Ah Kd")
    assert view.seats[0].state == "done"
    assert view.seats[0].bets == {"ante": 1, "call": 2}
    assert view.dealer == DealerView(cards("Qs Qc"), best_hand(cards("Qs Qc As 7d 4c 9h 2s")))
    assert view.to_act == ()
    assert view.legal_actions == ()
    assert view.settlement == transition.settlement


# ── The session ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("balance", "rounds", "finish"),
    [
        (5, 19, None),
        (5, 20, Finish("player")),
        (-5, 20, Finish("house")),
        (0, 20, Finish("tie")),
        (-1000, 1, None),
    ],
)
def test_the_session_ends_with_its_last_round_and_by_the_balances_sign(balance, rounds, finish):
    options = CasinoHoldemOptions()
    assert GAME.result(options, GAME.chairs(options), [balance], rounds) == finish
