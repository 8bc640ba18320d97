"""The no-limit table between hands: the button, who is dealt in, chips that come and go, and the end."""

from typing import Any

import pytest

from croupier.rules.actions import Action, AllIn, Call, Check, Fold, Raise
from croupier.rules.cards import cards
from croupier.sessions.errors import (
    IllegalAction,
    InvalidRequest,
    NotEnoughSeats,
    RoundInProgress,
    SessionFinished,
)
from croupier.sessions.fairness import commitment
from croupier.sessions.requests import Deal, SeatChange
from croupier.sessions.requests import Decide as Decision
from sessions.house import OPERATOR, House, Started, data

BOARD = "2c 7d 9h Js Kc"


def deck(first: str, second: str, board: str = BOARD) -> tuple[int, ...]:
    """Everyone's first cards from the button's left, their second ones, and the board."""
    return cards(f"{first} {second} {board}")


class Table:
    """A started table, and the seats' requests in short."""

    def __init__(self, at: Started) -> None:
        self.at = at

    async def deal(self, **body: Any) -> Any:
        return data(await self.at.service.deal(self.at.id, self.at.table, Deal(**body), None))

    async def play(self, *actions: Action) -> Any:
        """Each action is taken by the seat in turn."""
        for action in actions:
            (seat,) = (await self.see())["round"]["to_act"]
            asked = Decision(action)
            done = data(await self.at.service.decide(self.at.id, self.at.seats[seat - 1], asked, None))
        return done

    async def fold_out(self) -> Any:
        """Everyone folds to the big blind."""
        round_ = (await self.see())["round"]
        while round_["stage"] == "preflop":
            round_ = await self.play(Fold())
        return round_

    async def seat(self, number: int, do: Any, amount: int | None = None) -> Any:
        change = SeatChange(do, amount=amount)
        return data(await self.at.service.seat(self.at.id, number, self.at.seats[number - 1], change, None))

    async def void(self, number: int) -> Any:
        return data(await self.at.service.void(self.at.id, number, OPERATOR, "misdeal", None))

    async def see(self) -> Any:
        return data(await self.at.service.read(self.at.id, self.at.table))

    async def stacks(self) -> list[int]:
        return [seat["stack"] for seat in (await self.see())["seats"]]


async def a_table(house: House, seats: int = 4, **options: Any) -> Table:
    return Table(await house.start("no-limit-holdem", seats=seats, sandbox=True, **options))


def states(round_: Any) -> list[str]:
    return [seat["state"] for seat in round_["seats"]]


# ── The button ───────────────────────────────────────────────────────────────────────────────────────────


async def test_the_first_button_is_seat_1s_and_goes_round_one_seat_a_hand(house: House) -> None:
    table = await a_table(house, seats=3)
    found = []
    for _ in range(4):
        found.append((await table.deal())["button"])
        await table.fold_out()
    assert found == [1, 2, 3, 1]


async def test_the_button_passes_a_seat_that_is_not_dealt_in(house: House) -> None:
    table = await a_table(house)
    await table.deal()
    await table.fold_out()
    await table.seat(2, "sit_out")
    round_ = await table.deal()
    assert round_["button"] == 3
    # Blinds: seats 4 and 1; seat 3 acts first.
    assert [seat["street_bet"] for seat in round_["seats"]] == [100, 0, 0, 50]
    assert round_["to_act"] == [3]


