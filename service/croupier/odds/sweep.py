"""One flop, every hole, every board, every dealer hand: the counts that house edges are made of.

On one full board the 1,081 hands that two unseen cards make are put in order once. Going up that order with a
count of hands for every card, the dealer hands weaker than a player's are those passed so far, less those
with either of the player's own cards in them (no hand but the player's own has both). So a board costs one
sort instead of 1,081 times 990 comparisons.

What is kept is counts of deals, no pay: a row of :data:`COLUMNS` integers for each of the 169 classes of
starting hands. Casino Hold'em's flop decision and Ultimate's flop and river decisions are taken as play that
loses least would; which of them is taken before the flop is left to the reader of the row.
"""

from typing import NamedTuple

import numpy as np

from croupier.odds.kernel import kernel
from croupier.odds.runouts import BOARDS, DEALERS
from croupier.odds.stakes import PROFILE_ORDER, Stakes, play_net
from croupier.odds.tables import LOW_BITS, LOW_MASK, Int8s, Int16s, Int32s, Int64s, Tables
from croupier.rules.hands import BEST, CATEGORIES

CATEGORY_COUNT = len(CATEGORIES)
PROFILE_COUNT = len(PROFILE_ORDER)
HOLES = 1176
"""The holes that a flop leaves: C(49, 2)."""

# Casino Hold'em: deals that came to a call, by how they ended, and deals that came to a fold.
CASINO_UNQUALIFIED, CASINO_WIN, CASINO_TIE, CASINO_LOSE, CASINO_FOLD = 0, 10, 20, 21, 22
# Any deal, by the player's category.
ANY = 23
# A block of Ultimate: played deals by how they ended; the first two by the player's category.
WIN_UNQUALIFIED, WIN, TIE, LOSE_UNQUALIFIED, LOSE, BLOCK = 0, 10, 20, 21, 22, 23
ULTIMATE = 33
"""Where the block of all deals begins; then, a profile: played at the flop, played at the river, folded."""
FLOP_PLAY, RIVER_PLAY, FOLDED, PROFILE_BLOCK = 0, BLOCK, 2 * BLOCK, 2 * BLOCK + CATEGORY_COUNT
PROFILES_AT = ULTIMATE + BLOCK
COLUMNS = PROFILES_AT + PROFILE_COUNT * PROFILE_BLOCK


class _Flop(NamedTuple):
    """A flop: the 49 cards it leaves, its rank mask a suit, and strength by the place of four more ranks."""

    deck: Int64s
    masks: Int64s
    strengths: Int16s


class _Hands(NamedTuple):
    """The 1,081 hands of two cards behind one full board.

    ``first`` and ``second`` are places in the flop's deck, ``row`` the place among the flop's 1,176 holes.
    ``order`` lists the hands worst first; ``weaker`` and ``not_stronger`` count the opponents that one meets.
    ``marks`` has room for every strength: how many hands have it, then where those end in the order.
    """

    first: Int64s
    second: Int64s
    row: Int64s
    values: Int64s
    order: Int64s
    weaker: Int64s
    not_stronger: Int64s
    marks: Int64s


class _Unqualified(NamedTuple):
    """The hands behind one board that do not qualify, and how many of them hold each card of the deck."""

    total: int
    held: Int64s


@kernel
def _read_flop(tables: Tables, flop: Int64s) -> _Flop:
    deck = np.empty(49, np.int64)
    masks = np.zeros(4, np.int64)
    size = 0
    flop_key = 0
    for card in range(52):
        if card == flop[0] or card == flop[1] or card == flop[2]:
            flop_key += tables.rank_keys[card >> 2]
            masks[card & 3] |= 1 << (card >> 2)
        else:
            deck[size] = card
            size += 1
    strengths = np.empty(len(tables.four_keys), np.int16)
    for place in range(len(tables.four_keys)):
        key = flop_key + tables.four_keys[place]
        strengths[place] = tables.seven[tables.starts[key >> LOW_BITS] + (key & LOW_MASK)]
    return _Flop(deck, masks, strengths)


@kernel
def _flush_of(masks: Int64s, turn: int, river: int) -> tuple[int, int]:
    """The suit that the board has three cards of, or -1, and their rank mask."""
    for suit in range(4):
        mask = masks[suit]
        if turn & 3 == suit:
            mask |= 1 << (turn >> 2)
        if river & 3 == suit:
            mask |= 1 << (river >> 2)
        on_board = 0
        for rank in range(13):
            on_board += mask >> rank & 1
        if on_board >= 3:
            return suit, mask
    return -1, 0


