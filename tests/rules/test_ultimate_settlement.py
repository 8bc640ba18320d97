"""Every line of Ultimate Texas Hold'em's settlement and pay tables, each with cards that reach it.

A deal is written as the deck gives it out: every seat's two cards, the dealer's two, the board's five.
"""

from fractions import Fraction
from itertools import combinations

import pytest

from croupier.rules.actions import Check, Fold, Play
from croupier.rules.cards import DECK, cards, texts
from croupier.rules.game import Meter, Settlement, SideBets, Table
from croupier.rules.ultimate_texas_holdem import UltimateTexasHoldem, UltimateTexasHoldemOptions

GAME = UltimateTexasHoldem()
BOTH = pytest.mark.parametrize("profile", ["seed", "published"])


def settle(deal: str, plays: tuple[int, ...] = (4,), side: tuple[SideBets, ...] = (), meter=None, **options):
    """Play a round in which each seat makes a play bet of so many antes, 0 for a fold at the river."""
    fixed = UltimateTexasHoldemOptions(seats=len(plays), **options)
    seats = tuple(range(1, len(plays) + 1))
    step = GAME.deal(fixed, Table(seats), cards(deal), side, meter)
    for multiples, otherwise in (((4, 3), Check()), ((2,), Check()), ((1,), Fold())):
        for seat, multiple in zip(seats, plays, strict=True):
            if seat in GAME.to_act(step.state):
                step = GAME.decide(
                    step.state, seat, Play(multiple) if multiple in multiples else otherwise, meter
                )
    assert step.settlement is not None
    return step


def nets(settlement: Settlement, seat: int = 1) -> dict[str, int]:
    return {line.bet: line.net for line in settlement.seats[seat - 1].bets}


def line(settlement: Settlement, bet: str):
    (found,) = (line for line in settlement.seats[0].bets if line.bet == bet)
    return found


# ── Ante, blind and play ─────────────────────────────────────────────────────────────────────────────────

LOSES = "2c 7d  Ah Ad  Kc Qd 9h 5s 3c"
LOSES_TO_NOTHING = "2c 7d  Ah 8d  Kc Qd 9h 5s 3c"
TIES = "2c 2d  3c 3d  Tc Jd Qh Ks As"
TIES_WITH_NOTHING = "2c 4d  2d 4s  Kc Qd Jh 9s 7c"
WINS = "Ah Ad  Kd 2c  Kc Qd 9h 5s 3c"
WINS_AGAINST_NOTHING = "Ah Ad  2c 7d  Kc Qd 9h 5s 3c"


@BOTH
@pytest.mark.parametrize("multiple", [4, 3, 2, 1])
@pytest.mark.parametrize(
    ("deal", "qualified", "ante", "blind", "play"),
    [
        (LOSES, True, -1, -1, -1),
        (LOSES_TO_NOTHING, False, None, -1, -1),
        (TIES, True, 0, 0, 0),
        (TIES_WITH_NOTHING, False, 0, 0, 0),
        (WINS, True, 1, 0, 1),
        (WINS_AGAINST_NOTHING, False, 0, 0, 1),
    ],
)
def test_a_seat_that_played_is_compared_with_the_dealer(
    profile, multiple, deal, qualified, ante, blind, play
):
    if ante is None:
        ante = {"seed": -1, "published": 0}[profile]
    settlement = settle(deal, (multiple,), ante=6, profile=profile, preflop_multiples=(3, 4)).settlement
    assert settlement.dealer.qualified is qualified
    assert nets(settlement) == {"ante": 6 * ante, "blind": 6 * blind, "play": 6 * multiple * play}
    assert [posting.staked for posting in settlement.seats[0].bets] == [6, 6, 6 * multiple]


@BOTH
@pytest.mark.parametrize("deal", [LOSES, LOSES_TO_NOTHING, TIES, WINS, WINS_AGAINST_NOTHING])
def test_a_fold_loses_ante_and_blind_whatever_the_cards(profile, deal):
    settlement = settle(deal, (0,), profile=profile).settlement
    assert nets(settlement) == {"ante": -2, "blind": -2}
    assert settlement.seats[0].hand is None
    assert (settlement.dealer.qualified, settlement.dealer.hand) == (None, None)
    assert settlement.house_net == 4


