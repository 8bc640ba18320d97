"""Nothing tells a caller a card that it may not see, nor anybody a seed or a token, before its time.

Every answer, refusal, header, line of the log and byte of the store is kept while rounds are played, and
searched once the revealed seeds have told what there was to hide.
"""

import base64
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import redis

from blackbox.leaks import cards_in, secrets_in, seed_forms, stored, stored_cards_in, unfolded
from blackbox.server import PATIENCE, Server, running
from blackbox.table import DECK, Json, Table, bearer, cards, good, refused, shuffled

BYSTANDER = 0
OPERATOR = None
"""No token: the server is in open mode."""
BOARD = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}


@dataclass(frozen=True, slots=True)
class Heard:
    """What a viewer was told in a round, when, and how much of the board and whose cards lay open."""

    viewer: int
    number: int
    board: int
    shown: frozenset[int]
    text: bytes


@dataclass(slots=True)
class Watch:
    """A table, all that it says, and all that is stored of it."""

    table: Table
    store: redis.Redis
    heard: list[Heard] = field(default_factory=list)
    kept: list[tuple[int, int, list[bytes]]] = field(default_factory=list)
    """What was in the store, with the round's number and its board's length then."""
    reveals: dict[int, int] = field(default_factory=dict)
    """How much had been heard when a round's seed was revealed."""
    scripts: dict[int, list[str]] = field(default_factory=dict)
    """The top of a round's deck, where it was chosen."""
    keys: int = 0

    @property
    def viewers(self) -> dict[int, str]:
        return {BYSTANDER: self.table.table} | dict(enumerate(self.table.seats, 1))

    def hear(self, viewer: int, view: Json, answer: httpx.Response) -> None:
        """Keep an answer; *view* is the round then, of which only what lies open by the rules counts."""
        headers = b"\n".join(name + b": " + value for name, value in answer.headers.raw)
        live = {seat["seat"] for seat in view["seats"] if seat["state"] != "folded"}
        settled = view["stage"] == "settled"
        board = len(view["board"]) if settled else BOARD[view["stage"]]
        shown = frozenset(live if settled and len(live) > 1 else ())
        self.heard.append(Heard(viewer, view["number"], board, shown, headers + b"\n\n" + answer.content))

    def say(self, viewer: int, verb: str, body: Json) -> Json:
        """A request that must succeed, under a key of its own, twice: the stored answer is heard as well."""
        self.keys += 1
        token, key = self.viewers[viewer], {"Idempotency-Key": f"key-{self.keys}"}
        answers = [self.table.post(verb, body, token, **key) for _ in range(2)]
        assert answers[0].content == answers[1].content
        assert answers[1].headers["Idempotency-Replayed"] == "true"
        assert answers[0].is_success, answers[0].text
        view: Json = self.table.see(self.table.table)["round"]
        for answer in answers:
            self.hear(viewer, view, answer)
        return view

    def look(self) -> Json:
        """Everybody asks for everything, rightly and wrongly; then the store is read. Returns the round."""
        session = self.table.see(self.table.table)
        view: Json = session["round"]
        version = session["version"]
        number = view["number"]
        paths = [
            *("", f"/rounds/{number}", f"/rounds?after={number - 1}", "/ledger", "/advice"),
            *(f"/events?after={version - 1}&wait=0", "/rounds/99", f"/rounds/{number}?deal=9", "/nowhere"),
        ]
        for viewer, token in (*self.viewers.items(), (BYSTANDER, OPERATOR)):
            for path in paths:
                self.hear(viewer, view, self.table.get(path, token))
            wrong: list[tuple[str, Any]] = [
                ("decide", {"seat": 1, "action": {"type": "bet", "to": 10**12}}),
                ("decide", {"seat": viewer or 1, "action": {"type": "play", "multiple": 9}}),
                ("decide", {"action": {"type": "wink"}, "hole": ["Zz"]}),
                ("decide", {"action": {"type": "fold"}, "version": 10**6}),
                ("deal", {"version": 10**6}),
                ("close", {"round": 1}),
                ("seats/1", {"do": "dance"}),
                (f"rounds/{number}/void", {"reason": 1}),
            ]
            for verb, body in wrong:
                answer = self.table.post(verb, body, token)
                assert answer.status_code in range(400, 500), (verb, body, answer.text)
                self.hear(viewer, view, answer)
            self.hear(viewer, view, self.stream(token))
        self.hear(BYSTANDER, view, self.table.http.get("/v1/sessions"))
        self.kept.append((number, len(view["board"]), stored(self.store)))
        return view

    def stream(self, token: str) -> httpx.Response:
        """The first event of a stream: the whole position."""
        with self.table.http.stream("GET", f"{self.table.path}/events", headers=bearer(token)) as answer:
            content = next(answer.iter_bytes(), b"")
            return httpx.Response(answer.status_code, headers=answer.headers, content=content)

    def revealed(self, number: int) -> None:
        self.reveals[number] = len(self.heard)

    def search(self, said: bytes) -> None:
        """Every round has been revealed: look for what ought not to have been told before."""
        tokens = [self.table.table, *self.table.seats]
        rounds = {
            number: Deal.of(self.table, number, self.scripts.get(number, [])) for number in self.reveals
        }
        assert not secrets_in(said, [deal.seed for deal in rounds.values()], tokens)
        assert not cards_in(said)
        for i, heard in enumerate(self.heard):
            ahead = [rounds[number].seed for number, when in self.reveals.items() if i < when]
            assert not secrets_in(heard.text, ahead, tokens), heard
            if i < self.reveals[heard.number]:
                assert cards_in(heard.text) <= rounds[heard.number].seen(heard), heard
        searched: set[bytes] = set()
        for number, board, blobs in self.kept:
            deal = rounds[number]
            ahead = [other.seed for ahead, other in rounds.items() if ahead >= number]
            for blob in (part for kept in blobs if kept not in searched for part in unfolded(kept)):
                assert not secrets_in(blob, ahead, tokens)
                found = stored_cards_in(blob, deal.holes.values(), deal.deck)
                assert found <= set(deal.board[:board]), (found, blob)
            searched.update(blobs)


