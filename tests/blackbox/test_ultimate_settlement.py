"""Ultimate Texas Hold'em, paid by the book: blind, trips and hole-card bonus line by line, in both profiles.

A deck is written as it leaves the shoe: the seats, dealer, flop, turn, river.
"""

from typing import Any, TypeAlias

import httpx
import pytest

from blackbox.table import Json, Table, cards, check_sums, good, refused

PROFILES = ("seed", "published")

Odds: TypeAlias = tuple[int, int]

WON_AGAINST_A_PAIR: dict[str, tuple[str, Odds | None, int | None]] = {
    "royal flush": ("As Ks | 4d 4h | Qs Js Ts | 2c | 3d", (500, 1), 50),
    "straight flush": ("9h 8h | Ks Kd | 7h 6h 5h | 2c | 2d", (50, 1), 40),
    "steel wheel": ("Ah 2h | Ks Kd | 3h 4h 5h | Jc | 9d", (50, 1), 40),
    "four of a kind": ("7c 7d | 5h 5s | 7h 7s 2d | Ks | Qc", (10, 1), 30),
    "full house": ("Kc Kd | 5h 5s | Kh 2c 2d | 9s | Qc", (3, 1), 8),
    "flush": ("Ad Jd | 4c 4h | 9d 5d 2d | Ks | Qc", (3, 2), 7),
    "straight": ("9c 8d | As Ah | 7h 6s 5c | Kd | 2h", (1, 1), 4),
    "three of a kind": ("9c 9d | As Ac | 9h 2s 5d | Jc | Kh", None, 3),
    "two pair": ("Kc Qd | As Ad | Kh Qs 2c | 7d | 9h", None, None),
    "pair": ("Ah Kd | 2s 2d | As 9d 7c | 5h | 3s", None, None),
}
"""A deck, the blind's odds, the odds of trips. The dealer holds a pair or better, and the seat wins."""

WON_AGAINST_NO_PAIR: dict[str, tuple[str, Odds | None, int | None]] = {
    "royal flush": ("As Ks | 4d 6h | Qs Js Ts | 2c | 3d", (500, 1), 50),
    "straight flush": ("9h 8h | Ks 3d | 7h 6h 5h | 2c | Jd", (50, 1), 40),
    "flush": ("Ad Jd | 4c 6h | 9d 5d 2d | Ks | Qc", (3, 2), 7),
    "straight": ("9c 8d | Ah Qs | 7h 6s 5c | Kd | 2h", (1, 1), 4),
    "three of a kind": ("9c 9d | Ah Qc | 9h 2s 5d | Jc | Kh", None, 3),
    "two pair": ("Kc Qd | Ah Jd | Kh Qs 2c | 7d | 9h", None, None),
    "pair": ("2c 2d | Ah 5d | Kh 8s 4c | 7d | Jh", None, None),
    "high card": ("Ac Kd | Qh 5d | 9s 7c 2d | Jh | 3s", None, None),
}

LOST_TO_A_PAIR: dict[str, tuple[str, int | None]] = {
    "straight flush": ("9s 8s | As Ks | Qs Js Ts | 2c | 3d", 40),
    "four of a kind": ("7c 7d | 9s 9c | 7h 7s 9h | 9d | 2c", 30),
    "full house": ("5c 5d | Kc 9s | Kh Ks 5h | 9d | 2c", 8),
    "flush": ("Jd 4d | Ad 3c | 9d 5d 2d | Kd | Qc", 7),
    "straight": ("8c 2h | Td 3s | 9s 7h 6d | 8h | 5c", 4),
    "three of a kind": ("9c 9d | As Ac | 9h 2s Ad | Jc | Kh", 3),
    "two pair": ("9c 9d | As Ac | Jh Js 5d | 2c | Kh", None),
    "high card": ("3c 5d | 2h 2d | 8s Jc Kh | 9d | 7s", None),
}
"""A deck and the odds of trips, which does not mind who wins."""

