"""Casino Hold'em, paid by the book: every branch of its settlement and every line of its ante table.

A deck is written as it leaves the shoe: player, dealer, flop, turn, river.
"""

from dataclasses import dataclass

import httpx
import pytest

from blackbox.table import Json, Table, cards, check_sums, good, refused

QUALIFIED_DEALER_BEATEN = {
    "royal flush": ("As Ks | 4d 4h | Qs Js Ts | 2c | 3d", 100, "royal_flush", "pair"),
    "straight flush": ("9h 8h | Ks Kd | 7h 6h 5h | 2c | 2d", 20, "straight_flush", "two_pair"),
    "steel wheel": ("Ah 2h | Ks Kd | 3h 4h 5h | 2c | 9d", 20, "straight_flush", "pair"),
    "four of a kind": ("7c 7d | 5h 5s | 7h 7s 2d | Ks | Qc", 10, "four_of_a_kind", "two_pair"),
    "full house": ("Kc Kd | 5h 5s | Kh 2c 2d | 9s | Qc", 3, "full_house", "two_pair"),
    "flush": ("Ad Jd | 4c 4h | 9d 5d 2d | Ks | Qc", 2, "flush", "pair"),
    "straight": ("9c 8d | As Ah | 7h 6s 5c | Kd | 2h", 1, "straight", "pair"),
    "wheel": ("Ah 2c | Kd Ks | 3d 4s 5h | 9c | Qd", 1, "straight", "pair"),
    "three of a kind": ("9c 9d | As Ac | 9h 2s 5d | Jc | Kh", 1, "three_of_a_kind", "pair"),
    "two pair": ("Kc Qd | As Ad | Kh Qs 2c | 7d | 9h", 1, "two_pair", "pair"),
    "pair": ("Ac Kd | 4s 4c | Ah 9d 7c | 5h | 2s", 1, "pair", "pair"),
    "pair against a pair on the board": ("Ah 8h | 2c 3d | 4h 4s 9d | Jc | Kd", 1, "pair", "pair"),
    "kicker": ("Kc Ad | Kh Qd | Ks 9d 7c | 5h | 2s", 1, "pair", "pair"),
}

DEALER_NOT_QUALIFIED = {
    "royal flush": ("As Ks | 4d 6h | Qs Js Ts | 2c | 3d", 100, "royal_flush", "high_card"),
    "straight flush": ("9h 8h | Ks 3d | 7h 6h 5h | 2c | Jd", 20, "straight_flush", "high_card"),
    "four of a kind": ("3c 3d | Ah Kd | 3h 3s 9c | Jd | 7h", 10, "four_of_a_kind", "pair"),
    "full house": ("Kc 3d | Ah 9d | Kh 3h 3s | 7c | 5d", 3, "full_house", "pair"),
    "flush": ("Ad Jd | 4c 6h | 9d 5d 2d | Ks | Qc", 2, "flush", "high_card"),
    "straight": ("9c 8d | Ah Qs | 7h 6s 5c | Kd | 2h", 1, "straight", "high_card"),
    "three of a kind": ("9c 9d | Ah Qc | 9h 2s 5d | Jc | Kh", 1, "three_of_a_kind", "high_card"),
    "two pair": ("Kc Qd | Ah Jd | Kh Qs 2c | 7d | 9h", 1, "two_pair", "high_card"),
    "pair": ("Kc Qd | Ah 5d | Kh 8s 2c | 7d | Jh", 1, "pair", "high_card"),
    "high card": ("Ac Kd | Qh 5d | 9s 7c 2d | Jh | 3s", 1, "high_card", "high_card"),
    "stronger dealer": ("Kc Qd | 3h 3d | 8s Jc 4h | 9d | 2s", 1, "high_card", "pair"),
    "stronger dealer without a pair": ("Kc Qd | Ah 5d | 9s 7c 2d | Jh | 3s", 1, "high_card", "high_card"),
    "tie": ("Ac 5d | Ah 5s | Kd Jc 9s | 7h | 3c", 1, "high_card", "high_card"),
    "pair of threes on the board": ("Ah 8h | 2c 4d | 3h 3s 9d | Jc | Kd", 1, "pair", "pair"),
}