@dataclass(frozen=True, slots=True)
class Deal:
    """What a round held, told by its seed."""

    seed: str
    deck: list[str]
    holes: dict[int, list[str]]
    board: list[str]

    @classmethod
    def of(cls, table: Table, number: int, top: list[str]) -> "Deal":
        view = table.round(number)
        fairness = view["fairness"]
        seed = fairness["server_seed"]
        shuffle = shuffled(seed, fairness["client_seed"], table.id, number)
        deck = top + [card for card in shuffle if card not in top]
        seats = [seat["seat"] for seat in view["seats"]]
        if "button" in view:
            order = [seat for seat in seats if seat > view["button"]]
            order += [seat for seat in seats if seat <= view["button"]]
            holes = {seat: [deck[i], deck[i + len(order)]] for i, seat in enumerate(order)}
            board = deck[2 * len(order) :][:5]
        else:
            holes = {seat: deck[2 * i : 2 * i + 2] for i, seat in enumerate([*seats, -1])}
            board = deck[2 * len(seats) + 2 :][:5]
        return cls(seed, deck, holes, board)

    def seen(self, heard: Heard) -> set[str]:
        """The cards a viewer may know of."""
        seats = {heard.viewer} & set(self.holes) | heard.shown
        return set(self.board[: heard.board]).union(*(self.holes[seat] for seat in seats))


@pytest.fixture
def own() -> Iterator[Server]:
    """A server of the test's own: its log and its store hold this test alone."""
    with running() as server:
        yield server


@pytest.fixture
def client(own: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=own.url, timeout=PATIENCE, trust_env=False) as client:
        yield client


@pytest.fixture
def store(own: Server) -> Iterator[redis.Redis]:
    with redis.Redis(unix_socket_path=str(own.store)) as store:
        yield store


def start(client: httpx.Client, game: str, **options: Any) -> Table:
    """A session started under a key, twice."""
    body, key = {"game": game, **options}, {"Idempotency-Key": "start"}
    first, again = (client.post("/v1/sessions", json=body, headers=key) for _ in range(2))
    assert first.content == again.content
    started = good(first, 201)
    tokens = started["tokens"]
    return Table(client, started["session"]["id"], tokens["table"], tuple(tokens["seats"]))


def test_casino_holdem_hides_the_dealer_and_the_deck(
    own: Server, client: httpx.Client, store: redis.Redis
) -> None:
    watch = Watch(start(client, "casino-holdem", rounds=9), store)
    for number, action in enumerate(("call", "fold", "call"), 1):
        watch.say(BYSTANDER, "deal", {"client_seed": "mine"})
        watch.look()
        watch.revealed(number)
        watch.say(1, "decide", {"action": {"type": action}})
        watch.look()
    watch.search(own.said())


def test_ultimate_hides_each_of_six_seats_from_every_other_and_the_dealer_from_all(
    own: Server, client: httpx.Client, store: redis.Redis
) -> None:
    table = start(client, "ultimate-texas-holdem", seats=6, profile="published", sandbox=True)
    script = "Ah Kd | 7c 2d | Qs Qc | 4h 4d | Jc Tc | 3h 8d | As Ac | 5s 6s 7s 8s 9s"
    watch = Watch(table, store, scripts={2: cards(script)})
    for number in (1, 2):
        body: Json = {"bets": [{"seat": 2, "trips": 5}]}
        if number in watch.scripts:
            body["deck"] = watch.scripts[number]
        watch.say(BYSTANDER, "deal", body)
        watch.look()
        for seat in (3, 6, 4, 5):
            watch.say(seat, "decide", {"action": {"type": "play", "multiple": 4}})
        watch.look()
        watch.say(2, "decide", {"action": {"type": "check"}})
        assert watch.say(1, "decide", {"action": {"type": "check"}})["stage"] == "flop"
        watch.look()
        watch.say(1, "decide", {"action": {"type": "play", "multiple": 2}})
        assert watch.say(2, "decide", {"action": {"type": "check"}})["stage"] == "river"
        watch.look()
        watch.revealed(number)
        watch.say(2, "decide", {"action": {"type": "fold"}})
        watch.look()
    watch.search(own.said())


