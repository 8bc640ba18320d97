"""Players of all three games, with an Idempotency-Key on every change, for locust: see README.md beside this.

Each user starts sessions, plays them to their end by the simplest of its legal actions, and reads the ledger.
Now and then a change is sent twice, and has to be answered twice with the same bytes. CROUPIER_KEY is an
operator's key; a server in open mode needs none.
"""

import os
import random
from typing import Any, ClassVar
from uuid import uuid4

from locust import FastHttpUser, between, task

_KEY = os.environ.get("CROUPIER_KEY", "")
_PASSIVE = ("check", "call", "play", "fold")
_TWICE = 0.02
"""The share of changes that are sent again, as by a client that has not heard the answer."""
_ROUNDS = 20


class Player(FastHttpUser):
    """Plays one session after another."""

    abstract = True
    wait_time = between(0.1, 0.5)
    game: str
    options: ClassVar[dict[str, Any]] = {}
    rounds = _ROUNDS

    @task
    def session(self) -> None:
        """A session from its start to its ledger."""
        started = self._change("start", "/v1/sessions", _KEY, {"game": self.game, **self.options})
        if started is None:
            return
        path, tokens = f"/v1/sessions/{started['session']['id']}", started["tokens"]
        for _ in range(self.rounds):
            if not self._round(path, tokens):
                break
        self._get("ledger", f"{path}/ledger?limit=100", tokens["table"])
        self._change("close", f"{path}/close", tokens["table"], {}, good=(200, 409))

    def _round(self, path: str, tokens: dict[str, Any]) -> bool:
        """Deal and decide until the round is settled; whether there can be another."""
        played = self._change("deal", f"{path}/deal", tokens["table"], {}, good=(201, 409))
        while played is not None and played.get("settlement") is None:
            if "to_act" not in played:  # a refusal: the session is over
                return False
            token = tokens["seats"][played["to_act"][0] - 1]
            seen = played
            if not seen["legal_actions"]:
                seen = self._get("round", f"{path}/rounds/{played['number']}", token) or {"legal_actions": []}
            action = _simplest(seen["legal_actions"])
            if action is None:
                return False
            played = self._change("decide", f"{path}/decide", token, {"action": action})
            self.wait()
        return played is not None

    def _change(
        self, name: str, path: str, token: str, body: dict[str, Any], good: tuple[int, ...] = (200, 201)
    ) -> Any:
        """The answer to a POST; None where it failed."""
        headers = {"Idempotency-Key": uuid4().hex} | _bearer(token)
        first: bytes | None = None
        for time in range(2 if random.random() < _TWICE else 1):
            label = f"{self.game}: {name}{', again' if time else ''}"
            with self.client.post(
                path, json=body, headers=headers, name=label, catch_response=True
            ) as answer:
                if answer.status_code not in good:
                    answer.failure(f"{answer.status_code}: {answer.text}")
                    return None
                if time and answer.status_code < 300 and answer.content != first:
                    answer.failure("a retry was answered otherwise")
                else:
                    answer.success()
                first = answer.content
                given = answer.json()
        return given

    def _get(self, name: str, path: str, token: str) -> Any:
        answer = self.client.get(path, headers=_bearer(token), name=f"{self.game}: {name}")
        return answer.json() if answer.status_code == 200 else None


class CasinoHoldem(Player):
    """One seat against the house."""

    game = "casino-holdem"
    weight = 3
    options: ClassVar[dict[str, Any]] = {"rounds": _ROUNDS}


class UltimateTexasHoldem(Player):
    """Three seats against the house."""

    game = "ultimate-texas-holdem"
    options: ClassVar[dict[str, Any]] = {"seats": 3, "rounds": _ROUNDS}


class NoLimitHoldem(Player):
    """Six seats against each other."""

    game = "no-limit-holdem"
    options: ClassVar[dict[str, Any]] = {"seats": 6}
    rounds = 10


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _simplest(actions: list[dict[str, Any]]) -> dict[str, Any] | None:
    by_type = {action["type"]: action for action in actions}
    for kind in _PASSIVE:
        if kind in by_type:
            multiple = {"multiple": by_type[kind]["multiple"]} if kind == "play" else {}
            return {"type": kind, **multiple}
    return None
