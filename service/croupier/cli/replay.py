"""``croupier replay``: recorded no-limit hands played again by the rules, and what differs."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from croupier.rules.cards import TEXT
from croupier.rules.no_limit_holdem import NoLimitHoldem, NoLimitState, Settled
from croupier.sessions.recorded import (
    Differs,
    History,
    Malformed,
    NotPlayable,
    Step,
    hands,
    history,
    play,
    pots_after,
    replay,
    stacks_after,
)

GAME = NoLimitHoldem()


def replay_files(
    files: Annotated[
        list[Path], typer.Argument(help="Hands in the PHH format (.phh, .phhs).", exists=True, dir_okay=False)
    ],
    steps: Annotated[
        bool, typer.Option("--steps", help="Print each hand action by action before its line.")
    ] = False,
) -> None:
    """Play recorded no-limit hold'em hands again and compare every action and the finishing stacks.

    Prints a line a hand and a closing count. Exits with 1 if a hand differs or cannot be read.
    """
    # A pipe has no width that a table would have to fit into.
    console = Console(width=None if sys.stdout.isatty() else 240, highlight=False, markup=False)
    count: Counter[str] = Counter()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for path in progress.track(files, description="Replaying"):
            for name, hand in _hands(path):
                word, remark = _verdict(hand, console if steps else None)
                count[word] += 1
                console.print(f"{word:<10}  {name}{remark and f': {remark}'}", soft_wrap=True)
    console.print(", ".join(f"{count[word]} {word}" for word in ("ok", "differs", "skipped", "unreadable")))
    if count["differs"] or count["unreadable"]:
        raise typer.Exit(1)


def _hands(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Every hand of a file under its name, or why there is none."""
    try:
        found = list(hands(path.read_text(encoding="utf-8")))
    except UnicodeDecodeError:
        yield f"{path}", "not UTF-8"
    except Malformed as wrong:
        yield f"{path}", f"{wrong}"
    else:
        for number, hand in enumerate(found, start=1):
            yield f"{path}" if len(found) == 1 else f"{path} #{number}", hand
        if not found:
            yield f"{path}", "no hand in it"


def _verdict(hand: dict[str, Any] | str, console: Console | None) -> tuple[str, str]:
    """How it went in a word, and what there is to say about it."""
    if isinstance(hand, str):
        return "unreadable", hand
    try:
        recorded = history(hand)
        if console is not None:
            console.print(_action_by_action(recorded))
        replayed = replay(recorded)
    except NotPlayable as reason:
        return "skipped", f"{reason}"
    except Malformed as wrong:
        return "unreadable", f"{wrong}"
    except Differs as difference:
        return "differs", f"{difference}"
    return "ok", "; ".join(replayed.unchecked)


def _action_by_action(hand: History) -> Table:
    """A row an action, and what the hand came to; it ends where the hand differs from the rules."""
    table = Table()
    for title in ("", "board", "pots", *(f"p{n} {name}" for n, name in enumerate(hand.players, start=1))):
        table.add_column(title, overflow="fold")
    with suppress(Differs):
        for step in play(hand):
            table.add_row(step.action or "deal", _board(hand, step), *_chips(hand, step.state))
            last = step
        if isinstance(last.state, Settled) and (stacks := stacks_after(hand, last.state)) is not None:
            table.add_section()
            table.add_row("settled", "", _winners(hand, last.state), *map(str, stacks))
    return table


def _board(hand: History, step: Step) -> str:
    return " ".join("??" if one is None else TEXT[one] for one in hand.board[: step.board])


def _chips(hand: History, state: NoLimitState) -> Iterator[str]:
    """The pots and the chips behind while the hand lasts."""
    view = GAME.view(state, None)
    if isinstance(state, Settled) or view.betting is None:
        return
    pots = [f"{pot.amount}" for pot in view.betting.pots]
    yield " + ".join(pots) + (f" + antes {sum(hand.dead)}" if any(hand.dead) else "")
    for one in view.seats:
        yield "folded" if one.state == "folded" else f"{one.stack}"


def _winners(hand: History, state: Settled) -> str:
    """Who takes what from each pot; dead antes belong to the first."""
    pots = pots_after(hand, state)
    return "\n".join(", ".join(f"p{share.seat} {share.amount}" for share in pot.winners) for pot in pots)
