"""The board as Prometheus reads it. Loaded with the first scrape."""

import os
import platform
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from croupier import __version__
from croupier.telemetry.board import Board
from croupier.telemetry.metrics import BUCKETS
from croupier.telemetry.metrics import Metric as Measured

_BOUNDS = (*map(str, BUCKETS), "+Inf")


def exposition(board: Board) -> bytes:
    """Everything measured, over all workers, in Prometheus' text format 0.0.4."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(board))
    return generate_latest(registry)


class _Collector:
    def __init__(self, board: Board) -> None:
        self._board = board

    def collect(self) -> Iterator[Metric]:
        """The families of the board, of its processes, and of the build."""
        for metric, rows in self._board.totals():
            yield _histogram(metric, rows) if metric.kind == "histogram" else _numbers(metric, rows)
        yield from _processes(self._board)
        yield GaugeMetricFamily("croupier_workers", "Worker processes wanted.", self._board.workers)
        build = GaugeMetricFamily("croupier_build_info", "This release.", labels=("version", "python"))
        build.add_metric((__version__, platform.python_version()), 1)
        yield build


def _numbers(metric: Measured, rows: list[tuple[tuple[str, ...], list[float]]]) -> Metric:
    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family: CounterMetricFamily | GaugeMetricFamily = kind(metric.name, metric.text, labels=metric.labels)
    for labels, (value,) in rows:
        if value or not metric.sparse:
            family.add_metric(labels, value)
    return family


def _histogram(metric: Measured, rows: list[tuple[tuple[str, ...], list[float]]]) -> Metric:
    family = HistogramMetricFamily(metric.name, metric.text, labels=metric.labels)
    for labels, (*counts, total) in rows:
        below = list(accumulate(counts))
        if below[-1] or not metric.sparse:
            family.add_metric(labels, list(zip(_BOUNDS, below, strict=True)), total)
    return family


def _processes(board: Board) -> Iterator[Metric]:
    """What each worker takes of the machine, where the system tells."""
    cpu = CounterMetricFamily(
        "croupier_worker_cpu_seconds", "Processor time of a worker process.", labels=("worker",)
    )
    memory = GaugeMetricFamily(
        "croupier_worker_resident_memory_bytes", "Resident memory of a worker process.", labels=("worker",)
    )
    for number, process in enumerate(board.processes(), 1):
        try:
            # After the name, which may hold anything but ends with the last parenthesis.
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        cpu.add_metric((str(number),), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        memory.add_metric((str(number),), int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))
    yield cpu
    yield memory
