"""``croupier bot``: many tables at once against a running server, and what came of it."""

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, quantiles, variance
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from croupier.cli.where import HERE, Json, Key, Refused, Unreachable, Url
from croupier.rules.registry import GAMES

if TYPE_CHECKING:
    from croupier.cli.remote import Remote, Started

GameName: TypeAlias = Literal["casino-holdem", "ultimate-texas-holdem", "no-limit-holdem"]
NO_LIMIT = "no-limit-holdem"
_SEATS = {"ultimate-texas-holdem": 1, NO_LIMIT: 6}
_RANKS = "23456789TJQKA"


@dataclass(slots=True)
class Tally:
    """What all tables came to. *rounds* counts settled ones, *nets* are the seats' of each, in units."""

    rounds: int = 0
    sessions: int = 0
    staked: int = 0
    returned: int = 0
    nets: list[int] = field(default_factory=list)
    actions: Counter[str] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)

    def settled(self, round_: Json) -> None:
        """Count a settled round."""
        rows = round_["settlement"]["seats"]
        bets = [bet for row in rows for bet in row["bets"]]
        self.rounds += 1
        self.staked += sum(bet["staked"] for bet in bets)
        self.returned += sum(bet["returned"] for bet in bets)
        self.nets.append(sum(row["net"] for row in rows))


def bot(
    game: Annotated[GameName, typer.Argument(help="The game.")],
    rounds: Annotated[int, typer.Option(min=1, max=10_000_000, help="Rounds to play, in all.")] = 100,
    tables: Annotated[int, typer.Option(min=1, max=1000, help="Tables to play them at, at once.")] = 4,
    seats: Annotated[int | None, typer.Option(min=1, max=10, help="Seats a table. [1; no-limit 6]")] = None,
    hasty: Annotated[bool, typer.Option("--hasty", help="Decide by lot, not by what is best.")] = False,
    url: Url = HERE,
    key: Key = None,
) -> None:
    """Play many rounds against a running server, and sum them up.

    In the house games each seat asks for advice and takes the best action; in no-limit it plays a simple game
    of its own. Exits with 1 if the server refuses, with 2 if nobody answers.
    """
    if seats is not None and game == "casino-holdem" and seats != 1:
        raise typer.BadParameter("casino-holdem has one seat")
    options = {} if game == "casino-holdem" else {"seats": seats or _SEATS[game]}
    try:
        tally, seconds = asyncio.run(_play(url, key, game, options, rounds, tables, hasty=hasty))
    except Refused as refusal:
        typer.echo(f"croupier: {refusal}", err=True)
        raise typer.Exit(1) from None
    except Unreachable as reason:
        typer.echo(f"croupier: {reason}", err=True)
        raise typer.Exit(2) from None
    Console(highlight=False).print(_summary(game, tally, seconds))


async def _play(
    url: str, key: str | None, game: str, options: Json, rounds: int, tables: int, *, hasty: bool
) -> tuple[Tally, float]:
    from croupier.cli.remote import Remote  # noqa: PLC0415

    tally, left, begun = Tally(), [rounds], time.monotonic()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    progress = Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty())
    chooses = _by_lot if hasty else _no_limit if game == NO_LIMIT else None
    async with Remote(url, key, connections=tables) as remote:
        with progress:
            bar = progress.add_task(game, total=rounds)
            table = _Table(remote, game, options, tally, chooses, lambda: progress.advance(bar))
            await asyncio.gather(*(table.play(left) for _ in range(min(tables, rounds))))
    return tally, time.monotonic() - begun


Chooses: TypeAlias = Callable[[Json, Json], Json]


