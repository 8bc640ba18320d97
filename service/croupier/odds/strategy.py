"""Strategy cards: what the shipped figures say to do with each starting hand, as a chart for people."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from xml.sax.saxutils import escape

from croupier.odds.figures import casino_deals, shipped
from croupier.odds.starting_hands import STARTING_HANDS
from croupier.rules.cards import RANKS
from croupier.rules.casino_holdem import CasinoHoldem
from croupier.rules.ultimate_texas_holdem import UltimateTexasHoldem

_SHADES = ((0xF1, 0x6C), (0xF4, 0xC0), (0xF2, 0x8E))
"""Red, green and blue of a hand that is never played, and of one that always is."""

_CELL, _MARGIN, _HEAD, _LINE = 44, 16, 46, 20


@dataclass(frozen=True, slots=True)
class Cell:
    """One starting hand: what to write on it, and how strongly to play it, 0 to 1."""

    hand: str
    label: str
    strength: Fraction


@dataclass(frozen=True, slots=True)
class StrategyCard:
    """A chart of the 169 starting hands, 13 a row, and rules in words that sum it up."""

    title: str
    cells: tuple[Cell, ...]
    rules: tuple[str, ...]


def casino_holdem_card() -> StrategyCard:
    """How often each starting hand is worth a call: in what share of the flops that it may see.

    Per cents are cut, not rounded, so that 100 means every flop.
    """
    called = {name: Fraction(calls, casino_deals(name)) for name, calls in shipped().casino_calls.items()}
    edge = shipped().edge(CasinoHoldem.name)
    always = [name for name, share in called.items() if share == 1]
    rarest = min(called, key=lambda name: called[name])
    return StrategyCard(
        title="Casino Hold'em: per cent of flops to call",
        cells=tuple(Cell(name, f"{int(100 * share)}", share) for name, share in called.items()),
        rules=(
            f"Call with {_percent(edge.frequencies['call'])} of all hands and flops.",
            f"Whatever the flop, call: {shorthand(always)}.",
            f"Folded most often: {rarest}, called on {_percent(called[rarest])} of its flops.",
            f"House edge when so played: {_percent(edge.house_edge, 4)} of the ante.",
        ),
    )


def ultimate_card(profile: str, preflop_multiples: tuple[int, ...]) -> StrategyCard:
    """Which starting hands to play before the flop, and for how much.

    ``KeyError`` for a profile or multiples that the rules do not have.
    """
    edge = shipped().edge(UltimateTexasHoldem.name, profile, preflop_multiples)
    plays: dict[str, str] = {}
    for name, hand in shipped().preflop[profile].items():
        best = max(preflop_multiples, key=hand.play_value)
        plays[name] = f"{best}×" if hand.play_value(best) > hand.check_value() else ""
    rules = [
        f"Play {multiple}: {shorthand([name for name, play in plays.items() if play == multiple])}."
        for multiple in sorted(set(plays.values()) - {""}, reverse=True)
    ]
    return StrategyCard(
        title=f"Ultimate Texas Hold'em, {profile}: before the flop",
        cells=tuple(Cell(name, play, Fraction(bool(play))) for name, play in plays.items()),
        rules=(
            *rules,
            "Check every other hand.",
            f"House edge when so played, and rightly after: {_percent(edge.house_edge, 4)} of the ante.",
        ),
    )


def shorthand(hands: Collection[str]) -> str:
    """Starting hands as people write them: ``33+`` for pairs from threes up, ``K5o+`` for K5o to KQo.

    A run that does not reach the top is written from end to end, as in ``T8s-T6s``.
    """
    wanted = set(hands)
    pairs = [rank * 2 for rank in reversed(RANKS)]
    lines = [pairs]
    lines += [
        [high + low + ending for low in reversed(RANKS[: RANKS.index(high)])]
        for ending in "so"
        for high in reversed(RANKS[1:])
    ]
    return ", ".join(run for line in lines for run in _runs(line, wanted))


def _runs(line: Sequence[str], wanted: Collection[str]) -> list[str]:
    """The unbroken runs of *line*, which goes from the highest hand down."""
    runs = []
    start = None
    for place, hand in enumerate([*line, None]):
        if hand in wanted:
            start = place if start is None else start
        elif start is not None:
            first, last = line[start], line[place - 1]
            runs.append(last if first == last else f"{last}+" if start == 0 else f"{first}-{last}")
            start = None
    return runs


def rows(card: StrategyCard) -> list[tuple[Cell, ...]]:
    """The cells as the 13 rows of the chart."""
    return [card.cells[start : start + 13] for start in range(0, len(STARTING_HANDS), 13)]


def svg(card: StrategyCard) -> str:
    """The card as a picture, 604 wide, that stands on its own."""
    width = 13 * _CELL + 2 * _MARGIN
    height = _HEAD + 13 * _CELL + len(card.rules) * _LINE + 2 * _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        ' font-family="system-ui, sans-serif">',
        f"<title>{escape(card.title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="{_MARGIN}" y="32" font-size="18" font-weight="600">{escape(card.title)}</text>',
    ]
    for row, cells in enumerate(rows(card)):
        for column, cell in enumerate(cells):
            lines += _cell(cell, _MARGIN + column * _CELL, _HEAD + row * _CELL)
    below = _HEAD + 13 * _CELL + _MARGIN
    for place, rule in enumerate(card.rules):
        lines.append(
            f'<text x="{_MARGIN}" y="{below + _LINE * (place + 1) - 6}" font-size="12">{escape(rule)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _cell(cell: Cell, left: int, top: int) -> list[str]:
    shade = "".join(f"{pale + round((full - pale) * cell.strength):02x}" for pale, full in _SHADES)
    middle = left + _CELL // 2
    return [
        f'<rect x="{left}" y="{top}" width="{_CELL - 2}" height="{_CELL - 2}" rx="4" fill="#{shade}"/>',
        f'<text x="{middle}" y="{top + 18}" font-size="13" text-anchor="middle">{cell.hand}</text>',
        f'<text x="{middle}" y="{top + 34}" font-size="11" text-anchor="middle">{cell.label}</text>',
    ]


def _percent(share: Fraction, digits: int = 2) -> str:
    return f"{float(100 * share):.{digits}f} %"