async def test_a_voided_hand_keeps_its_button_and_gives_its_chips_back(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.deal()
    await table.fold_out()
    before = await table.stacks()
    first = await table.deal()
    await table.play(Raise(500), Call())
    voided = await table.void(2)
    assert (voided["stage"], voided["to_act"]) == ("voided", [])
    assert await table.stacks() == before
    again = await table.deal()
    assert (again["number"], again["deal"], again["button"]) == (2, 2, first["button"])


async def test_a_settled_hand_that_is_voided_gives_its_chips_back_and_keeps_its_button(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.deal()
    await table.play(AllIn(), Call(), Fold())
    assert await table.stacks() != [3000] * 3
    await table.void(1)
    assert await table.stacks() == [3000] * 3
    assert (await table.deal())["button"] == 1


async def test_a_settled_hand_stands_once_a_seat_has_left(house: House) -> None:
    table = await a_table(house)
    await table.deal()
    await table.fold_out()
    await table.seat(4, "leave")
    with pytest.raises(IllegalAction, match="left or bought in"):
        await table.void(1)


# ── Sitting out and in, and leaving ──────────────────────────────────────────────────────────────────────


async def test_a_seat_that_sits_out_gets_no_cards_until_it_sits_in(house: House) -> None:
    table = await a_table(house)
    await table.seat(3, "sit_out")
    round_ = await table.deal()
    assert (states(round_)[2], round_["seats"][2]["stack"]) == ("sitting_out", 3000)
    await table.seat(3, "sit_in")
    assert states((await table.see())["round"])[2] == "sitting_out", "from the next hand on"
    await table.fold_out()
    assert states(await table.deal())[2] == "waiting"


async def test_sitting_out_for_one_deal_holds_for_that_one_alone(house: House) -> None:
    table = await a_table(house)
    assert states(await table.deal(sit_out=(2,)))[1] == "sitting_out"
    await table.fold_out()
    assert "sitting_out" not in states(await table.deal())


async def test_fewer_than_two_seats_to_deal_in_are_refused(house: House) -> None:
    table = await a_table(house, seats=2)
    await table.seat(2, "sit_out")
    with pytest.raises(NotEnoughSeats):
        await table.deal()


async def test_who_leaves_between_hands_takes_its_chips_at_once_and_never_comes_back(house: House) -> None:
    table = await a_table(house)
    after = await table.seat(2, "leave")
    assert (after["seats"][1]["status"], after["seats"][1]["stack"]) == ("left", 0)
    entries = data(await table.at.service.ledger(table.at.id, table.at.table, 0, 10))["entries"]
    assert (entries[-1]["type"], entries[-1]["seat"], entries[-1]["stack"]) == ("left", 2, 3000)
    with pytest.raises(IllegalAction, match="does not come back"):
        await table.seat(2, "sit_in")


async def test_who_leaves_in_the_middle_of_a_hand_folds_when_its_turn_comes(house: House) -> None:
    table = await a_table(house)
    await table.deal()  # the button on 1, the blinds on 2 and 3: seat 4 acts first
    await table.play(Call())
    session = await table.seat(2, "leave")
    assert session["round"]["to_act"] == [1]
    assert states(session["round"])[1] == "waiting", "its turn has not come yet"
    round_ = await table.play(Call())
    assert (round_["to_act"], states(round_)[1]) == ([3], "folded")
    await table.play(Check(), *[Check()] * 9)
    after = await table.see()
    assert (after["round"]["stage"], after["seats"][1]["status"]) == ("settled", "left")
    assert (after["seats"][1]["stack"], after["seats"][1]["balance"]) == (0, -50)
    assert sum(await table.stacks()) == 4 * 3000 - 2950


# ── Rebuys ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_rebuy_reaches_the_buy_in_and_not_a_chip_more(house: House) -> None:
    table = await a_table(house, seats=3, stacks=(3000, 1000, 3000), rebuys=True)
    with pytest.raises(IllegalAction, match="2000 at most"):
        await table.seat(2, "rebuy", 2001)
    assert await table.stacks() == [3000, 1000, 3000]
    await table.seat(2, "rebuy", 2000)
    assert await table.stacks() == [3000, 3000, 3000]
    entries = data(await table.at.service.ledger(table.at.id, table.at.table, 0, 10))["entries"]
    assert (entries[-1]["type"], entries[-1]["amount"]) == ("rebuy", 2000)


async def test_a_rebuy_in_the_middle_of_a_hand_is_refused(house: House) -> None:
    table = await a_table(house, seats=3, stacks=(3000, 1000, 3000), rebuys=True)
    await table.deal()
    with pytest.raises(RoundInProgress):
        await table.seat(2, "rebuy", 500)


async def test_without_rebuys_none_is_taken(house: House) -> None:
    table = await a_table(house, seats=3, stacks=(3000, 1000, 3000))
    with pytest.raises(IllegalAction, match="no rebuys"):
        await table.seat(2, "rebuy", 500)


async def test_a_rebuy_names_its_amount(house: House) -> None:
    table = await a_table(house, rebuys=True)
    with pytest.raises(InvalidRequest):
        await table.seat(2, "rebuy")


# ── Busted seats and the end ─────────────────────────────────────────────────────────────────────────────

# Three seats, the button on 1: cards go to 2, 3, 1. Seat 2 has the aces.
SEAT_2_WINS = deck("Ah Qs 8c", "Ad Qd 8d")


async def test_a_busted_seat_is_passed_and_two_that_are_left_play_heads_up(house: House) -> None:
    table = await a_table(house, seats=3, stacks=(3000, 3000, 1000))
    await table.deal(deck=SEAT_2_WINS)
    await table.play(Fold(), Call(), AllIn(), Call())
    assert await table.stacks() == [3000, 4000, 0]
    assert [seat["status"] for seat in (await table.see())["seats"]] == ["playing", "playing", "busted"]
    round_ = await table.deal()
    assert (round_["button"], states(round_)[2]) == (2, "sitting_out")
    # Heads-up the button posts the small blind, acts first before the flop and last after it.
    assert [seat["street_bet"] for seat in round_["seats"]] == [100, 50, 0]
    assert round_["to_act"] == [2]
    assert (await table.play(Call(), Check()))["to_act"] == [1]
    await table.play(*[Check()] * 6)
    assert (await table.deal())["button"] == 1


async def test_who_holds_all_the_chips_has_won_the_session(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.deal(deck=SEAT_2_WINS)
    await table.play(AllIn(), Call(), Call())
    session = await table.see()
    assert (session["status"], session["result"]) == ("finished", 2)
    assert [seat["stack"] for seat in session["seats"]] == [0, 9000, 0]
    with pytest.raises(SessionFinished):
        await table.deal()


async def test_who_stays_when_all_others_have_left_has_won_the_session(house: House) -> None:
    table = await a_table(house, seats=3)
    await table.seat(1, "leave")
    session = await table.seat(3, "leave")
    assert (session["status"], session["result"]) == ("finished", 2)


async def test_with_rebuys_the_table_waits_for_one(house: House) -> None:
    table = await a_table(house, seats=2, rebuys=True)
    # The button on 1: cards go to 2, 1.
    await table.deal(deck=deck("Ah 8c", "Ad 8d"))
    await table.play(AllIn(), Call())
    session = await table.see()
    assert (session["status"], session["seats"][0]["status"]) == ("open", "busted")
    with pytest.raises(NotEnoughSeats):
        await table.deal()
    session = await table.seat(1, "rebuy", 3000)
    assert session["seats"][0]["status"] == "playing"
    assert (await table.deal())["button"] == 2


# ── Seeds ────────────────────────────────────────────────────────────────────────────────────────────────


async def test_seeds_are_revealed_when_the_session_ends_and_not_before(house: House) -> None:
    table = await a_table(house)
    for _ in range(2):
        await table.deal()
        await table.fold_out()
    await table.deal()
    await table.void(3)
    service, at = table.at.service, table.at

    async def seeds() -> list[tuple[str | None, str]]:
        rounds = data(await service.rounds(at.id, at.table, 0, 10))["rounds"]
        return [(one["fairness"]["server_seed"], one["fairness"]["commitment"]) for one in rounds]

    assert [seed for seed, _ in await seeds()] == [None] * 3
    await service.close(at.id, at.table, None)
    for seed, committed in await seeds():
        assert seed is not None
        assert commitment(bytes.fromhex(seed)) == committed
