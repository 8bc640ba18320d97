"""One street: every hard betting case by name. Position 0 is left of the button, the last is the button."""

import pytest

from croupier.rules import betting
from croupier.rules.actions import (
    Action,
    AllIn,
    Bet,
    Call,
    Check,
    Fold,
    LegalAction,
    LegalAllIn,
    LegalBet,
    LegalCall,
    LegalRaise,
    Play,
    Raise,
)
from croupier.rules.betting import Street
from croupier.rules.game import IllegalAction

FOLD, CHECK, CALL, ALL_IN = Fold(), Check(), Call(), AllIn()
SMALL, BIG = 50, 100


class Round:
    """A street being played: whoever is in turn takes each action given."""

    def __init__(self, street: Street, last: int) -> None:
        self.street = street
        self.turn = betting.next_to_act(street, last)

    def play(self, *actions: Action) -> "Round":
        for action in actions:
            assert self.turn is not None
            self.street = betting.act(self.street, self.turn, action)
            self.turn = betting.next_to_act(self.street, self.turn)
        return self

    @property
    def legal(self) -> tuple[LegalAction, ...]:
        assert self.turn is not None
        return betting.legal_actions(self.street, self.turn)

    def refuses(self, action: Action) -> str:
        assert self.turn is not None
        with pytest.raises(IllegalAction) as refusal:
            betting.act(self.street, self.turn, action)
        assert refusal.value.legal == self.legal
        return refusal.value.reason


def preflop(*stacks: int) -> Round:
    return Round(betting.preflop(stacks, SMALL, BIG), betting.big_blind_position(len(stacks)))


def flop(*stacks: int) -> Round:
    everyone = tuple(range(len(stacks)))
    nothing = (0,) * len(stacks)
    able = tuple(position for position in everyone if stacks[position])
    street = Street(stacks, nothing, (None,) * len(stacks), everyone, able, 0, BIG)
    return Round(street, len(stacks) - 1)


# ── Who acts ─────────────────────────────────────────────────────────────────────────────────────────────


def test_before_the_flop_the_seat_after_the_big_blind_acts_first_and_the_big_blind_last():
    table = preflop(1000, 1000, 1000, 1000)
    turns = []
    for action in (CALL, CALL, CALL, CHECK):
        turns.append(table.turn)
        table.play(action)
    assert turns == [2, 3, 0, 1]
    assert table.turn is None


def test_the_big_blind_may_check_or_raise_when_nobody_raised():
    table = preflop(1000, 1000, 1000).play(CALL, CALL)
    assert table.turn == 1
    assert table.legal == (FOLD, CHECK, LegalRaise(200, 1000), LegalAllIn(900))


def test_heads_up_the_button_posts_the_small_blind_and_acts_first_before_the_flop_and_last_after_it():
    table = preflop(1000, 1000)
    assert table.street.bets == (100, 50)
    assert table.turn == 1
    table.play(CALL, CHECK)
    later = betting.next_street(table.street, BIG)
    assert betting.next_to_act(later, 1) == 0


def test_with_three_players_the_seat_after_the_button_posts_the_small_blind():
    table = preflop(1000, 1000, 1000)
    assert table.street.bets == (50, 100, 0)
    assert table.turn == 2


def test_a_later_street_starts_with_the_first_live_seat_after_the_button():
    table = preflop(1000, 1000, 1000).play(CALL, FOLD, CHECK)
    later = Round(betting.next_street(table.street, BIG), 2)
    assert later.turn == 1
    assert later.play(CHECK, CHECK).turn is None


def test_a_street_ends_when_everyone_has_matched_the_last_raise():
    table = flop(1000, 1000, 1000).play(CHECK, Bet(100), Raise(200), CALL)
    assert table.turn == 1
    assert table.play(CALL).turn is None


def test_a_street_ends_at_once_when_one_seat_is_left():
    assert preflop(1000, 1000, 1000).play(FOLD, FOLD).turn is None


