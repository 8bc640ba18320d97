"""Examples for the OpenAPI document: played by the rules with fixed seeds, so what they show is true."""

import json
from collections.abc import Sequence
from typing import Any

from croupier.api.catalogue import catalogue
from croupier.api.problems import PROBLEMS, explanation, problem
from croupier.rules.actions import Action, Call, Fold, LegalCall
from croupier.rules.cards import cards, texts
from croupier.rules.game import Meter
from croupier.rules.hands import best_hand
from croupier.rules.registry import GAMES
from croupier.sessions import ledger, play, seats
from croupier.sessions.access import Tokens
from croupier.sessions.errors import CroupierError, FieldError
from croupier.sessions.fairness import commitment, shuffled
from croupier.sessions.history import phh
from croupier.sessions.reports import Period, Tally
from croupier.sessions.requests import Deal, Decide, SeatChange, Start
from croupier.sessions.session import Session
from croupier.sessions.settle import Now, Step
from croupier.sessions.views import event_view, hand_view, meter_view, round_view, session_view, totals_view

_NEW_YEAR = 1_767_225_600_000
_LOCALE = "en"


class _Example:
    """A session played with seeds of one repeated byte, 01 02 03 …, a second a step."""

    def __init__(self, session_id: str, game: str, **options: Any) -> None:
        self.entries: list[bytes] = []
        self.changes: tuple[str, ...] = ()
        self._steps = 0
        request = Start(game, GAMES[game].options(**options), metadata={"table": "blue"})
        self.session: Session = self._taken(play.start(session_id, "local", request, self._now()))

    def _now(self) -> Now:
        self._steps += 1
        return Now(_NEW_YEAR + 1000 * self._steps, bytes([self._steps]) * 32)

    def _taken(self, step: Step) -> Session:
        self.entries += step.entries
        self.changes = step.changes
        self.session = step.session
        return step.session

    def deal(self, request: Deal | None = None) -> dict[str, Any]:
        """The dealt round as seat 1 sees it."""
        return self.shown(self._taken(play.deal(self.session, request or Deal(), self._now())))

    def decide(self, seat: int, action: Action) -> dict[str, Any]:
        """The round after the decision, as that seat sees it."""
        return self.shown(self._taken(play.decide(self.session, seat, Decide(action), self._now())), seat)

    def void(self, reason: str) -> dict[str, Any]:
        """The voided round as the operator sees it."""
        number = self.session.round.number if self.session.round is not None else 0
        return self.shown(self._taken(play.void(self.session, number, reason, self._now())), None)

    def change(self, seat: int, request: SeatChange) -> dict[str, Any]:
        """The session after a change of *seat*."""
        self._taken(seats.change(self.session, seat, request, self._now()))
        return self.position(seat)

    def close(self) -> dict[str, Any]:
        """The closed session."""
        self._taken(play.close(self.session, self._now(), by="seat", void_open=False))
        return self.position(1)

    def position(self, seat: int | None, *, operator: bool = False) -> dict[str, Any]:
        """The session as *seat* sees it."""
        return _json(session_view(self.session, seat, _LOCALE, operator=operator))

    def event(self, seat: int | None) -> dict[str, Any]:
        """The latest event as *seat* sees it."""
        return _json(event_view(self.session, self.changes, seat, _LOCALE))

    def history(self) -> str:
        """The latest hand as seat 1 may write it down."""
        played = self.session.round
        return "" if played is None else phh(self.session, played, 1)

    @staticmethod
    def shown(session: Session, seat: int | None = 1) -> dict[str, Any]:
        """The session's round as *seat* sees it."""
        return {} if session.round is None else _json(round_view(session, session.round, seat, _LOCALE))


def _json(value: dict[str, Any]) -> dict[str, Any]:
    """As a reader of JSON gets it: lists where the views have tuples."""
    read: dict[str, Any] = json.loads(json.dumps(value))
    return read


def _started(example: _Example) -> dict[str, Any]:
    tokens = Tokens([bytes(32)])
    return {
        "session": example.position(None, operator=True),
        "tokens": {
            "table": tokens.table(example.session),
            "seats": [tokens.seat(example.session, seat.seat) for seat in example.session.seats],
        },
    }