def test_a_win_names_its_odds_and_nothing_else_does():
    won = settle("Ad Jd  3c 3h  9d 4d 2d Kc Qh").settlement.seats[0].bets
    assert [(one.bet, one.odds, one.outcome) for one in won] == [
        ("ante", "1:1", "win"),
        ("blind", "3:2", "win"),
        ("play", "1:1", "win"),
    ]
    for deal, outcome in ((TIES, "push"), (LOSES, "lose")):
        assert {(one.odds, one.outcome) for one in settle(deal).settlement.seats[0].bets} == {(None, outcome)}


def test_the_compared_hands_are_told():
    settlement = settle(WINS).settlement
    assert (settlement.seats[0].hand.category, settlement.dealer.hand.category) == ("pair", "pair")
    assert texts(settlement.seats[0].hand.cards) == ["Ad", "Ah", "Kc", "Qd", "9h"]


# A deal that gives the seat the category, beating the dealer.
WINNING = {
    "royal_flush": "As Ks  2c 2d  Qs Js Ts 3h 4d",
    "straight_flush": "9s 8s  2c 2d  7s 6s 5s Kh Ad",
    "four_of_a_kind": "7c 7d  Ac 2d  7h 7s Kc 3d 4h",
    "full_house": "Kc Kd  Ac 3c  Kh 2s 2d 7c 8h",
    "flush": "Ad Jd  3c 3h  9d 4d 2d Kc Qh",
    "straight": "6c 5d  As Kd  4h 3s 2c Kh 9d",
    "three_of_a_kind": "9c 9d  As Jc  9h 2s 4c Jd 7h",
    "two_pair": "9c 4d  As Jc  9h 2s 4c Jd 7h",
    "pair": "Ac 3d  Kc Qd  Ah 2s 6c Jd 9h",
    "high_card": "Ac 3d  Kc Qd  2s 6c Jd 9h 8h",
}


@BOTH
@pytest.mark.parametrize(
    ("category", "net", "odds"),
    [
        ("royal_flush", 1000, "500:1"),
        ("straight_flush", 100, "50:1"),
        ("four_of_a_kind", 20, "10:1"),
        ("full_house", 6, "3:1"),
        ("flush", 3, "3:2"),
        ("straight", 2, "1:1"),
        ("three_of_a_kind", 0, None),
        ("two_pair", 0, None),
        ("pair", 0, None),
        ("high_card", 0, None),
    ],
)
def test_the_blind_pays_a_winning_seat_by_its_table(profile, category, net, odds):
    settlement = settle(WINNING[category], profile=profile).settlement
    assert settlement.seats[0].hand.category == category
    assert (line(settlement, "blind").net, line(settlement, "blind").odds) == (net, odds)


@BOTH
def test_the_blind_is_lost_and_not_paid_when_a_great_hand_loses(profile):
    """The seat's full house meets four of a kind."""
    settlement = settle("Kc Kd  7c 7d  Kh 7h 7s 2c 3d", profile=profile).settlement
    assert settlement.seats[0].hand.category == "full_house"
    assert nets(settlement) == {"ante": -2, "blind": -2, "play": -8}


# ── Trips ────────────────────────────────────────────────────────────────────────────────────────────────

TRIPS_ODDS = [
    ("royal_flush", 50),
    ("straight_flush", 40),
    ("four_of_a_kind", 30),
    ("full_house", 8),
    ("flush", 7),
    ("straight", 4),
    ("three_of_a_kind", 3),
    ("two_pair", None),
    ("pair", None),
    ("high_card", None),
]


@BOTH
@pytest.mark.parametrize("multiple", [4, 2, 1, 0])
@pytest.mark.parametrize(("category", "win"), TRIPS_ODDS)
def test_trips_pays_by_the_seats_own_hand(profile, multiple, category, win):
    settlement = settle(WINNING[category], (multiple,), (SideBets(1, trips=10),), profile=profile).settlement
    trips = line(settlement, "trips")
    if win is None or (multiple == 0 and profile == "seed"):
        assert (trips.net, trips.odds) == (-10, None)
    else:
        assert (trips.net, trips.odds) == (10 * win, f"{win}:1")


@BOTH
def test_a_seat_that_loses_to_the_dealer_may_win_trips(profile):
    settlement = settle(
        "9c 9d  Ah Kh  9h 2h 4h Jd 7s", side=(SideBets(1, trips=5),), profile=profile
    ).settlement
    assert nets(settlement) == {"ante": -2, "blind": -2, "play": -8, "trips": 15}


