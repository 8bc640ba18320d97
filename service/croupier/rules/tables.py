"""Pay tables and profiles, as data. Every payout is net: the stake comes back besides.

Sources: seeds 000, 001 and 004 for Casino Hold'em, seed 003 for Ultimate Texas Hold'em, as settled in the
rules pages of this project.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Odds:
    """What a bet pays: ``win`` units for every ``per`` staked."""

    win: int
    per: int = 1

    def of(self, stake: int) -> int:
        """The net win on *stake*; the caller sees to it that it is whole."""
        return stake * self.win // self.per

    def __str__(self) -> str:
        return f"{self.win}:{self.per}"


EVEN = Odds(1)


def _table(**odds: Odds) -> Mapping[str, Odds]:
    return MappingProxyType(odds)


CASINO_HOLDEM_ANTE = _table(
    royal_flush=Odds(100),
    straight_flush=Odds(20),
    four_of_a_kind=Odds(10),
    full_house=Odds(3),
    flush=Odds(2),
    straight=EVEN,
    three_of_a_kind=EVEN,
    two_pair=EVEN,
    pair=EVEN,
    high_card=EVEN,
)
"""By the player's best hand; the ante's table, never the call's."""

BLIND = _table(
    royal_flush=Odds(500),
    straight_flush=Odds(50),
    four_of_a_kind=Odds(10),
    full_house=Odds(3),
    flush=Odds(3, 2),
    straight=EVEN,
)
"""Paid only to a seat that wins; less than a straight pushes."""

TRIPS = _table(
    royal_flush=Odds(50),
    straight_flush=Odds(40),
    four_of_a_kind=Odds(30),
    full_house=Odds(8),
    flush=Odds(7),
    straight=Odds(4),
    three_of_a_kind=Odds(3),
)
"""Whatever the dealer has; less than three of a kind loses."""

PROGRESSIVE_TRIPS = _table(
    four_of_a_kind=Odds(30),
    full_house=Odds(8),
    flush=Odds(6),
    straight=Odds(4),
    three_of_a_kind=Odds(3),
)
"""The house's part of progressive Trips; the meter pays :data:`METER_SHARES` above it."""

METER_SHARES: Mapping[str, int] = MappingProxyType({"royal_flush": 100, "straight_flush": 10})
"""Per cent of the meter as it stands."""

HOLE_CARD_BONUS = _table(
    aces_against_aces=Odds(1000),
    aces=Odds(30),
    ace_king_suited=Odds(25),
    ace_queen_or_jack_suited=Odds(20),
    ace_king_unsuited=Odds(15),
    kings_queens_or_jacks=Odds(10),
    ace_queen_or_jack_unsuited=Odds(5),
    tens_to_twos=Odds(3),
)
"""On the seat's own two cards alone; anything else loses."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the source's words and the commonly published rules of Ultimate Texas Hold'em differ."""

    name: str
    unqualified_loss_pushes_ante: bool
    trips_survive_a_fold: bool


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "seed": Profile("seed", unqualified_loss_pushes_ante=False, trips_survive_a_fold=False),
        "published": Profile("published", unqualified_loss_pushes_ante=True, trips_survive_a_fold=True),
    }
)
