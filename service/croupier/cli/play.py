"""``croupier play``: a game in the terminal, against a running server and through its public API alone."""

import asyncio
import json
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.columns import Columns
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from croupier.cli.bots import NO_LIMIT, GameName, _no_limit, given
from croupier.cli.where import HERE, Json, Key, Refused, Unreachable, Url
from croupier.rules.cards import cards
from croupier.sessions.fairness import commitment, shuffled

if TYPE_CHECKING:
    from croupier.cli.remote import Remote, Started

_SUITS = {"c": ("♣", "green"), "d": ("♦", "blue"), "h": ("♥", "red"), "s": ("♠", "default")}
_LETTERS = {"fold": "f", "check": "k", "call": "c", "bet": "b", "raise": "r", "all_in": "a", "play": "p"}


class _Leave(Exception):
    """The player wants to stop."""


def play(
    game: Annotated[GameName, typer.Argument(help="The game.")] = "casino-holdem",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="As start-session has it."),
    ] = None,
    words: Annotated[str, typer.Option(help="The language of hands: en, pt, pt-BR, es or fr.")] = "en",
    url: Url = HERE,
    key: Key = None,
) -> None:
    """Play seat 1 of a new session. In no-limit the other seats are bots.

    Every deck is checked against its commitment as soon as its seed is shown.
    """
    console = Console(highlight=False)
    try:
        asyncio.run(_session(console, url, key, game, dict(_options(option or [])), words))
    except Refused as refusal:
        typer.echo(f"croupier: {refusal}", err=True)
        raise typer.Exit(1) from None
    except Unreachable as reason:
        typer.echo(f"croupier: {reason}", err=True)
        raise typer.Exit(2) from None
    except (EOFError, KeyboardInterrupt, _Leave):
        console.print()


def _options(given_: list[str]) -> Iterator[tuple[str, Any]]:
    for one in given_:
        name, equals, value = one.partition("=")
        if not equals:
            raise typer.BadParameter(f"{one}: write NAME=VALUE, for example ante=10")
        try:
            yield name, json.loads(value)
        except json.JSONDecodeError:
            yield name, value


async def _session(console: Console, url: str, key: str | None, game: str, options: Json, words: str) -> None:
    from croupier.cli.remote import Remote  # noqa: PLC0415

    async with Remote(url, key, words=words) as remote:
        started = await remote.start(game, **options)
        console.print(f"Session {started.id}. The next deck is committed to: every round can be checked.")
        player = _Player(console, remote, started, game)
        try:
            session = started.session
            while session["status"] == "open":
                await player.round()
                session = await remote.get(started.path, started.table)
                if session["seats"][0]["status"] == "busted":
                    console.print("You have no chips left.", style="bold")
                    raise _Leave
            console.print(f"The session is over: {session['result']}.", style="bold")
        except (_Leave, EOFError):
            await player.leave()
        console.print(await player.ledger())