def _ledger(example: _Example) -> dict[str, Any]:
    session = example.session
    return {
        "entries": json.loads(ledger.page(example.entries, ledger.GENESIS)),
        "totals": [totals_view(seat) for seat in session.seats],
        "house_net": session.house_net,
        "voids": len(session.voided),
        "result": session.result,
        "next_after": None,
    }


def _report(example: _Example) -> dict[str, Any]:
    period = Period(_NEW_YEAR, _NEW_YEAR + 86_400_000)
    tally = Tally(period)
    tally.add(example.session, example.entries)
    return {
        "from": ledger.rfc3339(_NEW_YEAR),
        "to": ledger.rfc3339(_NEW_YEAR + 86_400_000),
        "player": None,
        "games": tally.view(),
        "next_after": None,
    }


def _evaluated(hand: Sequence[str]) -> dict[str, Any]:
    best = best_hand(cards(hand))
    return {**(hand_view(best, _LOCALE) or {}), "strength": best.strength}


# ── A Casino Hold'em session: dealt, called, dealt again, voided ─────────────────────────────────────────

_casino = _Example("Y2FzaW5vLWhvbGRlbS1leGFtcGxl", "casino-holdem", ante=10)
STARTED = _started(_casino)
ROUND = _casino.deal(Deal(client_seed="my own luck"))
SETTLED_ROUND = _casino.decide(1, Call())
SESSION = _casino.position(1)
_EVENT = _casino.event(1)
EVENTS = {"events": [_EVENT], "next_after": _EVENT["version"]}
EVENT_STREAM = f"id: {_EVENT['version']}\nevent: change\ndata: {json.dumps(_EVENT)}\n\n"
_casino.deal()
VOIDED_ROUND = _casino.void("misdeal")
CLOSED = _casino.close()
LEDGER = _ledger(_casino)
REPORT = _report(_casino)

# ── A hand of no-limit ───────────────────────────────────────────────────────────────────────────────────

_no_limit = _Example("bm8tbGltaXQtaG9sZGVtLWV4YW1w", "no-limit-holdem")
SEAT_CHANGED = _no_limit.change(2, SeatChange("client_seed", value="seat two's own"))
NO_LIMIT_ROUND = _no_limit.deal()
NO_LIMIT_SETTLED_ROUND = _no_limit.decide(1, Fold())
HISTORY = _no_limit.history()
HISTORIES = f"[1]\n{HISTORY}"

# ── What is asked ────────────────────────────────────────────────────────────────────────────────────────

STARTS: dict[str, Any] = {
    "casino-holdem": {"game": "casino-holdem", "ante": 10, "rounds": 20},
    "ultimate-texas-holdem": {"game": "ultimate-texas-holdem", "seats": 1, "ante": 2, "profile": "seed"},
    "no-limit-holdem": {
        "game": "no-limit-holdem",
        "seats": 2,
        "small_blind": 50,
        "big_blind": 100,
        "buy_in": 3000,
        "metadata": {"table": "blue"},
    },
}
DEALS: dict[str, Any] = {
    "plain": {},
    "own luck": {"client_seed": "my own luck"},
    "side bets": {"bets": [{"seat": 1, "trips": 5, "hole_card_bonus": 0}]},
}
DECISIONS: dict[str, Any] = {
    "call": {"action": {"type": "call"}},
    "guarded call": {"seat": 1, "action": {"type": "call"}, "version": 2, "round": 1},
    "play": {"action": {"type": "play", "multiple": 4}},
    "raise": {"action": {"type": "raise", "to": 300}},
}
SEAT_CHANGES: dict[str, Any] = {
    "sit out": {"do": "sit_out"},
    "rebuy": {"do": "rebuy", "amount": 3000},
    "client seed": {"do": "client_seed", "value": "seat two's own"},
    "new token": {"do": "new_token"},
}

# ── What needs no session ────────────────────────────────────────────────────────────────────────────────

