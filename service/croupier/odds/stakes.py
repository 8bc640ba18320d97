"""The house games' pay tables, profiles and multiples as the kernels read them: arrays of whole numbers."""

from functools import cache
from math import lcm
from typing import NamedTuple

import numpy as np

from croupier.odds.kernel import kernel
from croupier.odds.tables import Int64s, first_of
from croupier.rules.casino_holdem import CALL_MULTIPLE, QUALIFYING_STRENGTH
from croupier.rules.hands import CATEGORIES
from croupier.rules.tables import BLIND, CASINO_HOLDEM_ANTE, PROFILES, Profile
from croupier.rules.ultimate_texas_holdem import FLOP_MULTIPLES, RIVER_MULTIPLES

UNIT = lcm(*(odds.per for odds in BLIND.values()))
"""Parts of an ante in which every net of Ultimate is whole: 2, for the blind's 3:2."""

ANTE_PAYS = tuple(CASINO_HOLDEM_ANTE[name].of(1) for name in CATEGORIES)
"""What Casino Hold'em's ante wins, in antes, by the player's category."""

BLIND_PAYS = tuple(BLIND[name].of(UNIT) if name in BLIND else 0 for name in CATEGORIES)
"""What Ultimate's blind wins, in units, by the player's category."""

PROFILE_ORDER: tuple[Profile, ...] = tuple(PROFILES.values())

(FLOP_MULTIPLE,) = FLOP_MULTIPLES
(RIVER_MULTIPLE,) = RIVER_MULTIPLES


class Stakes(NamedTuple):
    """What has to be known to decide: nets by category, whole numbers of ``unit`` parts of an ante.

    ``casino_win`` and ``casino_unqualified`` by the player's category, in antes; ``blind`` what the blind
    wins; ``pushes``, in the order of ``PROFILE_ORDER``, a 1 for a profile that gives the ante back to a loser
    when the dealer does not qualify.
    """

    casino_qualifies: int
    casino_unqualified: Int64s
    casino_win: Int64s
    casino_lose: int
    ultimate_qualifies: int
    unit: int
    blind: Int64s
    pushes: Int64s
    flop_multiple: int
    river_multiple: int


@cache
def stakes() -> Stakes:
    """The rules' own figures; to be read only."""
    ante = np.array(ANTE_PAYS, np.int64)
    return Stakes(
        casino_qualifies=QUALIFYING_STRENGTH,
        casino_unqualified=ante,
        casino_win=ante + CALL_MULTIPLE,
        casino_lose=1 + CALL_MULTIPLE,
        ultimate_qualifies=first_of("pair"),
        unit=UNIT,
        blind=np.array(BLIND_PAYS, np.int64),
        pushes=np.array([profile.unqualified_loss_pushes_ante for profile in PROFILE_ORDER], np.int64),
        flop_multiple=FLOP_MULTIPLE,
        river_multiple=RIVER_MULTIPLE,
    )


@kernel
def play_net(
    unqualified: int,
    weaker: int,
    not_stronger: int,
    dealers: int,
    blind: int,
    unit: int,
    multiple: int,
    pushes: int,
) -> int:
    """What a play of *multiple* antes in Ultimate wins in all against *dealers* hands on one full board.

    Of those hands *unqualified* do not qualify, and *weaker* and *not_stronger* compare so with the
    player's; since qualifying is a matter of strength, the counts overlap as far as they can.
    """
    win_unqualified = min(unqualified, weaker)
    lose_unqualified = max(unqualified, not_stronger) - not_stronger
    return (
        weaker * (multiple * unit + blind)
        + (weaker - win_unqualified) * unit
        - (dealers - not_stronger) * (multiple + 2) * unit
        + lose_unqualified * pushes * unit
    )
