"""Measure Croupier beside references in the same run; print a table and write it as JSON.

make bench                                     everything, in three minutes
.venv/bin/python deploy/bench/bench.py evaluator commit --seconds 5 --hold 30
"""

import argparse
import datetime
import json
import os
import platform
from pathlib import Path
from typing import Any

import commit_path
import evaluator
import footprint
import kernels
import no_limit
import processes
import questions
from figures import Figure, as_json, as_table
from rich.console import Console

from croupier import __version__

_RESULTS = Path(__file__).with_name("results.json")
_PARTS = ("evaluator", "odds", "no-limit", "memory", "commit", "questions")


def main() -> None:
    """Run the parts that are asked for."""
    asked = _asked()
    console = Console(width=max(Console().width, 180))
    places = processes.places()
    machine = _machine(places)
    figures: list[Figure] = []
    if "evaluator" in asked.parts:
        console.print("evaluator …")
        figures += evaluator.measure()
    if "odds" in asked.parts:
        console.print("odds …")
        figures += kernels.measure()
    if "no-limit" in asked.parts:
        console.print("no-limit …")
        figures += [*no_limit.speed(), *no_limit.memory(places)]
    if {"memory", "commit", "questions"} & set(asked.parts):
        console.print("memory …")
        found, sizes = footprint.measure(places, asked.seconds)
        if "memory" in asked.parts:
            figures += found + footprint.with_odds(places, asked.seconds)
    if "commit" in asked.parts:
        console.print("commit path …")
        figures += _commit(places, sizes, asked)
    if "questions" in asked.parts:
        console.print("ledger, advice, odds …")
        few = max(2, asked.rounds // 2)
        figures += questions.measure(places, sizes, rounds=few, seconds=asked.seconds, hold=asked.hold / 2)
    console.print(as_table(figures, f"Croupier {__version__}: {machine['processor']}, {machine['where']}"))
    asked.output.write_text(
        json.dumps({"machine": machine, "figures": as_json(figures)}, indent=2, ensure_ascii=False) + "\n"
    )
    console.print(f"written to {asked.output}", soft_wrap=True)


def _commit(
    places: processes.Places | None, sizes: commit_path.Sizes, asked: argparse.Namespace
) -> list[Figure]:
    target, first = commit_path.TARGET, commit_path.FIRST_TARGET
    rounds, few, seconds = asked.rounds, max(2, asked.rounds // 2), asked.seconds
    memory = commit_path.measure(
        "memory", places, sizes, rounds=rounds, seconds=seconds, target=target, hold=asked.hold
    )
    keyed = commit_path.measure("memory", places, sizes, rounds=few, seconds=seconds, target=first, keys=True)
    always = commit_path.measure("always", places, sizes, rounds=few, seconds=seconds, target=first)
    busiest = memory[0].reference_value or memory[0].value
    return [*memory, *keyed, *always, commit_path.ceiling(places, sizes.answer, busiest, asked.seconds)]


def _machine(places: processes.Places | None) -> dict[str, Any]:
    where = (
        f"worker on core {places.server}, generator on core {places.generator}, store on core {places.store}"
        if places
        else "processes not pinned"
    )
    return {
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "where": where,
        "load_average_before": round(os.getloadavg()[0], 2),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "parts", nargs="*", choices=[*_PARTS, []], help="what to measure; everything if left out"
    )
    parser.add_argument("--rounds", type=int, default=4, help="rounds of load in turns (4)")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds a round (2)")
    parser.add_argument(
        "--hold", type=float, default=4.0, help="seconds at half of the highest rate, for p99 beside p50 (4)"
    )
    parser.add_argument("--output", type=Path, default=_RESULTS, help="where the JSON goes")
    asked = parser.parse_args()
    asked.parts = asked.parts or list(_PARTS)
    return asked


if __name__ == "__main__":
    main()
