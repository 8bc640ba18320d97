"""The use cases on an in-memory store, with a clock and entropy that the test holds."""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from croupier.rules.hands import best_hand
from croupier.rules.registry import GAMES
from croupier.sessions.fairness import shuffled
from croupier.sessions.policy import Policy
from croupier.sessions.ports import Answer
from croupier.sessions.reading import meter_tag
from croupier.sessions.requests import Caller, Retry, Start
from croupier.sessions.service import Sessions
from croupier.sessions.session import Session
from croupier.store.memory import MemoryStore

SECRETS = (b"an old secret of thirty-two bytes", b"another secret of thirty-two byte")
OPERATOR = Caller(operator="house")


@dataclass
class HeldClock:
    millis: int = 1_767_225_600_000

    def now(self) -> int:
        return self.millis

    def forward(self, seconds: float) -> None:
        self.millis += int(seconds * 1000)


@dataclass
class CountedEntropy:
    """Bytes that differ at each call and are the same in each run."""

    name: str = "entropy"
    drawn: int = 0

    def bytes(self, count: int) -> bytes:
        self.drawn += 1
        return hashlib.shake_256(f"{self.name}:{self.drawn}".encode()).digest(count)


class LuckyEntropy(CountedEntropy):
    """Gives each progressive session of *operator* a first seed that makes seat 1 a hand of *category*."""

    def __init__(self, category: str, operator: str = "house") -> None:
        super().__init__()
        self.category = category
        self.operator = operator

    def bytes(self, count: int) -> bytes:
        if count != 32:
            self.id = super().bytes(count)
            return self.id
        if not self.id:
            return super().bytes(count)
        session_id = f"{meter_tag(self.operator)}~{base64.urlsafe_b64encode(self.id).decode()}"
        self.id = b""
        while True:
            seed = super().bytes(count)
            deck = shuffled(seed, "", session_id, 1)
            if best_hand((*deck[:2], *deck[4:9])).category == self.category:
                return seed


def data(answer: Answer) -> Any:
    return json.loads(answer.body)


@dataclass
class Started:
    """A started session, with a caller for each of its tokens."""

    service: Sessions
    id: str
    table: Caller
    seats: list[Caller]
    commitment: str = field(repr=False)


@dataclass
class House:
    store: MemoryStore
    clock: HeldClock
    entropy: CountedEntropy
    policy: Policy
    service: Sessions

    async def session(self, session_id: str) -> Session:
        """The session as it is stored."""
        loaded = await self.store.load(session_id)
        assert loaded.session is not None
        return loaded.session

    async def start(self, game: str, retry: Retry | None = None, **options: Any) -> Started:
        common = {
            name: options.pop(name)
            for name in ("metadata", "players", "advice", "decision_seconds", "sandbox")
            if name in options
        }
        request = Start(game, GAMES[game].options(**options), **common)
        answer = data(await self.service.start(OPERATOR, request, retry))
        return Started(
            self.service,
            answer["session"]["id"],
            Caller(token=answer["tokens"]["table"]),
            [Caller(token=token) for token in answer["tokens"]["seats"]],
            answer["session"]["next_commitment"],
        )


def make_house(entropy: CountedEntropy | None = None, **policy: Any) -> House:
    store, clock, entropy = MemoryStore(), HeldClock(), entropy or CountedEntropy()
    settings = Policy(**{"allow_sandbox": True, **policy})
    return House(store, clock, entropy, settings, Sessions(store, clock, entropy, SECRETS, settings))
