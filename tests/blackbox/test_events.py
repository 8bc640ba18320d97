"""Event streams of real servers: nothing missed, nothing doubled, nothing told to who may not see it."""

import asyncio
import os
import random
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
from redis import Redis

from blackbox.followers import Follower, eventually, until_open
from blackbox.leaks import cards_in, secrets_in
from blackbox.table import Json, bearer, shuffled
from croupier.store import EmbeddedStore
from serving import Server, Start, servers, until

SHARED = "a secret that the replicas of these tests share"


def client(server: Server) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None)
    return httpx.AsyncClient(base_url=server.url, timeout=30, trust_env=False, limits=limits)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, valkey: EmbeddedStore) -> Iterator[list[Server]]:
    """Two servers on one store."""
    with servers(tmp_path_factory.mktemp("pair")) as start:
        settings = {"CROUPIER_REDIS_URL": valkey.url, "CROUPIER_SECRET_KEYS": SHARED}
        yield [start(**settings) for _ in range(2)]


@pytest.fixture
async def replicas(pair: list[Server]) -> AsyncIterator[list[httpx.AsyncClient]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(client(one)) for one in pair]


class Match:
    """A session played at random, each request to any of the servers."""

    def __init__(self, servers: list[httpx.AsyncClient], rng: random.Random) -> None:
        self.servers = servers
        self.rng = rng

    async def start(self, game: str, **options: Any) -> None:
        answer = await self.servers[0].post("/v1/sessions", json={"game": game, **options})
        assert answer.status_code == 201, answer.text
        started = answer.json()
        self.id: str = started["session"]["id"]
        self.table: str = started["tokens"]["table"]
        self.seats: list[str] = started["tokens"]["seats"]

    @property
    def tokens(self) -> dict[int | None, str]:
        """By seat; None is a bystander."""
        return {None: self.table, **dict(enumerate(self.seats, 1))}

    async def post(self, verb: str, body: Json, token: str) -> Json:
        server = self.rng.choice(self.servers)
        answer = await server.post(f"/v1/sessions/{self.id}/{verb}", json=body, headers=bearer(token))
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    async def see(self, rest: str = "", token: str | None = None) -> Json:
        server = self.rng.choice(self.servers)
        answer = await server.get(f"/v1/sessions/{self.id}{rest}", headers=bearer(token or self.table))
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    async def act(self, seat: int) -> None:
        """Call or check as a rule, sometimes fold or bet."""
        token = self.seats[seat - 1]
        legal = {one["type"]: one for one in (await self.see(token=token))["round"]["legal_actions"]}
        quiet = next(one for one in ("check", "call", "all_in", "play") if one in legal)
        kind = "fold" if self.rng.random() < 0.2 and "fold" in legal else quiet
        action = {"type": kind} | ({"multiple": legal[kind]["multiple"]} if kind == "play" else {})
        await self.post("decide", {"action": action}, token)

    async def play(self, rounds: int) -> None:
        """Play *rounds*, or until the session is over."""
        for _ in range(rounds):
            if (await self.see())["status"] != "open":
                return
            await self.post("deal", {}, self.table)
            while to_act := (await self.see())["round"]["to_act"]:
                await self.act(self.rng.choice(to_act))

    async def close(self) -> None:
        if (await self.see())["status"] == "open":
            await self.post("close", {}, self.table)


async def hidden_from(match: Match) -> dict[int, tuple[str, dict[int, list[str]]]]:
    """Each round's server seed and its seats' holes, once the session is over and has told them."""
    found = {}
    after = 0
    while after is not None:
        page = await match.see(f"/rounds?after={after}&limit=50")
        for one in page["rounds"]:
            seed = one["fairness"]["server_seed"]
            deck = shuffled(seed, one["fairness"]["client_seed"], match.id, one["number"])
            seats = [seat["seat"] for seat in one["seats"] if seat["state"] != "sitting_out"]
            order = [seat for seat in seats if seat > one["button"]]
            order += [seat for seat in seats if seat <= one["button"]]
            found[one["number"]] = (
                seed,
                {seat: [deck[i], deck[i + len(order)]] for i, seat in enumerate(order)},
            )
        after = page["next_after"]
    return found