LOST_TO_NO_PAIR = "Kc Qd | Ah 5d | 9s 7c 2d | Jh | 3s"

TIES: dict[str, tuple[str, int | None]] = {
    "royal flush on the board": ("2c 3d | 2h 3h | As Ks Qs | Js | Ts", 50),
    "same straight": ("9c 2d | 9h 2s | 8s 7d 6h | 5c | Kd", 4),
    "without a pair": ("Ac 5d | Ah 5s | Kd Jc 9s | 7h | 3c", None),
}

HOLE_CARDS = {
    "aces against aces": ("Ah Ad | As Ac", 1000),
    "aces": ("Ah Ad | As Kc", 30),
    "ace and king suited": ("Ah Kh | Qs Jc", 25),
    "king and ace suited": ("Kh Ah | Qs Jc", 25),
    "ace and queen suited": ("Qd Ad | Ks Jc", 20),
    "ace and jack suited": ("Ad Jd | Ks Qc", 20),
    "ace and king": ("Ah Kd | Qs Jc", 15),
    "kings": ("Kh Kd | Qs Jc", 10),
    "queens": ("Qh Qd | Ks Jc", 10),
    "jacks": ("Jh Jd | Ks Qc", 10),
    "ace and queen": ("Ah Qd | Ks Jc", 5),
    "ace and jack": ("Jh Ad | Ks Qc", 5),
    "tens": ("Th Td | Ks Qc", 3),
    "twos": ("2h 2d | Ks Qc", 3),
    "ace and ten suited": ("Ah Th | Ks Qc", None),
    "king and queen suited": ("Kh Qh | As Jc", None),
    "nothing, against aces": ("7h 2d | As Ac", None),
}
PLAIN_BOARD = " | 8s 6c 3h | 9d | 4s"

STAGES = {"preflop": 4, "flop": 2, "river": 1}
"""What `play` is a multiple of, by the stage in which the seat says it."""


def start(http: httpx.Client, **options: Any) -> Table:
    return Table.start(http, "ultimate-texas-holdem", sandbox=True, **options)


def play(table: Table, deck: str, stage: str = "preflop", **bets: int) -> Json:
    """One seat's settled round: it checks until *stage*, then plays."""
    table.deal(deck, bets=[{"seat": 1, **bets}] if bets else [])
    for _ in range(list(STAGES).index(stage)):
        table.decide("check")
    return table.decide("play", multiple=STAGES[stage])


def fold(table: Table, deck: str, **bets: int) -> Json:
    table.deal(deck, bets=[{"seat": 1, **bets}] if bets else [])
    table.decide("check")
    table.decide("check")
    return table.decide("fold")


def line(bet: str, staked: int, profit: int, odds: str | None = None) -> Json:
    outcome = "win" if profit > 0 else "lose" if profit < 0 else "push"
    return {
        **{"bet": bet, "staked": staked, "returned": staked + profit, "net": profit},
        **{"outcome": outcome, "odds": odds},
    }


def won(bet: str, staked: int, odds: Odds) -> Json:
    profit, rest = divmod(staked * odds[0], odds[1])
    assert rest == 0
    return line(bet, staked, profit, f"{odds[0]}:{odds[1]}")


def trips(staked: int, odds: int | None) -> Json:
    return won("trips", staked, (odds, 1)) if odds else line("trips", staked, -staked)


def check_lines(table: Table, settled: Json, *expected: Json) -> None:
    """The only seat's bets are those, in any order, and the books say the same."""
    settlement = settled["settlement"]
    assert settled["stage"] == "settled"
    check_sums(settlement)
    (row,) = settlement["seats"]
    assert sorted(row["bets"], key=str) == sorted(expected, key=str)
    entry = table.ledger()["entries"][-1]
    assert (entry["type"], entry["round"]) == ("round_settled", settled["number"])
    assert entry["seats"] == [
        {"seat": 1, "bets": row["bets"], "net": row["net"], "balance": table.see()["seats"][0]["balance"]}
    ]
    assert entry["house_net"] == settlement["house_net"] == -row["net"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("deck", "blind", "odds"), WON_AGAINST_A_PAIR.values(), ids=list(WON_AGAINST_A_PAIR))
