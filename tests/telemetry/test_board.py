"""The numbers that workers share: one row each, added up for whoever asks."""

import multiprocessing

import pytest
from prometheus_client.parser import text_string_to_metric_families

from croupier.telemetry import Board, Counts
from croupier.telemetry.exposition import exposition
from croupier.telemetry.metrics import BUCKETS, metrics

GAMES = ("casino-holdem", "no-limit-holdem")
FORK = multiprocessing.get_context("fork")


def shown(board: Board) -> dict[tuple[str, ...], float]:
    """Every sample of the exposition, by its name and its labels' values."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(exposition(board).decode())
        for sample in family.samples
    }


def serve(board: Board, worker: int, times: int) -> None:
    counts = Counts(board, worker)
    for _ in range(times):
        counts.begun()
        counts.ended()
        counts.answered("deal", 201, 0.003, replayed=False)
    counts.begun()  # and is killed at its work


def in_a_process(board: Board, worker: int, times: int) -> None:
    process = FORK.Process(target=serve, args=(board, worker, times))
    process.start()
    process.join()
    assert process.exitcode == 0


def test_workers_are_added_up_and_a_new_one_goes_on_where_the_dead_one_was() -> None:
    board = Board(2, ("deal",), GAMES)
    in_a_process(board, 0, 5)
    in_a_process(board, 1, 7)
    before = shown(board)
    assert before["croupier_requests_total", "deal", "201"] == 12
    assert before["croupier_requests_in_work",] == 2
    in_a_process(board, 1, 1)
    after = shown(board)
    assert after["croupier_requests_total", "deal", "201"] == 13
    assert after["croupier_worker_starts_total",] == 3
    assert after["croupier_requests_in_work",] == 2, "what a dead worker had in work is in nobody's now"


def test_a_board_goes_to_a_process_that_was_not_forked() -> None:
    """Where processes are spawned the board travels with the work, and the memory is still the same."""
    board = Board(1, ("deal",), GAMES)
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(board, 0, 3))
    process.start()
    process.join()
    assert shown(board)["croupier_requests_total", "deal", "201"] == 3


@pytest.mark.parametrize(
    ("seconds", "bound"), [(0.0, BUCKETS[0]), (BUCKETS[3], BUCKETS[3]), (0.0051, 0.01), (60.0, None)]
)
def test_a_time_falls_into_every_bucket_from_its_own_on(seconds: float, bound: float | None) -> None:
    board = Board(1, ("deal",), GAMES)
    Counts(board, 0).called("load", seconds)
    found = shown(board)
    for one in BUCKETS:
        expected = bound is not None and one >= bound
        assert found["croupier_store_call_seconds_bucket", "load", str(one)] == expected
    assert found["croupier_store_call_seconds_bucket", "load", "+Inf"] == 1
    assert found["croupier_store_call_seconds_sum", "load"] == seconds


def test_what_nobody_named_is_counted_all_the_same() -> None:
    board = Board(1, ("deal",), GAMES)
    counts = Counts(board, 0)
    counts.answered(None, 404, 0.001, replayed=False)
    counts.answered("deal", 418, 0.001, replayed=True)
    counts.called("something new", 0.001)
    counts.failed("something new")
    found = shown(board)
    assert found["croupier_requests_total", "none", "404"] == 1
    assert found["croupier_requests_total", "deal", "other"] == 1
    assert found["croupier_replays_total",] == 1
    assert found["croupier_store_call_seconds_count", "other"] == 1
    assert found["croupier_store_errors_total", "other"] == 1


def test_metrics_are_named_as_prometheus_wants_them() -> None:
    for metric in metrics(("deal",), GAMES):
        assert metric.name.startswith("croupier_")
        assert not metric.name.endswith("_total")
        assert metric.kind != "histogram" or metric.name.endswith("_seconds")
        assert metric.text.endswith(".")
