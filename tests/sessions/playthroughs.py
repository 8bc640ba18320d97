"""Whole sessions as golden text: a line that begins with ``>`` is a request, all others are what came of it.

To add a playthrough, write a file of requests in ``tests/data/playthroughs``; after a change that is meant,
write all of them anew and read the difference:

    cd tests && ../.venv/bin/python -m sessions.playthroughs

Requests: ``start GAME option=value …`` (values as JSON), ``deal CARDS trips:SEAT:STAKE …`` (no cards: as
shuffled), ``SEAT ACTION [TO or MULTIPLE]``, ``SEAT leave|sit_out|sit_in|rebuy AMOUNT``, ``clock``, ``void``,
``close``. Lines that begin with ``#`` are kept.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from croupier.rules.actions import Action, AllIn, Bet, Call, Check, Fold, Play, Raise
from croupier.rules.cards import cards
from croupier.rules.game import SideBets
from croupier.sessions.errors import CroupierError
from croupier.sessions.requests import Deal, Decide, SeatChange
from sessions.house import OPERATOR, House, Started, data, make_house

FOLDER = Path(__file__).parents[1] / "data" / "playthroughs"

ACTIONS: dict[str, Any] = {
    "fold": Fold, "check": Check, "call": Call, "all_in": AllIn, "bet": Bet, "raise": Raise, "play": Play,
}  # fmt: skip


async def played(text: str) -> str:
    """The playthrough with everything below its requests worked out anew."""
    house = make_house()
    at: Started | None = None
    lines = []
    for line in text.splitlines():
        if line.startswith("#"):
            lines.append(line)
        if not line.startswith("> "):
            continue
        lines += ["", line]
        words = line[2:].split()
        if words[0] == "start":
            options = dict(word.split("=") for word in words[2:])
            values = {name: _value(json.loads(value)) for name, value in options.items()}
            at = await house.start(words[1], sandbox=True, **values)
        else:
            assert at is not None, "a playthrough begins with start"
            try:
                await _request(house, at, words)
            except CroupierError as refused:
                lines.append(f"  refused: {refused}")
                continue
        lines += _shown(data(await at.service.read(at.id, at.table)))
        lines += [line async for line in _own(at)] if words[0] == "deal" else []
    return "\n".join(lines).lstrip("\n") + "\n"


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


async def _request(house: House, at: Started, words: list[str]) -> None:
    service = at.service
    match words:
        case ["deal", *rest]:
            bets = tuple(
                SideBets(int(one.split(":")[1]), int(one.split(":")[2])) for one in rest if ":" in one
            )
            deck = [one for one in rest if ":" not in one]
            await service.deal(at.id, at.table, Deal(deck=cards(deck) if deck else None, bets=bets), None)
        case ["clock"]:
            house.clock.forward((await house.session(at.id)).decision_seconds or 0)
        case ["void"]:
            number = data(await service.read(at.id, at.table))["round"]["number"]
            await service.void(at.id, number, OPERATOR, "misdeal", None)
        case ["close"]:
            await service.close(at.id, OPERATOR, None)
        case [seat, ("leave" | "sit_out" | "sit_in" | "rebuy") as do, *amount]:
            change = SeatChange(do, amount=int(amount[0]) if amount else None)
            await service.seat(at.id, int(seat), at.table, change, None)
        case [seat, kind, *amount]:
            action: Action = ACTIONS[kind](*map(int, amount))
            await service.decide(at.id, at.seats[int(seat) - 1], Decide(action), None)


# ── What it looks like ───────────────────────────────────────────────────────────────────────────────────


async def _own(at: Started) -> AsyncIterator[str]:
    """What each seat sees of its own after the deal."""
    for number, caller in enumerate(at.seats, start=1):
        mine = data(await at.service.read(at.id, caller))["round"]["seats"][number - 1]
        if mine["hole"]:
            yield f"  seat {number} holds {' '.join(mine['hole'])}"


def _shown(session: Any) -> list[str]:
    """A session as a bystander sees it."""
    seats = ", ".join(
        f"{one['seat']} {one['status']} {one.get('stack', one['balance'])}" for one in session["seats"]
    )
    result = "" if session["result"] is None else f", result {session['result']}"
    lines = [f"  {session['status']}{result}: {seats}"]
    return lines if session["round"] is None else lines + _round(session["round"])


def _round(round_: Any) -> list[str]:
    lines = [f"  round {round_['number']}.{round_['deal']} {round_['stage']}: {_cards(round_['board'])}"]
    if "button" in round_:
        pots = ", ".join(f"{pot['amount']} for {_seats(pot['seats'])}" for pot in round_["pots"])
        lines.append(
            f"    button {round_['button']}, to match {round_['current_bet']}, pots {pots or 'none'}"
        )
    for seat in round_["seats"]:
        chips = f"{seat['street_bet']} in, {seat['stack']} behind" if "stack" in seat else _bets(seat["bets"])
        lines.append(f"    seat {seat['seat']} {seat['state']}: {_cards(seat['hole'])}, {chips}")
    if "dealer" in round_:
        lines.append(f"    dealer: {_cards(round_['dealer']['hole'])}")
    if round_["to_act"]:
        lines.append(f"    to act: {_seats(round_['to_act'])}")
    if "clocked" in round_:
        lines.append(f"    decided by the clock: {_seats(round_['clocked'])}")
    return lines + (_settlement(round_["settlement"]) if round_["settlement"] else [])


def _settlement(settlement: Any) -> list[str]:
    lines = []
    for row in settlement["seats"]:
        hand = f" with {row['hand']['description']} ({_cards(row['hand']['cards'])})" if row["hand"] else ""
        bets = ", ".join(f"{bet['bet']} {bet['staked']} to {bet['returned']}" for bet in row["bets"])
        lines.append(f"    seat {row['seat']} nets {row['net']:+}{hand}: {bets}")
    for pot in settlement.get("pots", []):
        winners = ", ".join(f"{one['amount']} to seat {one['seat']}" for one in pot["winners"])
        lines.append(f"    pot of {pot['amount']} for {_seats(pot['seats'])}: {winners}")
    if "dealer" in settlement and settlement["dealer"]["hand"]:
        dealer = settlement["dealer"]
        qualified = {True: "qualifies", False: "does not qualify", None: "has"}[dealer["qualified"]]
        lines.append(f"    dealer {qualified} with {dealer['hand']['description']}")
    return [*lines, f"    house {settlement['house_net']:+}"]


def _bets(bets: Any) -> str:
    return ", ".join(f"{name} {stake}" for name, stake in bets.items()) or "no bets"


def _seats(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def _cards(shown: list[str] | None) -> str:
    return "hidden" if shown is None else " ".join(shown) or "no cards"


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.txt")):
        path.write_text(asyncio.run(played(path.read_text(encoding="utf-8"))), encoding="utf-8")
        print(path.name)
