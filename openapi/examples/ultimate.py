"""Plays Ultimate Texas Hold'em with six seats at once, each with its own token, and checks every deck.

    python openapi/examples/ultimate.py [http://127.0.0.1:8000] [--seats 6] [--rounds 20]

The table's token deals; every seat reads its own cards and decides on its own, all at the same time. Needs
httpx and rich. The server must be in open mode, or CROUPIER_OPERATOR_KEY must hold an operator key.
"""

import argparse
import asyncio
import os
import secrets
from typing import Any

import httpx
from client import Bearer, run
from fair import Unfair, check
from rich.console import Console
from rich.progress import track
from rich.table import Table

RANKS = "23456789TJQKA"


def choose(round_: Any, mine: Any) -> dict[str, Any]:
    """A simple strategy: the most on a strong start, what is left on a pair, else check; at last fold."""
    legal = {(one["type"], one.get("multiple")) for one in round_["legal_actions"]}
    hole = sorted((RANKS.index(card[0]) for card in mine["hole"]), reverse=True)
    board = [RANKS.index(card[0]) for card in round_["board"]]
    strong = hole[0] == RANKS.index("A") or hole[0] == hole[1] or hole[1] >= RANKS.index("T")
    paired = any(rank in board for rank in hole) or hole[0] == hole[1]
    multiples = [multiple for kind, multiple in legal if kind == "play" and multiple is not None]
    if multiples and (paired if board else strong):
        return {"type": "play", "multiple": max(multiples)}
    if ("check", None) in legal:
        return {"type": "check"}
    return {"type": "play", "multiple": 1} if hole[0] >= RANKS.index("Q") else {"type": "fold"}


async def sit(bearer: Bearer, path: str, number: int) -> None:
    """Decide for one seat until its part of the open round is done."""
    while True:
        session = await bearer.get(path)
        round_ = session["round"]
        mine = round_["seats"][number - 1]
        if round_["stage"] == "settled" or mine["state"] in ("done", "folded", "sitting_out"):
            return
        if mine["state"] == "deciding":
            action = choose(round_, mine)
            await bearer.post(f"{path}/decide", {"action": action, "round": round_["number"]})
        else:
            await asyncio.sleep(0.005)


async def play(base: str, seats: int, rounds: int) -> Any:
    """Play the rounds and give the totals of the ledger."""
    async with httpx.AsyncClient(base_url=base, timeout=30) as http:
        operator = Bearer(http, os.environ.get("CROUPIER_OPERATOR_KEY"))
        start = {"game": "ultimate-texas-holdem", "seats": seats, "rounds": rounds}
        started = await operator.post("/v1/sessions", start)
        session = started["session"]
        path = f"/v1/sessions/{session['id']}"
        table = Bearer(http, started["tokens"]["table"])
        bearers = [Bearer(http, token) for token in started["tokens"]["seats"]]
        committed = session["next_commitment"]
        for _ in track(range(rounds), description="Ultimate Texas Hold'em"):
            bets = [{"seat": seat, "trips": 1} for seat in range(1, seats + 1)]
            await table.post(f"{path}/deal", {"client_seed": secrets.token_urlsafe(12), "bets": bets})
            await asyncio.gather(*(sit(one, path, seat) for seat, one in enumerate(bearers, start=1)))
            done = (await table.get(path))["round"]
            deck = check(done, session["id"], committed)
            dealt = [card for seat in done["seats"] for card in seat["hole"]]
            if dealt != deck[: 2 * seats]:
                raise Unfair(f"round {done['number']}: other cards than the committed deck's")
            committed = done["next_commitment"]
        return await table.get(f"{path}/ledger")


def show(ledger: Any) -> None:
    """The seats' totals as a table."""
    table = Table(title="Totals")
    for column in ("seat", "rounds", "won", "lost", "tied", "staked", "returned", "net"):
        table.add_column(column, justify="right")
    for total in ledger["totals"]:
        table.add_row(*(str(value) for value in total.values()))
    console = Console()
    console.print(table)
    console.print(f"The house: {ledger['house_net']:+}. Every deck was the one committed to.")


def main() -> None:
    """Read the arguments, play, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("base", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--seats", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    show(run(arguments.base, play(arguments.base, arguments.seats, arguments.rounds)))


if __name__ == "__main__":
    main()
