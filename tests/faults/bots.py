"""Bots at tables of all three games. They ask until they are answered, as the contract advises, and believe
nothing: whoever answers has to have heard this very question, and to be the one who answered before.

What they decide is what the example clients decide.
"""

import asyncio
import importlib
import itertools
import random
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from faults.journal import Attempt, Broken, Journal, Json, Match, Receipt, digest

_EXAMPLES = Path(__file__).parents[2] / "openapi" / "examples"
_AGAIN = {"store-unavailable", "overloaded", "shutting-down", "too-many-requests"}
PATIENCE = 60.0
"""Seconds after which a change that was never acknowledged is a broken promise."""


def _choices() -> dict[str, Callable[[Any, Any], Json]]:
    """How the example clients decide: (the round as the seat sees it, its own row of it) → the action."""
    sys.path.insert(0, str(_EXAMPLES))
    try:
        casino, ultimate, no_limit = (
            importlib.import_module(name) for name in ("bot", "ultimate", "no_limit")
        )
    finally:
        sys.path.remove(str(_EXAMPLES))
    return {
        "casino-holdem": lambda round_, mine: {"type": casino.choose(mine["hole"], round_["board"])},
        "ultimate-texas-holdem": ultimate.choose,
        "no-limit-holdem": no_limit.choose,
    }


CHOOSE = _choices()
STARTS: tuple[Json, ...] = (
    {"game": "casino-holdem", "rounds": 10},
    {"game": "ultimate-texas-holdem", "seats": 2, "rounds": 5},
    {"game": "no-limit-holdem", "seats": 3, "buy_in": 1000},
    {"game": "casino-holdem", "rounds": 10, "ante": 5},
    {"game": "ultimate-texas-holdem", "seats": 2, "rounds": 5, "trips": "progressive"},
    {"game": "no-limit-holdem", "seats": 2, "buy_in": 1000},
)
"""What the bots play, in turn."""
_HANDS = 12
"""Hands after which a no-limit table that is not played out is closed."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How bots behave: the seconds they think, what they play, whether they let the clock decide at times."""

    think: float = 0.1
    starts: tuple[Json, ...] = STARTS
    dozes: float = 0.0
    retries: bool = True


class _Overtaken(Exception):
    """The clock decided first."""