def check_sight(
    follower: Follower, seat: int | None, rounds: dict[int, tuple[str, dict[int, list[str]]]]
) -> None:
    """Nothing was told before its time: cards only of the board, the own hand and a showdown, no seed."""
    for raw, event in zip(follower.told, follower.events, strict=False):
        session = event["session"]
        played = session["round"]
        if session["status"] == "open":
            assert not secrets_in(raw.data.encode(), [seed for seed, _ in rounds.values()], [])
        if played is None:
            assert not cards_in(raw.data.encode())
            continue
        holes = rounds[played["number"]][1]
        live = [one["seat"] for one in played["seats"] if one["state"] not in {"folded", "sitting_out"}]
        shown = live if played["stage"] == "settled" and len(live) > 1 else []
        known = {seat} | set(shown)
        may_see = set(played["board"]).union(*(hole for owner, hole in holes.items() if owner in known))
        assert cards_in(raw.data.encode()) <= may_see, (seat, event)
        if seat in holes and played["stage"] not in {"settled", "voided"}:
            assert [one["hole"] for one in played["seats"] if one["seat"] == seat] == [holes[seat]]
        mine = seat is not None and seat in played["to_act"]
        assert bool(played["legal_actions"]) == mine


async def test_followers_that_drop_and_go_elsewhere_miss_nothing(replicas: list[httpx.AsyncClient]) -> None:
    """Bots play at both replicas while every seat, and a bystander, follow now here, now there."""
    match = Match(replicas, random.Random(5))
    await match.start("no-limit-holdem", seats=3, buy_in=2000)
    followers = {
        seat: Follower(replicas[:: 1 if index % 2 else -1], match.id, token, random.Random(index))
        for index, (seat, token) in enumerate(match.tokens.items())
    }
    steady = Follower(replicas[1:], match.id, match.table)
    reading = [asyncio.create_task(one.follow()) for one in (*followers.values(), steady)]
    await match.play(12)
    await match.close()
    await asyncio.wait_for(asyncio.gather(*reading), 30)
    last = (await match.see())["version"]
    assert last > 30
    rounds = await hidden_from(match)
    for seat, one in followers.items():
        first = one.versions[0]
        assert one.versions == list(range(first, last + 1)), "each version once, and in order"
        assert one.lines > 5
        assert [event.event for event in one.told if event.event != "end"][1:] == ["change"] * (last - first)
        assert not one.refused
        check_sight(one, seat, rounds)
    assert steady.versions == list(range(steady.versions[0], last + 1))
    assert steady.lines == 2, "one line to the end, and one that was told so"
    assert steady.ending in {"finished", "closed"}
    changes = {change for event in steady.events for change in event["changes"]}
    assert {"round_dealt", "decided", "stage_opened", "round_settled"} <= changes


