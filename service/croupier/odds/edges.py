"""House edges from nothing: every hole, flop, turn, river and dealer hand, by our own rules and pay tables.

22,100 flops are 1,755 when suits are renamed; each is swept once and counted as often as it occurs.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from croupier.odds import sweep as at
from croupier.odds.figures import Edge, Figures, Outcome, Preflop, SideBetEdge
from croupier.odds.runouts import BOARDS, DEALERS
from croupier.odds.stakes import (
    ANTE_PAYS,
    BLIND_PAYS,
    FLOP_MULTIPLE,
    PROFILE_ORDER,
    RIVER_MULTIPLE,
    UNIT,
    stakes,
)
from croupier.odds.starting_hands import STARTING_HANDS, starting_hand
from croupier.odds.tables import Int64s, tables
from croupier.rules.cards import DECK, Card
from croupier.rules.casino_holdem import CALL_MULTIPLE, CasinoHoldem
from croupier.rules.hands import CATEGORIES
from croupier.rules.tables import TRIPS, Profile
from croupier.rules.ultimate_settlement import Stakes, settle
from croupier.rules.ultimate_texas_holdem import PREFLOP_MULTIPLES, UltimateTexasHoldem

Progress = Callable[[int, int], None]
"""Called with the flops done and the flops in all."""


def distinct_flops() -> Counter[tuple[Card, ...]]:
    """One flop of each kind that differs by more than the names of its suits, and how many are of it."""
    namings = tuple(permutations(range(4)))
    return Counter(
        min(tuple(sorted(card - card % 4 + naming[card % 4] for card in flop)) for naming in namings)
        for flop in combinations(DECK, 3)
    )


def count(progress: Progress | None = None, workers: int | None = None) -> Int64s:
    """Sweep every flop on *workers* threads (default: one a core): counts of deals, (169, COLUMNS)."""
    table, known, flops = tables(), stakes(), distinct_flops()
    classes = np.array([[starting_hand(first, second) for second in DECK] for first in DECK], np.int16)
    counts = np.zeros((len(STARTING_HANDS), at.COLUMNS), np.int64)
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        sweeps = [
            pool.submit(at.sweep_flop, table, known, np.array(flop, np.int64), classes, weight)
            for flop, weight in flops.items()
        ]
        try:
            for done, one in enumerate(as_completed(sweeps), start=1):
                counts += one.result()
                if progress:
                    progress(done, len(sweeps))
        finally:
            pool.shutdown(cancel_futures=True)
    return counts


def compute(progress: Progress | None = None, workers: int | None = None) -> Figures:
    """Count everything from nothing: some 25 seconds on two cores."""
    return figures_of(count(progress, workers))


def figures_of(counts: Int64s) -> Figures:
    """The figures that the sweep's *counts* come to."""
    preflop = {
        profile.name: {name: _preflop(counts[place], index) for place, name in enumerate(STARTING_HANDS)}
        for index, profile in enumerate(PROFILE_ORDER)
    }
    showdowns = DEALERS * BOARDS
    edges = [Edge(CasinoHoldem.name, None, None, tuple(_casino_outcomes(counts.sum(axis=0))))]
    side_bets = [SideBetEdge("trips", None, _trips(counts.sum(axis=0)[at.ANY : at.ULTIMATE]))]
    for index, profile in enumerate(PROFILE_ORDER):
        for multiples in PREFLOP_MULTIPLES:
            outcomes, folded = _ultimate_outcomes(counts, index, profile, multiples, preflop[profile.name])
            edges.append(Edge(UltimateTexasHoldem.name, profile.name, multiples, tuple(outcomes)))
            if multiples == PREFLOP_MULTIPLES[0] and not profile.trips_survive_a_fold:
                edge = _trips(counts.sum(axis=0)[at.ANY : at.ULTIMATE], folded)
                side_bets.append(SideBetEdge("trips", profile.name, edge))
    side_bets.append(SideBetEdge("hole_card_bonus", None, _hole_card_bonus()))
    return Figures(
        edges=tuple(edges),
        side_bets=tuple(side_bets),
        preflop=preflop,
        casino_calls={
            name: int(counts[place, : at.CASINO_FOLD].sum()) // showdowns
            for place, name in enumerate(STARTING_HANDS)
        },
    )


# ── Casino Hold'em ───────────────────────────────────────────────────────────────────────────────────────


def _casino_outcomes(row: Int64s) -> Iterator[Outcome]:
    staked = 1 + CALL_MULTIPLE
    for start, result, extra in (
        (at.CASINO_UNQUALIFIED, "not_qualified", 0),
        (at.CASINO_WIN, "win", CALL_MULTIPLE),
    ):
        for kind, pays in enumerate(ANTE_PAYS):
            if deals := int(row[start + kind]):
                yield Outcome("call", result, CATEGORIES[kind], staked, Fraction(pays + extra), deals)
    yield Outcome("call", "tie", None, staked, Fraction(), int(row[at.CASINO_TIE]))
    yield Outcome("call", "lose", None, staked, Fraction(-staked), int(row[at.CASINO_LOSE]))
    yield Outcome("fold", "fold", None, 1, Fraction(-1), int(row[at.CASINO_FOLD]))