def test_a_folded_seats_hand_is_told_only_where_trips_hangs_on_it():
    for profile, told in (("seed", None), ("published", "pair")):
        step = settle("2c 7d  Ah Ad  7c Qd 9h 5s 3c", (0,), (SideBets(1, trips=1),), profile=profile)
        hand = step.settlement.seats[0].hand
        assert (hand and hand.category) == told
        view = GAME.view(step.state, 1)
        assert len(view.board) == 5
        assert (view.dealer.hole, view.dealer.hand) == (None, None)


# ── The hole-card bonus ──────────────────────────────────────────────────────────────────────────────────


def bonus(hole: str, dealer: str = "7c 9d", multiple: int = 4):
    settlement = settle(
        f"{hole}  {dealer}  3c 4c 5c 6d 8d",
        (multiple,),
        (SideBets(1, hole_card_bonus=10),),
        hole_card_bonus=True,
    ).settlement
    return line(settlement, "hole_card_bonus")


@pytest.mark.parametrize("multiple", [4, 0])
@pytest.mark.parametrize(
    ("hole", "win"),
    [
        ("As Ah", 30),
        ("As Ks", 25),
        ("Kh Ah", 25),
        ("As Qs", 20),
        ("Js As", 20),
        ("As Kh", 15),
        ("Kh Ks", 10),
        ("Qh Qs", 10),
        ("Jh Js", 10),
        ("As Qh", 5),
        ("Jh As", 5),
        *((f"{rank}h {rank}s", 3) for rank in "T98765432"),
    ],
)
def test_the_hole_card_bonus_pays_by_its_table_played_or_folded(hole, win, multiple):
    assert (bonus(hole, multiple=multiple).net, bonus(hole, multiple=multiple).odds) == (10 * win, f"{win}:1")


@pytest.mark.parametrize("multiple", [4, 0])
def test_aces_against_aces_pay_a_thousand_though_a_fold_keeps_the_dealers_cards_down(multiple):
    paid = bonus("As Ah", "Ad Ac", multiple)
    assert (paid.net, paid.odds) == (10_000, "1000:1")


@pytest.mark.parametrize("hole", ["As Ts", "Ks Qs", "Ks Qh", "Ts 9s", "7s 2h", "As 2s"])
def test_the_hole_card_bonus_loses_with_anything_else(hole):
    assert (bonus(hole).net, bonus(hole).odds) == (-10, None)


def test_the_hole_card_bonus_has_its_published_edge():
    """8.54 %, counted over all 1,326 pairs of hole cards, the dealer holding aces once in 1,225."""
    aces = set(cards("Ac Ad Ah As"))
    total = Fraction(0)
    for hole in combinations(DECK, 2):
        others = [card for card in DECK if card not in hole and card not in aces]
        dealers = [(tuple(others[:2]), Fraction(1))]
        if aces.issuperset(hole):
            dealers = [(dealers[0][0], Fraction(1224, 1225)), (tuple(aces - set(hole)), Fraction(1, 1225))]
        for dealer, weight in dealers:
            deal = " ".join(texts((*hole, *dealer, *others[2:7])))
            step = settle(deal, (0,), (SideBets(1, hole_card_bonus=1),), hole_card_bonus=True)
            total += weight * nets(step.settlement)["hole_card_bonus"]
    assert round(float(-total / 1326), 4) == 0.0854


# ── Progressive Trips ────────────────────────────────────────────────────────────────────────────────────

ROYAL = WINNING["royal_flush"]
STRAIGHT_FLUSH = WINNING["straight_flush"]


def progressive(deal: str, meter: Meter, plays: tuple[int, ...] = (4,), **options):
    side = tuple(SideBets(seat, trips=meter.stake) for seat in range(1, len(plays) + 1))
    return settle(deal, plays, side, meter, trips="progressive", **options)