def test_the_last_seat_with_chips_still_answers_an_all_in():
    table = flop(1000, 400).play(CHECK, ALL_IN)
    assert table.turn == 0
    assert table.legal == (FOLD, LegalCall(400))


def test_the_last_seat_with_chips_is_not_asked_once_it_has_matched_the_all_in():
    assert flop(1000, 400).play(Bet(400), CALL).turn is None


def test_a_small_blind_owes_a_short_big_blind_only_what_that_one_could_post():
    """The lone seat has 50 in against 40: nobody could win the rest of the big blind from it."""
    assert preflop(40, 1000).turn is None
    assert preflop(50, 1000).turn is None


def test_a_small_blind_below_a_short_big_blind_calls_the_full_big_blind():
    table = preflop(60, 1000)
    assert table.turn == 1
    assert table.legal == (FOLD, LegalCall(50))


def test_a_short_big_blind_is_no_reason_to_ask_even_when_others_are_all_in_for_less():
    table = preflop(1000, 40, 45).play(ALL_IN)
    assert table.turn is None


# ── Blinds ───────────────────────────────────────────────────────────────────────────────────────────────


def test_others_owe_the_full_big_blind_to_one_short_at_60_and_raise_to_200():
    table = preflop(1000, 60, 1000, 1000)
    assert table.street.bets == (50, 60, 0, 0)
    assert table.legal == (FOLD, LegalCall(100), LegalRaise(200, 1000), LegalAllIn(1000))
    assert table.play(CALL, CALL, CALL).turn is None


def test_a_small_blind_all_in_below_its_blind_is_not_asked():
    table = preflop(30, 1000, 1000)
    assert table.street.bets == (30, 100, 0)
    assert table.street.able == (1, 2)
    assert table.play(CALL).turn == 1
    assert table.play(CHECK).turn is None


# ── What is legal ────────────────────────────────────────────────────────────────────────────────────────


def test_an_unopened_street_offers_a_bet_from_the_big_blind_to_the_whole_stack():
    assert flop(1000, 1000).legal == (FOLD, CHECK, LegalBet(100, 1000), LegalAllIn(1000))


def test_a_stack_below_the_big_blind_bets_only_all_in():
    assert flop(99, 1000).legal == (FOLD, CHECK, LegalAllIn(99))


def test_a_stack_of_exactly_the_minimum_may_bet_or_go_all_in():
    assert flop(100, 1000).legal == (FOLD, CHECK, LegalBet(100, 100), LegalAllIn(100))


def test_a_stack_that_does_not_cover_the_call_leaves_fold_and_all_in():
    assert flop(1000, 399).play(Bet(400)).legal == (FOLD, LegalAllIn(399))


def test_a_stack_of_exactly_the_call_may_call_with_it():
    table = flop(1000, 400, 1000).play(Bet(400))
    assert table.legal == (FOLD, LegalCall(400), LegalAllIn(400))
    assert table.play(CALL).street.stacks == (600, 0, 1000)


def test_a_stack_between_the_call_and_the_minimum_raise_may_fold_call_or_go_all_in():
    assert flop(1000, 700, 1000).play(Bet(400)).legal == (FOLD, LegalCall(400), LegalAllIn(700))


def test_a_raise_is_capped_by_ones_own_stack_and_never_by_an_opponents():
    assert flop(150, 5000).play(Bet(100)).legal == (
        FOLD,
        LegalCall(100),
        LegalRaise(200, 5000),
        LegalAllIn(5000),
    )
    assert flop(5000, 150).legal == (FOLD, CHECK, LegalBet(100, 5000), LegalAllIn(5000))


def test_a_minimum_raise_is_the_same_when_no_opponent_can_match_it():
    table = flop(120, 1000).play(Bet(100))
    assert table.legal[2] == LegalRaise(200, 1000)


def test_a_raise_nobody_could_answer_is_not_offered():
    table = flop(400, 1000).play(ALL_IN)
    assert table.legal == (FOLD, LegalCall(400))
    assert "no opponent has chips" in table.refuses(Raise(800))
    assert "no opponent has chips" in table.refuses(ALL_IN)