# ── Ultimate Texas Hold'em ───────────────────────────────────────────────────────────────────────────────


def _blocks(row: Int64s, profile: int) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """All deals; those played at the flop, played at the river and folded after a check before the flop."""
    start = at.PROFILES_AT + profile * at.PROFILE_BLOCK
    return (
        row[..., at.ULTIMATE : at.PROFILES_AT],
        row[..., start + at.FLOP_PLAY : start + at.RIVER_PLAY],
        row[..., start + at.RIVER_PLAY : start + at.FOLDED],
        row[..., start + at.FOLDED : start + at.PROFILE_BLOCK],
    )


def _block_outcomes(block: Int64s, multiple: int, profile: Profile) -> Iterator[Outcome]:
    """How the deals of a block end with a play of *multiple* antes."""
    action, staked = f"{multiple}x", 2 + multiple
    for start, result, ante in ((at.WIN_UNQUALIFIED, "win_unqualified", 0), (at.WIN, "win", 1)):
        for kind, blind in enumerate(BLIND_PAYS):
            if deals := int(block[start + kind]):
                net = ante + multiple + Fraction(blind, UNIT)
                yield Outcome(action, result, CATEGORIES[kind], staked, net, deals)
    spared = 1 if profile.unqualified_loss_pushes_ante else 0
    for place, result, net in (
        (at.TIE, "tie", Fraction()),
        (at.LOSE_UNQUALIFIED, "lose_unqualified", Fraction(spared - staked)),
        (at.LOSE, "lose", Fraction(-staked)),
    ):
        if deals := int(block[place]):
            yield Outcome(action, result, None, staked, net, deals)


def _fold_outcome(folded: Int64s) -> Outcome:
    return Outcome("fold", "fold", None, 2, Fraction(-2), int(folded.sum()))


def _total(outcomes: Iterator[Outcome]) -> int:
    return int(sum(outcome.net * outcome.deals for outcome in outcomes) * UNIT)


def _preflop(row: Int64s, index: int) -> Preflop:
    profile = PROFILE_ORDER[index]
    every, flop, river, folded = _blocks(row, index)
    with_none, with_one = (_total(_block_outcomes(every, multiple, profile)) for multiple in (0, 1))
    check = (
        _total(_block_outcomes(flop, FLOP_MULTIPLE, profile))
        + _total(_block_outcomes(river, RIVER_MULTIPLE, profile))
        + _total(iter([_fold_outcome(folded)]))
    )
    return Preflop(int(every.sum()), UNIT, with_none, with_one - with_none, check)


def _ultimate_outcomes(
    counts: Int64s,
    index: int,
    profile: Profile,
    multiples: tuple[int, ...],
    preflop: dict[str, Preflop],
) -> tuple[list[Outcome], Int64s]:
    """The outcomes when every starting hand is played as is best, and the folded deals by category."""
    played = {multiple: np.zeros(at.COLUMNS, np.int64) for multiple in sorted(multiples, reverse=True)}
    checked = np.zeros(at.COLUMNS, np.int64)
    for row, hand in zip(counts, preflop.values(), strict=True):
        best = max(multiples, key=hand.play_value)
        if hand.play_value(best) > hand.check_value():
            played[best] += row
        else:
            checked += row
    outcomes: list[Outcome] = []
    for multiple, row in played.items():
        outcomes += _block_outcomes(_blocks(row, index)[0], multiple, profile)
    _, flop, river, folded = _blocks(checked, index)
    outcomes += _block_outcomes(flop, FLOP_MULTIPLE, profile)
    outcomes += _block_outcomes(river, RIVER_MULTIPLE, profile)
    outcomes.append(_fold_outcome(folded))
    return outcomes, folded


# ── Side bets ────────────────────────────────────────────────────────────────────────────────────────────


def _trips(by_category: Int64s, forfeited: Int64s | None = None) -> Fraction:
    """The edge of Trips on deals *by_category*, of which those *forfeited* lose whatever they hold."""
    net = 0
    for kind, name in enumerate(CATEGORIES):
        lost = 0 if forfeited is None else int(forfeited[kind])
        odds = TRIPS.get(name)
        net += (int(by_category[kind]) - lost) * (odds.of(1) if odds else -1) - lost
    return Fraction(-net, int(by_category.sum()))


def _hole_card_bonus() -> Fraction:
    """Over all hole cards and dealer's cards, one pair of cards standing for its class on either side."""
    lines: Counter[tuple[int, int]] = Counter()
    example: dict[tuple[int, int], tuple[tuple[Card, ...], tuple[Card, ...]]] = {}
    for hole in combinations(DECK, 2):
        for dealer in combinations(DECK, 2):
            if not set(hole) & set(dealer):
                key = starting_hand(*hole), starting_hand(*dealer)
                lines[key] += 1
                example[key] = hole, dealer
    net = 0
    for key, deals in lines.items():
        holding, dealers = example[key]
        seat = Stakes(1, holding, ante=UNIT, hole_card_bonus=1)
        settlement, _ = settle(PROFILE_ORDER[0], [seat], dealers, (), None)
        bonus = next(bet for bet in settlement.seats[0].bets if bet.bet == "hole_card_bonus")
        net += deals * bonus.net
    return Fraction(-net, sum(lines.values()))