def test_winning_against_a_pair_pays_ante_and_play_and_the_blind_by_its_table(
    http: httpx.Client, deck: str, blind: Odds | None, odds: int | None, profile: str
) -> None:
    table = start(http, ante=6, profile=profile)
    for stage, multiple in STAGES.items():
        settled = play(table, deck, stage, trips=5)
        assert settled["settlement"]["dealer"]["qualified"] is True
        check_lines(
            table,
            settled,
            won("ante", 6, (1, 1)),
            won("blind", 6, blind) if blind else line("blind", 6, 0),
            won("play", 6 * multiple, (1, 1)),
            trips(5, odds),
        )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("deck", "blind", "odds"), WON_AGAINST_NO_PAIR.values(), ids=list(WON_AGAINST_NO_PAIR)
)
def test_winning_against_no_pair_gives_the_ante_back(
    http: httpx.Client, deck: str, blind: Odds | None, odds: int | None, profile: str
) -> None:
    table = start(http, profile=profile)
    settled = play(table, deck, trips=1)
    assert settled["settlement"]["dealer"]["qualified"] is False
    check_lines(
        table,
        settled,
        line("ante", 2, 0),
        won("blind", 2, blind) if blind else line("blind", 2, 0),
        won("play", 8, (1, 1)),
        trips(1, odds),
    )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("deck", "odds"), LOST_TO_A_PAIR.values(), ids=list(LOST_TO_A_PAIR))
def test_losing_takes_everything_but_trips(
    http: httpx.Client, deck: str, odds: int | None, profile: str
) -> None:
    table = start(http, profile=profile)
    settled = play(table, deck, "flop", trips=7)
    assert settled["settlement"]["dealer"]["qualified"] is True
    check_lines(
        table, settled, line("ante", 2, -2), line("blind", 2, -2), line("play", 4, -4), trips(7, odds)
    )


@pytest.mark.parametrize(("profile", "ante"), [("seed", -2), ("published", 0)])
def test_losing_to_no_pair_is_where_the_profiles_differ(http: httpx.Client, profile: str, ante: int) -> None:
    table = start(http, profile=profile)
    settled = play(table, LOST_TO_NO_PAIR)
    assert settled["settlement"]["dealer"]["qualified"] is False
    check_lines(table, settled, line("ante", 2, ante), line("blind", 2, -2), line("play", 8, -8))


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("deck", "odds"), TIES.values(), ids=list(TIES))
def test_a_tie_gives_everything_back_but_trips(
    http: httpx.Client, deck: str, odds: int | None, profile: str
) -> None:
    table = start(http, profile=profile)
    settled = play(table, deck, trips=3)
    check_lines(table, settled, line("ante", 2, 0), line("blind", 2, 0), line("play", 8, 0), trips(3, odds))


@pytest.mark.parametrize(
    ("deck", "odds"),
    [(deck, odds) for deck, _, odds in WON_AGAINST_A_PAIR.values()] + [(LOST_TO_NO_PAIR, None)],
    ids=[*WON_AGAINST_A_PAIR, "nothing"],
)
def test_a_fold_loses_trips_under_seed_and_plays_it_on_under_published(
    http: httpx.Client, deck: str, odds: int | None
) -> None:
    lost = line("ante", 2, -2), line("blind", 2, -2)
    for profile in PROFILES:
        table = start(http, profile=profile)
        settled = fold(table, deck, trips=5)
        check_lines(table, settled, *lost, trips(5, odds if profile == "published" else None))
        assert settled["seats"][0]["state"] == "folded"
        assert settled["dealer"] == {"hole": None, "hand": None}
        assert settled["settlement"]["dealer"] == {"qualified": None, "hand": None}
        assert settled["board"] == cards(deck)[4:]


