"""The odds' inner loops on one core: exact decisions, beside counting every deal with the batch evaluator.

Times are processor time of this thread, so other programs on the machine hardly matter.
"""

import random
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
from figures import Figure
from numpy.typing import NDArray

from croupier.odds import warm
from croupier.odds.decisions import casino_calls, ultimate_flop, ultimate_river
from croupier.odds.evaluate import evaluate_batch
from croupier.rules.cards import DECK, TEXT, cards
from croupier.rules.hands import BEST, category, strength
from croupier.rules.tables import CASINO_HOLDEM_ANTE, PROFILES

_HANDS = 1_000_000
_PYTHON_HANDS = 20_000
_SPOTS = 200
_BRUTE_SPOTS = 3
_REPEATS = 5
_BATCH = "evaluator, a million hands a call, one core"
_ODDS = "exact odds of one spot, one core"
_BATCH_TARGET, _BATCH_RATIO = 40e6, 20.0
_MICROSECONDS = {"casino": 100.0, "flop": 5000.0, "river": 1000.0}
_BRUTE_RATIO = 20.0
_QUALIFIES = strength(cards("4c 4d 5h 3s 2c"))


def measure() -> list[Figure]:
    """Hands a second of the batch evaluator, and the time of a decision of each kind."""
    warm()
    return [*_batches(), *_decisions()]


def _batches() -> list[Figure]:
    from phevaluator import evaluate_cards  # noqa: PLC0415 - loaded for the bench alone

    every = np.random.default_rng(40).permuted(np.tile(np.array(DECK, np.uint8), (_HANDS, 1)), axis=1)
    found = []
    for size in (7, 6, 5):
        hands = np.ascontiguousarray(every[:, :size])
        few = hands[:_PYTHON_HANDS].tolist()
        if evaluate_batch(few).tolist() != [BEST + 1 - evaluate_cards(*hand) for hand in few]:
            raise AssertionError("phevaluator and we value some hand differently")
        ours, theirs = [], []
        for _ in range(_REPEATS):
            ours.append(_HANDS / _seconds(evaluate_batch, hands))
            theirs.append(_PYTHON_HANDS / _seconds(lambda: [evaluate_cards(*hand) for hand in few]))  # noqa: B023
        ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
        name, unit = f"evaluate_batch, {size} cards", "hands/s"
        found.append(Figure(_BATCH, name, median(ours), unit, target=_BATCH_TARGET))
        found.append(
            Figure(
                _BATCH,
                "  the same",
                median(ours),
                unit,
                "phevaluator.evaluate_cards",
                median(theirs),
                ratio,
                _BATCH_RATIO,
            )
        )
    return found


def _decisions() -> list[Figure]:
    dealer = random.Random(9)
    spots = [dealer.sample(DECK, 7) for _ in range(_SPOTS)]
    seed = PROFILES["seed"]
    ours = _microseconds(lambda spot: casino_calls([spot[:5]]), spots)
    brute = _BruteForce()
    few = spots[:_BRUTE_SPOTS]
    for spot in few:
        if [brute.casino_call(spot)] != casino_calls([spot[:5]]):
            raise AssertionError(f"brute force finds another value for {[TEXT[card] for card in spot[:5]]}")
    slow = _microseconds(brute.casino_call, few)
    return [
        Figure(_ODDS, "Casino Hold'em, flop", ours, "µs", target=_MICROSECONDS["casino"], most=True),
        Figure(_ODDS, "  brute force", slow, "µs", "the exact kernel", ours, slow / ours, _BRUTE_RATIO),
        Figure(
            _ODDS,
            "Ultimate, flop",
            _microseconds(lambda spot: ultimate_flop(spot[:2], spot[2:5], seed), spots),
            "µs",
            target=_MICROSECONDS["flop"],
            most=True,
        ),
        Figure(
            _ODDS,
            "Ultimate, river",
            _microseconds(lambda spot: ultimate_river(spot[:2], spot[2:], seed), spots),
            "µs",
            target=_MICROSECONDS["river"],
            most=True,
        ),
    ]


class _BruteForce:
    """Every one of the 1,070,190 deals behind a flop, valued by the batch evaluator: the plain fast way."""

    def __init__(self) -> None:
        boards = list(combinations(range(47), 2))
        self._boards = np.array(boards)
        self._deals = np.array(
            [
                (*board, *dealer)
                for board in boards
                for dealer in combinations([one for one in range(47) if one not in board], 2)
            ]
        )
        self._ante = np.array([0, *(CASINO_HOLDEM_ANTE[category(v)].of(1) for v in range(1, BEST + 1))])

    def casino_call(self, spot: Sequence[int]) -> int:
        """What a call in Casino Hold'em wins over all deals, in antes."""
        unseen = np.array([card for card in DECK if card not in spot[:5]], np.uint8)
        player = _rows(spot[:5], unseen[self._boards])
        dealer = _rows(spot[2:5], unseen[self._deals])
        mine = evaluate_batch(player).repeat(len(self._deals) // len(self._boards)).astype(np.int32)
        theirs = evaluate_batch(dealer)
        pays = self._ante[mine]
        called = pays + 2 * (mine > theirs)
        net = np.where(theirs < _QUALIFIES, pays, np.where(mine > theirs, called, -3 * (mine < theirs)))
        return int(net.sum())


def _rows(same: Sequence[int], rest: NDArray[np.uint8]) -> NDArray[np.uint8]:
    rows = np.empty((len(rest), len(same) + rest.shape[1]), np.uint8)
    rows[:, : len(same)], rows[:, len(same) :] = same, rest
    return rows


def _microseconds(decide: Callable[[Sequence[int]], Any], spots: Sequence[Sequence[int]]) -> float:
    """The time of one decision: the median over a few passes through *spots*."""
    passes = [_seconds(lambda: [decide(spot) for spot in spots]) for _ in range(_REPEATS)]
    return median(passes) / len(spots) * 1e6


def _seconds(work: Callable[..., Any], *given: Any) -> float:
    started = time.thread_time()
    work(*given)
    return time.thread_time() - started
