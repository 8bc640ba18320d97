"""What hands come to over many deals, as counted, and as means."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm, sqrt
from typing import NamedTuple

MOST_HANDS = 10

POT = lcm(*range(1, MOST_HANDS + 1))
"""Parts of a pot in which every equal share of it is whole: 2,520."""


@dataclass(frozen=True, slots=True)
class Equity:
    """How often a hand wins alone, how often it splits, and the share of the pot it takes on average."""

    win: Fraction
    tie: Fraction
    equity: Fraction


class Tally(NamedTuple):
    """What one hand came to over some deals: won alone, split, and its shares and their squares in sum.

    A share is of the pot, in ``1 / POT``.
    """

    wins: int
    ties: int
    shares: int
    squares: int

    def equity(self, deals: int) -> Equity:
        """The means over *deals*."""
        return Equity(
            Fraction(self.wins, deals), Fraction(self.ties, deals), Fraction(self.shares, POT * deals)
        )

    def standard_error(self, deals: int) -> float:
        """Of the equity, as a sample of *deals* gives it."""
        mean = Fraction(self.shares, deals)
        return sqrt((Fraction(self.squares, deals) - mean**2) / deals) / POT
