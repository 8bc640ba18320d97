"""Is the shuffle uniform? Chi-square tests over many of the server's own shuffles.

    python deploy/shuffles.py --shuffles 1000000

Three questions, each put to the same decks:

- **places**: is every card as often in every place? The 52 x 52 counts of permutations are tied by their rows
  and columns: 51/52 of Pearson's statistic is chi-square with 51 x 51 degrees of freedom.
- **pairs**: in every two places, is every ordered pair of cards as often there? Each of the 1,326 pairs of
  places is a chi-square test of its own over 52 x 51 cells. The smallest p-value is multiplied by 1,326.
- **neighbours**: does every card lie as often directly before every other, wherever in the deck? What the
  counts say of first and last cards is taken out (that is for places); the rest splits into what a pair and
  its reverse share and where they differ, whose variances a shuffle are 1/52 and 53/(52 x 51).

The seeds follow from --seed alone, whatever the processes. Exits with 1 if a p-value is below 0.001.
"""

import argparse
import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from scipy.stats import chi2

from croupier.sessions.fairness import shuffled

N = 52
PAIRS = tuple(combinations(range(N), 2))
BATCH = 20_000
SUSPICIOUS = 0.001

Shuffle = Callable[[bytes], Sequence[int]]
"""From 32 bytes of seed to a deck."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted in a number of decks: cards by place, and ordered pairs of cards by pair of places."""

    decks: int
    places: np.ndarray  # [place, card]
    pairs: np.ndarray  # [pair of places, 52 * first card + second card]

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.decks + other.decks, self.places + other.places, self.pairs + other.pairs)


@dataclass(frozen=True, slots=True)
class Result:
    """One test: its statistic, its degrees of freedom, and its p-value, corrected for how many were made."""

    name: str
    statistic: float
    freedom: int
    p: float


def fair(seed: bytes) -> Sequence[int]:
    """The server's own shuffle."""
    return shuffled(seed, "", "statistics", 1)


def seeds(seed: int, first: int, count: int) -> Iterable[bytes]:
    """Server seeds number *first* and on."""
    for number in range(first, first + count):
        yield hashlib.sha256(f"{seed}:{number}".encode()).digest()


def counted(shuffle: Shuffle, seed: int, first: int, count: int) -> Counts:
    """Shuffle *count* times and count."""
    decks = np.array([shuffle(one) for one in seeds(seed, first, count)], np.int32).T
    places = np.array([np.bincount(cards, minlength=N) for cards in decks])
    pairs = np.array([np.bincount(N * decks[i] + decks[j], minlength=N * N) for i, j in PAIRS])
    return Counts(count, places, pairs)


def places(counts: Counts) -> Result:
    """Every card in every place."""
    expected = counts.decks / N
    statistic = (N - 1) / N * float(((counts.places - expected) ** 2 / expected).sum())
    freedom = (N - 1) ** 2
    return Result("places", statistic, freedom, float(chi2.sf(statistic, freedom)))


def pairs(counts: Counts) -> Result:
    """Every ordered pair of cards in every pair of places: the most unlikely of the 1,326 tests."""
    expected = counts.decks / (N * (N - 1))
    cells = counts.pairs.reshape(len(PAIRS), N, N)[:, ~np.eye(N, dtype=bool)]
    statistic = float(((cells - expected) ** 2 / expected).sum(axis=1).max())
    freedom = N * (N - 1) - 1
    return Result("pairs", statistic, freedom, min(1.0, len(PAIRS) * float(chi2.sf(statistic, freedom))))


def neighbours(counts: Counts) -> Result:
    """Every card directly before every other."""
    adjacent = [number for number, (i, j) in enumerate(PAIRS) if j == i + 1]
    found = counts.pairs[adjacent].sum(axis=0).reshape(N, N)
    excess = np.where(np.eye(N, dtype=bool), 0, found - counts.decks / N)
    same, opposite = (excess + excess.T) / 2, (excess - excess.T) / 2
    of_card = same.sum(axis=1)
    of_card = (of_card - of_card.sum() / (2 * (N - 1))) / (N - 2)
    same -= np.where(np.eye(N, dtype=bool), 0, of_card[:, None] + of_card[None, :])
    of_card = opposite.sum(axis=1) / N
    opposite -= of_card[:, None] - of_card[None, :]
    variance = counts.decks / N
    statistic = float((same**2).sum() / variance + (opposite**2).sum() / (variance * (N + 1) / (N - 1)))
    freedom = N * (N - 3) // 2 + (N - 1) * (N - 2) // 2
    return Result("neighbours", statistic, freedom, float(chi2.sf(statistic, freedom)))


def results(counts: Counts) -> list[Result]:
    """All three tests."""
    return [places(counts), pairs(counts), neighbours(counts)]


def main() -> int:
    options = argparse.ArgumentParser(description="Test the server's shuffle for uniformity.")
    options.add_argument("--shuffles", type=int, default=1_000_000)
    options.add_argument("--seed", type=int, default=2006)
    options.add_argument("--processes", type=int, default=2)
    asked = options.parse_args()
    whole: Counts | None = None
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns) as progress, ProcessPoolExecutor(asked.processes) as pool:
        task = progress.add_task("Shuffling", total=asked.shuffles)
        batches = [
            pool.submit(counted, fair, asked.seed, first, min(BATCH, asked.shuffles - first))
            for first in range(0, asked.shuffles, BATCH)
        ]
        for batch in as_completed(batches):
            counts = batch.result()
            batches.remove(batch)
            whole = counts if whole is None else whole + counts
            progress.advance(task, counts.decks)
    if whole is None:
        options.error("shuffle at least once")
    table = Table("test", "statistic", "degrees of freedom", "p", title=f"{whole.decks:,} shuffles")
    found = results(whole)
    for one in found:
        table.add_row(one.name, f"{one.statistic:.1f}", str(one.freedom), f"{one.p:.4f}")
    Console().print(table)
    return int(any(one.p < SUSPICIOUS for one in found))


if __name__ == "__main__":
    raise SystemExit(main())
