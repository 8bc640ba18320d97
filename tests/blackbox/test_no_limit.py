"""No-limit hold'em over HTTP: recorded hands to their recorded stacks, and requests that make no sense."""

import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from blackbox.table import Table, good, refused

RECORDED = sorted((Path(__file__).parents[1] / "data" / "phh").glob("pluribus-*.phh"))
SHOWN = [path for path in RECORDED if " sm " in path.read_text()]

# ── Recorded hands ───────────────────────────────────────────────────────────────────────────────────────


def recorded_deck(actions: list[str]) -> str:
    """The recorded cards as they left the deck: everyone's first, everyone's second, the board."""
    holes, board = [], ""
    for action in actions:
        match action.split():
            case ["d", "dh", _, hole]:
                holes.append(hole)
            case ["d", "db", street]:
                board += street
    dealt = "".join([hole[:2] for hole in holes] + [hole[2:] for hole in holes]) + board
    return " ".join(dealt[at : at + 2] for at in range(0, len(dealt), 2))


def meant(round_: Any, words: list[str]) -> dict[str, Any]:
    """A recorded action as *round_* offers it to the seat in turn."""
    legal = {one["type"]: one for one in round_["legal_actions"]}
    if words == ["f"]:
        return {"type": "fold"}
    if words == ["cc"]:
        return {"type": next(kind for kind in ("check", "call", "all_in") if kind in legal)}
    kind, to = "bet" if "bet" in legal else "raise", int(words[1])
    if kind in legal and legal[kind]["min_to"] <= to <= legal[kind]["max_to"]:
        return {"type": kind, "to": to}
    assert to == legal["all_in"]["amount"] + round_["seats"][round_["to_act"][0] - 1]["street_bet"]
    return {"type": "all_in"}


@pytest.mark.parametrize("path", SHOWN[::4][:12], ids=lambda path: path.stem)
def test_a_recorded_hand_comes_to_its_recorded_stacks(http: httpx.Client, path: Path) -> None:
    """The first button is seat 1's, so player n, counted from the button's left, sits on seat n + 1."""
    hand = tomllib.loads(path.read_text())
    stacks, players = hand["starting_stacks"], len(hand["starting_stacks"])
    seat_of = {f"p{n}": n % players + 1 for n in range(1, players + 1)}
    brought = [stacks[-1], *stacks[:-1]]
    table = Table.start(
        http, "no-limit-holdem", seats=players, buy_in=max(stacks), stacks=brought, sandbox=True
    )
    table.deal(recorded_deck(hand["actions"]))
    for action in hand["actions"]:
        player, *words = action.split()
        if player == "d" or words[0] == "sm":
            continue
        seat = seat_of[player]
        round_ = table.see(table.seats[seat - 1])["round"]
        assert round_["to_act"] == [seat], action
        table.decide(**_as_arguments(meant(round_, words)), seat=seat)
    after = table.see()
    assert after["round"]["stage"] == "settled"
    assert [after["seats"][seat - 1]["stack"] for seat in seat_of.values()] == hand["finishing_stacks"]


def _as_arguments(action: dict[str, Any]) -> dict[str, Any]:
    return {"action" if name == "type" else name: value for name, value in action.items()}


# ── Bad input ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def table(http: httpx.Client) -> Table:
    """Four seats with 3000, 1000, 3000, 3000; the button on 1, the blinds of 50 and 100 on 2 and 3."""
    stacks = [3000, 1000, 3000, 3000]
    return Table.start(http, "no-limit-holdem", seats=4, stacks=stacks, rebuys=True, sandbox=True)


def attempt(table: Table, seat: int, action: dict[str, Any]) -> httpx.Response:
    return table.post("decide", {"action": action}, table.seats[seat - 1])


def unchanged(table: Table, answer: httpx.Response, status: int, code: str, before: Any) -> Any:
    """The refusal's problem; the whole position and the ledger are what they were."""
    problem = refused(answer, status, code)
    assert (table.see(), table.ledger()) == before
    return problem


def position(table: Table) -> Any:
    return table.see(), table.ledger()


def test_out_of_turn(table: Table) -> None:
    table.deal()
    problem = unchanged(table, attempt(table, 2, {"type": "fold"}), 409, "not-your-turn", position(table))
    assert problem["legal_actions"] == []
    assert "to act: 4" in problem["detail"]


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"type": "raise", "to": 199}, "below the minimum of 200"),
        ({"type": "raise", "to": 3001}, "above the stack, which reaches 3000"),
        ({"type": "raise", "to": 100}, "is a call"),
        ({"type": "bet", "to": 300}, "raise it"),
        ({"type": "check"}, "it takes 100 to call"),
    ],
    ids=["below the minimum", "above the stack", "to that is a call", "bet over a bet", "check facing a bet"],
)
def test_a_well_formed_action_that_is_not_legal(table: Table, action: dict[str, Any], why: str) -> None:
    table.deal()
    legal = table.see(table.seats[3])["round"]["legal_actions"]
    problem = unchanged(table, attempt(table, 4, action), 409, "illegal-action", position(table))
    assert problem["legal_actions"] == legal
    assert {one["type"] for one in legal} == {"fold", "call", "raise", "all_in"}
    assert why in problem["detail"]


@pytest.mark.parametrize("to", [250.5, 250.0, -1, "250", True, None, 10**13], ids=repr)
def test_an_amount_that_is_no_amount(table: Table, to: Any) -> None:
    table.deal()
    action = {"type": "raise", "to": to}
    problem = unchanged(table, attempt(table, 4, action), 400, "invalid-request", position(table))
    assert problem["errors"][0]["pointer"] == "/action/to"


def test_an_action_by_a_folded_seat(table: Table) -> None:
    table.deal()
    table.decide("fold", seat=4)
    problem = unchanged(table, attempt(table, 4, {"type": "call"}), 409, "not-your-turn", position(table))
    assert problem["legal_actions"] == []


def test_an_action_for_another_seat(table: Table) -> None:
    table.deal()
    body = {"seat": 4, "action": {"type": "fold"}}
    unchanged(table, table.post("decide", body, table.seats[0]), 403, "forbidden", position(table))


def test_an_action_before_the_first_hand(table: Table) -> None:
    unchanged(table, attempt(table, 1, {"type": "fold"}), 409, "no-round", position(table))


def rebuy(table: Table, amount: Any) -> httpx.Response:
    return table.post("seats/2", {"do": "rebuy", "amount": amount}, table.seats[1])


def test_a_rebuy_above_the_cap(table: Table) -> None:
    problem = unchanged(table, rebuy(table, 2001), 409, "illegal-action", position(table))
    assert problem["legal_actions"] == []
    assert "2000 at most" in problem["detail"]
    assert good(rebuy(table, 2000))["seats"][1]["stack"] == 3000


def test_a_rebuy_in_the_middle_of_a_hand(table: Table) -> None:
    table.deal()
    unchanged(table, rebuy(table, 500), 409, "round-in-progress", position(table))


@pytest.mark.parametrize("amount", [0, -5, 1.5, "500", None], ids=repr)
def test_a_rebuy_of_no_amount(table: Table, amount: Any) -> None:
    unchanged(table, rebuy(table, amount), 400, "invalid-request", position(table))
