"""A whole hand: dealing, blinds, run-outs, pots, showdown, and what each seat sees."""

import pytest
from no_limit_table import GAME, Hand

from croupier.rules.actions import Call, Check, Fold, LegalAllIn, LegalCall, LegalRaise
from croupier.rules.cards import cards
from croupier.rules.game import (
    Chair,
    Finish,
    InvalidOption,
    NotEnoughSeats,
    NotYourTurn,
    Posting,
    SideBets,
    Table,
)
from croupier.rules.no_limit_holdem import NoLimitHoldemOptions, Playing, Settled, showdown_order

FOLD = Fold()
DRY = "2c 7d 9h Js Kc"
BROADWAY = "As Ks Qs Js Ts"


def chairs(*stacks):
    return [Chair(seat, stack) for seat, stack in enumerate(stacks, start=1)]


# ── Options ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"seats": 1}, "seats"),
        ({"seats": 11}, "seats"),
        ({"small_blind": 0}, "small_blind"),
        ({"small_blind": 101}, "small_blind"),
        ({"big_blind": 0}, "big_blind"),
        ({"ante": -1}, "ante"),
        ({"buy_in": 99}, "buy_in"),
        ({"buy_in": 10**11 + 1}, "buy_in"),
        ({"stacks": (1000,)}, "stacks"),
        ({"stacks": (1000, 99)}, "stacks/1"),
        ({"stacks": (3001, 1000)}, "stacks/0"),
    ],
)
def test_an_option_out_of_range_is_refused_by_its_path(fields, path):
    with pytest.raises(InvalidOption) as refusal:
        NoLimitHoldemOptions(**fields)
    assert refusal.value.field == path


def test_every_seat_brings_the_buy_in_unless_stacks_say_otherwise():
    assert GAME.chairs(NoLimitHoldemOptions(seats=3)) == tuple(chairs(3000, 3000, 3000))
    assert GAME.chairs(NoLimitHoldemOptions(stacks=(100, 2500))) == tuple(chairs(100, 2500))


def test_the_largest_table_stays_at_the_largest_amount():
    options = NoLimitHoldemOptions(seats=10, buy_in=10**11)
    assert sum(chair.stack for chair in GAME.chairs(options)) == 10**12


# ── The table ────────────────────────────────────────────────────────────────────────────────────────────


def table(seats, button_from):
    return GAME.table(NoLimitHoldemOptions(seats=10), seats, button_from)


def test_the_first_button_is_seat_1s():
    assert table(chairs(500, 500, 500), 1) == Table((1, 2, 3), (500, 500, 500), 1)


def test_a_seat_without_chips_is_not_dealt_in_and_gets_no_button():
    assert table(chairs(500, 0, 500, 500), 2) == Table((1, 3, 4), (500, 500, 500), 3)


def test_the_button_goes_round():
    assert table(chairs(500, 500, 0), 3).button == 1
    assert table(chairs(500, 500), 3).button == 1


def test_fewer_than_two_seats_with_chips_are_not_dealt():
    with pytest.raises(NotEnoughSeats):
        table(chairs(500, 0, 0), 1)


def test_one_seat_with_all_the_chips_has_won_the_session():
    options = NoLimitHoldemOptions(seats=3)
    assert GAME.result(options, chairs(0, 9000, 0), (), 5) == Finish(2)
    assert GAME.result(options, chairs(1, 8999, 0), (), 5) is None


def test_with_rebuys_the_session_waits():
    assert GAME.result(NoLimitHoldemOptions(rebuys=True), chairs(0, 6000), (), 5) is None


# ── The deal ─────────────────────────────────────────────────────────────────────────────────────────────


def test_cards_go_one_each_from_the_buttons_left_twice_then_the_board():
    step = GAME.deal(NoLimitHoldemOptions(seats=3), Table((1, 2, 4), (3000,) * 3, 1), range(52))
    assert step.state.dealt.seats == (2, 4, 1)
    assert step.state.dealt.holes == ((0, 3), (1, 4), (2, 5))
    assert step.state.dealt.board == (6, 7, 8, 9, 10)


