"""From a hole and a flop to every showdown that can follow: 1,081 boards times 990 dealer hands.

Suits are left aside first. The 1,081 pairs of turn and river are 91 pairs of ranks, the 990 dealer hands 91
pairs of ranks, each pair weighed by how many ways the unseen cards make it: 8,281 comparisons. Only a board
with three cards of one suit lets anybody have a flush; those boards are then taken by their ranks and by how
many of their cards are in the suit, and the few dealer hands that make the flush are taken out of the rank
counts and compared as flushes. (Seven cards that hold a flush hold at least five ranks, so never a full
house: a flush is always worth more than the ranks.)

Everything is counted in whole deals. A count of dealer hands is at most 990, so three counts share one
32-bit integer, ten bits each: not qualified, weaker than the player, not stronger than the player.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.odds.kernel import kernel
from croupier.odds.tables import LOW_BITS, LOW_MASK, Int16s, Int32s, Int64s, Tables, first_of

DEALERS = 990
"""The dealer's possible hands behind a full board: C(45, 2)."""

BOARDS = 1081
"""The pairs of turn and river that can follow a hole and a flop: C(47, 2)."""

FLUSH = first_of("flush")
FULL_HOUSE = first_of("full_house")
STRAIGHT_FLUSH = first_of("straight_flush")

WEIGHT, STRENGTH, UNQUALIFIED, WEAKER, NOT_STRONGER = range(5)
"""The columns of a line: boards that come to this line, the player's strength there, and of the 990 dealer
hands those that do not qualify, those weaker than the player's and those not stronger."""

_COUNT_BITS = 10
_COUNT = (1 << _COUNT_BITS) - 1
_BELOW = 1 << _COUNT_BITS
_AT_MOST = 1 << 2 * _COUNT_BITS


@kernel
def line_of(line: Int32s, counts: int, strength: int, weight: int) -> None:
    """Lay packed counts out as a line."""
    line[0] = weight
    line[1] = strength
    line[2] = counts & _COUNT
    line[3] = counts >> _COUNT_BITS & _COUNT
    line[4] = counts >> 2 * _COUNT_BITS


@kernel
def weigh(left: Int64s, weights: Int32s) -> None:
    """How many ways the cards *left* of each rank make each of the 91 pairs of ranks."""
    place = 0
    for low in range(13):
        count = left[low]
        weights[place] = count * (count - 1) // 2
        place += 1
        for high in range(low + 1, 13):
            weights[place] = count * left[high]
            place += 1


@kernel
def pack(ranked: NDArray[np.int16], strength: int, qualifies: int, codes: Int32s) -> None:
    """For each pair of ranks that a dealer may hold, the three comparisons as packed counts of one hand."""
    for place in range(91):
        dealer = np.int32(ranked[place])
        codes[place] = (
            np.int32(dealer < qualifies)
            + np.int32(dealer < strength) * np.int32(_BELOW)
            + np.int32(dealer <= strength) * np.int32(_AT_MOST)
        )


@kernel
def total(codes: Int32s, weights: Int32s) -> int:
    """The packed counts over all dealer hands by rank."""
    counts = np.int32(0)
    for place in range(91):
        counts += codes[place] * weights[place]
    return int(counts)


@kernel
def suited_weights(pair: Int16s, in_suit: Int32s, others: Int32s, two: Int32s, one: Int32s) -> None:
    """How many hands of each pair of ranks hold two cards of a suit, and how many exactly one.

    Of each rank there are *in_suit* unseen cards in the suit, none or one, and *others* outside it.
    """
    for low in range(13):
        place = pair[low, low]
        two[place] = 0
        one[place] = in_suit[low] * others[low]
        for high in range(low + 1, 13):
            place = pair[low, high]
            two[place] = in_suit[low] * in_suit[high]
            one[place] = in_suit[low] * others[high] + others[low] * in_suit[high]


@kernel
def with_one(codes: Int32s, pair: Int16s, rank: int, weights: Int32s) -> int:
    """The packed counts of the hands that hold one card of *rank* and any other, *weights* a rank."""
    counts = np.int32(0)
    for other in range(13):
        counts += weights[other] * codes[pair[rank, other]]
    return int(counts)


@kernel
def against(dealer: int, strength: int) -> int:
    """The packed counts of one dealer hand that qualifies."""
    return (dealer < strength) * _BELOW + (dealer <= strength) * _AT_MOST


