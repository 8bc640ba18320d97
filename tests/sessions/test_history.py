"""Our own hands as PHH: what a caller sees of them, and PokerKit's loader as their reader."""

import random
from typing import Any

import pytest
from pokerkit import HandHistory

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
from croupier.rules.cards import TEXT, cards
from croupier.rules.no_limit_holdem import NoLimitHoldem, Playing, Settled
from croupier.sessions.history import phh, phhs
from croupier.sessions.recorded import hands, history, replay
from croupier.sessions.replay import outcome
from croupier.sessions.requests import Deal, Decide, SeatChange
from croupier.sessions.session import Round, Session
from sessions.house import OPERATOR, House, Started

GAME = NoLimitHoldem()
DECK = cards("Ah 7c 2d Ad 7d 3s Kc Kd 7h 5s 9c")  # for the seats 2, 3 and 1, in the order of dealing


class Table:
    """A session being played: whoever is in turn takes each action given."""

    def __init__(self, house: House, at: Started) -> None:
        self.house, self.at = house, at

    async def deal(self, *actions: Action, deck: Any = None) -> "Table":
        await self.house.service.deal(self.at.id, self.at.table, Deal(client_seed="luck", deck=deck), None)
        return await self.play(*actions)

    async def play(self, *actions: Action) -> "Table":
        for action in actions:
            (turn,) = GAME.to_act(await self.state())
            await self.house.service.decide(self.at.id, self.at.seats[turn - 1], Decide(action), None)
        return self

    async def session(self) -> Session:
        return await self.house.session(self.at.id)

    async def state(self) -> Playing | Settled:
        session = await self.session()
        assert session.round is not None
        state: Playing | Settled = outcome(session, session.round).state
        return state

    async def phh(self, seat: int | None = None) -> str:
        session = await self.session()
        assert session.round is not None
        return phh(session, session.round, seat)

    async def rounds(self) -> list[Round]:
        return await self.house.store.rounds(self.at.id, 0, 1000)


async def a_table(house: House, **options: Any) -> Table:
    return Table(house, await house.start("no-limit-holdem", sandbox=True, **options))


def read(text: str) -> dict[str, Any]:
    (hand,) = hands(text)
    return hand


def cards_dealt(text: str) -> dict[str, str]:
    """Each player's hole cards in a history, and the board's cards as one text."""
    found = {"board": ""}
    for action in read(text)["actions"]:
        match action.split():
            case ["d", "dh", player, hole]:
                found[player] = hole
            case ["d", "db", dealt]:
                found["board"] += dealt
    return found


async def test_a_hand_as_golden_text(house: House) -> None:
    table = await a_table(house, seats=3, ante=10, stacks=(3000, 1500, 800))
    await table.deal(Raise(300), Call(), Call(), deck=DECK)
    await table.play(Check(), Bet(200), Call(), Fold(), Check(), AllIn(), AllIn())
    assert (
        await table.phh(3)
        == f"""\
variant = "NT"
ante_trimming_status = true
antes = [10, 10, 10]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1500, 800, 3000]
actions = ["d dh p1 ????", "d dh p2 7c7d", "d dh p3 2d3s", "p3 cbr 300", "p1 cc", "p2 cc", "d db KcKd7h", \
"p1 cc", "p2 cbr 200", "p3 cc", "p1 f", "d db 5s", "p2 cc", "p3 cbr 2490", "p2 cc", "p2 sm 7c7d", \
"p3 sm 2d3s", "d db 9c"]
hand = 1
table = "{table.at.id}"
seats = [2, 3, 1]
seat_count = 3
players = ["seat 2", "seat 3", "seat 1"]
year = 2026
month = 1
day = 1
time_zone = "UTC"
finishing_stacks = [1190, 1910, 2200]
time = 00:00:00
"""
    )


