"""The course of an Ultimate Texas Hold'em round: options, dealing, stages, decisions, and who sees what."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.rules.actions import AllIn, Bet, Call, Check, Fold, LegalPlay, Play, Raise
from croupier.rules.cards import DECK, cards
from croupier.rules.game import (
    MAX_AMOUNT,
    Chair,
    DealerView,
    Finish,
    Game,
    IllegalAction,
    InvalidOption,
    Meter,
    NotEnoughSeats,
    NotYourTurn,
    SideBets,
    Table,
)
from croupier.rules.options import limits_of
from croupier.rules.tables import BLIND, HOLE_CARD_BONUS, TRIPS
from croupier.rules.ultimate_texas_holdem import (
    Flop,
    Preflop,
    River,
    Settled,
    UltimateState,
    UltimateTexasHoldem,
    UltimateTexasHoldemOptions,
)

GAME: Game[UltimateTexasHoldemOptions, UltimateState] = UltimateTexasHoldem()
Options = UltimateTexasHoldemOptions

# Seats 1, 2 and 3, the dealer, the board: kings beat the dealer's queens; seats 2 and 3 have nothing.
THREE = cards("Kc Kd  2c 7d  3s 8d  Qh Qd  Ah 4c 9s Jh 6d")
HOLES = {1: cards("Kc Kd"), 2: cards("2c 7d"), 3: cards("3s 8d")}
DEALER, BOARD = cards("Qh Qd"), cards("Ah 4c 9s Jh 6d")


def deal(seats=(1, 2, 3), deck=THREE, side=(), meter=None, **options):
    return GAME.deal(Options(seats=6, **options), Table(seats), deck, side, meter).state


def decide(state, *decisions, meter=None):
    """Take decisions in turn, each written (seat, action)."""
    for seat, action in decisions:
        state = GAME.decide(state, seat, action, meter).state
    return state


def checked(state, *seats):
    return decide(state, *((seat, Check()) for seat in seats))


# ── Options ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_defaults_are_the_contracts():
    assert Options() == Options(1, 2, "seed", (4,), None, "fixed", False, 1000)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("seats", 0),
        ("seats", 7),
        ("ante", 0),
        ("ante", -2),
        ("ante", 3),
        ("ante", 10**9 + 2),
        ("profile", "house"),
        ("preflop_multiples", ()),
        ("preflop_multiples", (4, 3)),
        ("preflop_multiples", (2,)),
        ("preflop_multiples", (3, 4, 5)),
        ("rounds", 0),
        ("rounds", 10_001),
        ("trips", "linked"),
        ("side_bet_max", 0),
        ("side_bet_max", 10**8 + 1),
    ],
)
def test_an_option_outside_its_limits_is_refused_by_name(option, value):
    with pytest.raises(InvalidOption) as refused:
        Options(**{option: value})
    assert refused.value.field == option


def test_an_odd_ante_is_refused_with_the_reason():
    with pytest.raises(InvalidOption, match="even: the blind pays a flush 3:2"):
        Options(ante=5)


@pytest.mark.parametrize("multiples", [(4,), (3, 4), (3,)])
def test_the_three_kinds_of_table_are_accepted(multiples):
    assert Options(preflop_multiples=multiples).preflop_multiples == multiples


def test_no_amount_of_the_luckiest_round_passes_the_limit():
    """A royal flush beside five straight flushes, one seat's aces against the dealer's, all at the limits."""
    limits = limits_of(Options)
    ante, side = limits["ante"].high, limits["side_bet_max"].high
    main = ante * (6 * 5 + BLIND["royal_flush"].win + 5 * BLIND["straight_flush"].win)
    trips = side * (TRIPS["royal_flush"].win + 5 * TRIPS["straight_flush"].win)
    bonus = side * (HOLE_CARD_BONUS["aces_against_aces"].win + 5 * HOLE_CARD_BONUS["aces"].win)
    assert main + trips + bonus <= MAX_AMOUNT


# ── Sitting down and dealing ─────────────────────────────────────────────────────────────────────────────


def test_every_seat_that_wants_cards_is_dealt_in():
    assert GAME.chairs(Options(seats=3)) == (Chair(1), Chair(2), Chair(3))
    assert GAME.table(Options(seats=6), (Chair(2), Chair(5)), 3) == Table((2, 5))


def test_a_table_of_nobody_is_refused():
    with pytest.raises(NotEnoughSeats):
        GAME.table(Options(), (), 1)


@pytest.mark.parametrize("seats", [(1,), (2, 5), (1, 2, 3, 4, 5, 6)])
def test_cards_leave_the_deck_seat_by_seat_then_to_the_dealer_then_to_the_board(seats):
    state = deal(seats, DECK)
    n = 2 * len(seats)
    assert [player.stakes.hole for player in state.players] == [(i, i + 1) for i in range(0, n, 2)]
    assert state.dealer == (n, n + 1)
    assert state.board == tuple(range(n + 2, n + 7))
    assert GAME.to_act(state) == seats


def test_side_bets_show_among_the_stakes():
    side = (SideBets(2, trips=7, hole_card_bonus=9), SideBets(1, trips=1000))
    view = GAME.view(deal(side=side, hole_card_bonus=True), None)
    assert [seat.bets for seat in view.seats] == [
        {"ante": 2, "blind": 2, "trips": 1000},
        {"ante": 2, "blind": 2, "trips": 7, "hole_card_bonus": 9},
        {"ante": 2, "blind": 2},
    ]


ALL_ON = {"hole_card_bonus": True}
PROGRESSIVE = {"trips": "progressive", "meter": Meter(100_000, stake=5)}


@pytest.mark.parametrize(
    ("side", "session", "field"),
    [
        ((SideBets(1), SideBets(4, trips=1)), {}, "bets/1/seat"),
        ((SideBets(1, trips=1), SideBets(1, trips=1)), {}, "bets/1/seat"),
        ((SideBets(1, trips=1001),), {}, "bets/0/trips"),
        ((SideBets(1, trips=-1),), {}, "bets/0/trips"),
        ((SideBets(1, trips=6),), {"side_bet_max": 5}, "bets/0/trips"),
        ((SideBets(1), SideBets(2, trips=1)), {"trips": "off"}, "bets/1/trips"),
        ((SideBets(1, hole_card_bonus=1),), {}, "bets/0/hole_card_bonus"),
        ((SideBets(1, hole_card_bonus=1001),), ALL_ON, "bets/0/hole_card_bonus"),
        ((SideBets(1, hole_card_bonus=-1),), ALL_ON, "bets/0/hole_card_bonus"),
        ((SideBets(3, trips=4),), PROGRESSIVE, "bets/0/trips"),
        ((SideBets(3, trips=10),), PROGRESSIVE, "bets/0/trips"),
    ],
)
def test_a_side_bet_that_is_not_on_offer_is_refused_where_it_stands(side, session, field):
    with pytest.raises(InvalidOption) as refused:
        deal(side=side, **session)
    assert refused.value.field == field


def test_a_progressive_bet_is_taken_or_not():
    state = deal(side=(SideBets(1, trips=5), SideBets(2)), **PROGRESSIVE)
    assert [player.stakes.trips for player in state.players] == [5, 0, 0]


def test_a_progressive_round_cannot_do_without_its_meter():
    with pytest.raises(ValueError, match="meter"):
        deal(trips="progressive", side=(SideBets(1, trips=1),))
    state = deal((1,), **PROGRESSIVE)
    with pytest.raises(ValueError, match="meter"):
        GAME.decide(state, 1, Play(4))
    assert isinstance(decide(state, (1, Play(4)), meter=Meter(100_000)), Settled)


# ── Stages and decisions ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("multiples", [(4,), (3, 4), (3,)])
def test_what_is_legal_at_each_stage(multiples):
    state = deal(ante=10, preflop_multiples=multiples)
    preflop = GAME.legal_actions(state, 1)
    assert set(preflop) == {Check(), *(LegalPlay(m, 10 * m) for m in multiples)}
    state = checked(state, 1, 2, 3)
    assert set(GAME.legal_actions(state, 1)) == {Check(), LegalPlay(2, 20)}
    state = checked(state, 1, 2, 3)
    assert set(GAME.legal_actions(state, 1)) == {Fold(), LegalPlay(1, 10)}
    state = decide(state, (1, Fold()), (2, Fold()), (3, Play(1)))
    assert [GAME.legal_actions(state, seat) for seat in (1, 2, 3, 4)] == [()] * 4


def test_a_stage_ends_when_every_seat_still_to_decide_has_decided():
    state = deal()
    seen = []
    for seat, action in [
        (2, Check()),
        (3, Play(4)),
        (1, Check()),
        (1, Check()),
        (2, Check()),
        (2, Fold()),
        (1, Play(1)),
    ]:
        seen.append((type(state), GAME.to_act(state)))
        state = decide(state, (seat, action))
    assert seen == [
        (Preflop, (1, 2, 3)),
        (Preflop, (1, 3)),
        (Preflop, (1,)),
        (Flop, (1, 2)),
        (Flop, (2,)),
        (River, (1, 2)),
        (River, (1,)),
    ]
    assert isinstance(state, Settled)
    assert GAME.to_act(state) == ()


def test_stages_with_nobody_left_to_decide_are_passed_through_at_once():
    state = deal()
    everyone_played = decide(state, (1, Play(4)), (2, Play(4)), (3, Play(4)))
    assert isinstance(everyone_played, Settled)
    last_played_on_the_flop = decide(state, (1, Play(4)), (2, Play(4)), (3, Check()), (3, Play(2)))
    assert isinstance(last_played_on_the_flop, Settled)


def test_a_transition_carries_the_settlement_only_when_it_settles():
    state = deal((1,))
    assert GAME.decide(state, 1, Check()).settlement is None
    last = GAME.decide(state, 1, Play(4))
    assert last.settlement == last.state.settlement
    assert last.meter is None


def test_within_a_stage_the_order_of_decisions_changes_nothing():
    stages = (
        {1: Check(), 2: Play(4), 3: Check()},
        {1: Check(), 3: Play(2)},
        {1: Fold()},
    )
    ends = set()
    for first in permutations(stages[0]):
        for second in permutations(stages[1]):
            moves = [(seat, stages[0][seat]) for seat in first] + [(seat, stages[1][seat]) for seat in second]
            ends.add(decide(deal(), *moves, (1, Fold())))
    assert len(ends) == 1


def state_at(stage):
    return {"preflop": deal, "flop": flop, "river": river}[stage]()


def flop():
    return checked(deal(), 1, 2, 3)


def river():
    return checked(flop(), 1, 2, 3)


@pytest.mark.parametrize(
    ("stage", "action"),
    [
        *(("preflop", Play(multiple)) for multiple in (-4, 0, 1, 2, 3, 5)),
        *(("flop", Play(multiple)) for multiple in (0, 1, 3, 4)),
        *(("river", Play(multiple)) for multiple in (0, 2, 3, 4)),
        ("preflop", Fold()),
        ("flop", Fold()),
        ("river", Check()),
        *(("preflop", action) for action in (Call(), AllIn(), Bet(8), Raise(8))),
    ],
)
def test_an_action_that_the_stage_does_not_know_is_refused(stage, action):
    state = state_at(stage)
    with pytest.raises(IllegalAction) as refused:
        GAME.decide(state, 2, action)
    assert refused.value.legal == GAME.legal_actions(state, 2) != ()


@pytest.mark.parametrize(
    ("stage", "action", "reason"),
    [
        ("preflop", Fold(), "at the river alone"),
        ("river", Check(), "plays or folds"),
        ("flop", Play(4), "2 times the ante"),
        ("preflop", Call(), "call is not an action of this game"),
    ],
)
def test_a_refusal_says_why(stage, action, reason):
    with pytest.raises(IllegalAction, match=reason):
        GAME.decide(state_at(stage), 1, action)


def test_a_table_of_three_and_four_takes_either_and_says_so():
    state = deal(preflop_multiples=(3, 4))
    assert {player.stakes.play for player in decide(state, (1, Play(3)), (2, Play(4))).players} == {0, 6, 8}
    with pytest.raises(IllegalAction, match="3 or 4 times the ante"):
        GAME.decide(state, 1, Play(2))


@pytest.mark.parametrize(
    "before",
    [
        [(1, Check())],
        [(1, Play(4))],
        [(1, Play(4)), (2, Check()), (3, Check())],
        [(1, Play(4)), (2, Play(4)), (3, Play(4))],
    ],
)
@pytest.mark.parametrize("action", [Check(), Play(4), Play(2), Fold()])
def test_a_seat_decides_once_a_stage_and_plays_once_a_round(before, action):
    state = decide(deal(), *before)
    with pytest.raises(NotYourTurn) as refused:
        GAME.decide(state, 1, action)
    assert refused.value.to_act == GAME.to_act(state)


def test_a_seat_that_was_not_dealt_in_has_no_turn():
    with pytest.raises(NotYourTurn):
        GAME.decide(deal((2, 5)), 1, Check())


# ── Sight ────────────────────────────────────────────────────────────────────────────────────────────────

STAGES = [("preflop", 0), ("flop", 3), ("river", 5)]


@pytest.mark.parametrize(("stage", "open_cards"), STAGES)
@pytest.mark.parametrize("viewer", [1, 2, 3, 4, None])
def test_while_a_round_is_played_a_seat_sees_its_own_cards_and_the_open_board(stage, open_cards, viewer):
    view = GAME.view(state_at(stage), viewer)
    assert view.stage == stage
    assert view.board == BOARD[:open_cards]
    assert [seat.hole for seat in view.seats] == [HOLES[i] if i == viewer else None for i in (1, 2, 3)]
    assert view.dealer == DealerView(None, None)
    assert view.legal_actions == (GAME.legal_actions(state_at(stage), viewer) if viewer in HOLES else ())
    assert view.settlement is None


@pytest.mark.parametrize("viewer", [1, 2, None])
def test_at_settlement_everyone_sees_all_cards(viewer):
    view = GAME.view(decide(river(), (1, Fold()), (2, Play(1)), (3, Fold())), viewer)
    assert view.stage == "settled"
    assert view.board == BOARD
    assert [seat.hole for seat in view.seats] == list(HOLES.values())
    assert view.dealer.hole == DEALER
    assert view.dealer.hand == view.settlement.dealer.hand
    assert view.dealer.hand.category == "pair"
    assert view.legal_actions == ()


def test_when_every_seat_has_folded_the_dealers_cards_stay_down():
    view = GAME.view(decide(river(), (1, Fold()), (2, Fold()), (3, Fold())), 1)
    assert view.board == BOARD
    assert [seat.hole for seat in view.seats] == list(HOLES.values())
    assert view.dealer == DealerView(None, None)
    assert (view.settlement.dealer.hand, view.settlement.dealer.qualified) == (None, None)


def states(state):
    return [seat.state for seat in GAME.view(state, None).seats]


def test_what_each_seat_is_said_to_do():
    state = decide(deal(), (1, Play(4)), (2, Check()))
    assert states(state) == ["done", "waiting", "deciding"]
    state = checked(state, 3)
    assert states(state) == ["done", "deciding", "deciding"]
    state = decide(checked(state, 2, 3), (2, Fold()))
    assert states(state) == ["done", "folded", "deciding"]
    assert states(decide(state, (3, Play(1)))) == ["done", "folded", "done"]


def test_everyone_sees_every_stake():
    state = decide(deal(ante=10), (1, Play(4)))
    for viewer in (1, 2, None):
        bets = [seat.bets for seat in GAME.view(state, viewer).seats]
        assert bets == [{"ante": 10, "blind": 10, "play": 40}, *[{"ante": 10, "blind": 10}] * 2]


def test_a_subset_of_the_seats_plays_and_is_settled_under_its_own_numbers():
    state = decide(deal((2, 5, 6)), (5, Check()), (2, Play(4)), (6, Play(4)), (5, Play(2)))
    assert [(row.seat, row.net) for row in state.settlement.seats] == [(2, 10), (5, -8), (6, -12)]
    assert state.settlement.house_net == 10


# ── The session ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_session_ends_after_its_rounds_without_a_winner():
    options = Options(rounds=3)
    assert GAME.result(options, (Chair(1),), (50,), 2) is None
    assert GAME.result(options, (Chair(1),), (50,), 3) == Finish(None)
    assert GAME.result(Options(), (Chair(1),), (50,), 10**6) is None


# ── Whatever is played ───────────────────────────────────────────────────────────────────────────────────


@given(st.data())
def test_any_legal_course_settles_every_stake_and_loses_nothing_of_the_meter(data):
    seats = tuple(sorted(data.draw(st.sets(st.integers(1, 6), min_size=1))))
    deck = data.draw(st.permutations(DECK))
    meter = Meter(data.draw(st.integers(0, 10**9)), contribution=data.draw(st.integers(0, 100)), stake=7)
    options = Options(
        seats=6,
        ante=2 * data.draw(st.integers(1, 10**6)),
        profile=data.draw(st.sampled_from(["seed", "published"])),
        preflop_multiples=data.draw(st.sampled_from([(4,), (3, 4), (3,)])),
        trips=data.draw(st.sampled_from(["fixed", "progressive"])),
        hole_card_bonus=True,
    )
    side = [
        SideBets(seat, data.draw(st.sampled_from([0, 7])), data.draw(st.integers(0, 1000))) for seat in seats
    ]
    step = GAME.deal(options, Table(seats), deck, side, meter)
    while to_act := GAME.to_act(step.state):
        seat = data.draw(st.sampled_from(to_act))
        chosen = data.draw(st.sampled_from(GAME.legal_actions(step.state, seat)))
        action = Play(chosen.multiple) if isinstance(chosen, LegalPlay) else chosen
        step = GAME.decide(step.state, seat, action, meter)
    settlement = step.settlement
    assert tuple(row.seat for row in settlement.seats) == seats
    stakes = {seat.seat: seat.bets for seat in GAME.view(step.state, None).seats}
    for row in settlement.seats:
        assert {line.bet: line.staked for line in row.bets} == stakes[row.seat]
        assert list(stakes[row.seat]) == [bet for bet in GAME.bets if bet in stakes[row.seat]]
        assert all(line.returned >= 0 for line in row.bets)
    if options.trips == "fixed":
        assert (step.meter, settlement.jackpot_net) == (None, None)
        return
    lines = [line for row in settlement.seats for line in row.bets if line.bet == "trips"]
    shares = sum(line.net for line in lines if line.net > 0 and line.odds is None)
    restarts = sum(
        row.hand is not None and row.hand.category == "royal_flush" and "trips" in stakes[row.seat]
        for row in settlement.seats
    )
    fed = sum(line.staked for line in lines) * meter.contribution
    assert step.meter == meter.hundredths + fed - 100 * shares + 100 * meter.seed_amount * restarts >= 0
    assert settlement.jackpot_net == step.meter // 100 - meter.hundredths // 100