def test_a_raise_stays_open_while_one_opponent_has_chips():
    table = flop(400, 1000, 1000).play(ALL_IN)
    assert table.legal == (FOLD, LegalCall(400), LegalRaise(800, 1000), LegalAllIn(1000))


# ── Minimum raise ────────────────────────────────────────────────────────────────────────────────────────


def test_a_raise_is_at_least_as_much_as_the_last_full_one():
    table = flop(9000, 9000, 9000).play(Bet(300))
    assert table.legal[2] == LegalRaise(600, 9000)
    assert table.play(Raise(1000)).legal[2] == LegalRaise(1700, 9000)


def test_the_minimum_raise_before_the_flop_starts_at_the_big_blind():
    table = preflop(9000, 9000, 9000)
    assert table.legal[2] == LegalRaise(200, 9000)
    assert table.play(Raise(350)).legal[2] == LegalRaise(600, 9000)


def test_all_in_to_140_over_a_bet_of_100_leaves_a_raise_to_240():
    table = flop(1000, 140, 1000).play(Bet(100), ALL_IN)
    assert table.legal == (FOLD, LegalCall(140), LegalRaise(240, 1000), LegalAllIn(1000))


def raised_to_1200_by_500(all_in: int) -> Round:
    """Position 2 raised to 1200, by a full 500; position 3 goes all-in over it."""
    return flop(9000, 9000, 9000, all_in).play(Bet(200), Raise(700), Raise(1200), ALL_IN)


def test_all_in_to_1700_over_1200_when_the_last_full_raise_was_500_is_raised_to_2200():
    assert LegalRaise(2200, 9000) in raised_to_1200_by_500(1700).legal


def test_all_in_below_1700_over_1200_lets_the_seat_that_acted_on_1200_only_call_or_fold():
    table = raised_to_1200_by_500(1699)
    assert LegalRaise(2199, 9000) in table.legal
    table.play(FOLD, FOLD)
    assert table.turn == 2
    assert table.legal == (FOLD, LegalCall(499))


def test_an_all_in_of_exactly_a_full_raise_reopens_the_betting():
    table = raised_to_1200_by_500(1700).play(CALL, FOLD)
    assert table.turn == 2
    assert table.legal == (FOLD, LegalCall(500), LegalRaise(2200, 9000), LegalAllIn(7800))


def test_a_short_all_in_does_not_lower_the_next_minimum_raise():
    table = flop(9000, 9000, 600, 9000).play(Bet(100), Raise(500), ALL_IN)
    assert table.legal[2] == LegalRaise(1000, 9000)


def test_a_short_opening_all_in_is_raised_to_itself_plus_the_big_blind():
    table = flop(60, 1000, 1000).play(ALL_IN)
    assert table.legal == (FOLD, LegalCall(60), LegalRaise(160, 1000), LegalAllIn(1000))


# ── Reopening ────────────────────────────────────────────────────────────────────────────────────────────


def test_after_a_full_raise_and_a_short_all_in_whoever_acted_before_may_only_call_or_fold():
    table = flop(9000, 9000, 350).play(Bet(100), Raise(300), ALL_IN)
    assert table.turn == 0
    assert table.legal == (FOLD, LegalCall(250), LegalRaise(550, 9000), LegalAllIn(8900))
    table.play(CALL)
    assert table.turn == 1
    assert table.legal == (FOLD, LegalCall(50))
    assert "only call or fold" in table.refuses(Raise(550))
    assert "only call or fold" in table.refuses(ALL_IN)


def test_a_seat_that_has_not_acted_keeps_its_right_to_raise_after_a_short_all_in():
    table = flop(9000, 140, 9000).play(Bet(100), ALL_IN)
    assert table.turn == 2
    assert LegalRaise(240, 9000) in table.legal