@kernel
def flushes_against(flush: Int16s, board: int, suited: int, strength: int) -> tuple[int, int]:
    """How many dealer hands have a flush, and their packed counts.

    *board* is the rank mask of the board's cards of the suit, three to five; *suited* that of the suit's
    cards that a dealer may hold.
    """
    ranks = np.empty(13, np.int64)
    held = 0
    on_board = 0
    for rank in range(13):
        on_board += board >> rank & 1
        ranks[held] = 1 << rank
        held += suited >> rank & 1
    others = 45 - held
    hands = held * (held - 1) // 2
    if on_board >= 4:
        hands += held * others
    if on_board == 5:
        hands = DEALERS
    counts = 0
    if strength >= FLUSH:
        for low in range(held):
            one = board | ranks[low]
            for high in range(low + 1, held):
                counts += against(flush[one | ranks[high]], strength)
            if on_board >= 4:
                counts += others * against(flush[one], strength)
        if on_board == 5:
            counts += others * (others - 1) // 2 * against(flush[board], strength)
    return hands, counts


class _Spot(NamedTuple):
    """What the passes over one hole and flop share.

    ``left`` counts the unseen cards of a rank; ``unseen``, ``board`` and ``hole`` have a rank mask a suit;
    ``mine`` is the place of the hole's ranks in ``PAIRS``, and so is every axis of 91. The first axis of the
    packed counts is 0 against the player's ranks, 1 (where the player may make a flush) against any flush.
    """

    left: Int64s
    unseen: Int64s
    board: Int64s
    hole: Int64s
    mine: int
    strengths: Int16s
    codes: NDArray[np.int32]
    totals: Int32s


@kernel
def read_spot(tables: Tables, first: int, second: int, flop: Int64s) -> _Spot:
    """A spot with its cards counted and its packed counts still empty."""
    left = np.full(13, 4, np.int64)
    unseen = np.full(4, (1 << 13) - 1, np.int64)
    board = np.zeros(4, np.int64)
    hole = np.zeros(4, np.int64)
    key = 0
    for card in flop:
        left[card >> 2] -= 1
        unseen[card & 3] ^= 1 << (card >> 2)
        board[card & 3] |= 1 << (card >> 2)
        key += tables.rank_keys[card >> 2]
    for card in (first, second):
        left[card >> 2] -= 1
        unseen[card & 3] ^= 1 << (card >> 2)
        hole[card & 3] |= 1 << (card >> 2)
    strengths = np.empty(len(tables.four_keys), np.int16)
    for place in range(len(tables.four_keys)):
        full_key = key + tables.four_keys[place]
        strengths[place] = tables.seven[tables.starts[full_key >> LOW_BITS] + (full_key & LOW_MASK)]
    versions = 1
    for suit in range(4):
        if board[suit] and hole[suit]:
            versions = 2
    return _Spot(
        left,
        unseen,
        board,
        hole,
        int(tables.pair[first >> 2, second >> 2]),
        strengths,
        np.empty((versions, 91, 91), np.int32),
        np.zeros((versions, 91), np.int32),
    )


@kernel
def reweigh(left: Int64s, pair: Int16s, rank: int, weights: Int32s) -> None:
    """Bring those *weights* up to date that hold *rank*, after one more or one less of it is left."""
    count = left[rank]
    for other in range(13):
        weights[pair[rank, other]] = count * left[other]
    weights[pair[rank, rank]] = count * (count - 1) // 2


@kernel
def count_ranks(tables: Tables, spot: _Spot, qualifies: int, boards: Int32s) -> None:
    """Fill the spot's codes and totals for every pair of ranks that has *boards* to turn and river."""
    left, codes, totals, pair = spot.left, spot.codes, spot.totals, tables.pair
    ranked = np.empty(91, np.int16)
    weights = boards.copy()
    place = -1
    for turn in range(13):
        left[turn] -= 1
        reweigh(left, pair, turn, weights)
        for river in range(turn, 13):
            place += 1
            if not boards[place]:
                continue
            for dealer in range(91):
                ranked[dealer] = spot.strengths[tables.four[place, dealer]]
            left[river] -= 1
            reweigh(left, pair, river, weights)
            pack(ranked, spot.strengths[tables.four[spot.mine, place]], qualifies, codes[0, place])
            totals[0, place] = total(codes[0, place], weights)
            if len(codes) > 1:
                pack(ranked, FLUSH, qualifies, codes[1, place])
                totals[1, place] = total(codes[1, place], weights)
            left[river] += 1
            reweigh(left, pair, river, weights)
        left[turn] += 1
        reweigh(left, pair, turn, weights)