async def test_while_a_hand_lasts_a_seat_sees_its_own_cards_and_nobody_elses(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.deal(Call(), Call(), Check(), deck=DECK)
    hidden = {"p1": "????", "p2": "????", "p3": "????", "board": "KcKd7h"}
    assert cards_dealt(await table.phh()) == hidden
    assert cards_dealt(await table.phh(2)) == hidden | {"p1": "AhAd"}
    assert cards_dealt(await table.phh(1)) == hidden | {"p3": "2d3s"}
    assert "finishing_stacks" not in read(await table.phh(2))


async def test_a_hand_won_without_a_showdown_shows_no_cards_and_no_more_board(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.deal(Raise(300), Fold(), Fold(), deck=DECK)
    text = await table.phh()
    assert cards_dealt(text) == {"p1": "????", "p2": "????", "p3": "????", "board": ""}
    assert read(text)["finishing_stacks"] == [2950, 2900, 3150]
    assert " sm " not in text


async def test_a_showdown_shows_every_live_hand_in_order_and_no_folded_one(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.deal(Fold(), Call(), Check(), *[Check()] * 4, Bet(100), Call(), deck=DECK)
    text = await table.phh()
    assert cards_dealt(text) == {"p1": "AhAd", "p2": "7c7d", "p3": "????", "board": "KcKd7h5s9c"}
    assert read(text)["actions"][-2:] == ["p1 sm AhAd", "p2 sm 7c7d"]


async def test_the_clocks_decisions_and_those_for_a_seat_that_left_say_so(house: House) -> None:
    table = await a_table(house, seats=3, decision_seconds=10)
    await table.deal()
    house.clock.forward(11)
    await house.service.read(table.at.id, OPERATOR)
    await house.service.seat(table.at.id, 2, table.at.seats[1], SeatChange("leave"), None)
    assert read(await table.phh())["actions"][3:] == ["p3 f # clock", "p1 f # away"]


async def test_a_voided_hand_has_no_finishing_stacks(house: House) -> None:
    table = await a_table(house, seats=2)
    await table.deal(Fold())
    assert "finishing_stacks" in await table.phh()
    await house.service.void(table.at.id, 1, OPERATOR, "a test", None)
    assert "finishing_stacks" not in await table.phh()


async def test_heads_up_the_small_blind_is_the_second_player(house: House) -> None:
    table = await a_table(house, seats=2)
    await table.deal(Call(), Check())
    hand = read(await table.phh())
    assert hand["seats"] == [2, 1]
    assert hand["blinds_or_straddles"] == [50, 100]
    assert hand["actions"][2:4] == ["p2 cc", "p1 cc"]


async def test_a_whole_session_is_one_file_with_a_table_a_hand(house: House) -> None:
    table = await a_table(house, seats=2)
    for _ in range(3):
        await table.deal(Fold())
    text = phhs(await table.session(), await table.rounds(), 1)
    assert [hand["hand"] for hand in hands(text)] == [1, 2, 3]
    assert [kept.finishing_stacks for kept in HandHistory.loads_all(text)] == [
        hand["finishing_stacks"] for hand in hands(text)
    ]


# ── Read by PokerKit ─────────────────────────────────────────────────────────────────────────────────────


def pick(rng: random.Random, state: Playing, legal: tuple[LegalAction, ...]) -> Action:
    """An action that PokerKit plays too: it knows no raise when no opponent's stack goes above the bet."""
    street = state.street
    answered = any(
        street.bets[other] + street.stacks[other] > street.current_bet
        for other in street.able
        if other != state.position
    )
    choices: list[Action] = []
    for one in legal:
        match one:
            case Fold():
                choices += [Fold()] * bool(street.current_bet > street.bets[state.position])
            case Check():
                choices += [Check()] * 4
            case LegalCall():
                choices += [Call()] * 4
            case LegalBet(low, high):
                choices.append(Bet(rng.randint(low, min(high, 4 * low))))
            case LegalRaise(low, high) if answered:
                choices.append(Raise(rng.randint(low, min(high, 4 * low))))
            case LegalAllIn(amount) if answered or amount < street.current_bet - street.bets[state.position]:
                choices.append(AllIn())
    return rng.choice(choices)


@pytest.mark.parametrize("seed", range(40))
async def test_pokerkit_reads_our_hands_and_comes_to_our_stacks(house: House, seed: int) -> None:
    rng = random.Random(seed)
    seats = rng.randint(2, 10)
    stacks = tuple(rng.choice([rng.randint(150, 900), rng.randint(150, 6000)]) for _ in range(seats))
    table = await a_table(house, seats=seats, ante=rng.choice([0, 25]), buy_in=6000, stacks=stacks)
    await table.deal()
    while isinstance(state := await table.state(), Playing):
        (turn,) = GAME.to_act(state)
        await table.play(pick(rng, state, GAME.legal_actions(state, turn)))
    text = await table.phh()
    recorded = read(text)["finishing_stacks"]
    assert replay(history(read(text))).stacks == tuple(recorded)
    *_, last = HandHistory.loads(text)
    assert not last.status, "PokerKit has reached the end of the hand too"
    # PokerKit gives all odd chips of a pot to its first winner.
    odd = sum(len(pot.winners) - 1 for pot in state.settlement.pots or ())
    assert all(abs(ours - theirs) <= odd for ours, theirs in zip(recorded, last.stacks, strict=True))
    for viewer in range(1, seats + 1):
        seen = cards_dealt(await table.phh(viewer))
        for position, seat in enumerate(state.dealt.seats):
            own = "".join(TEXT[card] for card in state.dealt.holes[position])
            opened = len(state.street.live) > 1 and position in state.street.live
            assert seen[f"p{position + 1}"] == (own if seat == viewer or opened else "????")