def test_heads_up_cards_go_to_the_big_blind_first():
    step = GAME.deal(NoLimitHoldemOptions(), Table((1, 2), (3000,) * 2, 1), range(52))
    assert dict(zip(step.state.dealt.seats, step.state.dealt.holes, strict=True)) == {2: (0, 2), 1: (1, 3)}


def test_a_side_bet_is_refused():
    with pytest.raises(InvalidOption) as refusal:
        GAME.deal(NoLimitHoldemOptions(), Table((1, 2), (3000,) * 2, 1), range(52), (SideBets(1, trips=5),))
    assert refusal.value.field == "bets"


def test_heads_up_the_button_posts_small_acts_first_before_the_flop_and_last_after():
    hand = Hand({1: 1000, 2: 1000}, button=1)
    assert {seat: row.street_bet for seat, row in hand.seat_views().items()} == {1: 50, 2: 100}
    assert hand.turn == 1
    hand.play("call", "check")
    assert (hand.view().stage, hand.turn) == ("flop", 2)


def test_heads_up_is_right_again_after_three_players_become_two():
    options = NoLimitHoldemOptions(seats=3)
    three = GAME.table(options, chairs(1000, 1000, 1000), 1)
    assert GAME.to_act(GAME.deal(options, three, range(52)).state) == (1,)
    two = GAME.table(options, chairs(1500, 0, 1500), three.button + 1)
    assert two.button == 3
    state = GAME.deal(options, two, range(52)).state
    assert GAME.to_act(state) == (3,)
    assert [row.street_bet for row in GAME.view(state, None).seats] == [100, 50]


def test_antes_are_posted_before_the_blinds_and_do_not_count_towards_the_call():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}, ante=10)
    assert hand.legal == (FOLD, LegalCall(100), LegalRaise(200, 990), LegalAllIn(990))
    assert hand.view().betting.pots[0].amount == 180


def test_a_stack_no_longer_than_the_ante_is_all_in_before_the_blinds():
    hand = Hand({1: 10, 2: 105, 3: 1000, 4: 1000}, ante=10)
    rows = hand.seat_views()
    assert (rows[1].state, rows[1].street_bet) == ("all_in", 0)
    assert (rows[2].state, rows[2].street_bet) == ("all_in", 95)
    assert hand.legal[1] == LegalCall(100)
    hand.play("call", "fold")
    assert [(amount, seats) for amount, seats, _ in hand.pots] == [(40, (1, 2, 3)), (190, (2, 3))]


def test_the_ante_a_short_stack_could_not_match_goes_back():
    hand = Hand({1: 5, 2: 1000}, ante=10)
    assert hand.settlement is not None
    assert [row.bets[0].staked for row in hand.settlement.seats] == [5, 5]


def test_a_hand_with_everyone_all_in_after_the_blinds_is_settled_by_the_deal():
    hand = Hand({1: 50, 2: 100, 3: 30}, button=2, holes={1: "Ah Ad", 2: "3h 4h", 3: "Kh Kd"}, small_blind=100)
    assert hand.turn == 2
    hand = Hand({1: 50, 2: 100}, button=2, holes={1: "Ah Ad", 2: "3h 4h"}, small_blind=100)
    assert isinstance(hand.state, Settled)
    assert hand.nets == {1: 50, 2: -50}
    assert hand.view().board == cards(DRY)


# ── Run-outs ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_board_is_run_out_when_all_are_all_in():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}, holes={1: "3h 4h", 2: "Ah Ad", 3: "5h 6c"})
    hand.play("all_in", "all_in", "call")
    assert hand.view().board == cards(DRY)
    assert hand.nets == {1: -1000, 2: 2000, 3: -1000}


def test_the_board_is_run_out_when_one_seat_has_chips_left_and_nothing_to_call():
    hand = Hand({1: 1000, 2: 5000}).play("call", "check", "bet 900")
    assert hand.turn == 2
    hand.play("call")
    assert isinstance(hand.state, Settled)
    assert len(hand.view().board) == 5


