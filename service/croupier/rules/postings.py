"""How a bet against the house ends: won at its odds, pushed, or lost. Amounts are whole units."""

from croupier.rules.game import BetName, Posting
from croupier.rules.tables import Odds


def win(seat: int, bet: BetName, stake: int, odds: Odds) -> Posting:
    """The stake comes back with what the odds pay on it; the caller sees to it that this is whole."""
    return Posting(seat, bet, stake, stake + odds.of(stake), str(odds))


def push(seat: int, bet: BetName, stake: int) -> Posting:
    """The stake comes back."""
    return Posting(seat, bet, stake, stake)


def lose(seat: int, bet: BetName, stake: int) -> Posting:
    """The stake is the house's."""
    return Posting(seat, bet, stake, 0)