class _Player:
    """Seat 1, and the bots on the others."""

    def __init__(self, console: Console, remote: "Remote", started: "Started", game: str) -> None:
        self._console = console
        self._remote = remote
        self._started = started
        self._game = game
        self._committed: str = started.session["next_commitment"]

    async def round(self) -> None:
        """Deal, decide until it is settled, and show how it ended. Raises :class:`_Leave`."""
        self._ask("\nEnter deals, q leaves: ")
        body = {"client_seed": secrets.token_urlsafe(12)}
        round_ = await self._remote.post(f"{self._started.path}/deal", body, self._started.table)
        while round_["to_act"]:
            seat = 1 if 1 in round_["to_act"] else round_["to_act"][0]
            token = self._started.seats[seat - 1]
            seen = (await self._remote.get(self._started.path, token))["round"]
            if seat == 1:
                self._show(seen)
                action = await self._decision(seen)
            else:
                action = self._others(seen, seat)
                self._console.print(f"Seat {seat}: {_said(action)}", style="dim")
            try:
                round_ = await self._remote.post(f"{self._started.path}/decide", {"action": action}, token)
            except Refused as refusal:
                self._console.print(str(refusal), style="yellow")
        seen = (await self._remote.get(self._started.path, self._started.seats[0]))["round"]
        self._show(seen)
        self._settled(seen)

    async def leave(self) -> None:
        """Close the session; one with an open round cannot be closed, and stays as it is."""
        try:
            await self._remote.post(f"{self._started.path}/close", {}, self._started.table)
        except Refused as refusal:
            self._console.print(f"{refusal} The session stays open: {self._started.id}", style="yellow")

    async def ledger(self) -> Table:
        """What the session came to."""
        ledger = await self._remote.get(f"{self._started.path}/ledger", self._started.table)
        table = Table(title="Ledger", title_justify="left")
        for head in ("seat", "rounds", "won", "lost", "tied", "staked", "returned", "net"):
            table.add_column(head, justify="right")
        for row in ledger["totals"]:
            table.add_row(*(str(row[column.header]) for column in table.columns))
        return table

    def _ask(self, prompt: str) -> str:
        answer = self._console.input(prompt, markup=False).strip().lower()
        if answer in ("q", "quit", "exit"):
            raise _Leave
        return answer

    def _others(self, seen: Json, seat: int) -> Json:
        if self._game == NO_LIMIT:
            return _no_limit(seen, seen["seats"][seat - 1])
        legal = {one["type"]: one for one in seen["legal_actions"]}
        return given(legal.get("check") or legal["play"])

    async def _decision(self, seen: Json) -> Json:
        legal = seen["legal_actions"]
        named = {_letter(one): one for one in legal}
        advised = self._game != NO_LIMIT
        shown = ", ".join(f"[{letter}] {_offered(one)}" for letter, one in named.items())
        while True:
            answer = self._ask(f"{shown}{', [?] advice' if advised else ''}, [q] leave: ")
            letter, _, amount = answer.partition(" ")
            if answer == "?" and advised:
                await self._advise()
            elif letter in named and (not amount or (amount.isdigit() and "min_to" in named[letter])):
                return given(named[letter], int(amount) if amount else None)
            else:
                self._console.print("One of the letters; bets and raises with the total, such as r 300.")

    async def _advise(self) -> None:
        advice = await self._remote.get(f"{self._started.path}/advice", self._started.seats[0])
        for one in advice["actions"]:
            mark = "best" if one["best"] else f"gives away {one['cost']:.4f}"
            self._console.print(f"  {_said(one):10} {one['value']:+.6f} antes  {mark}")

    def _show(self, seen: Json) -> None:
        mine = seen["seats"][0]
        parts = [_panel("your cards", mine["hole"] or []), _panel(seen["stage"], seen["board"])]
        if dealer := seen.get("dealer"):
            parts.append(_panel("dealer", dealer["hole"] or ["??", "??"]))
        else:
            pots = sum(pot["amount"] for pot in seen["pots"])
            parts.append(Panel(f"pot {pots}\nstack {mine['stack']}", title=f"button {seen['button']}"))
        self._console.print(Columns(parts))

    def _settled(self, seen: Json) -> None:
        settlement = seen["settlement"]
        for row in settlement["seats"]:
            hand = f" with {row['hand']['description']}" if row["hand"] else ""
            bets = ", ".join(f"{bet['bet']} {bet['net']:+}" for bet in row["bets"])
            style = "bold" if row["seat"] == 1 else "dim"
            self._console.print(f"Seat {row['seat']}{hand}: {bets}; net {row['net']:+}", style=style)
        if dealer := settlement.get("dealer"):
            hand = dealer["hand"]["description"] if dealer["hand"] else "not shown"
            self._console.print(f"Dealer: {hand}", style="dim")
        self._console.print(self._proof(seen), style="dim")
        self._committed = seen["next_commitment"]

    def _proof(self, seen: Json) -> str:
        """Whether the deck is the one that was committed to before the round."""
        fairness = seen["fairness"]
        if fairness["server_seed"] is None:
            return "The seed of this deck is shown when the session ends."
        seed = bytes.fromhex(fairness["server_seed"])
        deck = shuffled(seed, fairness["client_seed"], self._started.id, seen["number"])
        mine = cards(seen["seats"][0]["hole"])
        if commitment(seed) != self._committed or tuple(deck[: len(mine)]) != tuple(mine):
            return "THE DECK IS NOT THE ONE COMMITTED TO."
        return "The deck is the one committed to before the round."


def _panel(title: str, shown: list[str]) -> Panel:
    text = Text()
    for card in shown:
        suit, style = _SUITS.get(card[1], ("?", "dim"))
        text.append(f"{card[0].replace('T', '10')}{suit} ", style=style)
    return Panel(text or Text("—"), title=title)


def _letter(legal: Json) -> str:
    return _LETTERS[legal["type"]] + (str(legal["multiple"]) if "multiple" in legal else "")


def _offered(legal: Json) -> str:
    if "min_to" in legal:
        return f"{legal['type']} to {legal['min_to']}–{legal['max_to']}"
    return _said(legal) + (f" {legal['amount']}" if "amount" in legal else "")


def _said(action: Json) -> str:
    multiple = f" {action['multiple']}×" if "multiple" in action else ""
    return f"{action['type'].replace('_', ' ')}{multiple}"
