"""A session as its front end plays it: what to send, and the answers as they came."""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import httpx
import rfc8785

Json: TypeAlias = dict[str, Any]

DECK = tuple(rank + suit for rank in "23456789TJQKA" for suit in "cdhs")
"""The fifty-two cards in the order in which a shuffle begins."""


def cards(text: str) -> list[str]:
    """`"Ah Kd | Qs Qc"` as a list; bars are for the reader."""
    return text.replace("|", " ").split()


def good(answer: httpx.Response, status: int = 200) -> Json:
    """The body of an answer that must have this status."""
    assert answer.status_code == status, f"{answer.request.method} {answer.request.url}: {answer.text}"
    body: Json = answer.json()
    return body


def refused(answer: httpx.Response, status: int, code: str) -> Json:
    """The problem of an answer that must refuse in this way."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), (
        answer.text
    )
    problem: Json = answer.json()
    assert problem["code"] == code, problem
    assert problem["status"] == status
    assert problem["type"].endswith(f"/problems/{code}")
    assert problem["title"]
    return problem


def bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


@dataclass(frozen=True, slots=True)
class Table:
    """A started session with its tokens; `None` for a token is the operator."""

    http: httpx.Client
    id: str
    table: str
    seats: tuple[str, ...]

    @classmethod
    def start(cls, http: httpx.Client, game: str, **options: Any) -> "Table":
        started = good(http.post("/v1/sessions", json={"game": game, **options}), 201)
        tokens = started["tokens"]
        return cls(http, started["session"]["id"], tokens["table"], tuple(tokens["seats"]))

    @property
    def path(self) -> str:
        return f"/v1/sessions/{self.id}"

    def post(self, verb: str, body: Any, token: str | None, **headers: str) -> httpx.Response:
        return self.http.post(f"{self.path}/{verb}", json=body, headers=bearer(token) | headers)

    def get(self, rest: str, token: str | None) -> httpx.Response:
        return self.http.get(f"{self.path}{rest}", headers=bearer(token))

    def see(self, token: str | None = None) -> Json:
        return good(self.get("", token))

    def round(self, number: int, token: str | None = None, deal: int | None = None) -> Json:
        return good(self.get(f"/rounds/{number}" + ("" if deal is None else f"?deal={deal}"), token))

    def deal(self, deck: str = "", **body: Any) -> Json:
        """Deal with the table token, the top of the deck as given."""
        top = {"deck": cards(deck)} if deck else {}
        return good(self.post("deal", top | body, self.table), 201)

    def decide(self, action: str, seat: int = 1, **more: Any) -> Json:
        body = {"seat": seat, "action": {"type": action, **more}}
        return good(self.post("decide", body, self.seats[seat - 1]))

    def void(self, number: int, token: str | None = None) -> httpx.Response:
        return self.post(f"rounds/{number}/void", {"reason": "misdeal"}, token)

    def ledger(self) -> Json:
        """The whole ledger page by page, its chain checked."""
        page = good(self.get("/ledger?limit=50", self.table))
        entries = page["entries"]
        while page["next_after"] is not None:
            page = good(self.get(f"/ledger?limit=50&after={page['next_after']}", self.table))
            entries += page["entries"]
        check_chain(entries)
        return page | {"entries": entries}


def check_chain(entries: list[Json]) -> None:
    """No gap, and every hash over the one before it and the entry's canonical JSON."""
    previous = "0" * 64
    for seq, entry in enumerate(entries, entries[0]["seq"]):
        bare = {name: value for name, value in entry.items() if name not in {"hash", "previous_hash"}}
        digest = hashlib.sha256(previous.encode() + rfc8785.dumps(bare)).hexdigest()
        assert (entry["seq"], entry["previous_hash"], entry["hash"]) == (seq, previous, digest), entry
        previous = digest


def check_sums(settlement: Json) -> None:
    """What holds for every settlement of a house game, whatever the cards."""
    for row in settlement["seats"]:
        for line in row["bets"]:
            assert line["net"] == line["returned"] - line["staked"], line
            assert line["outcome"] == ("win" if line["net"] > 0 else "lose" if line["net"] else "push"), line
        assert row["net"] == sum(line["net"] for line in row["bets"]), row
    assert settlement["house_net"] == -sum(row["net"] for row in settlement["seats"]), settlement


def words(server_seed: bytes, text: str) -> Iterator[int]:
    """The stream of 32-bit words that a shuffle draws from."""
    block = 0
    while True:
        stream = hmac.digest(server_seed, f"{text}:{block}".encode(), "sha256")
        yield from (int.from_bytes(stream[i : i + 4], "big") for i in range(0, 32, 4))
        block += 1


def shuffled(server_seed: str, client_seed: str, session_id: str, number: int) -> list[str]:
    """The deck of a round from its revealed seed, as the contract words it."""
    deck, stream = list(DECK), words(bytes.fromhex(server_seed), f"{client_seed}:{session_id}:{number}")
    for i in range(51, 0, -1):
        j = next(word for word in stream if word < 2**32 - 2**32 % (i + 1)) % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def commitment(server_seed: str) -> str:
    return hashlib.sha256(bytes.fromhex(server_seed)).hexdigest()