def test_no_limit_hides_folded_hands_and_every_seed_until_the_session_ends(
    own: Server, client: httpx.Client, store: redis.Redis
) -> None:
    watch = Watch(start(client, "no-limit-holdem", seats=4), store)
    lines = [["fold", "fold", "fold"], ["fold"], ["call", "fold"], []]
    for number, first in enumerate(lines, 1):
        view = watch.say(BYSTANDER, "deal", {})
        while view["stage"] != "settled":
            (seat,) = view["to_act"]
            legal = good(watch.table.get("", watch.table.seats[seat - 1]))["round"]["legal_actions"]
            usual = "check" if {"type": "check"} in legal else "call"
            told = view["stage"]
            view = watch.say(seat, "decide", {"action": {"type": first.pop(0) if first else usual}})
            if first or view["stage"] != told:
                watch.look()
        assert (len(view["board"]) == 0) == (number == 1)
    for number in range(1, len(lines) + 1):
        watch.revealed(number)
    good(watch.table.post("close", {}, None))
    watch.search(own.said())


def test_a_replaced_token_opens_nothing_and_no_new_one_is_stored(
    own: Server, client: httpx.Client, store: redis.Redis
) -> None:
    table = start(client, "ultimate-texas-holdem", seats=2)
    old = table.seats[0]
    answer = table.post("seats/1", {"do": "new_token"}, table.table, **{"Idempotency-Key": "again"})
    new = good(answer)["token"]
    assert new not in {table.table, *table.seats}
    table.deal()
    assert table.see(new)["round"]["seats"][0]["hole"] is not None
    for token in (old, new[:-1], new + "A", "seat_", "tbl_" + new.removeprefix("seat_")):
        refused(table.get("", token), 401, "unauthorized")
    tokens = [table.table, *table.seats, new]
    for blob in (part for kept in [*stored(store), own.said()] for part in unfolded(kept)):
        assert not secrets_in(blob, [], tokens)


DISGUISES: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda text: text,
    "base64": base64.b64encode,
    "hex": lambda text: text.hex().encode(),
    "zlib": zlib.compress,
    "zlib in base64": lambda text: base64.urlsafe_b64encode(zlib.compress(text)),
    "amid noise": lambda text: b"\x00\xff" + text + b"\x80" * 40,
}
SEED = "0123456789abcdef" * 4
TOKEN = "seat_" + base64.urlsafe_b64encode(bytes(range(60, 92))).decode().rstrip("=")


PLANTED = [
    *(*seed_forms(SEED), TOKEN.encode(), TOKEN.partition("_")[2].encode()),
    *(
        b'["Ah", "Kd"]',
        b" KdAh ",
        b"\xa2Ah\xa2Kd",
        b"Ah Kd 7c 2s",
        bytes(range(40, 52)),
        b"[0, 1, 2, 3, 4, 5, 6, 7, 8]",
    ),
]


def test_the_search_of_the_store_finds_whatever_is_planted_there(store: redis.Redis) -> None:
    def finds() -> bool:
        return any(
            secrets_in(blob, [SEED], [TOKEN]) or stored_cards_in(blob, [["Ah", "Kd"]], list(DECK))
            for kept in stored(store)
            for blob in unfolded(kept)
        )

    assert not finds()
    for name, disguise in DISGUISES.items():
        for secret in PLANTED:
            text = disguise(secret)
            for plant in (
                ("SET", "planted", text),
                ("HSET", "planted", "field", text),
                ("RPUSH", "planted", text),
                ("SADD", "planted", text),
                ("ZADD", "planted", "1", text),
                ("XADD", "planted", "*", "field", text),
            ):
                store.execute_command(*plant)
                assert finds(), (name, secret, plant[0])
                store.delete("planted")
    assert not finds()


def test_the_search_of_an_answer_finds_what_one_viewer_may_not_see() -> None:
    deal = Deal(SEED, list(DECK), {1: ["Ah", "Kd"], 2: ["2c", "2d"]}, ["5s", "6s", "7s", "8s", "9s"])

    def finds(viewer: int, board: int, text: bytes, shown: frozenset[int] = frozenset()) -> bool:
        return not cards_in(text) <= deal.seen(Heard(viewer, 1, board, shown, text))

    own = b'etag: "2"\n\n{"id": "Ah2c-Kd", "hole": ["Ah","Kd"], "board": ["5s", "6s", "7s"]}'
    assert not finds(1, 3, own)
    assert finds(BYSTANDER, 3, own)
    assert finds(2, 3, own)
    assert finds(1, 0, own)
    assert not finds(2, 3, own, frozenset({1}))
    assert finds(1, 3, own + b" 8s")
    assert finds(1, 3, b'x-debug: 2c\n\n{"hole": null}')
    assert finds(1, 3, b'{"detail": "The dealer holds 2d."}')
    assert secrets_in(b'{"server_seed":"' + SEED.encode() + b'"}', [SEED], [])
    assert secrets_in(b"authorization: Bearer " + TOKEN.encode(), [], [TOKEN])