def test_two_seats_with_chips_play_on_beside_an_all_in():
    hand = Hand({1: 300, 2: 5000, 3: 5000}).play("raise 300", "call", "call")
    assert (hand.view().stage, hand.turn) == ("flop", 2)


def test_a_lone_small_blind_with_a_short_big_blind_in_hand_is_not_asked_for_chips_nobody_could_win():
    hand = Hand({1: 40, 2: 1000}, holes={1: "Ah Ad", 2: "3h 4h"})
    assert hand.nets == {1: 40, 2: -40}


def test_a_lone_small_blind_below_a_short_big_blind_calls_and_gets_the_uncalled_part_back():
    hand = Hand({1: 60, 2: 1000}, holes={1: "Ah Ad", 2: "3h 4h"})
    assert hand.legal == (FOLD, LegalCall(50))
    assert hand.play("call").nets == {1: 60, 2: -60}


# ── Settlement ───────────────────────────────────────────────────────────────────────────────────────────


def test_everyone_folds_to_the_big_blind_a_walk_with_nothing_shown():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}).play("fold", "fold")
    assert hand.nets == {1: -50, 2: 50, 3: 0}
    assert hand.pots == [(100, (2,), {2: 100})]
    assert [row.bets for row in hand.settlement.seats] == [
        (Posting(1, "pots", 50, 0),),
        (Posting(2, "pots", 50, 100),),
        (Posting(3, "pots", 0, 0),),
    ]
    assert [row.hand for row in hand.settlement.seats] == [None] * 3
    assert [row.hole for row in hand.view().seats] == [None] * 3
    assert hand.view().board == ()
    assert showdown_order(hand.state) == ()


def test_an_uncalled_raise_goes_back_and_was_never_staked():
    hand = Hand({1: 5000, 2: 5000}).play("call", "check", "bet 700", "raise 2000", "fold")
    assert [row.bets for row in hand.settlement.seats] == [
        (Posting(1, "pots", 800, 0),),
        (Posting(2, "pots", 800, 1600),),
    ]
    assert hand.view().board == cards(DRY)[:3]


def test_three_all_ins_of_different_size_with_a_folded_stack_between_them():
    """All-in with 300, 500 and 900; seat 5 folds after 700, and seat 6 has called everything."""
    hand = Hand(
        {1: 300, 2: 2000, 3: 500, 4: 900, 5: 2000, 6: 2000},
        holes={1: "Ah Ad", 3: "Qh Qd", 4: "Th Td", 6: "3h 4h"},
    )
    hand.play("raise 400", "raise 700", "call", "call", "all_in", "fold", "all_in")
    assert hand.view().stage == "flop"
    hand.play("all_in", "fold", "call")
    assert hand.pots == [
        (1600, (1, 3, 4, 6), {1: 1600}),
        (800, (3, 4, 6), {3: 800}),
        (1000, (4, 6), {4: 1000}),
    ]
    assert hand.nets == {1: 1300, 2: -100, 3: 300, 4: 100, 5: -700, 6: -900}


def test_a_seat_wins_a_side_pot_that_no_other_live_seat_paid_into():
    """Seat 3 called the bet and folded to the next one; its chips above seat 1's level are seat 2's."""
    hand = Hand({1: 300, 2: 5000, 3: 5000}, holes={1: "Ah Ad", 2: "3h 4h"})
    hand.play("raise 300", "call", "call", "bet 500", "call", "bet 1000", "fold")
    assert hand.pots == [(900, (1, 2), {1: 900}), (1000, (2,), {2: 1000})]
    assert hand.nets == {1: 600, 2: 200, 3: -800}


