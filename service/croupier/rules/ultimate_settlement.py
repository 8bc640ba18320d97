"""The showdown of Ultimate Texas Hold'em: what every bet of every seat comes to.

Amounts are whole units, but for the operator's meter, which is kept in hundredths of one. The odds stand in
:mod:`croupier.rules.tables`; they are net, so a winning bet returns its stake and its payout.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from croupier.rules.cards import RANKS, Card
from croupier.rules.game import DealerSettlement, Meter, Posting, SeatSettlement, Settlement
from croupier.rules.hands import Hand, best_hand
from croupier.rules.postings import lose, push, win
from croupier.rules.tables import (
    BLIND,
    EVEN,
    HOLE_CARD_BONUS,
    METER_SHARES,
    PROGRESSIVE_TRIPS,
    TRIPS,
    Odds,
    Profile,
)

UNIT = 100
"""One unit, in the hundredths that a meter counts."""

# What the meter pays to each seat, in units; None to a seat that its share does not concern.
_Shares: TypeAlias = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Stakes:
    """What one dealt-in seat holds and has staked; 0 is a bet that it has not made.

    The blind is as large as the ``ante``. A seat without a ``play`` bet at the showdown has folded.
    """

    seat: int
    hole: tuple[Card, ...]
    ante: int
    play: int = 0
    trips: int = 0
    hole_card_bonus: int = 0

    def by_bet(self) -> dict[str, int]:
        """The bets made so far and their stakes, in the order in which they are settled."""
        stakes: dict[str, int] = {
            "ante": self.ante,
            "blind": self.ante,
            "play": self.play,
            "trips": self.trips,
            "hole_card_bonus": self.hole_card_bonus,
        }
        return {bet: stake for bet, stake in stakes.items() if stake}


def settle(
    profile: Profile,
    stakes: Sequence[Stakes],
    dealer: Sequence[Card],
    board: Sequence[Card],
    meter: Meter | None,
) -> tuple[Settlement, int | None]:
    """Settle a round whose seats, in seat order, have all played or folded.

    With *meter* every Trips bet is a progressive one, and the answer has the meter afterwards in hundredths;
    without, Trips pays by its fixed table. The dealer's hand is opened only when a seat played.
    """
    hands = tuple(_deciding_hand(profile, seat, board) for seat in stakes)
    dealers = best_hand((*dealer, *board)) if any(seat.play for seat in stakes) else None
    qualified = None if dealers is None else _qualifies(dealers)
    shares: _Shares = (None,) * len(stakes)
    after = grown = None
    if meter is not None:
        shares, after = _feed_and_share(meter, stakes, hands)
        grown = after // UNIT - meter.hundredths // UNIT
    trips_table = TRIPS if meter is None else PROGRESSIVE_TRIPS
    rows = tuple(
        SeatSettlement(
            seat.seat,
            hand,
            (
                *_main_bets(profile, seat, hand, dealers),
                *_trips(seat, hand, trips_table, share),
                *_hole_card_bonus(seat, dealer),
            ),
        )
        for seat, hand, share in zip(stakes, hands, shares, strict=True)
    )
    return Settlement(rows, DealerSettlement(qualified, dealers), jackpot_net=grown), after


def _deciding_hand(profile: Profile, seat: Stakes, board: Sequence[Card]) -> Hand | None:
    """The seat's best hand where a bet hangs on it: a folded seat's only for Trips that outlive the fold."""
    if seat.play or (seat.trips and profile.trips_survive_a_fold):
        return best_hand((*seat.hole, *board))
    return None


def _qualifies(dealers: Hand) -> bool:
    return dealers.category != "high_card"


# ── Ante, blind and play: against the dealer ─────────────────────────────────────────────────────────────


def _main_bets(profile: Profile, seat: Stakes, hand: Hand | None, dealers: Hand | None) -> Iterator[Posting]:
    if not seat.play or hand is None or dealers is None:
        yield lose(seat.seat, "ante", seat.ante)
        yield lose(seat.seat, "blind", seat.ante)
    elif hand.strength > dealers.strength:
        blind = BLIND.get(hand.category)
        yield (
            win(seat.seat, "ante", seat.ante, EVEN)
            if _qualifies(dealers)
            else push(seat.seat, "ante", seat.ante)
        )
        yield win(seat.seat, "blind", seat.ante, blind) if blind else push(seat.seat, "blind", seat.ante)
        yield win(seat.seat, "play", seat.play, EVEN)
    elif hand.strength == dealers.strength:
        yield push(seat.seat, "ante", seat.ante)
        yield push(seat.seat, "blind", seat.ante)
        yield push(seat.seat, "play", seat.play)
    else:
        spared = profile.unqualified_loss_pushes_ante and not _qualifies(dealers)
        yield push(seat.seat, "ante", seat.ante) if spared else lose(seat.seat, "ante", seat.ante)
        yield lose(seat.seat, "blind", seat.ante)
        yield lose(seat.seat, "play", seat.play)


# ── Trips, fixed and progressive ─────────────────────────────────────────────────────────────────────────


def _trips(
    seat: Stakes, hand: Hand | None, table: Mapping[str, Odds], share: int | None
) -> Iterator[Posting]:
    """Trips on the seat's own hand, whatever the dealer has; without a *hand* a fold has forfeited it.

    A *share* of the meter is no multiple of the stake, so it is paid at no odds.
    """
    if not seat.trips:
        return
    odds = table.get(hand.category) if hand else None
    if share is not None:
        yield Posting(seat.seat, "trips", seat.trips, seat.trips + share)
    elif odds:
        yield win(seat.seat, "trips", seat.trips, odds)
    else:
        yield lose(seat.seat, "trips", seat.trips)


def _feed_and_share(
    meter: Meter, stakes: Sequence[Stakes], hands: Sequence[Hand | None]
) -> tuple[_Shares, int]:
    """What the meter pays to each seat, in units, and what stands in it then, in hundredths.

    The whole round's contributions go in first, folded seats' too. A share is rounded down to whole units and
    the fraction stays, also beside the amount at which the meter restarts after a royal flush: no hundredth
    that a player put in is lost. A second royal flush in the same round takes the restarted meter.

    A void may take back contributions that somebody has won meanwhile, and leave the meter below nothing; it
    pays nothing then.
    """
    pool = meter.hundredths + meter.contribution * sum(seat.trips for seat in stakes)
    shares: list[int | None] = []
    for seat, hand in zip(stakes, hands, strict=True):
        percent = METER_SHARES.get(hand.category) if hand and seat.trips else None
        if percent is None:
            shares.append(None)
            continue
        share = max(pool, 0) * percent // 100 // UNIT
        pool -= share * UNIT
        if percent == 100:
            pool += meter.seed_amount * UNIT
        shares.append(share)
    return tuple(shares), pool


# ── The hole-card bonus ──────────────────────────────────────────────────────────────────────────────────


def _hole_card_bonus(seat: Stakes, dealer: Sequence[Card]) -> Iterator[Posting]:
    """Won or lost with the deal, so a fold does not touch it. The dealer's aces count even if never shown."""
    if not seat.hole_card_bonus:
        return
    line = _bonus_line(seat.hole, dealer)
    if line:
        yield win(seat.seat, "hole_card_bonus", seat.hole_card_bonus, HOLE_CARD_BONUS[line])
    else:
        yield lose(seat.seat, "hole_card_bonus", seat.hole_card_bonus)


def _bonus_line(hole: Sequence[Card], dealer: Sequence[Card]) -> str | None:
    """The line of :data:`HOLE_CARD_BONUS` that two hole cards reach, None for none."""
    ranks = _two_ranks(hole)
    suited = hole[0] % 4 == hole[1] % 4
    match ranks, suited:
        case "AA", _:
            return "aces_against_aces" if _two_ranks(dealer) == "AA" else "aces"
        case "AK", _:
            return "ace_king_suited" if suited else "ace_king_unsuited"
        case "AQ" | "AJ", _:
            return "ace_queen_or_jack_suited" if suited else "ace_queen_or_jack_unsuited"
        case "KK" | "QQ" | "JJ", _:
            return "kings_queens_or_jacks"
        case _:
            return "tens_to_twos" if ranks[0] == ranks[1] else None


def _two_ranks(two: Sequence[Card]) -> str:
    """The ranks of two cards, the higher first: ``AK``."""
    return "".join(RANKS[card // 4] for card in sorted(two, reverse=True))