@kernel
def _value_hands(tables: Tables, flop: _Flop, turn: int, river: int, hands: _Hands) -> Int64s:
    """Value every hand behind the board with these places of the deck; the values that occur, ascending."""
    pair, flush, deck = tables.pair, tables.flush, flop.deck
    first, second, row, values, marks = hands.first, hands.second, hands.row, hands.values, hands.marks
    by_ranks = np.empty(91, np.int16)
    board = pair[deck[turn] >> 2, deck[river] >> 2]
    for place in range(91):
        by_ranks[place] = flop.strengths[tables.four[board, place]]
    flush_suit, flush_board = _flush_of(flop.masks, deck[turn], deck[river])
    suited = np.zeros(49, np.int64)
    if flush_suit >= 0:
        for card in range(49):
            suited[card] = 1 << (deck[card] >> 2) if deck[card] & 3 == flush_suit else 0
    distinct = np.empty(BOARDS, np.int64)
    groups = 0
    hand = 0
    hole = -1
    for low in range(49):
        for high in range(low + 1, 49):
            hole += 1
            if low == turn or low == river or high == turn or high == river:  # noqa: PLR1714, SIM109
                continue
            value = np.int64(by_ranks[pair[deck[low] >> 2, deck[high] >> 2]])
            if flush_suit >= 0:
                value = max(value, np.int64(flush[flush_board | suited[low] | suited[high]]))
            first[hand], second[hand], row[hand], values[hand] = low, high, hole, value
            if marks[value] == 0:
                distinct[groups] = value
                groups += 1
            marks[value] += 1
            hand += 1
    return np.sort(distinct[:groups])


@kernel
def _order_hands(hands: _Hands, ladder: Int64s) -> None:
    """Put the hands in order: counted by value beforehand, each goes straight to its place."""
    order, values, marks = hands.order, hands.values, hands.marks
    begin = 0
    for value in ladder:
        count = marks[value]
        marks[value] = begin
        begin += count
    for hand in range(BOARDS):
        order[marks[values[hand]]] = hand
        marks[values[hand]] += 1


@kernel
def _climb(
    hands: _Hands, ladder: Int64s, casino_qualifies: int, ultimate_qualifies: int
) -> tuple[_Unqualified, _Unqualified]:
    """Compare every hand with all it may meet, going up the order by groups of equals; clear the marks.

    Some hand qualifies on every board.
    """
    first, second, order, marks = hands.first, hands.second, hands.order, hands.marks
    held = np.zeros(49, np.int64)
    casino = _Unqualified(-1, held)
    ultimate = _Unqualified(-1, held)
    begin = 0
    for value in ladder:
        if casino.total < 0 and value >= casino_qualifies:
            casino = _Unqualified(begin, held.copy())
        if ultimate.total < 0 and value >= ultimate_qualifies:
            ultimate = _Unqualified(begin, held.copy())
        end = marks[value]
        marks[value] = 0
        for place in range(begin, end):
            hand = order[place]
            hands.weaker[hand] = begin - held[first[hand]] - held[second[hand]]
        for place in range(begin, end):
            hand = order[place]
            held[first[hand]] += 1
            held[second[hand]] += 1
        for place in range(begin, end):
            hand = order[place]
            hands.not_stronger[hand] = end - held[first[hand]] - held[second[hand]] + 1
        begin = end
    return casino, ultimate


@kernel
def _met(unqualified: _Unqualified, first: int, second: int, itself: bool) -> int:
    """The unqualified hands that a hand of two cards may meet; the hand *itself* may be one of them."""
    return int(unqualified.total - unqualified.held[first] - unqualified.held[second] + itself)


@kernel
def _add_casino(row: Int32s, kind: int, none: int, weaker: int, not_stronger: int) -> None:
    row[CASINO_UNQUALIFIED + kind] += none
    row[CASINO_WIN + kind] += max(weaker - none, 0)
    row[CASINO_TIE] += max(not_stronger, none) - max(weaker, none)
    row[CASINO_LOSE] += DEALERS - max(not_stronger, none)


@kernel
def _add_block(block: Int32s, kind: int, none: int, weaker: int, not_stronger: int) -> None:
    win_unqualified = min(none, weaker)
    not_lost = max(none, not_stronger)
    block[WIN_UNQUALIFIED + kind] += win_unqualified
    block[WIN + kind] += weaker - win_unqualified
    block[TIE] += not_stronger - weaker
    block[LOSE_UNQUALIFIED] += not_lost - not_stronger
    block[LOSE] += DEALERS - not_lost


