"""What a seat asks for, and what it may ask for: the words of every game's decisions.

The API's unions are made of these very classes, told apart by ``type``. Amounts are whole units.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

# ── Actions: what a seat asks for ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Fold:
    """Give the round up."""

    type: Literal["fold"] = "fold"


@dataclass(frozen=True, slots=True)
class Check:
    """Stay in without a bet."""

    type: Literal["check"] = "check"


@dataclass(frozen=True, slots=True)
class Call:
    """Match what is due."""

    type: Literal["call"] = "call"


@dataclass(frozen=True, slots=True)
class AllIn:
    """Put in the whole stack: a call for less, a bet or a raise, whichever its size makes it."""

    type: Literal["all_in"] = "all_in"


@dataclass(frozen=True, slots=True)
class Bet:
    """Open a street's betting, to a total of *to* for the street."""

    to: int
    type: Literal["bet"] = "bet"


@dataclass(frozen=True, slots=True)
class Raise:
    """Raise to a total of *to* for the street."""

    to: int
    type: Literal["raise"] = "raise"


@dataclass(frozen=True, slots=True)
class Play:
    """Ultimate Texas Hold'em's one bet against the dealer: *multiple* times the ante."""

    multiple: int
    type: Literal["play"] = "play"


Action: TypeAlias = Fold | Check | Call | AllIn | Bet | Raise | Play

# ── Legal actions: what a seat may do now, with the amounts that go with it ──────────────────────────────


@dataclass(frozen=True, slots=True)
class LegalCall:
    """A call, which costs *amount*."""

    amount: int
    type: Literal["call"] = "call"


@dataclass(frozen=True, slots=True)
class LegalAllIn:
    """An all-in, which costs *amount*: the whole stack."""

    amount: int
    type: Literal["all_in"] = "all_in"


@dataclass(frozen=True, slots=True)
class LegalBet:
    """A bet to any total from *min_to* to *max_to*."""

    min_to: int
    max_to: int
    type: Literal["bet"] = "bet"


@dataclass(frozen=True, slots=True)
class LegalRaise:
    """A raise to any total from *min_to* to *max_to*."""

    min_to: int
    max_to: int
    type: Literal["raise"] = "raise"


@dataclass(frozen=True, slots=True)
class LegalPlay:
    """A play of *multiple* antes, which costs *amount*."""

    multiple: int
    amount: int
    type: Literal["play"] = "play"


LegalAction: TypeAlias = Fold | Check | LegalCall | LegalAllIn | LegalBet | LegalRaise | LegalPlay