QUALIFIED_DEALER_STRONGER = {
    "pair of fours": ("3c 5d | 4h 4d | 8s Jc Kh | 9d | 2s", "high_card", "pair"),
    "pair of fours on the board": ("2c 3d | Ah 8h | 4h 4s 9d | Jc | Kd", "pair", "pair"),
    "kicker": ("Kh Qd | Kc Ad | Ks 9d 7c | 5h | 2s", "pair", "pair"),
    "straight": ("8c 2h | Td 3s | 9s 7h 6d | 8h | 5c", "straight", "straight"),
    "flush": ("Jd 4d | Ad 3c | 9d 5d 2d | Kd | Qc", "flush", "flush"),
    "full house": ("5c 5d | Kc 9s | Kh Ks 5h | 9d | 2c", "full_house", "full_house"),
    "four of a kind": ("7c 7d | 9s 9c | 7h 7s 9h | 9d | 2c", "four_of_a_kind", "four_of_a_kind"),
    "straight flush": ("4h 2c | Th 2d | 9h 8h 7h | 6h | 5h", "straight_flush", "straight_flush"),
    "royal flush": ("9s 8s | As Ks | Qs Js Ts | 2c | 3d", "straight_flush", "royal_flush"),
}

TIES = {
    "royal flush on the board": ("2c 3d | 2h 3h | As Ks Qs | Js | Ts", "royal_flush"),
    "straight on the board": ("2c 3d | 2h 3h | 9s 8d 7h | 6c | 5s", "straight"),
    "same pair, same kickers": ("Ac Kd | Ah Ks | As 9d 7c | 4h | 2s", "pair"),
    "sixth and seventh card never decide": ("9h 3d | 4h 5d | Ac Ad Kh | Kc | Qs", "two_pair"),
    "third pair never decides": ("Jh Jd | 9c 9d | Ac Ad Kh | Kc | Qs", "two_pair"),
    "suits are equal": ("Ah Qh | Ac Qc | Ad Qd 8s | 4s | 2h", "two_pair"),
}

NOT_SHOWN: Json = {"qualified": None, "hand": None}


@dataclass(frozen=True, slots=True)
class Played:
    """A settled round with the table it was played at."""

    table: Table
    round: Json

    @property
    def lines(self) -> list[Json]:
        (row,) = self.round["settlement"]["seats"]
        assert row["seat"] == 1
        return list(row["bets"])


def play(http: httpx.Client, deck: str, action: str = "call", ante: int = 1, rounds: int = 2) -> Played:
    table = Table.start(http, "casino-holdem", ante=ante, rounds=rounds, sandbox=True)
    dealt = table.deal(deck)
    assert dealt["stage"] == "flop"
    assert dealt["board"] == cards(deck)[4:7]
    assert dealt["seats"][0]["bets"] == {"ante": ante}
    return Played(table, table.decide(action))


def line(bet: str, staked: int, returned: int, odds: str | None = None) -> Json:
    """A settled bet; only a bet that won has odds to its profit."""
    net = returned - staked
    outcome = "win" if net > 0 else "lose" if net < 0 else "push"
    return {"bet": bet, "staked": staked, "returned": returned, "net": net, "outcome": outcome, "odds": odds}


def check_cards(settled: Json, deck: str, player: str, dealer: str) -> None:
    top = cards(deck)
    assert settled["stage"] == "settled"
    assert settled["board"] == top[4:]
    assert settled["seats"][0]["hole"] == top[:2]
    assert settled["dealer"]["hole"] == top[2:4]
    assert settled["settlement"]["seats"][0]["hand"]["category"] == player
    assert set(settled["settlement"]["seats"][0]["hand"]["cards"]) <= set(top[:2] + top[4:])
    assert settled["settlement"]["dealer"]["hand"]["category"] == dealer
    assert settled["dealer"]["hand"] == settled["settlement"]["dealer"]["hand"]