@kernel
def _add_board(
    category: Int8s, stakes: Stakes, hands: _Hands, casino: _Unqualified, ultimate: _Unqualified, rows: Int32s
) -> None:
    """Add one board's showdowns to the flop's holes; in Ultimate each hand that came to it plays or folds."""
    casino_qualifies, ultimate_qualifies = stakes.casino_qualifies, stakes.ultimate_qualifies
    blind, pushes, unit, multiple = stakes.blind, stakes.pushes, stakes.unit, stakes.river_multiple
    for hand in range(BOARDS):
        first, second = hands.first[hand], hands.second[hand]
        value, weaker, not_stronger = hands.values[hand], hands.weaker[hand], hands.not_stronger[hand]
        kind = category[value]
        row = rows[hands.row[hand]]
        row[ANY + kind] += DEALERS
        none = _met(casino, first, second, value < casino_qualifies)
        _add_casino(row, kind, none, weaker, not_stronger)
        none = _met(ultimate, first, second, value < ultimate_qualifies)
        _add_block(row[ULTIMATE:PROFILES_AT], kind, none, weaker, not_stronger)
        for profile in range(PROFILE_COUNT):
            at = PROFILES_AT + profile * PROFILE_BLOCK
            net = play_net(none, weaker, not_stronger, DEALERS, blind[kind], unit, multiple, pushes[profile])
            if net < -2 * unit * DEALERS:
                row[at + FOLDED + kind] += DEALERS
            else:
                _add_block(row[at + RIVER_PLAY : at + FOLDED], kind, none, weaker, not_stronger)


@kernel
def _decide_casino(stakes: Stakes, row: Int32s, counts: Int64s, weight: int) -> None:
    """Call or fold on the flop with one hole, and add its deals where they belong."""
    net = -int(row[CASINO_LOSE]) * stakes.casino_lose
    for kind in range(CATEGORY_COUNT):
        net += row[CASINO_UNQUALIFIED + kind] * stakes.casino_unqualified[kind]
        net += row[CASINO_WIN + kind] * stakes.casino_win[kind]
    if net < -BOARDS * DEALERS:
        counts[CASINO_FOLD] += weight * BOARDS * DEALERS
    else:
        for column in range(CASINO_FOLD):
            counts[column] += weight * row[column]


@kernel
def _decide_ultimate(stakes: Stakes, row: Int32s, counts: Int64s, weight: int) -> None:
    """Play or check on the flop with one hole, in each profile, and add its deals where they belong."""
    for column in range(ANY, PROFILES_AT):
        counts[column] += weight * row[column]
    played = row[ULTIMATE:PROFILES_AT]
    for profile in range(PROFILE_COUNT):
        at = PROFILES_AT + profile * PROFILE_BLOCK
        pushes = stakes.pushes[profile]
        bet = _block_net(played, stakes.blind, stakes.unit, stakes.flop_multiple, pushes)
        river = row[at + RIVER_PLAY : at + FOLDED]
        check = _block_net(river, stakes.blind, stakes.unit, stakes.river_multiple, pushes)
        check -= 2 * stakes.unit * row[at + FOLDED : at + PROFILE_BLOCK].sum()
        if bet >= check:
            for column in range(BLOCK):
                counts[at + FLOP_PLAY + column] += weight * played[column]
        else:
            for column in range(RIVER_PLAY, PROFILE_BLOCK):
                counts[at + column] += weight * row[at + column]


@kernel
def _block_net(block: Int32s, blind: Int64s, unit: int, multiple: int, pushes: int) -> int:
    """What the deals of a block of Ultimate win in all, with a play of *multiple* antes."""
    net = -int(block[LOSE]) * (multiple + 2) * unit
    net -= block[LOSE_UNQUALIFIED] * (multiple + 2 - pushes) * unit
    for kind in range(CATEGORY_COUNT):
        net += block[WIN_UNQUALIFIED + kind] * (multiple * unit + blind[kind])
        net += block[WIN + kind] * ((multiple + 1) * unit + blind[kind])
    return int(net)


@kernel
def sweep_flop(tables: Tables, stakes: Stakes, flop: Int64s, classes: Int16s, weight: int) -> Int64s:
    """The counts of one *flop*, times *weight*: an array of (169, COLUMNS).

    *classes* has the class of two cards at (card, card).
    """
    read = _read_flop(tables, flop)
    hands = _Hands(
        np.empty(BOARDS, np.int64),
        np.empty(BOARDS, np.int64),
        np.empty(BOARDS, np.int64),
        np.empty(BOARDS, np.int64),
        np.empty(BOARDS, np.int64),
        np.empty(BOARDS, np.int64),
        np.empty(BOARDS, np.int64),
        np.zeros(BEST + 1, np.int64),
    )
    rows = np.zeros((HOLES, COLUMNS), np.int32)
    for turn in range(49):
        for river in range(turn + 1, 49):
            ladder = _value_hands(tables, read, turn, river, hands)
            _order_hands(hands, ladder)
            casino, ultimate = _climb(hands, ladder, stakes.casino_qualifies, stakes.ultimate_qualifies)
            _add_board(tables.category, stakes, hands, casino, ultimate, rows)
    counts = np.zeros((169, COLUMNS), np.int64)
    row = 0
    for low in range(49):
        for high in range(low + 1, 49):
            place = classes[read.deck[low], read.deck[high]]
            _decide_casino(stakes, rows[row], counts[place], weight)
            _decide_ultimate(stakes, rows[row], counts[place], weight)
            row += 1
    return counts