@dataclass(slots=True)
class _Table:
    """How a table is played, and where it is counted."""

    remote: "Remote"
    game: str
    options: Json
    tally: Tally
    chooses: Chooses | None
    counted: Callable[[], None]

    async def play(self, left: list[int]) -> None:
        """One session after another, until no round is *left*: a count that all tables share."""
        while left[0] > 0:
            started = await self.remote.start(self.game, **self.options)
            self.tally.sessions += 1
            status = "open"
            while left[0] > 0 and status == "open":
                left[0] -= 1
                await self._round(started)
                status = (await self.remote.get(started.path, started.table))["status"]
            if status == "open":
                await self._timed(self.remote.post(f"{started.path}/close", {}, started.table))

    async def _round(self, started: "Started") -> None:
        round_ = await self._timed(self.remote.post(f"{started.path}/deal", {}, started.table))
        while round_["to_act"]:
            seat = round_["to_act"][0]
            token = started.seats[seat - 1]
            action = await self._action(started, seat, token)
            self.tally.actions[_name(action)] += 1
            body = {"action": action, "round": round_["number"]}
            round_ = await self._timed(self.remote.post(f"{started.path}/decide", body, token))
        self.tally.settled(round_)
        self.counted()

    async def _action(self, started: "Started", seat: int, token: str) -> Json:
        if self.chooses is None:
            advice = await self._timed(self.remote.get(f"{started.path}/advice", token))
            best = advice["actions"][0]
            return {name: best[name] for name in ("type", "multiple") if name in best}
        seen = (await self._timed(self.remote.get(started.path, token)))["round"]
        return self.chooses(seen, seen["seats"][seat - 1])

    async def _timed(self, asking: Any) -> Any:
        since = time.perf_counter()
        answer = await asking
        self.tally.milliseconds.append((time.perf_counter() - since) * 1000)
        return answer


def _name(action: Json) -> str:
    return f"play {action['multiple']}×" if action["type"] == "play" else str(action["type"])


def _by_lot(round_: Json, mine: Json) -> Json:
    return given(random.choice(round_["legal_actions"]))  # noqa: S311 - nobody's money hangs on it


def given(legal: Json, to: int | None = None) -> Json:
    """A legal action as one decides for it: a bet or raise *to* that much, the least if nothing is said."""
    action: Json = {name: legal[name] for name in ("type", "multiple") if name in legal}
    if "min_to" in legal:
        action["to"] = legal["min_to"] if to is None else to
    return action


def _no_limit(round_: Json, mine: Json) -> Json:
    """Tight and simple: raise with a pair or two high cards, call what is cheap, fold the rest."""
    legal = {one["type"]: one for one in round_["legal_actions"]}
    ranks = [_RANKS.index(card[0]) for card in mine["hole"]]
    board = [_RANKS.index(card[0]) for card in round_["board"]]
    strong = ranks[0] == ranks[1] or (any(rank in board for rank in ranks) if board else min(ranks) > 7)
    pot = sum(one["amount"] for one in round_["pots"])
    if strong and random.random() < 0.5:  # noqa: S311 - as above
        for kind in ("bet", "raise", "all_in"):
            if kind in legal:
                return given(legal[kind])
    if "check" in legal:
        return {"type": "check"}
    if "call" in legal and (strong or legal["call"]["amount"] * 5 <= pot):
        return {"type": "call"}
    return {"type": "fold"}


def _summary(game: str, tally: Tally, seconds: float) -> Table:
    table = Table(title=f"{game}, {tally.rounds:,} rounds", title_justify="left", show_header=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_row("sessions", f"{tally.sessions:,}")
    table.add_row("rounds a second", f"{tally.rounds / seconds:,.1f}")
    table.add_row("requests a second", f"{len(tally.milliseconds) / seconds:,.1f}")
    cuts = quantiles(tally.milliseconds, n=100) if len(tally.milliseconds) > 1 else tally.milliseconds * 99
    table.add_row("a request, p50 and p99", f"{cuts[49]:.1f} ms, {cuts[98]:.1f} ms")
    table.add_section()
    table.add_row("staked", f"{tally.staked:,}")
    table.add_row("returned", f"{tally.returned:,}")
    if "ante" in GAMES[game].bets:
        antes = tally.nets
        spread = sqrt(variance(antes) / len(antes)) if len(antes) > 1 else 0.0
        table.add_row("the house's share of a round", f"{-fmean(antes):+.4f} ± {spread:.4f} units")
    table.add_section()
    for action, times in tally.actions.most_common():
        table.add_row(action, f"{times / tally.actions.total():.1%}")
    return table
