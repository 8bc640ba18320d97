"""Pots from contributions, by seat; a dict's order is the order from the button's left."""

import pytest

from croupier.rules.game import Pot, PotShare
from croupier.rules.pots import award, called, side_pots


def shares(pot: Pot) -> dict[int, int]:
    return {share.seat: share.amount for share in pot.winners}


def test_a_bet_nobody_called_is_not_at_stake():
    assert called({1: 500, 2: 200, 3: 0}) == {1: 200, 2: 200, 3: 0}


def test_a_bet_that_was_called_is_at_stake_whole():
    assert called({1: 500, 2: 200, 3: 500}) == {1: 500, 2: 200, 3: 500}


def test_equal_contributions_are_one_pot():
    assert side_pots({3: 100, 1: 100, 2: 100}, [3, 1, 2]) == (Pot(300, (1, 2, 3)),)


def test_three_all_ins_of_different_size_with_a_folded_stack_between_them():
    contributed = {1: 100, 2: 250, 3: 400, 4: 400}
    assert side_pots(contributed, [1, 3, 4]) == (Pot(400, (1, 3, 4)), Pot(750, (3, 4)))
    contributed = {1: 100, 2: 150, 3: 250, 4: 400, 5: 400}
    assert side_pots(contributed, [1, 3, 4, 5]) == (
        Pot(500, (1, 3, 4, 5)),
        Pot(500, (3, 4, 5)),
        Pot(300, (4, 5)),
    )


def test_levels_that_only_folded_seats_differ_in_are_one_pot():
    assert side_pots({1: 20, 2: 70, 3: 100, 4: 100}, [3, 4]) == (Pot(290, (3, 4)),)


def test_a_layer_whose_contributors_all_folded_joins_the_pot_below():
    assert side_pots({1: 100, 2: 300, 3: 300, 4: 50}, [1, 4]) == (Pot(200, (1, 4)), Pot(550, (1,)))
    assert side_pots({1: 100, 2: 300, 3: 300, 4: 100}, [1, 4]) == (Pot(800, (1, 4)),)


def test_a_live_seat_without_a_chip_in_wins_only_what_folded_seats_left():
    assert side_pots({1: 0, 2: 50, 3: 100}, [1]) == (Pot(150, (1,)),)


def test_a_side_pot_with_one_live_seat_is_that_seats_own():
    pots = side_pots({1: 100, 2: 300, 3: 300}, [1, 2])
    assert pots == (Pot(300, (1, 2)), Pot(400, (2,)))
    main, side = (award(pot, {1: 9, 2: 5}, [1, 2]) for pot in pots)
    assert shares(main) == {1: 300}
    assert shares(side) == {2: 400}


def test_while_betting_goes_on_only_all_in_seats_make_levels():
    contributed = {1: 100, 2: 0, 3: 60}
    assert side_pots(contributed, [1, 2, 3], able=[1, 2, 3]) == (Pot(160, (1, 2, 3)),)
    assert side_pots(contributed, [1, 2, 3], able=[1, 2]) == (Pot(120, (1, 2, 3)), Pot(40, (1, 2)))


def test_while_betting_goes_on_a_seat_that_can_still_add_may_win_an_all_in_above_its_bet():
    assert side_pots({1: 500, 2: 100, 3: 100}, [1, 2, 3], able=[2, 3]) == (Pot(700, (1, 2, 3)),)


def test_a_pot_of_101_split_between_seats_2_and_5_with_the_button_on_3():
    pot = award(Pot(101, (2, 5)), {2: 7, 5: 7}, [4, 5, 1, 2, 3])
    assert pot.winners == (PotShare(5, 51), PotShare(2, 50))


@pytest.mark.parametrize(
    ("amount", "expected"),
    [(300, {4: 100, 1: 100, 2: 100}), (301, {4: 101, 1: 100, 2: 100}), (302, {4: 101, 1: 101, 2: 100})],
)
def test_chips_that_do_not_divide_go_one_each_from_the_buttons_left(amount, expected):
    pot = award(Pot(amount, (1, 2, 4)), {1: 7, 2: 7, 4: 7}, [4, 1, 2, 3])
    assert shares(pot) == expected


def test_each_pot_has_its_own_odd_chip():
    pots = side_pots({1: 33, 2: 33, 3: 33, 4: 66, 5: 66, 6: 33}, [1, 2, 4, 5])
    main, side = (award(pot, {1: 7, 2: 7, 4: 7, 5: 7}, [1, 2, 3, 4, 5, 6]) for pot in pots)
    assert (main.amount, shares(main)) == (198, {1: 50, 2: 50, 4: 49, 5: 49})
    assert (side.amount, shares(side)) == (66, {4: 33, 5: 33})
    pots = side_pots({1: 33, 2: 33, 3: 34, 4: 68, 5: 68, 6: 67}, [1, 2, 4, 5])
    main, side = (award(pot, {1: 7, 2: 7, 4: 7, 5: 7}, [1, 2, 3, 4, 5, 6]) for pot in pots)
    assert (main.amount, shares(main)) == (198, {1: 50, 2: 50, 4: 49, 5: 49})
    assert (side.amount, shares(side)) == (105, {4: 53, 5: 52})


def test_only_the_strongest_of_a_pots_own_seats_wins_it():
    pot = award(Pot(90, (2, 3)), {1: 9, 2: 3, 3: 5}, [1, 2, 3])
    assert pot.winners == (PotShare(3, 90),)
