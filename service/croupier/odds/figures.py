"""What a full enumeration of the house games comes to, and the copy of it that is shipped.

Here are only integers and their quotients: :mod:`croupier.odds.edges` counts them from nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from math import sqrt
from typing import Any

from croupier.odds.starting_hands import STARTING_HANDS, combinations_of

RESOURCE = "figures.json"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way for a round to end: the decision taken, how it came out, and in how many deals.

    ``action`` is ``call`` or ``fold``; in Ultimate ``4x`` … ``1x`` or ``fold``. ``category`` is the player's,
    where it matters to the pay. ``staked`` and ``net`` are in antes, over all main bets.
    """

    action: str
    result: str
    category: str | None
    staked: int
    net: Fraction
    deals: int


@dataclass(frozen=True, slots=True)
class Edge:
    """A house game's main bets under optimal play, with one set of rules."""

    game: str
    profile: str | None
    preflop_multiples: tuple[int, ...] | None
    outcomes: tuple[Outcome, ...]

    @property
    def deals(self) -> int:
        """All deals there are, hole by flop by turn and river by dealer: 27,813,810,024,000."""
        return sum(outcome.deals for outcome in self.outcomes)

    @property
    def house_edge(self) -> Fraction:
        """What the house wins, in antes a round."""
        return -self._mean(1)

    @property
    def element_of_risk(self) -> Fraction:
        """What the house wins of everything staked on the main bets."""
        staked = sum(outcome.staked * outcome.deals for outcome in self.outcomes)
        return self.house_edge * self.deals / staked

    @property
    def frequencies(self) -> Mapping[str, Fraction]:
        """How often each decision ends the seat's part in a round."""
        counts: dict[str, int] = {}
        for outcome in self.outcomes:
            counts[outcome.action] = counts.get(outcome.action, 0) + outcome.deals
        return {action: Fraction(count, self.deals) for action, count in counts.items()}

    @property
    def standard_deviation(self) -> float:
        """Of one round's net, in antes."""
        return sqrt(self._mean(2) - self._mean(1) ** 2)

    def _mean(self, power: int) -> Fraction:
        return sum((outcome.net**power * outcome.deals for outcome in self.outcomes), Fraction()) / self.deals


@dataclass(frozen=True, slots=True)
class SideBetEdge:
    """A side bet's edge, of its stake. ``profile`` is None where it is the same in all.

    Of Trips that a fold forfeits, the edge is that of a player who plays the main bets optimally with a
    pre-flop multiple of 4.
    """

    bet: str
    profile: str | None
    house_edge: Fraction


@dataclass(frozen=True, slots=True)
class Preflop:
    """A class of starting hands in Ultimate: the totals over its ``deals``, in units of ``1 / unit`` antes.

    A play of ``k`` antes wins ``base + k * play`` in all; a check, followed by optimal play, ``check``.
    """

    deals: int
    unit: int
    base: int
    play: int
    check: int

    def play_net(self, multiple: int) -> int:
        """The total over the deals of a play of *multiple* antes, in units."""
        return self.base + multiple * self.play

    def play_value(self, multiple: int) -> Fraction:
        """The expected net of a play of *multiple* antes, in antes."""
        return Fraction(self.play_net(multiple), self.deals * self.unit)

    def check_value(self) -> Fraction:
        """The expected net of a check, in antes."""
        return Fraction(self.check, self.deals * self.unit)


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that one full enumeration tells.

    ``preflop`` is by profile and starting hand; ``casino_calls`` gives by starting hand the hole-and-flop
    deals that Casino Hold'em's optimal player calls, of those there are.
    """

    edges: tuple[Edge, ...]
    side_bets: tuple[SideBetEdge, ...]
    preflop: Mapping[str, Mapping[str, Preflop]]
    casino_calls: Mapping[str, int]

    def edge(
        self, game: str, profile: str | None = None, preflop_multiples: tuple[int, ...] | None = None
    ) -> Edge:
        """The edge of one game under one set of rules; ``KeyError`` when there is none such."""
        for edge in self.edges:
            if (edge.game, edge.profile, edge.preflop_multiples) == (game, profile, preflop_multiples):
                return edge
        raise KeyError((game, profile, preflop_multiples))

    def to_json(self) -> str:
        """The shipped form; :func:`from_json` reads it back."""
        document = {
            "edges": [
                {
                    "game": edge.game,
                    "profile": edge.profile,
                    "preflop_multiples": edge.preflop_multiples,
                    "outcomes": [
                        [o.action, o.result, o.category, o.staked, str(o.net), o.deals] for o in edge.outcomes
                    ],
                }
                for edge in self.edges
            ],
            "side_bets": [[side.bet, side.profile, str(side.house_edge)] for side in self.side_bets],
            "preflop": {
                profile: {name: [p.deals, p.unit, p.base, p.play, p.check] for name, p in hands.items()}
                for profile, hands in self.preflop.items()
            },
            "casino_calls": dict(self.casino_calls),
        }
        return _a_line_a_row(document) + "\n"


def casino_deals(name: str) -> int:
    """The hole-and-flop deals of a class of starting hands: 19,600 flops for each pair of cards."""
    return combinations_of(name) * 19_600


def from_json(text: str) -> Figures:
    """Figures from the form that :meth:`Figures.to_json` writes."""
    document = json.loads(text)
    return Figures(
        edges=tuple(
            Edge(
                edge["game"],
                edge["profile"],
                None if edge["preflop_multiples"] is None else tuple(edge["preflop_multiples"]),
                tuple(
                    Outcome(action, result, category, staked, Fraction(net), deals)
                    for action, result, category, staked, net, deals in edge["outcomes"]
                ),
            )
            for edge in document["edges"]
        ),
        side_bets=tuple(SideBetEdge(bet, profile, Fraction(e)) for bet, profile, e in document["side_bets"]),
        preflop={
            profile: {name: Preflop(*row) for name, row in hands.items()}
            for profile, hands in document["preflop"].items()
        },
        casino_calls={name: document["casino_calls"][name] for name in STARTING_HANDS},
    )


@cache
def shipped() -> Figures:
    """The figures as they were counted when this version was made."""
    return from_json((resources.files(__package__) / RESOURCE).read_text("utf-8"))


def _a_line_a_row(value: Any, indent: int = 0) -> str:
    """JSON in which a list or mapping of plain values takes one line, so that a change shows as one line."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(one, dict | list) for one in inner):
        return json.dumps(value)
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, dict):
        lines = [f"{json.dumps(key)}: {_a_line_a_row(one, indent + 1)}" for key, one in value.items()]
        return "{" + pad + ("," + pad).join(lines) + "\n" + " " * indent + "}"
    return (
        "["
        + pad
        + ("," + pad).join(_a_line_a_row(one, indent + 1) for one in value)
        + "\n"
        + " " * indent
        + "]"
    )