def test_the_board_plays_for_all_and_odd_chips_go_from_the_buttons_left():
    hand = Hand({1: 1000, 2: 1000, 3: 1000, 4: 1000}, button=2, board=BROADWAY, small_blind=25, big_blind=50)
    hand.play("raise 125", "fold", "call", "call")
    assert hand.turn == 3
    hand.play("check", "check", "check", "check", "check", "check", "check", "check", "check")
    assert hand.pots == [(375, (1, 3, 4), {3: 125, 4: 125, 1: 125})]


def test_each_pot_is_split_on_its_own():
    hand = Hand({1: 1001, 2: 333, 3: 1001, 4: 333}, button=4, board=BROADWAY, small_blind=1, big_blind=2)
    hand.play("all_in", "all_in", "all_in", "all_in")
    assert hand.pots == [
        (1332, (1, 2, 3, 4), {1: 333, 2: 333, 3: 333, 4: 333}),
        (1336, (1, 3), {1: 668, 3: 668}),
    ]


def test_a_pot_of_101_split_between_seats_2_and_5_with_the_button_on_3_gives_seat_5_the_odd_chip():
    hand = Hand({2: 1000, 3: 1000, 4: 1000, 5: 1000}, button=3, board=BROADWAY, small_blind=1, big_blind=50)
    hand.play("call", "fold", "fold", "check")
    hand.play("check", "check", "check", "check", "check", "check")
    assert hand.pots == [(101, (2, 5), {5: 51, 2: 50})]


def test_a_wheel_loses_to_a_six_high_straight():
    hand = Hand({1: 1000, 2: 1000}, holes={1: "Ah Kd", 2: "6h Qd"}, board="2c 3d 4h 5s Tc")
    hand.play("all_in", "call")
    assert hand.nets == {1: -1000, 2: 1000}
    assert hand.settlement.seats[0].hand.cards == cards("5s 4h 3d 2c Ah")


def test_three_pairs_play_the_best_kicker_outside_the_best_two():
    """Aces and kings for both; the queen on the board outkicks seat 1's third pair."""
    hand = Hand({1: 1000, 2: 1000}, holes={1: "3h 3d", 2: "2h 4d"}, board="Ac Ad Kh Ks Qc")
    hand.play("all_in", "call")
    assert hand.nets == {1: 0, 2: 0}
    assert {row.hand.category for row in hand.settlement.seats} == {"two_pair"}


def test_ten_players_all_in_before_the_flop():
    stacks = {seat: 100 * seat for seat in range(1, 11)}
    hand = Hand(stacks, button=10, board=BROADWAY).play("all_in", *["all_in"] * 9)
    assert len(hand.pots) == 9
    assert hand.nets == dict.fromkeys(stacks, 0)
    assert sum(amount for amount, _, _ in hand.pots) == sum(stacks.values()) - 100


def test_a_hand_is_settled_with_the_best_five_of_live_seats_alone():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}, holes={1: "Ah Ad", 2: "3h 4h"})
    hand.play("fold", "all_in", "call")
    hands = {row.seat: row.hand for row in hand.settlement.seats}
    assert hands[1].category == "pair"
    assert hands[2].category == "high_card"
    assert hands[3] is None


# ── Turns ────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_the_seat_in_turn_may_decide():
    hand = Hand({1: 1000, 2: 1000, 3: 1000})
    assert GAME.legal_actions(hand.state, 1) == ()
    with pytest.raises(NotYourTurn) as refusal:
        GAME.decide(hand.state, 1, Call())
    assert refusal.value.to_act == (3,)
    with pytest.raises(NotYourTurn):
        GAME.decide(hand.state, 9, Call())


def test_nobody_may_decide_in_a_settled_hand():
    hand = Hand({1: 1000, 2: 1000}).play("fold")
    assert GAME.to_act(hand.state) == ()
    assert GAME.legal_actions(hand.state, 1) == ()
    with pytest.raises(NotYourTurn) as refusal:
        GAME.decide(hand.state, 1, Check())
    assert refusal.value.to_act == ()


def test_a_seat_may_fold_where_it_could_check():
    hand = Hand({1: 1000, 2: 1000}).play("call", "fold")
    assert hand.nets == {1: -100, 2: 100}