@pytest.mark.parametrize("ending", [play, fold])
@pytest.mark.parametrize(("holes", "odds"), HOLE_CARDS.values(), ids=list(HOLE_CARDS))
def test_the_hole_card_bonus_pays_by_its_table_whatever_follows(
    http: httpx.Client, holes: str, odds: int | None, ending: Any
) -> None:
    table = start(http, trips="off", hole_card_bonus=True)
    settled = ending(table, holes + PLAIN_BOARD, hole_card_bonus=3)
    (row,) = settled["settlement"]["seats"]
    (bonus,) = [bet for bet in row["bets"] if bet["bet"] == "hole_card_bonus"]
    assert bonus == (won("hole_card_bonus", 3, (odds, 1)) if odds else line("hole_card_bonus", 3, -3))
    check_lines(table, settled, *row["bets"])


def test_six_seats_are_each_settled_alone_and_the_house_pays_them_all(http: httpx.Client) -> None:
    table = start(http, seats=6)
    deck = "As Ad | Kc Kh | 7c 7d | 9c 3d | Js 9d | 5h 2d | Qs Qd | Jc Th 4s | 7h | 2c"
    dealt = table.deal(deck, bets=[{"seat": 3, "trips": 10}, {"seat": 6, "trips": 4}], sit_out=[4])
    assert [seat["seat"] for seat in dealt["seats"]] == [1, 2, 3, 4, 5, 6]
    assert dealt["seats"][3]["state"] == "sitting_out"
    assert dealt["to_act"] == [1, 2, 3, 5, 6]
    # Seat 4 sits out, so its cards are seat 5's, and so on: the dealer holds what was written for seat 6.
    table.decide("play", 1, multiple=4)
    for seat in (6, 2, 5, 3):
        table.decide("check", seat)
    table.decide("play", 2, multiple=2)
    for seat in (3, 5, 6):
        last = table.decide("check", seat)
    assert last["stage"] == "river"
    table.decide("play", 5, multiple=1)
    table.decide("play", 3, multiple=1)
    settled = table.decide("fold", 6)
    check_sums(settled["settlement"])
    assert settled["dealer"]["hole"] == cards("5h 2d")
    assert settled["board"] == cards("Qs Qd Jc Th 4s")
    assert [seat["hole"] for seat in settled["seats"]] == [
        *(cards("As Ad"), cards("Kc Kh"), cards("7c 7d"), None, cards("9c 3d"), cards("Js 9d"))
    ]
    nets = {
        row["seat"]: {bet["bet"]: bet["net"] for bet in row["bets"]} for row in settled["settlement"]["seats"]
    }
    assert nets == {
        1: {"ante": 2, "blind": 0, "play": 8},
        2: {"ante": 2, "blind": 0, "play": 4},
        3: {"ante": 2, "blind": 0, "play": 2, "trips": -10},
        5: {"ante": 2, "blind": 0, "play": 2},
        6: {"ante": -2, "blind": -2, "trips": -4},
    }
    entry = table.ledger()["entries"][-1]
    assert [row["seat"] for row in entry["seats"]] == [1, 2, 3, 5, 6]
    assert entry["house_net"] == settled["settlement"]["house_net"] == -(10 + 6 - 6 + 4 - 8)


def test_everyone_playing_before_the_flop_goes_straight_to_the_showdown(http: httpx.Client) -> None:
    table = start(http, seats=2)
    table.deal("As Ad | 9c 8d | Kc Qd | 7h 6s 5c | Kd | 2h")
    assert table.decide("play", 2, multiple=4)["stage"] == "preflop"
    settled = table.decide("play", 1, multiple=4)
    assert settled["stage"] == "settled"
    assert [row["net"] for row in settled["settlement"]["seats"]] == [10, 12]


