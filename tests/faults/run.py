"""Break things under bots at play, and print what held: ``make faults``.

    python tests/faults/run.py [FAULT …] [--short] [--soak 900] [--markdown FILE]

Everything happens on the loopback, in processes and folders of its own that are gone afterwards. The exit
code is 1 if anything was lost or doubled, or not as promised.
"""

import asyncio
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults.catalogue import SOAK_SECONDS, catalogue
from faults.ground import Fault, Ground, Row

HEADS = ("fault", "load", "changes", "lost", "doubled", "ledgers", "recovery", "verdict", "seen")


def main(
    faults: Annotated[list[str] | None, typer.Argument(help="Which; all when none is named.")] = None,
    short: Annotated[bool, typer.Option("--short", help="The short forms, as in the tests.")] = False,
    soak: Annotated[float, typer.Option(help="Seconds of the soak.")] = SOAK_SECONDS,
    markdown: Annotated[Path | None, typer.Option(help="A file to write the table to.")] = None,
) -> None:
    """Try the faults one after another and print the table."""
    known = {fault.name: fault for fault in catalogue(soak)}
    chosen = [known[name] for name in faults or known if name in known]
    if unknown := set(faults or ()) - set(known):
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: choose from {', '.join(known)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is ended, too
    console = Console(width=None if sys.stdout.isatty() else 200)
    begun = time.monotonic()
    rows: list[Row] = []
    for fault in chosen:
        with console.status(f"{fault.name} …"):
            rows.append(asyncio.run(_tried(fault, short=short)))
        console.print(f"{fault.name}: {'holds' if rows[-1].holds else 'FAILS'}", highlight=False)
        for complaint in rows[-1].complaints:
            console.print(f"  {complaint}", highlight=False, markup=False)
    table = Table(title="Faults", show_lines=True)
    for head in HEADS:
        table.add_column(head, justify="right" if head in HEADS[2:7] else "left")
    for row in rows:
        table.add_row(*_cells(row))
    console.print(table)
    minutes = (time.monotonic() - begun) / 60
    console.print(f"{sum(row.holds for row in rows)} of {len(rows)} hold; {minutes:.1f} minutes.")
    if markdown is not None:
        markdown.write_text(_written(rows, minutes), encoding="utf-8")
    raise typer.Exit(not all(row.holds for row in rows))


async def _tried(fault: Fault, *, short: bool) -> Row:
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, Ground.taken(Path(folder)) as ground:
        return await (fault.short if short else fault.full)(ground)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.fault,
        row.load,
        f"{row.acknowledged:,}",
        str(row.lost),
        str(row.doubled),
        row.ledgers,
        "–" if row.recovery is None else f"{row.recovery:.1f} s",
        "holds" if row.holds else "FAILS",
        row.notes,
    )


def _written(rows: Sequence[Row], minutes: float) -> str:
    """The table in Markdown."""
    lines = [HEADS, tuple("---:" if head in HEADS[2:7] else "---" for head in HEADS), *map(_cells, rows)]
    head = f"# What held\n\n`make faults` on {datetime.now(UTC):%Y-%m-%d}, {minutes:.0f} minutes.\n\n"
    return head + "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