def test_one_short_all_in_does_not_reopen_but_two_that_make_a_full_raise_do():
    one = flop(9000, 160, 9000).play(Bet(100), ALL_IN, CALL)
    assert one.legal == (FOLD, LegalCall(60))
    two = flop(9000, 160, 200, 9000).play(Bet(100), ALL_IN, ALL_IN, CALL)
    assert two.turn == 0
    assert two.legal == (FOLD, LegalCall(100), LegalRaise(300, 9000), LegalAllIn(8900))


def test_two_short_all_ins_reopen_only_for_seats_whose_own_bet_they_exceed_by_a_full_raise():
    """Position 0 acted on 100 and 2 on 160: 210 is a full raise over the first alone."""
    table = flop(9000, 160, 9000, 210, 9000).play(Bet(100), ALL_IN, CALL, ALL_IN, CALL)
    assert table.turn == 0
    assert LegalRaise(310, 9000) in table.legal
    table.play(CALL)
    assert table.turn == 2
    assert table.legal == (FOLD, LegalCall(50))


def test_a_short_opening_all_in_does_not_reopen_for_a_seat_that_checked():
    table = flop(9000, 60, 9000).play(CHECK, ALL_IN, CALL)
    assert table.turn == 0
    assert table.legal == (FOLD, LegalCall(60))


def test_short_opening_all_ins_that_reach_the_big_blind_reopen_for_a_seat_that_checked():
    table = flop(9000, 60, 100, 9000).play(CHECK, ALL_IN, ALL_IN, CALL)
    assert table.turn == 0
    assert table.legal == (FOLD, LegalCall(100), LegalRaise(200, 9000), LegalAllIn(9000))


def test_a_call_for_less_changes_neither_the_bet_nor_the_minimum_raise():
    table = flop(9000, 60, 9000).play(Bet(100), ALL_IN)
    assert table.legal == (FOLD, LegalCall(100), LegalRaise(200, 9000), LegalAllIn(9000))
    assert table.street.aggressor == 0


def test_the_last_seat_to_bet_or_raise_is_the_aggressor():
    table = preflop(1000, 1000, 1000)
    assert table.street.aggressor is None
    assert table.play(CALL).street.aggressor is None
    assert table.play(Raise(200)).street.aggressor == 0
    assert table.play(ALL_IN).street.aggressor == 1
    assert betting.next_street(table.play(FOLD, CALL).street, BIG).aggressor is None


# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (CHECK, "there is a bet of 100: it takes 100 to call"),
        (Bet(300), "there is a bet of 100 already: raise it"),
        (Raise(100), "a total of 100 is a call"),
        (Raise(199), "a total of 199 is below the minimum of 200"),
        (Raise(0), "a total of 0 is below the minimum of 200"),
        (Raise(1001), "a total of 1001 is above the stack, which reaches 1000"),
        (Play(4), "no-limit hold'em knows no play"),
    ],
)
def test_a_refusal_facing_a_bet_says_why(action, reason):
    assert flop(1000, 1000, 1000).play(Bet(100)).refuses(action) == reason


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (CALL, "there is nothing to call: check"),
        (Raise(300), "there is nothing to raise: bet"),
        (Bet(99), "a total of 99 is below the minimum of 100"),
        (Bet(0), "a total of 0 is below the minimum of 100"),
        (Bet(-5), "a total of -5 is below the minimum of 100"),
        (Bet(1001), "a total of 1001 is above the stack, which reaches 1000"),
    ],
)
def test_a_refusal_with_nothing_bet_says_why(action, reason):
    assert flop(1000, 1000, 1000).refuses(action) == reason


def test_a_raise_of_the_whole_stack_below_the_minimum_has_to_be_an_all_in():
    table = flop(1000, 700, 1000).play(Bet(400))
    assert "only an all-in may be that short" in table.refuses(Raise(700))
    assert table.play(ALL_IN).street.current_bet == 700


def test_a_call_the_stack_does_not_cover_has_to_be_an_all_in():
    table = flop(1000, 300, 1000).play(Bet(400))
    assert "does not cover the call of 400" in table.refuses(CALL)
    assert "above the stack" in table.refuses(Raise(800))
    assert table.play(ALL_IN).street.bets == (400, 300, 0)