def test_six_folds_at_the_river_lose_all_and_open_no_dealer(http: httpx.Client) -> None:
    table = start(http, seats=6, ante=2)
    table.deal()
    for stage in ("flop", "river"):
        for seat in (4, 1, 6, 2, 5, 3):
            shown = table.decide("check", seat)
        assert shown["stage"] == stage
    for seat in (3, 6, 1, 5, 2, 4):
        shown = table.decide("fold", seat)
    assert shown["stage"] == "settled"
    settlement = shown["settlement"]
    assert [row["net"] for row in settlement["seats"]] == [-4] * 6
    assert settlement["house_net"] == 24
    assert settlement["dealer"] == {"qualified": None, "hand": None}
    assert shown["dealer"] == {"hole": None, "hand": None}


@pytest.mark.parametrize(
    ("multiples", "offered"), [([4], [4]), ([3, 4], [3, 4]), ([3], [3])], ids=["4x", "3x and 4x", "3x"]
)
def test_only_the_multiples_of_the_stage_are_offered_and_taken(
    http: httpx.Client, multiples: list[int], offered: list[int]
) -> None:
    table = start(http, preflop_multiples=multiples, ante=10)
    deck = "Ah Kd | 2s 2d | As 9d 7c | 5h | 3s"
    for stage, allowed in {"preflop": offered, "flop": [2], "river": [1]}.items():
        if stage == "preflop":
            table.deal(deck)
        view = table.see(table.seats[0])
        assert view["round"]["stage"] == stage
        other = {"type": "fold" if stage == "river" else "check"}
        plays = [{"type": "play", "multiple": m, "amount": 10 * m} for m in allowed]
        assert sorted(view["round"]["legal_actions"], key=str) == sorted([other, *plays], key=str)
        for multiple in {1, 2, 3, 4} - set(allowed):
            body = {"action": {"type": "play", "multiple": multiple}}
            problem = refused(table.post("decide", body, table.seats[0]), 409, "illegal-action")
            assert sorted(problem["legal_actions"], key=str) == sorted([other, *plays], key=str)
        assert table.see()["version"] == view["version"]
        if stage != "river":
            table.decide("check")
    table.decide("play", multiple=1)
    for multiple in offered:
        table.deal(deck)
        settled = table.decide("play", multiple=multiple)
        (row,) = settled["settlement"]["seats"]
        assert {bet["bet"]: bet["net"] for bet in row["bets"]} == {
            "ante": 10,
            "blind": 0,
            "play": 10 * multiple,
        }


@pytest.mark.parametrize("ante", [3, 999])
def test_an_odd_ante_is_refused_with_the_reason(http: httpx.Client, ante: int) -> None:
    problem = refused(
        http.post("/v1/sessions", json={"game": "ultimate-texas-holdem", "ante": ante}),
        400,
        "invalid-request",
    )
    (error,) = problem["errors"]
    assert error["pointer"] == "/ante"
    assert "even" in error["detail"]


def test_a_flush_pays_three_to_two_exactly_at_the_smallest_ante(http: httpx.Client) -> None:
    table = start(http, ante=2)
    settled = play(table, WON_AGAINST_A_PAIR["flush"][0])
    (row,) = settled["settlement"]["seats"]
    assert next(bet for bet in row["bets"] if bet["bet"] == "blind") == line("blind", 2, 3, "3:2")


@pytest.mark.parametrize(
    ("options", "bets"),
    [
        ({"trips": "off"}, {"trips": 5}),
        ({}, {"hole_card_bonus": 5}),
        ({"side_bet_max": 100}, {"trips": 101}),
        ({"hole_card_bonus": True, "side_bet_max": 100}, {"hole_card_bonus": 101}),
    ],
    ids=["trips off", "bonus off", "trips over the maximum", "bonus over the maximum"],
)
def test_a_side_bet_that_is_not_offered_deals_nothing(
    http: httpx.Client, options: Json, bets: dict[str, int]
) -> None:
    table = start(http, **options)
    answer = table.post("deal", {"bets": [{"seat": 1, **bets}]}, table.table)
    assert answer.status_code in {400, 409}, answer.text
    assert answer.json()["code"] in {"invalid-request", "illegal-action"}
    session = good(table.get("", table.table))
    assert (session["version"], session["round"]) == (1, None)
