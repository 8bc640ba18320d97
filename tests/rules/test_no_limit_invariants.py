"""Whatever seats do, in any sequence: what holds after every action of every no-limit hand."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from no_limit_table import GAME

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
from croupier.rules.cards import DECK
from croupier.rules.game import IllegalAction, NotYourTurn, Table
from croupier.rules.no_limit_holdem import NoLimitHoldemOptions, NoLimitState, Playing, Settled


@st.composite
def dealt_hands(draw: Any) -> NoLimitState:
    """A hand of 2 to 10 seats with gaps between them, any blinds and antes, stacks of one chip or many."""
    seats = tuple(sorted(draw(st.sets(st.integers(1, 10), min_size=2))))
    big = draw(st.integers(1, 200))
    stack = st.one_of(st.integers(1, 2 * big), st.integers(1, 50 * big))
    stacks = tuple(draw(st.lists(stack, min_size=len(seats), max_size=len(seats))))
    options = NoLimitHoldemOptions(
        seats=10,
        small_blind=draw(st.integers(1, big)),
        big_blind=big,
        ante=draw(st.sampled_from([0, 0, 1, big // 4, big])),
        buy_in=10**6,
    )
    deck = draw(st.permutations(DECK))
    return GAME.deal(options, Table(seats, stacks, draw(st.sampled_from(seats))), deck).state


def chips(state: NoLimitState) -> int:
    view = GAME.view(state, None)
    assert view.betting is not None
    pots = 0 if isinstance(state, Settled) else sum(pot.amount for pot in view.betting.pots)
    return pots + sum(one.stack or 0 for one in view.seats)


def meant(legal: LegalAction) -> list[Action]:
    """The actions that a legal action stands for, at its limits and in the middle."""
    match legal:
        case LegalCall():
            return [Call()]
        case LegalAllIn():
            return [AllIn()]
        case LegalBet(low, high):
            return [Bet(low), Bet((low + high) // 2), Bet(high)]
        case LegalRaise(low, high):
            return [Raise(low), Raise((low + high) // 2), Raise(high)]
        case Fold() | Check():
            return [legal]
    raise AssertionError(legal)


def tempting(state: Playing, legal: tuple[LegalAction, ...]) -> list[Action]:
    """Every kind of action, with amounts in, at and just outside the limits there are."""
    street, position = state.street, state.position
    whole = street.bets[position] + street.stacks[position]
    totals = {0, 1, -1, street.current_bet, street.current_bet + street.full_raise, whole}
    for one in legal:
        if isinstance(one, LegalBet | LegalRaise):
            totals |= {one.min_to, one.max_to}
    around = sorted({total + by for total in totals for by in (-1, 0, 1)})
    sized: list[Action] = [kind(to) for kind in (Bet, Raise) for to in around]
    return [Fold(), Check(), Call(), AllIn(), Play(4), *sized]


def allows(legal: tuple[LegalAction, ...], action: Action) -> bool:
    for one in legal:
        if one.type == action.type:
            if isinstance(one, LegalBet | LegalRaise) and isinstance(action, Bet | Raise):
                return one.min_to <= action.to <= one.max_to
            return True
    return False


def check_legal_actions(state: Playing) -> None:
    """Each action inside what is legal is taken, each one outside is refused and told what is legal."""
    (turn,) = GAME.to_act(state)
    for seat in state.dealt.seats:
        if seat != turn:
            assert GAME.legal_actions(state, seat) == ()
            with pytest.raises(NotYourTurn):
                GAME.decide(state, seat, Fold())
    legal = GAME.legal_actions(state, turn)
    kinds = [one.type for one in legal]
    assert kinds[0] == "fold" and len(set(kinds)) == len(kinds) > 1
    assert ("check" in kinds) + ("call" in kinds) <= 1
    street = state.street
    for one in legal:
        match one:
            case LegalBet(low, high) | LegalRaise(low, high):
                assert street.current_bet < low <= high == street.bets[state.position] + stack_of(state)
                assert len(street.able) > 1, "somebody has chips to answer it with"
            case LegalCall(amount):
                assert 0 < amount <= stack_of(state)
            case LegalAllIn(amount):
                assert amount == stack_of(state)
    for action in tempting(state, legal):
        if allows(legal, action):
            GAME.decide(state, turn, action)
        else:
            with pytest.raises(IllegalAction) as refusal:
                GAME.decide(state, turn, action)
            assert refusal.value.legal == legal


def stack_of(state: Playing) -> int:
    return state.street.stacks[state.position]


def check_sight(state: NoLimitState) -> None:
    """Before the end a seat sees its own cards alone; a folded hand is never opened."""
    live = {state.dealt.seats[position] for position in state.street.live}
    opened = live if isinstance(state, Settled) and len(live) > 1 else set()
    for viewer in (None, *state.dealt.seats):
        for row in GAME.view(state, viewer).seats:
            assert (row.hole is not None) == (row.seat == viewer or row.seat in opened)


def check_settlement(state: Settled) -> None:
    settlement = state.settlement
    assert settlement.pots is not None
    assert sum(row.net for row in settlement.seats) == 0 == settlement.house_net
    assert sum(pot.amount for pot in settlement.pots) == sum(row.bets[0].staked for row in settlement.seats)
    for pot in settlement.pots:
        amounts = [share.amount for share in pot.winners]
        assert sum(amounts) == pot.amount > 0 and max(amounts) - min(amounts) <= 1
        assert {share.seat for share in pot.winners} <= set(pot.seats)
    dealt = dict(zip(state.dealt.seats, state.dealt.stacks, strict=True))
    assert all(-dealt[row.seat] <= row.net for row in settlement.seats)


@settings(max_examples=300, deadline=None)
@given(hand=dealt_hands(), data=st.data())
def test_whatever_seats_do_chips_rights_and_secrets_are_kept(hand: NoLimitState, data: Any) -> None:
    total = sum(hand.dealt.stacks)
    state, turns = hand, 0
    while isinstance(state, Playing):
        assert chips(state) == total
        assert min(state.street.stacks) >= 0
        check_legal_actions(state)
        check_sight(state)
        (turn,) = GAME.to_act(state)
        options = [action for one in GAME.legal_actions(state, turn) for action in meant(one)]
        patient = options[1:] if data.draw(st.integers(0, 5)) else options
        state = GAME.decide(state, turn, data.draw(st.sampled_from(patient))).state
        turns += 1
        assert turns < 400, "a hand ends"
    assert GAME.to_act(state) == ()
    assert all(GAME.legal_actions(state, seat) == () for seat in state.dealt.seats)
    assert chips(state) == total
    check_sight(state)
    check_settlement(state)