class Bot:
    """Plays one match after another, a request at a time, until it is told to stop."""

    def __init__(self, http: httpx.AsyncClient, journal: Journal, name: str, manner: Manner) -> None:
        self._http = http
        self._journal = journal
        self._name = name
        self._manner = manner
        self._numbers = itertools.count(1)
        self._random = random.Random(name)

    async def play(self, start: Json, stop: asyncio.Event) -> None:
        """Matches of *start* until *stop*; a request that is under way is brought to its end."""
        try:
            while not stop.is_set():
                await self._match(start, stop)
        except Broken as broken:
            self._journal.complain(f"{self._name}: {broken}")

    async def _match(self, start: Json, stop: asyncio.Event) -> None:
        match = Match("", "", [], timed="decision_seconds" in start)
        started = await self._post(match, "/v1/sessions", start, None)
        match.id, match.table = started["session"]["id"], started["tokens"]["table"]
        match.seats = started["tokens"]["seats"]
        self._journal.matches.append(match)
        committed = started["session"]["next_commitment"]
        for number in itertools.count(1):
            if stop.is_set():
                return
            bets: Json = {"client_seed": f"{self._name}-{number}"}
            if start.get("trips") == "progressive":
                bets["bets"] = [{"seat": 1, "trips": 1}]
            dealt = await self._post(match, f"{match.path}/deal", bets, match.table)
            if (dealt["number"], dealt["fairness"]["commitment"]) != (number, committed):
                raise Broken(f"asked for round {number} of {match.id}, got another one's answer")
            committed = dealt["next_commitment"]
            session = await self._round(match, start, dealt, stop)
            if session is None or session["status"] != "open":
                return
            if start["game"] == "no-limit-holdem" and number == _HANDS:
                closed = await self._post(match, f"{match.path}/close", {}, match.table)
                if (closed["id"], closed["status"]) != (match.id, "closed"):
                    raise Broken(f"closing {match.id} gave another one's answer")
                return

    async def _round(self, match: Match, start: Json, dealt: Json, stop: asyncio.Event) -> Json | None:
        """Decide until the round is settled; the session then, or None when told to stop."""
        number, commitment = dealt["number"], dealt["fairness"]["commitment"]
        seat = dealt["to_act"][0] if dealt["to_act"] else 1
        while not stop.is_set():
            if self._random.random() < self._manner.dozes:
                await asyncio.sleep(start["decision_seconds"] * self._random.uniform(0.5, 2))
            session = await self._get(match.path, match.seats[seat - 1])
            round_ = session["round"]
            if (session["id"], round_["number"], round_["fairness"]["commitment"]) != (
                match.id,
                number,
                commitment,
            ):
                raise Broken(f"reading {match.id} in round {number} gave another one's answer")
            if round_["stage"] == "settled":
                return session
            if seat in round_["to_act"]:
                action = CHOOSE[start["game"]](round_, round_["seats"][seat - 1])
                body = {"action": action, "round": number}
                try:
                    round_ = await self._post(match, f"{match.path}/decide", body, match.seats[seat - 1])
                except _Overtaken:
                    continue
                if round_["fairness"]["commitment"] != commitment:
                    raise Broken(f"deciding in {match.id} gave another one's answer")
            seat = round_["to_act"][0] if round_["to_act"] else seat
        return None

    async def _get(self, path: str, token: str | None) -> Json:
        """The JSON at *path*, however often it has to be asked for."""
        return (await self._answered("GET", path, token))[0].json()

    async def _post(self, match: Match, path: str, body: Json, token: str | None) -> Json:
        """Post *body* once, however often it has to be sent, and note the receipt."""
        key = f"{self._name}-{next(self._numbers)}"
        answer, asked = await self._answered("POST", path, token, key, body)
        told: Json = answer.json()
        match.receipts.append(
            Receipt(
                *(path, body, token, key, answer.status_code, digest(answer.content)),
                told["session"]["version"] if "session" in told else told["version"],
                _settled(told),
                asked,
                time.monotonic(),
            )
        )
        return told

    async def _answered(
        self, method: str, path: str, token: str | None, key: str | None = None, body: Json | None = None
    ) -> tuple[httpx.Response, float]:
        """The answer that is none of "try again", and when it was first asked for."""
        await asyncio.sleep(self._random.uniform(0, 2 * self._manner.think))
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        first = time.monotonic()
        while time.monotonic() < first + PATIENCE:
            answer = await self._once(method, path, headers, body)
            if answer is not None and answer.status_code < 300:
                return answer, first
            if answer is not None:
                code = answer.json()["code"]
                if answer.status_code == 409 and self._manner.dozes:
                    raise _Overtaken
                if code not in _AGAIN or "retry-after" not in answer.headers:
                    raise Broken(f"{method} {path}: {answer.status_code} {answer.text}")
                self._journal.refused(code)
            if not self._manner.retries:
                raise Broken(f"{method} {path} failed: {'no answer' if answer is None else answer.text}")
            await asyncio.sleep(self._random.uniform(0.05, 0.25))
        raise Broken(f"{method} {path} was not answered in {PATIENCE:g} s")

    async def _once(
        self, method: str, path: str, headers: dict[str, str], body: Json | None
    ) -> httpx.Response | None:
        """One try; None where no answer came."""
        nonce = f"{self._name}-try-{next(self._numbers)}"
        began, status = time.monotonic(), 0
        try:
            answer = await self._http.request(
                method, path, json=body, headers={**headers, "X-Request-Id": nonce}
            )
            status = answer.status_code
        except httpx.TransportError:
            return None
        finally:
            self._journal.attempts.append(Attempt(began, time.monotonic() - began, status))
        if answer.headers.get("x-request-id") != nonce:
            raise Broken(f"{method} {path} was given the answer to another question")
        return answer


def _settled(told: Json) -> tuple[Any, ...] | None:
    settlement = told.get("settlement")
    if not settlement:
        return None
    nets = tuple((row["seat"], row["net"]) for row in settlement["seats"])
    return told["number"], told["deal"], nets


@asynccontextmanager
async def crowd(url: str, bots: int = 50, manner: Manner | None = None) -> AsyncIterator[Journal]:
    """*bots* bots that play at *url* for as long as the block lasts; then each ends its request."""
    manner = manner or Manner()
    journal, stop = Journal(), asyncio.Event()
    journal.bots = bots
    run = secrets.token_hex(4)
    # A pool of connections each: what one bot's connection suffers is for none of the others to see.
    clients = [httpx.AsyncClient(base_url=url, timeout=15, trust_env=False) for _ in range(bots)]
    playing = [
        asyncio.create_task(Bot(http, journal, f"{run}-{number}", manner).play(start, stop))
        for number, (http, start) in enumerate(zip(clients, itertools.cycle(manner.starts), strict=False))
    ]
    try:
        yield journal
    finally:
        stop.set()
        ended = await asyncio.gather(*playing, return_exceptions=True)
        await asyncio.gather(*(http.aclose() for http in clients))
    for failure in ended:
        if failure is not None:
            journal.complain(f"a bot fell over: {failure!r}")
