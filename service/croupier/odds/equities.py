"""No-limit: what share of the pot each hand is worth if no more is bet.

Below :data:`EXACT_SHOWDOWNS` every deal is counted; past it, deals are sampled. This module has no randomness
of its own: the caller's seed decides the sample. numba is loaded with the first question.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

from croupier.odds.given import check_cards
from croupier.odds.tally import MOST_HANDS, Equity
from croupier.rules.cards import Card
from croupier.rules.game import InvalidOption

EXACT_SHOWDOWNS = 10**8
"""The most hands that are valued to answer exactly: deals times hands."""

SAMPLED_SHOWDOWNS = 2_000_000
"""The hands that are valued for a sample."""


@dataclass(frozen=True, slots=True)
class Equities:
    """One equity a hand, in the order asked, over *deals*: all that there are, or a sample.

    ``standard_error`` is the largest among the equities of a sample, None when exact.
    """

    equities: tuple[Equity, ...]
    deals: int
    standard_error: float | None

    @property
    def exact(self) -> bool:
        """Whether every deal was counted."""
        return self.standard_error is None


def equities(hands: Sequence[Sequence[Card]], board: Sequence[Card], seed: int) -> Equities:
    """The equities of two to ten *hands*, an empty one being unknown, on a *board* of 0, 3, 4 or 5 cards.

    *seed* (0 or more) decides the sample, where there is one. Raises
    :class:`croupier.rules.game.InvalidOption` for other numbers of cards or hands, or the same card twice.
    """
    if not 2 <= len(hands) <= MOST_HANDS:
        raise InvalidOption("hands", f"must be from 2 to {MOST_HANDS}")
    check_cards(
        [
            *((f"hands/{place}", hand, (0, 2)) for place, hand in enumerate(hands)),
            ("board", board, (0, 3, 4, 5)),
        ]
    )
    # numba takes a third of a second to load, which only those who ask for odds need wait for.
    from croupier.odds.matchups import enumerate_all, sample  # noqa: PLC0415

    known = [hand for hand in hands if hand]
    unknown = len(hands) - len(known)
    deals = _deals(len(known), unknown, len(board))
    exact = deals * len(hands) <= EXACT_SHOWDOWNS
    if exact:
        tally = enumerate_all(known, unknown, board)
    else:
        deals = SAMPLED_SHOWDOWNS // len(hands)
        tally = sample(known, unknown, board, seed, deals)
    known_rows, unknown_rows = iter(tally[: len(known)]), iter(tally[len(known) :])
    rows = [next(known_rows if hand else unknown_rows) for hand in hands]
    return Equities(
        equities=tuple(row.equity(deals) for row in rows),
        deals=deals,
        standard_error=None if exact else max(row.standard_error(deals) for row in rows),
    )


def _deals(known: int, unknown: int, board: int) -> int:
    """In how many ways the rest of the board and the unknown hands can be dealt."""
    unseen, missing = 52 - 2 * known - board, 5 - board
    return comb(unseen, missing) * prod(comb(unseen - missing - 2 * place, 2) for place in range(unknown))