@pytest.mark.parametrize(
    ("category", "win"),
    [
        ("four_of_a_kind", 30),
        ("full_house", 8),
        ("flush", 6),
        ("straight", 4),
        ("three_of_a_kind", 3),
        ("two_pair", None),
        ("pair", None),
        ("high_card", None),
    ],
)
def test_the_house_pays_the_lower_progressive_hands_and_the_meter_only_grows(category, win):
    step = progressive(WINNING[category], Meter(123_456, contribution=5, stake=10))
    trips = line(step.settlement, "trips")
    assert (trips.net, trips.odds) == ((10 * win, f"{win}:1") if win else (-10, None))
    assert step.meter == 123_456 + 50
    assert step.settlement.jackpot_net == 1  # 1,234.56 to 1,235.06


def test_a_royal_flush_takes_the_whole_meter_which_restarts_and_keeps_the_fraction():
    step = progressive(ROYAL, Meter(234_567, seed_amount=500))
    trips = line(step.settlement, "trips")
    assert (trips.staked, trips.net, trips.odds) == (1, 2345, None)
    assert step.meter == 500_00 + 72
    assert step.settlement.jackpot_net == 500 - 2345


def test_a_straight_flush_takes_a_tenth_of_the_meter_rounded_down():
    step = progressive(STRAIGHT_FLUSH, Meter(100_994))
    assert nets(step.settlement)["trips"] == 100  # a tenth of 1,009.99
    assert step.meter == 100_999 - 100_00
    assert step.settlement.jackpot_net == 909 - 1009


def test_a_meter_too_low_for_a_unit_gives_a_straight_flush_its_stake_back():
    step = progressive(STRAIGHT_FLUSH, Meter(500))
    assert (nets(step.settlement)["trips"], step.meter) == (0, 505)


@pytest.mark.parametrize(("deal", "meter"), [(STRAIGHT_FLUSH, -1995), (ROYAL, 5000 - 1995)])
def test_a_meter_that_voids_left_below_nothing_takes_nothing_from_a_winner(deal, meter):
    step = progressive(deal, Meter(-2000, seed_amount=50))
    assert (nets(step.settlement)["trips"], step.meter) == (0, meter)


def test_every_contribution_goes_in_before_the_first_share_is_taken():
    """Seat 1 takes the meter; seat 2's contribution is part of what it takes."""
    step = progressive("As Ks  8h 7d  2c 2d  Qs Js Ts 3h 4d", Meter(99_990), (4, 0))
    assert nets(step.settlement)["trips"] == 1000
    assert step.meter == 100_000


@pytest.mark.parametrize(
    ("holes", "taken", "left"),
    [
        ("As Ks  9s 8s", (2000, 100), 900_10),
        ("9s 8s  As Ks", (200, 1800), 1000_10),
    ],
)
def test_shares_are_taken_in_seat_order_from_the_meter_as_it_stands(holes, taken, left):
    step = progressive(f"{holes}  2c 2d  Qs Js Ts 3h 4d", Meter(200_000), (4, 4))
    assert tuple(nets(step.settlement, seat)["trips"] for seat in (1, 2)) == taken
    assert step.meter == left
    assert step.settlement.jackpot_net == left // 100 - 2000


def test_a_royal_flush_on_the_board_pays_the_second_seat_from_the_restarted_meter():
    step = progressive("2c 2d  3c 3d  4c 4d  As Ks Qs Js Ts", Meter(500_000, seed_amount=1000), (4, 4))
    assert [nets(step.settlement, seat)["trips"] for seat in (1, 2)] == [5000, 1000]
    assert step.meter == 1000_10


@pytest.mark.parametrize(("profile", "net", "meter"), [("seed", -1, 200_005), ("published", 2000, 100_005)])
def test_a_folded_seat_contributes_and_only_the_published_profile_still_pays_it(profile, net, meter):
    step = progressive(ROYAL, Meter(200_000), (0,), profile=profile)
    assert (nets(step.settlement)["trips"], step.meter) == (net, meter)


def test_a_seat_without_the_bet_neither_feeds_the_meter_nor_wins_it():
    step = settle(ROYAL, meter=Meter(200_000), trips="progressive")
    assert (step.meter, step.settlement.jackpot_net) == (200_000, 0)
    assert "trips" not in nets(step.settlement)


def test_without_a_progressive_bet_there_is_no_jackpot_in_the_settlement():
    step = settle(ROYAL, side=(SideBets(1, trips=1),), meter=Meter(200_000))
    assert (step.meter, step.settlement.jackpot_net) == (None, None)
    assert nets(step.settlement)["trips"] == 50
