"""Every line of progressive Trips over HTTP, with seeds searched for: a sandbox may not touch the meter."""

import httpx
import pytest

from croupier.api.app import create_app
from croupier.api.config import ApiConfig
from sessions.house import LuckyEntropy, make_house

METER = 100_005
"""Hundredths: the seed amount, and five per cent of the stake of one unit."""


@pytest.mark.parametrize(
    ("category", "net", "odds", "meter_after"),
    [
        ("royal_flush", 1000, None, 100_005),
        ("straight_flush", 100, None, METER - 10_000),
        ("four_of_a_kind", 30, "30:1", METER),
        ("full_house", 8, "8:1", METER),
        ("flush", 6, "6:1", METER),
        ("straight", 4, "4:1", METER),
        ("three_of_a_kind", 3, "3:1", METER),
        ("two_pair", -1, None, METER),
        ("high_card", -1, None, METER),
    ],
)
async def test_a_hand_is_paid_by_its_line(
    category: str, net: int, odds: str | None, meter_after: int
) -> None:
    house = make_house(entropy=LuckyEntropy(category, "local"))
    transport = httpx.ASGITransport(create_app(house.service, ApiConfig(open_mode=True)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as http:
        start = {"game": "ultimate-texas-holdem", "trips": "progressive"}
        started = (await http.post("/v1/sessions", json=start)).json()
        path = f"/v1/sessions/{started['session']['id']}"
        seat = {"Authorization": f"Bearer {started['tokens']['seats'][0]}"}
        bets = {"bets": [{"seat": 1, "trips": 1}]}
        dealt = await http.post(f"{path}/deal", json=bets, headers=seat)
        assert dealt.status_code == 201
        play = {"action": {"type": "play", "multiple": 4}}
        round_ = (await http.post(f"{path}/decide", json=play, headers=seat)).json()
        (jackpot,) = (await http.get("/v1/jackpots")).json()["jackpots"]
    settlement = round_["settlement"]
    (row,) = settlement["seats"]
    (trips,) = [bet for bet in row["bets"] if bet["bet"] == "trips"]
    assert row["hand"]["category"] == category
    assert (trips["staked"], trips["returned"], trips["net"]) == (1, 1 + net, net)
    assert trips["odds"] == odds
    assert jackpot["hundredths"] == meter_after
    assert row["net"] + settlement["house_net"] + settlement["jackpot_net"] == 0
