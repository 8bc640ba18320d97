"""From the chips each seat put in to the pots and who takes what.

Seats and amounts in, :class:`~croupier.rules.game.Pot` out. Sources: seed 002 for side pots; the tournament
directors' rules for odd chips.
"""

from collections.abc import Collection, Iterable, Mapping

from croupier.rules.game import Pot, PotShare


def called(contributed: Mapping[int, int]) -> dict[int, int]:
    """What each seat of *contributed*, two or more, has at stake: a bet that nobody called goes back."""
    matched = sorted(contributed.values())[-2]
    return {seat: min(chips, matched) for seat, chips in contributed.items()}


def side_pots(
    contributed: Mapping[int, int], live: Collection[int], able: Collection[int] = ()
) -> tuple[Pot, ...]:
    """The pots, main pot first, that *contributed* (chips by seat) makes; seats not in *live* have folded.

    Each live seat's total is a level, and a seat wins only up to its own. Chips of folded seats stay in the
    pots they reached; above every level they join the last one. While betting goes on, *able* names the live
    seats that can still add: they set no level, since they may yet match every other.
    """
    levels = sorted({contributed[seat] for seat in live if seat not in able})
    top = max(contributed.values())
    if able:
        levels.append(top)
    pots: list[Pot] = []
    floor = 0
    for level, ceiling in zip(levels, (*levels[:-1], top), strict=True):
        amount = sum([min(chips, ceiling) - floor for chips in contributed.values() if chips > floor])
        if amount:
            seats = sorted([seat for seat in live if seat in able or contributed[seat] >= level])
            pots.append(Pot(amount, tuple(seats)))
        floor = ceiling
    return tuple(pots)


def award(pot: Pot, strengths: Mapping[int, int], clockwise: Iterable[int]) -> Pot:
    """*pot* with its winners: the strongest of its seats, who share it equally.

    Chips that do not divide go one each to the first winners in *clockwise*: seats from the button's left.
    """
    best = max([strengths[seat] for seat in pot.seats])
    winners = [seat for seat in clockwise if seat in pot.seats and strengths[seat] == best]
    share, odd = divmod(pot.amount, len(winners))
    shares = [PotShare(seat, share + (place < odd)) for place, seat in enumerate(winners)]
    return Pot(pot.amount, pot.seats, tuple(shares))
