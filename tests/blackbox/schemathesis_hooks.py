"""Credentials for Schemathesis: the operator's, and the tokens of the sessions that it has started.

Loaded by its command line, in a process of its own (`SCHEMATHESIS_HOOKS`).
"""

import itertools
import os
import re
from typing import Any

import schemathesis

KEY = os.environ["CROUPIER_TEST_KEY"]
METRICS_KEY = os.environ["CROUPIER_TEST_METRICS_KEY"]
TOKENS: dict[str, dict[str, Any]] = {}
"""Each session's tokens, by its id."""
ROUNDS: dict[str, dict[str, Any]] = {}
"""Each session's round as it was last answered."""
CLOSED: set[str] = set()
FOLLOW = "GET /v1/sessions/{session_id}/events"
TURNS = itertools.cycle((False, True))
COUNT = itertools.count()

BEYOND_A_SCHEMA = {
    "POST /v1/sessions": r"/(metadata|stacks(/\d+)?|players|small_blind|buy_in|sandbox|ante|seats)"
    r"|/preflop_multiples",
    "POST /v1/sessions/{session_id}/deal": r"/(deck|sit_out/\d+|bets|bets/\d+/(seat|trips|hole_card_bonus))",
    "POST /v1/odds": r"/(hole|board|hands/\d+)/\d+|/preflop_multiples",
    "GET /v1/sessions": r"/after",
    "GET /v1/reports/rounds": r"/(after|from|to)",
    "GET /v1/sessions/{session_id}/rounds": r"/format",
    "GET /v1/sessions/{session_id}/rounds/{number}": r"/format",
}
"""Where what fits the schema may be refused, since one value depends on another or on the session."""


@schemathesis.hook
def after_call(
    context: schemathesis.HookContext, case: "schemathesis.Case[Any]", response: schemathesis.Response
) -> None:
    """Remember the tokens of a session and where its round stands, until it ends."""
    if response.status_code not in {200, 201} or case.method != "POST":
        return
    match case.operation.path.rpartition("/")[2]:
        case "sessions":
            started = response.json()
            TOKENS[started["session"]["id"]] = started["tokens"]
        case "deal" | "decide" | "void":
            ROUNDS[case.path_parameters["session_id"]] = response.json()
        case "close":
            ROUNDS.pop(case.path_parameters["session_id"], None)
            CLOSED.add(case.path_parameters["session_id"])


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: "schemathesis.Case[Any]", kwargs: dict[str, Any]
) -> None:
    """Steer every second valid request about a session to what is there, so that rounds are played.

    What is generated knows no seat in turn, no version and no round that was dealt, and would seldom get
    beyond a 404 or a 409.
    """
    if case.operation.label == FOLLOW and case.query.get("wait", 0) in range(31):
        case.query["wait"] = 0  # a stream would not end, and time is for something else than waiting
    live = [session for session in TOKENS if session not in CLOSED]
    path = case.path_parameters or {}
    if "session_id" not in path or not live or case.meta is None or case.meta.generation.mode.is_negative:
        return
    if next(TURNS):
        return
    # The sessions take turns too; closing stays where it was generated, or none would live to be played.
    verb = case.operation.path.rpartition("/")[2]
    session = live[next(COUNT) % len(live[-3:]) - len(live[-3:])]
    if verb == "close" or "Authorization" not in case.headers:
        return
    latest = ROUNDS.get(session, {})
    token = TOKENS[session]["table"] if verb in {"deal", "{seat}"} else KEY
    path["session_id"] = session
    if "number" in path and latest:
        path["number"] = latest["number"]
        case.query.pop("deal", None)
    if verb == "deal" and isinstance(case.body, dict):
        case.body = {name: value for name, value in case.body.items() if name == "client_seed"}
    elif verb == "decide" and isinstance(case.body, dict) and latest.get("to_act"):
        seat = latest["to_act"][0]
        free = "dealer" in latest and latest["stage"] != "river" and "blind" in latest["seats"][0]["bets"]
        case.body = {"seat": seat, "action": {"type": "check" if free else "fold"}}
        token = TOKENS[session]["seats"][seat - 1]
    case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """`2.0` is an integer to JSON Schema; to this API it is none, so it is sent as `2`."""
    match body:
        case dict():
            return {name: map_body(context, value) for name, value in body.items()}
        case list():
            return [map_body(context, value) for value in body]
        case float() if body.is_integer():
            return int(body)
    return body


@schemathesis.hook
def filter_failure(
    context: schemathesis.HookContext,
    failure: Any,
    case: "schemathesis.Case[Any]",
    response: schemathesis.Response,
) -> bool:
    """Whether it counts: a refusal of what fits the schema does, unless no schema could say the rule."""
    if failure.code != "ST202":
        return True
    problem = response.json()
    if problem["code"] == "idempotency-key-reused":
        return False
    rules = BEYOND_A_SCHEMA.get(case.operation.label)
    pointers = [error["pointer"] for error in problem.get("errors", [])]
    return not (rules and pointers and all(re.fullmatch(rules, pointer) for pointer in pointers))


@schemathesis.auth(refresh_interval=None)
class Credential:
    """Who may do it: a seat decides, the table deals, the operator does the rest."""

    def get(self, case: "schemathesis.Case[Any]", context: schemathesis.AuthContext) -> str:
        tokens = TOKENS.get(str((case.path_parameters or {}).get("session_id")))
        verb = context.operation.path.rpartition("/")[2]
        if context.operation.path == "/metrics":
            return METRICS_KEY
        if tokens is None:
            return KEY
        if verb in {"decide", "advice"}:
            seat: Any = case.body.get("seat", 1) if isinstance(case.body, dict) else 1
            known = isinstance(seat, int) and 0 < seat <= len(tokens["seats"])
            return str(tokens["seats"][seat - 1 if known else 0])
        return str(tokens["table"] if verb in {"deal", "{seat}"} else KEY)

    def set(self, case: "schemathesis.Case[Any]", data: str, context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"
