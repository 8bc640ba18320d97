"""The numbers of all workers of one server, in memory that its processes share.

Each worker has a row and is the only one that writes there, so nothing is locked and a count costs what an
addition costs. Whoever is asked for the metrics adds up the rows. A worker that takes the place of a dead one
goes on in its row: counters never fall while the server runs.
"""

import os
from collections.abc import Iterator, Sequence
from multiprocessing.sharedctypes import RawArray

from croupier.telemetry.metrics import Metric, metrics

_PID = 0
"""Where a row says which process writes it."""


class Board:
    """Rows of numbers, one a worker; made before the workers are, and handed to each of them."""

    def __init__(self, workers: int, operations: Sequence[str], games: Sequence[str]) -> None:
        self.metrics = metrics(operations, games)
        self.workers = workers
        self._places: dict[tuple[str, ...], int] = {}
        end = _PID + 1
        for metric in self.metrics:
            for choice in metric.choices():
                self._places[metric.name, *choice] = end
                end += metric.width
        self._length = end
        self._numbers = RawArray("d", workers * end)

    def place(self, name: str, *labels: str) -> int:
        """Where in a row the numbers of a metric stand. Raises ``KeyError`` for one there is not."""
        return self._places[name, *labels]

    def row(self, worker: int) -> "memoryview[float]":
        """The row of *worker*, counted from 0."""
        start = worker * self._length
        numbers: memoryview[float] = memoryview(self._numbers).cast("B").cast("d")
        return numbers[start : start + self._length]

    def enter(self, worker: int) -> "memoryview[float]":
        """The row of *worker*, written by this process from now on; its gauges start at nothing."""
        row = self.row(worker)
        row[_PID] = os.getpid()
        for metric in self.metrics:
            if metric.kind == "gauge":
                for choice in metric.choices():
                    row[self.place(metric.name, *choice)] = 0
        return row

    def processes(self) -> list[int]:
        """The process that writes each row; 0 where none has begun to."""
        return [int(self.row(worker)[_PID]) for worker in range(self.workers)]

    def totals(self) -> Iterator[tuple[Metric, list[tuple[tuple[str, ...], list[float]]]]]:
        """Each metric with its choices of labels and the sums of their numbers over all workers."""
        sums = [sum(column) for column in zip(*map(self.row, range(self.workers)), strict=True)]
        for metric in self.metrics:
            found = []
            for choice in metric.choices():
                at = self.place(metric.name, *choice)
                found.append((choice, sums[at : at + metric.width]))
            yield metric, found
