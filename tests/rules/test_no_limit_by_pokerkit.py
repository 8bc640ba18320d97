"""Random hands played side by side with PokerKit: the same turns, amounts, pots and stacks.

Positions are PokerKit's players: 0 is left of the button. Where the two differ this project's rules decide,
and each difference has a function or a test of its own here that says which rule it is.
"""

import random

import pytest
from no_limit_table import GAME
from pokerkit import Automation, NoLimitTexasHoldem
from pokerkit import State as KitState

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
    Raise,
)
from croupier.rules.betting import big_blind_position
from croupier.rules.cards import DECK, TEXT
from croupier.rules.game import Pot, Table
from croupier.rules.no_limit_holdem import NoLimitHoldemOptions, NoLimitState, Playing

BIG = 100
AUTOMATED = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.CHIPS_PULLING,
)


class Kit:
    """The same hand in PokerKit: cards are given, chips are pushed once the pots have been read."""

    def __init__(self, stacks: tuple[int, ...], ante: int, deck: list[int]) -> None:
        self.state: KitState = NoLimitTexasHoldem.create_state(
            AUTOMATED, True, ante, (BIG // 2, BIG), BIG, stacks, len(stacks)
        )
        players = len(stacks)
        for player in range(players):
            self.state.deal_hole(TEXT[deck[player]] + TEXT[deck[players + player]], player)
        self.board = [TEXT[card] for card in deck[2 * players : 2 * players + 5]]
        self.go_on()

    def go_on(self) -> None:
        """Open hands and deal the board as far as nobody has to decide."""
        while self.state.can_show_or_muck_hole_cards():
            self.state.show_or_muck_hole_cards(True)
        while self.state.can_burn_card():
            self.state.burn_card("??")
            count = 3 if len(self.board) == 5 else 1
            self.state.deal_board("".join(self.board[:count]))
            del self.board[:count]

    def take(self, action: Action, to: int | None) -> None:
        if isinstance(action, Fold):
            self.state.fold()
        elif to is not None:
            self.state.complete_bet_or_raise_to(to)
        else:
            self.state.check_or_call()
        self.go_on()

    def raise_range(self) -> tuple[int, int] | None:
        low = self.state.min_completion_betting_or_raising_to_amount
        high = self.state.max_completion_betting_or_raising_to_amount
        return None if low is None or high is None else (low, high)

    def pots(self) -> list[tuple[int, tuple[int, ...]]]:
        return [(pot.amount, tuple(sorted(pot.player_indices))) for pot in self.state.pots]

    def stacks(self) -> tuple[int, ...]:
        while self.state.can_kill_hand():
            self.state.kill_hand()
        while self.state.can_push_chips():
            self.state.push_chips()
        return tuple(self.state.stacks)


def call_cost(legal: tuple[LegalAction, ...]) -> int:
    for one in legal:
        match one:
            case Check():
                return 0
            case LegalCall(amount):
                return amount
    return next(one.amount for one in legal if isinstance(one, LegalAllIn))


def raise_range(legal: tuple[LegalAction, ...], bet: int) -> tuple[int, int] | None:
    """From the least to the most that a raise may come to; an all-in that is no more than a call is none."""
    for one in legal:
        if isinstance(one, LegalBet | LegalRaise):
            return one.min_to, one.max_to
    for one in legal:
        if isinstance(one, LegalAllIn) and one.amount > call_cost(legal):
            return bet + one.amount, bet + one.amount
    return None


# ── The differences, by name ─────────────────────────────────────────────────────────────────────────────


def a_short_first_raise_reopens(state: Playing, kit: Kit) -> bool:
    """PokerKit takes the first all-in of a street for a full raise, however short it is.

    Here a full raise is at least the big blind from the start, and "an all-in raise of less than a full raise
    does not reopen the betting for a seat that has already acted".
    """
    return kit.state.completion_betting_or_raising_amount < state.street.full_raise


def no_raise_over_short_stacks(state: Playing) -> bool:
    """PokerKit offers no raise when every opponent's stack ends at or below the bet.

    Here a seat may raise as long as one live opponent has chips, whatever the size of opponents' stacks: what
    nobody calls is returned.
    """
    street, seat = state.street, state.position
    others = [other for other in street.able if other != seat]
    return all(street.bets[other] + street.stacks[other] <= street.current_bet for other in others)


def asks_the_big_blind_for_nothing(kit: Kit) -> bool:
    """PokerKit lets the last seat with chips check although nobody can put in more.

    Here "a seat is asked only while some live opponent could still put in more or it faces a bet".
    """
    return kit.state.actor_index is not None and kit.state.checking_or_calling_amount == 0


def kit_takings(pots: tuple[Pot, ...]) -> dict[int, int]:
    """Pots paid PokerKit's way: all odd chips to the first winner, and seats that win nothing merge pots.

    Here odd chips go "one each, starting with the first winner after the button, each pot on its own".
    """
    winners = {share.seat for pot in pots for share in pot.winners}
    merged: list[tuple[set[int], Pot, int]] = []
    for pot in pots:
        eligible = winners & set(pot.seats)
        if merged and merged[-1][0] == eligible:
            merged[-1] = (eligible, pot, merged[-1][2] + pot.amount)
        else:
            merged.append((eligible, pot, pot.amount))
    takings = dict.fromkeys(range(10), 0)
    for _, pot, amount in merged:
        seats = sorted(share.seat for share in pot.winners)
        share, odd = divmod(amount, len(seats))
        for seat in seats:
            takings[seat] += share + (odd if seat == seats[0] else 0)
    return takings


def test_a_short_first_all_in_reopens_in_pokerkit_alone():
    """A limper, then the small blind all-in to 144: 44 more is no full raise over a big blind of 100."""
    hand, kit = both_dealt((144, 1000, 1000), 0, list(DECK))
    for action in (Call(), AllIn()):
        to = 144 if isinstance(action, AllIn) else None
        hand = GAME.decide(hand, hand.position, action).state
        kit.take(action, to)
    hand = GAME.decide(hand, 1, Call()).state
    kit.take(Call(), None)
    assert hand.position == kit.state.actor_index == 2
    assert GAME.legal_actions(hand, 2) == (Fold(), LegalCall(44))
    assert kit.raise_range() == (244, 1000)


def test_a_raise_over_stacks_that_end_below_the_bet_is_ours_alone():
    """All-in to 1,000 with a big blind of 400 still to act: who covers both may raise here, in vain."""
    hand, kit = both_dealt((2000, 400, 1000), 0, list(DECK))
    hand = GAME.decide(hand, 2, AllIn()).state
    kit.take(AllIn(), 1000)
    assert GAME.legal_actions(hand, 0)[1:] == (LegalCall(950), LegalRaise(1900, 2000), LegalAllIn(1950))
    assert (kit.state.checking_or_calling_amount, kit.raise_range()) == (950, None)


def test_a_short_big_blind_lowers_the_call_in_pokerkit_alone():
    """Here "the amount to call pre-flop is still the full big blind", and the minimum raise follows it."""
    hand, kit = both_dealt((1000, 60, 1000), 0, list(DECK))
    assert GAME.legal_actions(hand, 2)[1:3] == (LegalCall(100), LegalRaise(200, 1000))
    assert (kit.state.checking_or_calling_amount, kit.raise_range()) == (60, (160, 1000))


# ── The play ─────────────────────────────────────────────────────────────────────────────────────────────


def both_dealt(stacks: tuple[int, ...], ante: int, deck: list[int]) -> tuple[NoLimitState, Kit]:
    options = NoLimitHoldemOptions(seats=10, ante=ante, buy_in=10**6)
    table = Table(tuple(range(len(stacks))), stacks, len(stacks) - 1)
    return GAME.deal(options, table, deck).state, Kit(stacks, ante, deck)


def random_stacks(rng: random.Random, players: int, ante: int) -> tuple[int, ...]:
    """Short, middle and deep stacks; the big blind's covers it, or the amounts to call would differ."""
    deepest = rng.choice([300, 1500, 9000])
    stacks = [rng.choice([rng.randint(1, 300), rng.randint(1, deepest)]) for _ in range(players)]
    stacks[big_blind_position(players)] += BIG + ante
    return tuple(stacks)


def random_action(
    rng: random.Random, state: Playing, legal: tuple[LegalAction, ...], sizes: tuple[int, int] | None
) -> tuple[Action, int | None]:
    """An action, and for a bet or a raise what it comes to; minimum and all-in are as likely as the rest."""
    street, seat = state.street, state.position
    owed, stack = street.current_bet - street.bets[seat], street.stacks[seat]
    pick = rng.random()
    if pick < 0.12 and owed:
        return Fold(), None
    if pick < 0.42 and sizes:
        to = rng.choice([sizes[0], rng.randint(*sizes), sizes[1]])
        if to == street.bets[seat] + stack:
            return AllIn(), to
        return (Raise(to) if street.current_bet else Bet(to)), to
    return (Check() if not owed else Call() if owed <= stack else AllIn()), None


def play_one(rng: random.Random) -> None:
    ante = rng.choice([0, 0, 10, 25])
    stacks = random_stacks(rng, rng.randint(2, 10), ante)
    state, kit = both_dealt(stacks, ante, rng.sample(DECK, 52))
    while isinstance(state, Playing):
        seat = state.position
        assert kit.state.actor_index == seat
        legal = GAME.legal_actions(state, seat)
        assert call_cost(legal) == kit.state.checking_or_calling_amount
        ours, theirs = raise_range(legal, state.street.bets[seat]), kit.raise_range()
        if ours is None and theirs is not None:
            assert a_short_first_raise_reopens(state, kit)
        elif theirs is None and ours is not None:
            assert no_raise_over_short_stacks(state)
            ours = None
        else:
            assert ours == theirs
        action, to = random_action(rng, state, legal, ours)
        state = GAME.decide(state, seat, action).state
        kit.take(action, to)
    if asks_the_big_blind_for_nothing(kit):
        kit.take(Check(), None)
    settlement = state.settlement
    pots = settlement.pots or ()
    if len(state.street.live) > 1:
        assert [(pot.amount, pot.seats) for pot in pots] == kit.pots()
    takings = kit_takings(pots)
    staked = [sum(posting.staked for posting in row.bets) for row in settlement.seats]
    expected = [
        stack - paid + takings[seat] for seat, (stack, paid) in enumerate(zip(stacks, staked, strict=True))
    ]
    assert tuple(expected) == kit.stacks()
    ours_after = [stack + row.net for stack, row in zip(stacks, settlement.seats, strict=True)]
    odd_chips = sum(len(pot.winners) - 1 for pot in pots)
    assert sum(ours_after) == sum(stacks)
    assert all(abs(one - other) <= odd_chips for one, other in zip(ours_after, expected, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_500_random_hands_are_as_pokerkit_plays_them(seed):
    rng = random.Random(seed)
    for _ in range(500):
        play_one(rng)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_20_000_random_hands_are_as_pokerkit_plays_them():
    rng = random.Random("a long evening")
    for _ in range(20_000):
        play_one(rng)
