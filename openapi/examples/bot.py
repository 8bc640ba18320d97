"""Plays a whole match of Casino Hold'em, checks every deck, and prints the ledger.

    python openapi/examples/bot.py [http://127.0.0.1:8000] [--rounds 20] [--ante 1]

Needs httpx and rich. The server must be in open mode, or CROUPIER_OPERATOR_KEY must hold an operator key.
"""

import argparse
import contextlib
import os
import secrets
import sys
import time
import uuid
from typing import Any

import httpx
from fair import Unfair, check
from rich.console import Console
from rich.progress import track
from rich.table import Table

RANKS = "23456789TJQKA"


class Client:
    """A session's bearer, as small as can be."""

    def __init__(self, base: str, token: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx.Client(base_url=base, headers=headers, timeout=10)

    def get(self, path: str, **query: int) -> Any:
        """The JSON at *path*."""
        return self._json(self.http.get(path, params=query))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Post *body* once, however often it takes to be answered: the key makes a retry safe."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        for _ in range(3):
            with contextlib.suppress(httpx.TransportError):
                answer = self.http.post(path, json=body, headers=headers)
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    return self._json(answer)
            time.sleep(1)
        return self._json(self.http.post(path, json=body, headers=headers))

    @staticmethod
    def _json(answer: httpx.Response) -> Any:
        if answer.is_success:
            return answer.json()
        if "problem+json" not in answer.headers.get("Content-Type", ""):
            sys.exit(f"{answer.url} answered {answer.status_code}: is that Croupier?")
        problem = answer.json()
        sys.exit(f"{problem['status']} {problem['code']}: {problem.get('detail', problem['title'])}")


def choose(hole: list[str], board: list[str]) -> str:
    """A simple strategy: call with a pair, four of a suit, or a queen or better in hand."""
    cards = hole + board
    ranks = [card[0] for card in cards]
    paired = len(set(ranks)) < len(ranks)
    flush_draw = any([card[1] for card in cards].count(suit) >= 4 for suit in "cdhs")
    high = max(RANKS.index(card[0]) for card in hole) >= RANKS.index("Q")
    return "call" if paired or flush_draw or high else "fold"


def play(base: str, rounds: int, ante: int) -> Any:
    """Play the match and give its ledger's pages in one."""
    operator = Client(base, os.environ.get("CROUPIER_OPERATOR_KEY"))
    started = operator.post("/v1/sessions", {"game": "casino-holdem", "ante": ante, "rounds": rounds})
    session = started["session"]
    path = f"/v1/sessions/{session['id']}"
    seat = Client(base, started["tokens"]["seats"][0])
    committed = session["next_commitment"]
    for _ in track(range(rounds), description="Casino Hold'em"):
        dealt = seat.post(f"{path}/deal", {"client_seed": secrets.token_urlsafe(12)})
        hole = dealt["seats"][0]["hole"]
        action = {"type": choose(hole, dealt["board"])}
        done = seat.post(f"{path}/decide", {"action": action, "round": dealt["number"]})
        deck = check(done, session["id"], committed)
        if deck[:2] != hole or deck[4:7] != dealt["board"]:
            raise Unfair(f"round {done['number']}: other cards than the committed deck's")
        committed = done["next_commitment"]
    ledger = seat.get(f"{path}/ledger", limit=100)
    while ledger["next_after"] is not None:
        page = seat.get(f"{path}/ledger", limit=100, after=ledger["next_after"])
        ledger |= {"entries": ledger["entries"] + page["entries"], "next_after": page["next_after"]}
    return ledger


def show(ledger: Any) -> None:
    """The ledger as a table, a line a round."""
    table = Table(title="Ledger")
    for column in ("round", "ante", "call", "net", "balance"):
        table.add_column(column, justify="right")
    for entry in ledger["entries"]:
        if entry["type"] == "round_settled":
            seat = entry["seats"][0]
            nets = {bet["bet"]: f"{bet['net']:+}" for bet in seat["bets"]}
            row = (entry["round"], nets["ante"], nets.get("call", "–"), f"{seat['net']:+}", seat["balance"])
            table.add_row(*map(str, row))
    total = ledger["totals"][0]
    console = Console()
    console.print(table)
    console.print(
        f"{total['rounds']} rounds: {total['won']} won, {total['lost']} lost, {total['tied']} tied; "
        f"net {total['net']:+}; result: {ledger['result']}. Every deck was the one committed to."
    )


def main() -> None:
    """Read the arguments, play, print."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("base", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--ante", type=int, default=1)
    arguments = parser.parse_args()
    try:
        ledger = play(arguments.base, arguments.rounds, arguments.ante)
    except httpx.TransportError as failure:
        sys.exit(f"No answer from {arguments.base}: {failure}. Is the server running? (make serve)")
    except Unfair as failure:
        sys.exit(f"UNFAIR: {failure}")
    show(ledger)


if __name__ == "__main__":
    main()
