"""What a benchmark found: figures, each beside what was measured against it in the same run."""

from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value. *ratio* is against *reference*, measured in the same run; *target* is the goal.

    The goal is one of the ratio where there is a ratio, else of the value. *most* turns it round: the figure
    should be at most the target.
    """

    group: str
    name: str
    value: float
    unit: str
    reference: str | None = None
    reference_value: float | None = None
    ratio: float | None = None
    target: float | None = None
    most: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if self.target is None:
            return None
        judged = self.value if self.ratio is None else self.ratio
        return judged <= self.target if self.most else judged >= self.target


def as_json(figures: list[Figure]) -> list[dict[str, Any]]:
    """The figures as plain objects, without what they do not have."""
    return [
        {name: value for name, value in (asdict(one) | {"met": one.met}).items() if value is not None}
        for one in figures
    ]


def as_table(figures: list[Figure], title: str) -> Table:
    """The figures as people read them."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for heading, side in (
        ("", "left"), ("measured", "right"), ("against", "left"), ("there", "right"), ("ratio", "right"),
        ("target", "right"), ("", "left"),
    ):  # fmt: skip
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    group = ""
    for one in figures:
        if one.group != group:
            if group:
                table.add_section()
            group = one.group
            table.add_row(f"[bold]{group}")
        sign = "≤" if one.most else "≥"
        table.add_row(
            f"  {one.name}",
            f"{_number(one.value)} {one.unit}",
            one.reference or "",
            "" if one.reference_value is None else f"{_number(one.reference_value)} {one.unit}",
            "" if one.ratio is None else f"{one.ratio:.2f}",
            "" if one.target is None else f"{sign} {one.target:g}",
            {None: "", True: "[green]met", False: "[red]missed"}[one.met],
        )
    return table


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value < 10 else f"{value:.1f}"
