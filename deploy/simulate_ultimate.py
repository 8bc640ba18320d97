"""What Ultimate Texas Hold'em costs a player who follows the simple published strategy, by simulation.

    python deploy/simulate_ultimate.py --rounds 100000000 --profile both

One seat, ante and blind, no side bets; the loss is in antes. The strategy raises 4x by the pre-flop chart; 2x
on the flop with two pair or better, a hidden pair other than pocket deuces, or four to a flush with a hidden
ten or better; 1x at the river with a hidden pair or better, or when fewer than 21 single cards let the dealer
beat the seat. It is known to lose about 2.43 % of the ante under the published rules; the best play 2.185 %.

Hands and pay tables are the product's own. Before the long run a few thousand rounds are dealt again through
the game itself, and every net has to agree. The rounds follow from --seed alone, whatever the threads.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import combinations, combinations_with_replacement
from math import sqrt
from typing import NamedTuple

import numba
import numpy as np
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

from croupier.rules.actions import Check, Fold, Play
from croupier.rules.cards import RANKS
from croupier.rules.game import Table
from croupier.rules.hands import BEST, CATEGORIES, category, strength
from croupier.rules.tables import BLIND, PROFILES
from croupier.rules.ultimate_texas_holdem import UltimateTexasHoldem, UltimateTexasHoldemOptions

# The sum of these tells the ranks of five cards apart, and of six, and of seven.
RANK_KEYS = np.array((0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181))
PREFLOP = "33+ A2s+ A2o+ K2s+ K5o+ Q6s+ Q8o+ J8s+ JTo"
ANTE = 2
BATCH = 250_000
CHECKED = 5_000
TWO_PAIR = CATEGORIES.index("two_pair")
PAIR = CATEGORIES.index("pair")
TEN = RANKS.index("T")
COLUMNS = tuple(PROFILES)


class Tables(NamedTuple):
    """Arrays for the compiled loop: strengths by rank sum and by the ranks of a flush, and what follows."""

    keys: np.ndarray
    five: np.ndarray
    six: np.ndarray
    seven: np.ndarray
    flush: np.ndarray
    category: np.ndarray
    blind: np.ndarray  # what the blind wins, in units, by category
    raises: np.ndarray  # [hole card, hole card]: whether the chart raises before the flop
    spared: np.ndarray  # a profile a column: whether a dealer without a pair spares a losing ante


def by_rank_sum(size: int) -> np.ndarray:
    """Strengths of *size* cards without a flush, by the sum of their rank keys."""
    table = np.zeros(size * RANK_KEYS[-1] + 1, np.int16)
    for ranks in combinations_with_replacement(range(13), size):
        if all(low != high for low, high in zip(ranks, ranks[4:], strict=False)):
            dealt = [rank * 4 + place % 4 for place, rank in enumerate(ranks)]
            table[RANK_KEYS[list(ranks)].sum()] = strength(dealt)
    return table


def by_flush() -> np.ndarray:
    """Strengths of five to seven cards of one suit, by the bit mask of their ranks."""
    table = np.zeros(1 << 13, np.int16)
    for size in (5, 6, 7):
        for ranks in combinations(range(13), size):
            table[sum(1 << rank for rank in ranks)] = strength([rank * 4 for rank in ranks])
    return table


def chart() -> np.ndarray:
    """:data:`PREFLOP` as a table of cards."""
    table = np.zeros((52, 52), np.bool_)
    for entry in PREFLOP.split():
        high, low = RANKS.index(entry[0]), RANKS.index(entry[1])
        pair, suited, better = high == low, entry[2:3] == "s", entry.endswith("+")
        tops = range(low, 13) if pair else [high]
        for top in tops:
            for bottom in [top] if pair else range(low, high if better else low + 1):
                for one, two in ((a, b) for a in range(4) for b in range(4) if pair or (a == b) == suited):
                    table[top * 4 + one, bottom * 4 + two] = table[bottom * 4 + two, top * 4 + one] = True
    return table


def tables() -> Tables:
    return Tables(
        RANK_KEYS,
        *(by_rank_sum(size) for size in (5, 6, 7)),
        by_flush(),
        np.array([0, *(CATEGORIES.index(category(value)) for value in range(1, BEST + 1))], np.int8),
        np.array([BLIND[name].of(ANTE) if name in BLIND else 0 for name in CATEGORIES]),
        chart(),
        np.array([PROFILES[name].unqualified_loss_pushes_ante for name in COLUMNS]),
    )


@numba.njit(nogil=True)
def value(hand, by_ranks, t):
    """The strength of all of *hand*, five to seven cards; *by_ranks* is the table of that size."""
    key = 0
    suits = 0x3333  # a counter a suit: the fifth card carries into its highest bit
    ranks = 0  # thirteen bits a suit
    for card in hand:
        suit, rank = card & 3, card >> 2
        key += t.keys[rank]
        suits += 1 << 4 * suit
        ranks |= 1 << 13 * suit + rank
    if suits & 0x8888:
        for suit in range(4):
            if suits >> 4 * suit & 8:
                return t.flush[ranks >> 13 * suit & 0x1FFF]
    return by_ranks[key]


@numba.njit(nogil=True)
def hidden_pair(hole, board):
    if hole[0] >> 2 == hole[1] >> 2:
        return True
    paired = False
    for card in board:
        paired = paired or card >> 2 == hole[0] >> 2 or card >> 2 == hole[1] >> 2
    return paired


@numba.njit(nogil=True)
def raises_flop(hole, flop, t):
    hand = np.concatenate((hole, flop))
    if t.category[value(hand, t.five, t)] >= TWO_PAIR:
        return True
    if hidden_pair(hole, flop):
        return not (hole[0] < 4 and hole[1] < 4)
    for suit in range(4):
        held = 0
        high = False
        for place in range(5):
            if hand[place] & 3 == suit:
                held += 1
                high = high or (place < 2 and hand[place] >> 2 >= TEN)
        if held == 4 and high:
            return True
    return False


@numba.njit(nogil=True)
def plays_river(hole, board, own, t):
    if hidden_pair(hole, board) or t.category[own] > t.category[value(board, t.five, t)]:
        return True
    known = 1 << hole[0] | 1 << hole[1]
    six = np.empty(6, np.int64)
    six[:5] = board
    for card in board:
        known |= 1 << card
    outs = 0
    for card in range(52):
        if not known >> card & 1:
            six[5] = card
            outs += value(six, t.six, t) > own
    return outs < 21


@numba.njit(nogil=True)
def play(deal, t, nets):
    """Play a deal of nine cards; the play bet in antes, and the net by profile in *nets*."""
    hole, dealer, board = deal[:2], deal[2:4], deal[4:]
    own = value(np.concatenate((hole, board)), t.seven, t)
    if t.raises[hole[0], hole[1]]:
        multiple = 4
    elif raises_flop(hole, board[:3], t):
        multiple = 2
    elif plays_river(hole, board, own, t):
        multiple = 1
    else:
        nets[:] = -2 * ANTE
        return 0
    theirs = value(np.concatenate((dealer, board)), t.seven, t)
    qualified = t.category[theirs] >= PAIR
    if own > theirs:
        nets[:] = multiple * ANTE + t.blind[t.category[own]] + (ANTE if qualified else 0)
    elif own < theirs:
        nets[:] = -(multiple + 2) * ANTE
        if not qualified:
            nets[:] += ANTE * t.spared
    else:
        nets[:] = 0
    return multiple


@numba.njit(nogil=True)
def deal_one(deck, deal):
    """Nine cards off a shuffle that goes on from wherever the last one left the deck."""
    for place in range(9):
        other = np.random.randint(place, 52)
        deck[place], deck[other] = deck[other], deck[place]
    deal[:] = deck[:9]


@numba.njit(nogil=True)
def batch(seed, rounds, t, kept):
    """The sums of nets and of their squares by profile.

    The first rounds are kept, a row each: nine cards, the play bet in antes, the nets.
    """
    np.random.seed(seed)
    deck = np.arange(52)
    deal = np.empty(9, np.int64)
    nets = np.zeros(len(t.spared), np.int64)
    total = np.zeros((2, len(t.spared)), np.int64)
    for number in range(rounds):
        deal_one(deck, deal)
        multiple = play(deal, t, nets)
        total[0] += nets
        total[1] += nets * nets
        if number < len(kept):
            kept[number, :9] = deal
            kept[number, 9] = multiple
            kept[number, 10:] = nets
    return total


def run(seed: int, rounds: int, t: Tables) -> np.ndarray:
    return batch(seed, rounds, t, np.zeros((0, 10 + len(COLUMNS)), np.int64))


def check_against_the_game(t: Tables, seed: int) -> None:
    """Deal the same cards and take the same decisions through the game; any other net ends the program."""
    game = UltimateTexasHoldem()
    kept = np.zeros((CHECKED, 10 + len(COLUMNS)), np.int64)
    batch(seed, CHECKED, t, kept)
    for row in kept.tolist():
        deal, multiple, nets = row[:9], row[9], row[10:]
        for profile, net in zip(COLUMNS, nets, strict=True):
            options = UltimateTexasHoldemOptions(ante=ANTE, profile=profile)
            step = game.deal(options, Table((1,)), deal)
            for stage, otherwise in ((4, Check()), (2, Check()), (1, Fold())):
                if game.to_act(step.state):
                    step = game.decide(step.state, 1, Play(multiple) if multiple == stage else otherwise)
            if step.settlement is None or step.settlement.seats[0].net != net:
                raise SystemExit(f"{profile}: {deal} played {multiple}x: {net} against {step.settlement}")


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--rounds", type=int, default=10_000_000)
    ask.add_argument("--profile", choices=[*COLUMNS, "both"], default="both")
    ask.add_argument("--seed", type=int, default=2006)
    ask.add_argument("--threads", type=int, default=2)
    given = ask.parse_args()

    t = tables()
    check_against_the_game(t, given.seed)
    print(f"{CHECKED:,} rounds agree with the game")

    sizes = [BATCH] * (given.rounds // BATCH) + [given.rounds % BATCH] * (given.rounds % BATCH > 0)
    seeds = np.random.SeedSequence(given.seed).generate_state(len(sizes))
    total = np.zeros((2, len(COLUMNS)), np.int64)
    columns = (*Progress.get_default_columns()[:3], MofNCompleteColumn(), TimeRemainingColumn())
    with ThreadPoolExecutor(given.threads) as pool, Progress(*columns) as progress:
        task = progress.add_task("rounds", total=given.rounds)
        work = {pool.submit(run, seed, size, t): size for seed, size in zip(seeds, sizes, strict=True)}
        for done in as_completed(work):
            total += done.result()
            progress.advance(task, work[done])

    for place, profile in enumerate(COLUMNS):
        if given.profile in (profile, "both"):
            mean = total[0, place] / given.rounds / ANTE
            square = total[1, place] / given.rounds / ANTE**2
            margin = 1.96 * sqrt((square - mean**2) / given.rounds)
            print(f"{profile:10} loses {-mean:.4%} of the ante, 95 % confidence ± {margin:.4%}")


if __name__ == "__main__":
    main()