# ── Sight ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_seat_sees_its_own_cards_alone_even_after_it_has_folded():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}, holes={3: "3h 4h"}).play("fold")
    assert {seat: row.hole for seat, row in hand.seat_views(3).items()} == {
        1: None,
        2: None,
        3: cards("3h 4h"),
    }
    assert [row.hole for row in hand.view().seats] == [None, None, None]


def test_a_showdown_opens_every_live_hand_and_no_folded_one():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}, holes={1: "Ah Ad", 2: "3h 4h"}).play("fold", "all_in", "call")
    assert [row.hole for row in hand.view().seats] == [cards("Ah Ad"), cards("3h 4h"), None]


def test_an_all_in_that_is_still_being_answered_shows_nothing():
    hand = Hand({1: 1000, 2: 1000}).play("all_in")
    assert [row.hole for row in hand.view().seats] == [None, None]


def test_the_board_opens_street_by_street():
    hand = Hand({1: 1000, 2: 1000})
    seen = []
    for actions in (("call", "check"), ("check", "check"), ("check", "check"), ("check", "check")):
        seen.append((hand.view().stage, hand.view().board))
        hand.play(*actions)
    board = cards(DRY)
    assert seen == [("preflop", ()), ("flop", board[:3]), ("turn", board[:4]), ("river", board)]
    assert (hand.view().stage, hand.view().board) == ("settled", board)


def test_seat_states_and_chips_while_the_hand_lasts():
    hand = Hand({1: 1000, 2: 1000, 3: 400, 4: 1000}).play("all_in", "fold")
    view = hand.view(1)
    assert [(row.seat, row.state, row.stack, row.street_bet) for row in view.seats] == [
        (1, "deciding", 950, 50),
        (2, "waiting", 900, 100),
        (3, "all_in", 0, 400),
        (4, "folded", 1000, 0),
    ]
    assert view.legal_actions == (FOLD, LegalCall(350), LegalRaise(700, 1000), LegalAllIn(950))
    assert hand.view(2).legal_actions == ()
    assert hand.view().legal_actions == ()
    assert (view.betting.button, view.betting.current_bet) == (4, 400)
    assert [(pot.amount, pot.seats) for pot in view.betting.pots] == [(550, (1, 2, 3))]


def test_a_settled_hand_shows_stacks_after_it_and_keeps_the_last_states():
    hand = Hand({1: 1000, 2: 700, 3: 1000}, holes={1: "Ah Ad", 2: "3h 4h"})
    hand.play("fold", "all_in", "all_in")
    view = hand.view()
    assert [(row.seat, row.state, row.stack, row.street_bet) for row in view.seats] == [
        (1, "all_in", 1700, 0),
        (2, "all_in", 0, 0),
        (3, "folded", 1000, 0),
    ]
    assert view.settlement == hand.settlement
    assert view.to_act == ()
    assert view.betting.pots == hand.settlement.pots


# ── The order of a showdown ──────────────────────────────────────────────────────────────────────────────


def to_the_river(*river):
    hand = Hand({1: 5000, 2: 5000, 3: 5000, 4: 5000}, button=2)
    hand.play("raise 300", "call", "fold", "call")
    assert isinstance(hand.state, Playing)
    return hand.play(*["check"] * 6, *river)


def test_the_last_aggressor_of_the_river_opens_first():
    assert showdown_order(to_the_river("check", "bet 200", "call", "call").state) == (1, 2, 4)
    assert showdown_order(to_the_river("bet 200", "call", "raise 800", "call", "call").state) == (2, 4, 1)


def test_without_a_bet_on_the_river_the_first_live_seat_after_the_button_opens_first():
    assert showdown_order(to_the_river("check", "check", "check").state) == (4, 1, 2)


def test_after_a_run_out_the_first_live_seat_after_the_button_opens_first():
    hand = Hand({1: 1000, 2: 1000, 3: 1000}).play("all_in", "call", "call")
    assert showdown_order(hand.state) == (1, 2, 3)
