"""Plays No-Limit Hold'em, six bots at a table, until one has all the chips; then checks every deck.

    python openapi/examples/no_limit.py [http://127.0.0.1:8000] [--seats 6] [--buy-in 2000] [--hands 100]

The table's token deals; every bot sees its own cards alone and decides with its own token. A seed would show
folded hands, so the server reveals them all when the session ends. Needs httpx and rich. The server must be
in open mode, or CROUPIER_OPERATOR_KEY must hold an operator key.
"""

import argparse
import asyncio
import os
import random
import secrets
from typing import Any, TypeAlias

import httpx
from client import Bearer, run
from fair import Unfair, check
from rich.console import Console
from rich.progress import track
from rich.table import Table

RANKS = "23456789TJQKA"

Seen: TypeAlias = dict[tuple[int, int], list[str]]
"""The hole cards that each bot was shown, by hand and seat."""


def choose(round_: Any, mine: Any) -> dict[str, Any]:
    """A simple strategy: raise with a strong hand now and then, see cheap cards, fold to the rest."""
    legal = {one["type"]: one for one in round_["legal_actions"]}
    hole = [RANKS.index(card[0]) for card in mine["hole"]]
    board = [RANKS.index(card[0]) for card in round_["board"]]
    strong = hole[0] == hole[1] or (any(rank in board for rank in hole) if board else min(hole) >= 8)
    if strong and random.random() < 0.4:
        for kind in ("bet", "raise"):
            if kind in legal:
                low, high = legal[kind]["min_to"], legal[kind]["max_to"]
                return {"type": kind, "to": min(high, low * random.randint(1, 4))}
        if "all_in" in legal:
            return {"type": "all_in"}
    if "check" in legal:
        return {"type": "check"}
    pot = sum(pot["amount"] for pot in round_["pots"])
    if "call" in legal and (strong or legal["call"]["amount"] * 4 <= pot):
        return {"type": "call"}
    return {"type": "all_in"} if strong and "all_in" in legal else {"type": "fold"}


async def sit(bearer: Bearer, path: str, seat: int, seen: Seen) -> None:
    """Decide for one seat until its part of the open hand is done."""
    while True:
        round_ = (await bearer.get(path))["round"]
        mine = round_["seats"][seat - 1]
        if mine["state"] == "sitting_out":
            return
        seen[round_["number"], seat] = mine["hole"]
        if round_["stage"] == "settled" or mine["state"] in ("folded", "all_in"):
            return
        if mine["state"] == "deciding":
            action = choose(round_, mine)
            await bearer.post(f"{path}/decide", {"action": action, "round": round_["number"]})
        else:
            await asyncio.sleep(0.005)


async def play(base: str, seats: int, buy_in: int, hands: int) -> tuple[Any, Any]:
    """Play until one seat has won, or *hands* hands; give the session and its ledger's totals."""
    async with httpx.AsyncClient(base_url=base, timeout=30) as http:
        operator = Bearer(http, os.environ.get("CROUPIER_OPERATOR_KEY"))
        start = {"game": "no-limit-holdem", "seats": seats, "buy_in": buy_in}
        started = await operator.post("/v1/sessions", start)
        session = started["session"]
        path = f"/v1/sessions/{session['id']}"
        table = Bearer(http, started["tokens"]["table"])
        bearers = [Bearer(http, token) for token in started["tokens"]["seats"]]
        commitments: list[str] = []
        seen: Seen = {}
        for _ in track(range(hands), description="No-Limit Hold'em"):
            commitments.append(session["next_commitment"])
            await table.post(f"{path}/deal", {"client_seed": secrets.token_urlsafe(12)})
            await asyncio.gather(*(sit(one, path, seat, seen) for seat, one in enumerate(bearers, start=1)))
            session = await table.get(path)
            if session["status"] != "open":
                break
        else:
            session = await table.post(f"{path}/close", {})
        for number, committed in enumerate(commitments, start=1):
            check_hand(await table.get(f"{path}/rounds/{number}"), session["id"], committed, seen)
        return session, await table.get(f"{path}/ledger")


def check_hand(round_: Any, session_id: str, committed: str, seen: Seen) -> None:
    """Raise ``Unfair`` unless the board and the cards each bot was shown are the committed deck's."""
    deck = check(round_, session_id, committed)
    dealt = [seat["seat"] for seat in round_["seats"] if seat["state"] != "sitting_out"]
    left = dealt.index(round_["button"]) + 1
    order = dealt[left:] + dealt[:left]
    for place, seat in enumerate(order):
        if seen[round_["number"], seat] != [deck[place], deck[len(order) + place]]:
            raise Unfair(f"round {round_['number']}: seat {seat} saw other cards than the committed deck's")
    board = round_["board"]
    if board != deck[2 * len(order) :][: len(board)]:
        raise Unfair(f"round {round_['number']}: another board than the committed deck's")


def show(session: Any, ledger: Any) -> None:
    """The seats' stacks and totals as a table."""
    table = Table(title="Stacks")
    for column in ("seat", "stack", "hands", "won", "lost", "net"):
        table.add_column(column, justify="right")
    for seat, total in zip(session["seats"], ledger["totals"], strict=True):
        row = (seat["seat"], seat["stack"], total["rounds"], total["won"], total["lost"], f"{total['net']:+}")
        table.add_row(*map(str, row))
    console = Console()
    console.print(table)
    won = session["result"]
    outcome = f"Seat {won} has won the table" if won else "The table closed with chips on it"
    console.print(f"{outcome} after {session['rounds_played']} hands. Every deck was the one committed to.")


def main() -> None:
    """Read the arguments, play, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--seats", type=int, default=6)
    parser.add_argument("--buy-in", type=int, default=2000)
    parser.add_argument("--hands", type=int, default=100)
    arguments = parser.parse_args()
    show(*run(arguments.base, play(arguments.base, arguments.seats, arguments.buy_in, arguments.hands)))


if __name__ == "__main__":
    main()
