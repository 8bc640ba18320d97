"""``croupier odds``: house edges counted from nothing, and strategy cards."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from croupier.odds.figures import Edge, Figures, SideBetEdge, shipped
from croupier.odds.strategy import StrategyCard, casino_holdem_card, rows, svg, ultimate_card
from croupier.rules.casino_holdem import CasinoHoldem
from croupier.rules.ultimate_texas_holdem import PREFLOP_MULTIPLES, ProfileName

GameName: TypeAlias = Literal["casino-holdem", "ultimate-texas-holdem"]

app = typer.Typer(
    help="House edges, counted over every deal there is, and strategy cards.", no_args_is_help=True
)


@app.command("edge")
def edge(
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    known: Annotated[
        bool, typer.Option("--known", help="Count nothing: print the figures that this version came with.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads to count on; none: one a core.", metavar="N")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the figures in the form in which they are shipped.")
    ] = None,
) -> None:
    """Count the house edge of both house games, in each profile, over all 27,813,810,024,000 deals."""
    figures = shipped() if known else _count(workers)
    if save is not None:
        save.write_text(figures.to_json(), encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(_document(figures), indent=2))
        return
    console = Console()
    console.print(_edges(figures))
    for one in figures.edges:
        console.print(_outcomes(one))
    console.print(_side_bets(figures.side_bets))


@app.command("strategy")
def strategy(
    game: Annotated[GameName, typer.Argument(help="The game, as the API names it.")],
    profile: Annotated[ProfileName, typer.Option(help="Ultimate's settlement.")] = "seed",
    multiples: Annotated[
        str, typer.Option(help="Ultimate's pre-flop multiples: 4, 3,4 or 3.", metavar="LIST")
    ] = "4",
    picture: Annotated[
        Path | None, typer.Option("--svg", help="Write the card to a file as an SVG picture.")
    ] = None,
) -> None:
    """Print a strategy card: the chart of starting hands, and what it comes to in words."""
    card = (
        casino_holdem_card() if game == CasinoHoldem.name else ultimate_card(profile, _multiples(multiples))
    )
    if picture is not None:
        picture.write_text(svg(card), encoding="utf-8")
    console = Console()
    console.print(_chart(card))
    for rule in card.rules:
        console.print(rule)


@app.command("warm")
def warm() -> None:
    """Compile the odds ahead and keep the machine code on disk, so that no server here has to."""
    from croupier.odds import warm as compile_all  # noqa: PLC0415

    compile_all()


def _multiples(text: str) -> tuple[int, ...]:
    for choice in PREFLOP_MULTIPLES:
        if text.replace(" ", "") == ",".join(map(str, choice)):
            return choice
    raise typer.BadParameter("must be 4, 3,4 or 3", param_hint="--multiples")


def _count(workers: int | None) -> Figures:
    # numba and its tables take a second to load, which `--known` and the help need not wait for.
    from croupier.odds.edges import compute  # noqa: PLC0415

    columns = TextColumn("Flops"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("flops", total=None)
        return compute(lambda done, flops: progress.update(task, completed=done, total=flops), workers)


# ── Tables for people ────────────────────────────────────────────────────────────────────────────────────


def _edges(figures: Figures) -> Table:
    table = Table(title="Main bets, played as is best", title_justify="left")
    table.add_column("rules")
    for heading in ("house edge", "element of risk", "deviation"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in figures.edges:
        table.add_row(
            _name(one),
            _percent(one.house_edge),
            _percent(one.element_of_risk, 7),
            f"{one.standard_deviation:.4f}",
        )
    return table


def _outcomes(one: Edge) -> Table:
    decisions = ", ".join(f"{action} {_percent(share, 7)}" for action, share in one.frequencies.items())
    table = Table(title=f"{_name(one)}\n{decisions}", title_justify="left")
    table.add_column("end")
    for heading in ("net", "deals", "share"):
        table.add_column(heading, justify="right", no_wrap=True)
    for outcome in one.outcomes:
        parts = dict.fromkeys((outcome.action, outcome.result, outcome.category))
        table.add_row(
            " ".join(part.replace("_", " ") for part in parts if part),
            f"{float(outcome.net):g}",
            f"{outcome.deals:,}",
            _percent(outcome.deals / one.deals, 6),
        )
    return table


def _side_bets(side_bets: tuple[SideBetEdge, ...]) -> Table:
    table = Table(title="Side bets of Ultimate", title_justify="left")
    table.add_column("bet")
    table.add_column("profile")
    table.add_column("house edge", justify="right")
    for side in side_bets:
        table.add_row(side.bet, side.profile or "", _percent(side.house_edge))
    return table


def _chart(card: StrategyCard) -> Table:
    table = Table(title=card.title, title_justify="left", show_header=False, pad_edge=False)
    for cells in rows(card):
        table.add_row(*(f"{cell.hand}\n{cell.label}" for cell in cells))
    return table


def _name(one: Edge) -> str:
    parts = [one.game, one.profile, " ".join(map(str, one.preflop_multiples or ()))]
    return ", ".join(part for part in parts if part)


def _percent(share: Any, digits: int = 10) -> str:
    return f"{float(100 * share):.{digits}f} %"


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────


def _document(figures: Figures) -> dict[str, Any]:
    return {
        "edges": [
            {
                "game": one.game,
                "profile": one.profile,
                "preflop_multiples": one.preflop_multiples,
                "deals": one.deals,
                "house_edge": float(one.house_edge),
                "element_of_risk": float(one.element_of_risk),
                "standard_deviation": one.standard_deviation,
                "frequencies": {action: float(share) for action, share in one.frequencies.items()},
                "outcomes": [
                    {
                        "action": outcome.action,
                        "result": outcome.result,
                        "hand": outcome.category,
                        "staked": outcome.staked,
                        "net": float(outcome.net),
                        "deals": outcome.deals,
                    }
                    for outcome in one.outcomes
                ],
            }
            for one in figures.edges
        ],
        "side_bets": [
            {"bet": side.bet, "profile": side.profile, "house_edge": float(side.house_edge)}
            for side in figures.side_bets
        ],
    }