async def test_an_event_reaches_the_other_replica_at_once(replicas: list[httpx.AsyncClient]) -> None:
    match = Match(replicas[:1], random.Random(1))
    await match.start("casino-holdem")
    follower = Follower(replicas[1:], match.id, match.seats[0])
    reading = asyncio.create_task(follower.follow())
    await follower.until(1)
    took = []
    for value in range(40):
        changed = await match.post("seats/1", {"do": "client_seed", "value": str(value)}, match.table)
        since = time.perf_counter()
        await follower.until(changed["version"])
        took.append(time.perf_counter() - since)
    reading.cancel()
    assert sorted(took)[len(took) // 2] < 0.1, took


async def test_notices_that_are_lost_delay_and_nothing_else(
    replicas: list[httpx.AsyncClient], valkey: EmbeddedStore
) -> None:
    match = Match(replicas[:1], random.Random(2))
    await match.start("casino-holdem", rounds=100)
    follower = Follower(replicas[1:], match.id, match.seats[0])
    reading = asyncio.create_task(follower.follow())
    with Redis.from_url(valkey.url) as admin:
        for _ in range(8):
            admin.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
            await match.play(1)
    await match.close()
    await asyncio.wait_for(reading, 30)
    assert follower.versions == list(range(follower.versions[0], (await match.see())["version"] + 1))
    assert follower.lines == 2


async def test_a_store_that_is_killed_and_comes_back_costs_no_event(start: Start) -> None:
    server = start()
    async with client(server) as http:
        match = Match([http], random.Random(3))
        await match.start("casino-holdem", rounds=100)
        follower = Follower([http], match.id, match.seats[0])
        reading = asyncio.create_task(follower.follow())
        await follower.until(1)
        await match.play(2)
        store = server.store()
        assert store is not None
        os.kill(store, signal.SIGKILL)
        await asyncio.to_thread(until, lambda: server.store() not in {None, store})
        await asyncio.to_thread(until, lambda: httpx.get(f"{server.url}/health/ready").is_success)
        await match.play(2)
        await match.close()
        await asyncio.wait_for(reading, 30)
        assert follower.versions == list(range(1, (await match.see())["version"] + 1))


async def test_a_list_is_waited_for_at_the_other_replica(replicas: list[httpx.AsyncClient]) -> None:
    match = Match(replicas[:1], random.Random(4))
    await match.start("casino-holdem")
    path, told, after = f"/v1/sessions/{match.id}/events", [], 0

    async def poll() -> None:
        nonlocal after
        while after is not None:
            query = {"after": after, "wait": 20}
            answer = await replicas[1].get(path, params=query, headers=bearer(match.seats[0]))
            told.extend(event["version"] for event in answer.json()["events"])
            after = answer.json()["next_after"]

    polling = asyncio.create_task(poll())
    await match.play(3)
    await match.close()
    await asyncio.wait_for(polling, 20)
    assert told == list(range(1, (await match.see())["version"] + 1))


async def test_a_renewed_token_ends_the_old_ones_stream_at_the_other_replica(
    replicas: list[httpx.AsyncClient],
) -> None:
    match = Match(replicas[:1], random.Random(6))
    await match.start("no-limit-holdem")
    old, bystander = match.seats[0], Follower(replicas[1:], match.id, match.table)
    follower = Follower(replicas[1:], match.id, old)
    reading = [asyncio.create_task(one.follow()) for one in (follower, bystander)]
    await follower.until(1)
    await bystander.until(1)
    renewed = (await match.post("seats/1", {"do": "new_token"}, match.table))["token"]
    await bystander.until(2)
    await eventually(lambda: 401 in follower.refused)
    assert follower.ending == "replaced"
    assert follower.versions == [1]
    heir = Follower(replicas[1:], match.id, renewed, told=follower.told[:1])
    reading.append(asyncio.create_task(heir.follow()))
    await heir.until(2)
    for task in reading:
        task.cancel()


async def test_a_server_that_stops_ends_its_streams_at_once_and_they_go_on_elsewhere(
    start: Start, valkey_url: str
) -> None:
    settings = {"CROUPIER_REDIS_URL": valkey_url, "CROUPIER_SECRET_KEYS": SHARED}
    stops, stays = start(**settings), start(**settings)
    async with client(stops) as first, client(stays) as second:
        match = Match([second], random.Random(7))
        await match.start("casino-holdem", rounds=100)
        followers = [Follower([first, second], match.id, match.table) for _ in range(40)]
        reading = [asyncio.create_task(one.follow()) for one in followers]
        poll = {"after": 1, "wait": 30}
        waiting = first.get(f"/v1/sessions/{match.id}/events", params=poll, headers=bearer(match.table))
        polling = asyncio.create_task(waiting)
        await until_open(first, 41, 20)
        begun = time.monotonic()
        stops.process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(stops.process.wait, 20)
        took = time.monotonic() - begun
        assert (await polling).json() == {"events": [], "next_after": 1}
        await until_open(second, 40, 20)
        await match.play(2)
        await match.close()
        await asyncio.wait_for(asyncio.gather(*reading), 30)
    assert took < 3, "nobody waited for the streams"
    assert stops.process.returncode == 0
    assert "ERROR" not in stops.errors.read_text().upper()
    last = followers[0].versions[-1]
    assert all(one.versions == list(range(1, last + 1)) for one in followers)