CATALOGUE = catalogue()
JACKPOTS = {"jackpots": [meter_view(Meter(123_455))]}
SPOTS = {
    "casino-holdem": {"game": "casino-holdem", "hole": ["Ah", "Kd"], "board": ["As", "7d", "4c"]},
    "no-limit-holdem": {"game": "no-limit-holdem", "hands": [["Ah", "Kd"], ["Qs", "Qc"]], "board": []},
}
# Recorded, because counting them takes a second of compiling: a test counts them again.
ODDS: dict[str, dict[str, Any]] = {
    "casino-holdem": {
        "actions": [
            {
                "type": "call",
                "value": 1.7083985086760294,
                "value_units": 1.7083985086760294,
                "cost": 0.0,
                "best": True,
            },
            {
                "type": "fold",
                "value": -1.0,
                "value_units": -1.0,
                "cost": 2.7083985086760296,
                "best": False,
            },
        ],
        "deals": 1070190,
        "exact": True,
    },
    "no-limit-holdem": {
        "equities": [
            {"win": 0.42664211495155063, "tie": 0.003418785449312739, "equity": 0.42835150767620706},
            {"win": 0.5699390995991366, "tie": 0.003418785449312739, "equity": 0.571648492323793},
        ],
        "deals": 1712304,
        "exact": True,
    },
}
EVALUATE = {"hands": [["Ah", "Kd", "As", "7d", "4c", "9h", "2s"]]}
EVALUATED = {"hands": [_evaluated(hand) for hand in EVALUATE["hands"]]}
VERIFY = {"server_seed": "00" * 32, "client_seed": "client", "session_id": "session", "round": 1}
VERIFIED = {"commitment": commitment(bytes(32)), "deck": texts(shuffled(bytes(32), "client", "session", 1))}
EXPLAINED = explanation("stale-version")
METRICS = """\
# HELP croupier_event_streams Event streams that are open.
# TYPE croupier_event_streams gauge
croupier_event_streams 3.0
"""
DOCUMENT = {"openapi": "3.1.0", "info": {"title": "Croupier", "version": "1.0.0"}, "paths": {}}

# ── Refusals ─────────────────────────────────────────────────────────────────────────────────────────────

_DETAILS = {
    "invalid-request": "/ante: must be greater than or equal to 1",
    "unauthorized": "This server does not know the key.",
    "forbidden": "Decide with the token of the seat.",
    "not-found": "There is no session Y2FzaW5vLWhvbGRlbS1leGFtcGxl.",
    "method-not-allowed": "This path answers OPTIONS, POST.",
    "not-acceptable": "The answer can be application/json.",
    "round-in-progress": "Round 1 is still open. Decide it, or void it as the operator, "
    "before the next deal.",
    "no-round": "No round is open; deal one.",
    "not-enough-seats": "Nobody is left to deal in.",
    "not-your-turn": "Seat 2 is not in turn.",
    "illegal-action": "Casino Hold'em has no check: call or fold.",
    "session-finished": "The session is finished; start another.",
    "stale-version": "The session is at version 3, not 2; read it and decide anew.",
    "payload-too-large": "The body may have at most 65536 bytes.",
    "unsupported-media-type": "Send the body as Content-Type: application/json, in UTF-8.",
    "idempotency-key-reused": "This Idempotency-Key came before with another body; use a new key.",
    "too-many-requests": "Too many requests at once.",
    "internal-error": "Something went wrong on the server's side.",
    "overloaded": "This server has as many requests in work as it takes on.",
    "store-unavailable": "The store did not answer in time.",
    "shutting-down": "The server was told to stop.",
}


def _problem(code: str) -> dict[str, Any]:
    refusal = CroupierError(
        _DETAILS[code],
        errors=(FieldError("/ante", "must be greater than or equal to 1"),)
        if code == "invalid-request"
        else (),
        legal_actions=(Fold(), LegalCall(20)) if code == "illegal-action" else None,
        version=3 if code in ("stale-version", "illegal-action") else None,
    )
    return problem(code, refusal, f"/v1/sessions/{_casino.session.id}/decide")


PROBLEM_EXAMPLES = {code: _problem(code) for code in PROBLEMS}