def check_books(played: Played, net: int) -> None:
    """The round's entry repeats its settlement, and the session and the totals add up to it."""
    settlement = played.round["settlement"]
    check_sums(settlement)
    assert settlement["seats"][0]["net"] == net
    ledger = played.table.ledger()
    started, entry = ledger["entries"]
    assert started["type"] == "session_started"
    assert (entry["type"], entry["round"], entry["deal"]) == ("round_settled", 1, 1)
    assert entry["seats"] == [{"seat": 1, "bets": played.lines, "net": net, "balance": net}]
    assert entry["house_net"] == ledger["house_net"] == -net
    (total,) = ledger["totals"]
    assert total == {
        "seat": 1,
        "rounds": 1,
        "won": int(net > 0),
        "lost": int(net < 0),
        "tied": int(net == 0),
        "staked": sum(line["staked"] for line in played.lines),
        "returned": sum(line["returned"] for line in played.lines),
        "net": net,
    }
    session = played.table.see()
    assert session["seats"][0]["balance"] == net
    assert session["rounds_played"] == 1


@pytest.mark.parametrize("ante", [1, 25])
@pytest.mark.parametrize(
    ("deck", "odds", "player", "dealer"),
    QUALIFIED_DEALER_BEATEN.values(),
    ids=QUALIFIED_DEALER_BEATEN,
)
def test_beating_a_qualified_dealer_pays_the_ante_by_its_table_and_the_call_even_money(
    http: httpx.Client, deck: str, odds: int, player: str, dealer: str, ante: int
) -> None:
    played = play(http, deck, ante=ante)
    check_cards(played.round, deck, player, dealer)
    assert played.round["settlement"]["dealer"]["qualified"] is True
    assert played.lines == [
        line("ante", ante, ante * (odds + 1), f"{odds}:1"),
        line("call", 2 * ante, 4 * ante, "1:1"),
    ]
    check_books(played, ante * (odds + 2))


@pytest.mark.parametrize("ante", [1, 25])
@pytest.mark.parametrize(
    ("deck", "odds", "player", "dealer"), DEALER_NOT_QUALIFIED.values(), ids=DEALER_NOT_QUALIFIED
)
def test_a_dealer_who_does_not_qualify_pays_the_ante_by_its_table_and_gives_the_call_back(
    http: httpx.Client, deck: str, odds: int, player: str, dealer: str, ante: int
) -> None:
    played = play(http, deck, ante=ante)
    check_cards(played.round, deck, player, dealer)
    assert played.round["settlement"]["dealer"]["qualified"] is False
    assert played.lines == [
        line("ante", ante, ante * (odds + 1), f"{odds}:1"),
        line("call", 2 * ante, 2 * ante),
    ]
    check_books(played, ante * odds)


@pytest.mark.parametrize(
    ("deck", "player", "dealer"), QUALIFIED_DEALER_STRONGER.values(), ids=QUALIFIED_DEALER_STRONGER
)
def test_a_stronger_qualified_dealer_takes_both_bets_whatever_the_player_holds(
    http: httpx.Client, deck: str, player: str, dealer: str
) -> None:
    played = play(http, deck, ante=5)
    check_cards(played.round, deck, player, dealer)
    assert played.round["settlement"]["dealer"]["qualified"] is True
    assert played.lines == [line("ante", 5, 0), line("call", 10, 0)]
    check_books(played, -15)


@pytest.mark.parametrize(("deck", "category"), TIES.values(), ids=TIES)
def test_an_exact_tie_gives_both_bets_back(http: httpx.Client, deck: str, category: str) -> None:
    played = play(http, deck, ante=5)
    check_cards(played.round, deck, category, category)
    assert played.round["settlement"]["dealer"]["qualified"] is True
    assert played.lines == [line("ante", 5, 5), line("call", 10, 10)]
    check_books(played, 0)


@pytest.mark.parametrize(
    "deck",
    ["As Ks | 4d 6h | Qs Js Ts | 2c | 3d", "2c 5d | Kh Qs | 8s Jc 4h | 9d | 3s"],
    ids=["a royal flush", "nothing"],
)
def test_a_fold_loses_the_ante_and_shows_nothing_more(http: httpx.Client, deck: str) -> None:
    played = play(http, deck, "fold", ante=5)
    assert played.round["stage"] == "settled"
    assert played.round["board"] == cards(deck)[4:7]
    assert played.round["dealer"] == {"hole": None, "hand": None}
    assert played.round["settlement"]["dealer"] == NOT_SHOWN
    assert played.round["seats"][0]["state"] == "folded"
    assert played.lines == [line("ante", 5, 0)]
    check_books(played, -5)


