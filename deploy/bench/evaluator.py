"""The hand evaluator, one hand at a time from Python, beside the evaluators that others publish."""

import gc
import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from figures import Figure

from croupier.rules.cards import TEXT
from croupier.rules.hands import BEST, strength

_HANDS = 60_000
_REPEATS = 9
_GROUP = "evaluator, one hand of seven a call"


def measure() -> list[Figure]:
    """Hands a second, and the ratio to each other evaluator there is. All value the same hands, in turns."""
    hands = _hands(_HANDS)
    runs: dict[str, Callable[[], float]] = {"ours": lambda: _time_ours(hands)}
    for name, prepare in (("phevaluator", _phevaluator), ("treys", _treys)):
        try:
            runs[name] = prepare(hands)
        except ModuleNotFoundError as missing:
            print(f"{name} is left out: {missing}")
    speeds: dict[str, list[float]] = {name: [] for name in runs}
    gc.collect()
    gc.disable()
    try:
        for _ in range(_REPEATS):
            for name, run in runs.items():
                speeds[name].append(run())
    finally:
        gc.enable()
    ours = speeds.pop("ours")
    return [
        Figure(
            _GROUP,
            "croupier.rules.hands.strength",
            median(ours),
            "hands/s",
            _REFERENCES[name],
            median(theirs),
            median(a / b for a, b in zip(ours, theirs, strict=True)),
            target=1.0 if name == "phevaluator" else None,
        )
        for name, theirs in speeds.items()
    ]


_REFERENCES = {
    "phevaluator": "phevaluator.evaluate_cards",
    "treys": "treys.Evaluator.evaluate",
}


def _hands(count: int) -> list[tuple[int, ...]]:
    dealer = random.Random(20)
    return [tuple(dealer.sample(range(52), 7)) for _ in range(count)]


def _time_ours(hands: Sequence[tuple[int, ...]]) -> float:
    started = time.perf_counter()
    for hand in hands:
        strength(hand)
    return len(hands) / (time.perf_counter() - started)


def _phevaluator(hands: Sequence[tuple[int, ...]]) -> Callable[[], float]:
    from phevaluator import Card, evaluate_cards  # noqa: PLC0415 - may be missing

    theirs = [tuple(Card(TEXT[card]).id_ for card in hand) for hand in hands]
    _same_order(hands, [BEST + 1 - evaluate_cards(*hand) for hand in theirs], "phevaluator")

    def run() -> float:
        started = time.perf_counter()
        for hand in theirs:
            evaluate_cards(*hand)
        return len(theirs) / (time.perf_counter() - started)

    return run


def _treys(hands: Sequence[tuple[int, ...]]) -> Callable[[], float]:
    from treys import Card, Evaluator  # noqa: PLC0415 - may be missing

    evaluate: Callable[[list[Any], list[Any]], int] = Evaluator().evaluate
    some = hands[: len(hands) // 6]  # it is slow
    theirs = [[Card.new(TEXT[card]) for card in hand] for hand in some]
    split = [(hand[:2], hand[2:]) for hand in theirs]
    _same_order(some, [BEST + 1 - evaluate(hole, board) for hole, board in split], "treys")

    def run() -> float:
        started = time.perf_counter()
        for hole, board in split:
            evaluate(hole, board)
        return len(split) / (time.perf_counter() - started)

    return run


def _same_order(hands: Sequence[tuple[int, ...]], values: Sequence[int], name: str) -> None:
    """A speed counts only where the values agree."""
    for hand, value in zip(hands, values, strict=True):
        if strength(hand) != value:
            raise AssertionError(f"{name} values {[TEXT[card] for card in hand]} at {value}, not we")