@kernel
def flush_boards(  # noqa: PLR0912, PLR0915 - a call a board would cost more than what it does
    tables: Tables, spot: _Spot, suit: int, boards: Int32s, lines: Int32s, used: int
) -> int:
    """Take the boards with three cards of *suit* out of *boards* and give each kind a line of its own.

    Boards of the same ranks with the same cards in the suit are one kind. Returns how many *lines* are used
    by then.
    """
    pair, four, flush = tables.pair, tables.four, tables.flush
    left, strengths, mine, codes, totals = spot.left, spot.strengths, spot.mine, spot.codes, spot.totals
    of_flop, held, unseen = spot.board[suit], spot.hole[suit], spot.unseen[suit]
    on_flop = 0
    in_suit, others = np.empty(13, np.int32), np.empty(13, np.int32)
    for rank in range(13):
        on_flop += of_flop >> rank & 1
        in_suit[rank] = unseen >> rank & 1
        others[rank] = left[rank] - in_suit[rank]
    two, one = np.empty(91, np.int32), np.empty(91, np.int32)
    suited_weights(pair, in_suit, others, two, one)
    for turn in range(13):
        for river in range(13):
            place = pair[turn, river]
            # With one of the two in the suit it is the turn, whichever rank is higher.
            for suited in range(max(3 - on_flop, 0), 3):
                if suited != 1 and turn > river:
                    continue
                mask = of_flop
                if suited == 0:
                    ways = others[turn] * others[river]
                    if turn == river:
                        ways = others[turn] * (others[turn] - 1) // 2
                elif suited == 1:
                    ways = in_suit[turn] * others[river]
                    mask |= 1 << turn
                else:
                    ways = in_suit[turn] * in_suit[river] if turn != river else 0
                    mask |= 1 << turn | 1 << river
                if not ways:
                    continue
                strength = int(flush[mask | held])
                version = 1 if strength else 0
                if not strength:
                    strength = int(strengths[four[mine, place]])
                hands, contested = flushes_against(flush, mask, unseen & ~mask, strength)
                # Of all dealer hands, counted by rank, those that make the flush are taken out: with three of
                # the suit on the board those that hold two of it, with four those that hold one as well.
                counts = 0
                if on_flop + suited < 5:
                    row = codes[version, place]
                    counts = int(totals[version, place]) - total(row, two)
                    if suited:
                        counts += with_one(row, pair, turn, in_suit) - row[pair[turn, turn]]
                    if suited == 2:
                        counts += with_one(row, pair, river, in_suit) - row[pair[river, river]] - row[place]
                if on_flop + suited == 4:
                    counts -= total(row, one) - with_one(row, pair, turn, others)
                    if suited == 1:
                        in_suit[turn] = 0
                        counts += with_one(row, pair, river, in_suit)
                        in_suit[turn] = 1
                    else:
                        counts += with_one(row, pair, river, others)
                if strength >= STRAIGHT_FLUSH:  # no hand without a flush is stronger
                    counts = (counts & _COUNT) + (DEALERS - hands) * (_BELOW + _AT_MOST)
                line_of(lines[used], counts + contested, strength, ways)
                boards[place] -= ways
                used += 1
    return used


@kernel
def showdowns(
    tables: Tables, first: int, second: int, flop: Int64s, qualifies: int, lines: Int32s
) -> int:  # the number of lines
    """Fill *lines* (room for 91 + 1,081) for a hole and a flop; the weights add up to 1,081.

    *qualifies* is the weakest strength with which the dealer qualifies.
    """
    spot = read_spot(tables, first, second, flop)
    boards = np.empty(91, np.int32)
    weigh(spot.left, boards)
    count_ranks(tables, spot, qualifies, boards)
    used = 91
    for suit in range(4):
        if spot.board[suit]:
            used = flush_boards(tables, spot, suit, boards, lines, used)
    for place in range(91):
        strength = int(spot.strengths[tables.four[spot.mine, place]])
        line_of(lines[place], int(spot.totals[0, place]), strength, int(boards[place]))
    return used