def test_the_worked_example_of_the_rules(http: httpx.Client) -> None:
    """Ace and king against queens: net +3, six units returned with the stakes."""
    deck = "Ah Kd | Qs Qc | As 7d 4c | 9h | 2s"
    played = play(http, deck)
    check_cards(played.round, deck, "pair", "pair")
    assert played.round["settlement"]["seats"][0]["hand"]["cards"] == cards("Ah As Kd 9h 7d")
    assert played.round["settlement"]["seats"][0]["hand"]["description"] == "pair of aces"
    assert sorted(played.round["settlement"]["dealer"]["hand"]["cards"]) == sorted(cards("Qs Qc As 9h 7d"))
    assert played.lines == [line("ante", 1, 2, "1:1"), line("call", 2, 4, "1:1")]
    assert sum(bet["returned"] for bet in played.lines) == 6
    check_books(played, 3)


@pytest.mark.parametrize(
    ("deck", "action", "result"),
    [
        (QUALIFIED_DEALER_BEATEN["pair"][0], "call", "player"),
        (TIES["suits are equal"][0], "call", "tie"),
        (QUALIFIED_DEALER_STRONGER["flush"][0], "call", "house"),
        (QUALIFIED_DEALER_BEATEN["royal flush"][0], "fold", "house"),
    ],
)
def test_the_last_round_names_the_winner_and_ends_the_session(
    http: httpx.Client, deck: str, action: str, result: str
) -> None:
    played = play(http, deck, action, rounds=1)
    session = played.table.see()
    assert (session["status"], session["result"]) == ("finished", result)
    ledger = played.table.ledger()
    assert ledger["result"] == result
    assert [entry["type"] for entry in ledger["entries"]] == [
        "session_started",
        "round_settled",
        "session_finished",
    ]
    refused(played.table.post("deal", {}, played.table.table), 409, "session-finished")


def test_bets_never_change_however_low_the_balance_falls(http: httpx.Client) -> None:
    table = Table.start(http, "casino-holdem", ante=7, rounds=4, sandbox=True)
    losing = QUALIFIED_DEALER_STRONGER["flush"][0]
    for number in (1, 2, 3):
        dealt = table.deal(losing)
        assert dealt["number"] == number
        assert {"type": "call", "amount": 14} in good(table.get("/rounds/" + str(number), table.seats[0]))[
            "legal_actions"
        ]
        table.decide("call")
        assert table.see()["seats"][0]["balance"] == -21 * number
    table.deal(QUALIFIED_DEALER_BEATEN["royal flush"][0])
    table.decide("call")
    session = table.see()
    assert (session["seats"][0]["balance"], session["result"]) == (7 * 102 - 63, "player")
    assert table.ledger()["totals"][0] == {
        "seat": 1,
        "rounds": 4,
        "won": 1,
        "lost": 3,
        "tied": 0,
        "staked": 84,
        "returned": 7 * 101 + 28,
        "net": 651,
    }


def test_a_voided_settlement_is_reversed_and_the_round_is_dealt_again(http: httpx.Client) -> None:
    played = play(http, QUALIFIED_DEALER_BEATEN["royal flush"][0])
    table = played.table
    voided = good(table.void(1))
    assert (voided["number"], voided["stage"]) == (1, "voided")
    session = table.see()
    assert (session["seats"][0]["balance"], session["rounds_played"]) == (0, 0)
    ledger = table.ledger()
    assert [entry["type"] for entry in ledger["entries"]] == [
        "session_started",
        "round_settled",
        "round_voided",
    ]
    assert ledger["voids"] == 1
    assert (ledger["totals"][0]["net"], ledger["totals"][0]["rounds"], ledger["house_net"]) == (0, 0, 0)
    again = table.deal(QUALIFIED_DEALER_STRONGER["flush"][0])
    assert (again["number"], again["deal"]) == (1, 2)
    table.decide("call")
    assert table.see()["seats"][0]["balance"] == -3
