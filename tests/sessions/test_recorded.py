"""Recorded hands, most of them played by professionals, through our rules and our use cases."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from pokerkit import HandHistory

from croupier.rules.actions import Action, AllIn, Bet, Call, Check, Fold, Raise
from croupier.rules.cards import cards
from croupier.sessions.recorded import (
    Differs,
    Malformed,
    NotPlayable,
    Replayed,
    hands,
    history,
    replay,
)
from croupier.sessions.requests import Deal, Decide
from sessions.house import House, data

RECORDED = sorted((Path(__file__).parents[1] / "data" / "phh").glob("*.phh"))
PLAIN = {
    "variant": "NT",
    "ante_trimming_status": True,
    "antes": [0, 0, 0],
    "blinds_or_straddles": [50, 100, 0],
    "min_bet": 100,
    "starting_stacks": [1000, 1000, 1000],
    "actions": [
        *("d dh p1 AhAd", "d dh p2 KhKd", "d dh p3 2c7d", "p3 f", "p1 cbr 300 # a raise", "p2 cc"),
        *("d db 3s4s9h", "p1 cbr 700", "p2 cc", "p1 sm AhAd", "p2 sm KhKd", "d db Jc", "d db Qs"),
    ],
    "finishing_stacks": [2000, 0, 1000],
}


def test_all_the_recorded_hands_are_here_with_their_licence():
    assert len(RECORDED) == 171
    assert RECORDED[0].with_name("LICENSE").read_text().startswith("MIT License")


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_hand_is_legal_and_ends_with_the_recorded_stacks(path):
    (hand,) = hands(path.read_text())
    replayed = replay(history(hand))
    if "finishing_stacks" in hand:
        assert replayed == Replayed(tuple(hand["finishing_stacks"]), ())
    else:
        *_, last = HandHistory.loads(path.read_text())
        assert replayed == Replayed(tuple(last.stacks), ("no finishing stacks recorded",))


def test_the_recorded_hands_are_as_various_as_one_hopes():
    told = [path.read_text() for path in RECORDED]
    assert sum(" sm " in text for text in told) >= 40, "showdowns"
    assert sum("antes = [0, " in text and "ante_trimming_status = false" in text for text in told) == 11


# ── Through the use cases ────────────────────────────────────────────────────────────────────────────────


SHOWN = [path for path in RECORDED if " sm " in path.read_text() and path.stem.startswith("pluribus")]


def our_action(round_: dict[str, Any], words: list[str]) -> Action:
    """A recorded action for the seat in turn, as *round_* shows it to that seat."""
    legal = {one["type"]: one for one in round_["legal_actions"]}
    if words == ["f"]:
        return Fold()
    if words == ["cc"]:
        return Check() if "check" in legal else Call() if "call" in legal else AllIn()
    to = int(words[1])
    kind = "bet" if "bet" in legal else "raise"
    if kind in legal and to <= legal[kind]["max_to"]:
        return Bet(to) if kind == "bet" else Raise(to)
    return AllIn()


@pytest.mark.parametrize("text", [pytest.param(path.read_text(), id=path.stem) for path in SHOWN[::3][:12]])
async def test_a_recorded_hand_is_played_by_seats_at_a_sandbox_table(house: House, text: str) -> None:
    """The first button is seat 1's, so player n, counted from the button's left, sits on seat n + 1."""
    hand = tomllib.loads(text)
    stacks, players = hand["starting_stacks"], len(hand["starting_stacks"])
    deal, board = {}, ""
    for action in hand["actions"]:
        match action.split():
            case ["d", "dh", player, hole]:
                deal[player] = hole
            case ["d", "db", street]:
                board += street
    dealt = "".join([hole[:2] for hole in deal.values()] + [hole[2:] for hole in deal.values()]) + board
    deck = cards(dealt[at : at + 2] for at in range(0, len(dealt), 2))
    seat_of = {f"p{n}": n % players + 1 for n in range(1, players + 1)}
    at = await house.start(
        "no-limit-holdem", seats=players, buy_in=max(stacks), stacks=(stacks[-1], *stacks[:-1]), sandbox=True
    )
    await house.service.deal(at.id, at.table, Deal(deck=deck), None)
    for action in hand["actions"]:
        player, *words = action.split()
        if player == "d" or words[0] == "sm":
            continue
        caller = at.seats[seat_of[player] - 1]
        round_ = data(await house.service.read(at.id, caller))["round"]
        assert round_["to_act"] == [seat_of[player]]
        await house.service.decide(at.id, caller, Decide(our_action(round_, words)), None)
    after = data(await house.service.read(at.id, at.table))
    assert after["round"]["stage"] == "settled"
    assert [after["seats"][seat - 1]["stack"] for seat in seat_of.values()] == hand["finishing_stacks"]


# ── What differs ─────────────────────────────────────────────────────────────────────────────────────────


def with_action(old: str, *new: str) -> dict[str, Any]:
    actions = [one for action in PLAIN["actions"] for one in (new if action == old else (action,))]
    return PLAIN | {"actions": actions}


def test_the_hand_that_the_cases_below_spoil_is_in_order():
    assert replay(history(PLAIN)) == Replayed((2000, 0, 1000), ())


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        (
            with_action("p1 cbr 300 # a raise", "p1 cbr 150"),
            "p1 cbr 150: a total of 150 is below the minimum",
        ),
        (with_action("p1 cbr 700", "p1 cbr 701"), "p1 cbr 701: a total of 701 is above the stack"),
        (with_action("p3 f", "p1 f"), "p1 f: p3 has to act on the preflop"),
        (with_action("p2 cc"), "d db 3s4s9h: p2 has to act on the preflop"),
        (with_action("d db Jc", "p1 cc", "d db Jc"), "p1 cc: nobody has anything left to decide"),
        (with_action("p1 cbr 300 # a raise", "p1 f", "p2 cc"), "p2 cc: the hand is over"),
        (PLAIN | {"actions": PLAIN["actions"][:-5]}, "the record ends while p2 has to act"),
        (PLAIN | {"finishing_stacks": [1999, 1, 1000]}, "p1 finishes with 2000, recorded are 1999"),
    ],
)
def test_what_differs_is_named(hand, message):
    with pytest.raises(Differs, match=message):
        replay(history(hand))


# ── What can be checked only in part, or not at all ──────────────────────────────────────────────────────


def test_without_the_cards_of_a_showdown_the_actions_alone_are_checked():
    hidden = [action for action in PLAIN["actions"] if "KhKd" not in action]
    replayed = replay(history(PLAIN | {"actions": ["d dh p2 ????", *hidden]}))
    assert replayed == Replayed(None, ("cards of the showdown are not recorded",))
    burnt = with_action("d db Jc", "d db ??")
    assert replay(history(burnt)).stacks is None


def test_cards_shown_at_the_end_alone_are_enough():
    hidden = [action for action in PLAIN["actions"] if "dh p2" not in action]
    assert replay(history(PLAIN | {"actions": ["d dh p2 ????", *hidden]})).stacks == (2000, 0, 1000)


def test_a_record_may_end_before_its_hand_does():
    hand = {name: value for name, value in PLAIN.items() if name != "finishing_stacks"}
    unfinished = replay(history(hand | {"actions": PLAIN["actions"][:-6]}))
    assert unfinished == Replayed(None, ("the record ends before the hand does",))


def test_an_ante_of_the_big_blind_for_the_table_is_dead_and_goes_with_the_main_pot():
    """p2 posts 100 dead for all: p3, all-in for 60, wins three times that and the ante."""
    hand = PLAIN | {
        "ante_trimming_status": False,
        "antes": [0, 100, 0],
        "starting_stacks": [1000, 1000, 60],
        "actions": [
            *("d dh p1 KhKd", "d dh p2 2c7d", "d dh p3 AhAd", "p3 cc", "p1 cc", "p2 cc", "d db 3s4s9h"),
            *("p1 cc", "p2 cc", "d db Jc", "p1 cc", "p2 cc", "d db Qs", "p1 cc", "p2 cc"),
        ],
        "finishing_stacks": [1000 - 60 + 40, 1000 - 200, 280],
    }
    assert replay(history(hand)).stacks == (980, 800, 280)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variant": "FT"}, "variant FT"),
        ({"blinds_or_straddles": [50, 100, 200]}, "straddles"),
        ({"min_bet": 200}, "minimum bet"),
        ({"blinds_or_straddles": [0, 100, 0]}, "stakes out of range: small_blind"),
        ({"starting_stacks": [1000.5, 1000, 1000]}, "parts of a chip"),
        ({"antes": [0, 100, 0]}, "uneven antes"),
        ({"antes": [0, 1000, 0], "ante_trimming_status": False}, "all-in for a dead ante"),
        ({name: [100] * 11 for name in ("antes", "blinds_or_straddles", "starting_stacks")}, "11 players"),
    ],
)
def test_hands_that_are_not_played_here_say_why(change, message):
    with pytest.raises(NotPlayable, match=message):
        history(PLAIN | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starting_stacks": [1000, 1000]}, "antes has to be a list"),
        ({"starting_stacks": [1000, -1, 1000]}, "amounts of chips"),
        ({"actions": "p3 f"}, "list of texts"),
        ({"actions": ["d dh p4 AhAd"]}, "no player p4"),
        ({"actions": ["d dh p1 AhAx"]}, "'Ax' is not a card"),
        ({"actions": ["d dh p1 AhAdAc"]}, "not two hole cards"),
        ({"actions": ["d dh p1 AhAd", "d dh p2 AhKd"]}, "dealt twice"),
        ({"actions": ["d dh p1 AhAd", "p1 sm AhAc"]}, "p1 was dealt other cards"),
        ({"actions": ["p3 cbr 300.5"]}, "no action"),
        ({"actions": ["p3 bets"]}, "no action"),
    ],
)
def test_a_hand_that_makes_no_sense_says_where(change, message):
    with pytest.raises(Malformed, match=message):
        replay(history(PLAIN | change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("variant = ", "not TOML"),
        ('[1]\nhand = 3\n[2]\nvariant = "NT"', "1 is no hand"),
        ("a = 1", "a is no"),
    ],
)
def test_a_text_without_hands_is_refused(text, message):
    with pytest.raises(Malformed, match=message):
        list(hands(text))
