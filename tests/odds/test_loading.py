"""What a process pays for the odds: nothing until it asks, and no need of a folder to write to."""

import os
import subprocess
import sys
from pathlib import Path


def run(program: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def test_numba_is_not_loaded_before_the_first_question():
    program = """
import sys
import croupier.odds.advice, croupier.odds.equities, croupier.odds.figures
from croupier.odds import warm
print(croupier.odds.figures.shipped().edge("casino-holdem").deals)
print(croupier.odds.advice.ultimate_texas_holdem((0, 5), ()).deals)
print([name for name in ("numba", "numpy", "llvmlite") if name in sys.modules])
"""
    assert run(program).splitlines() == ["27813810024000", "20975724000", "[]"]


def test_the_machine_code_is_kept_where_it_may_be(tmp_path: Path):
    run("from croupier.odds.tables import by_ranks; by_ranks(5)", NUMBA_CACHE_DIR=str(tmp_path))
    assert list(tmp_path.rglob("*.nbi"))


def test_nowhere_to_keep_machine_code_is_no_failure():
    """As with a package folder and a home that are read-only, which root would write to all the same."""
    program = """
from numba.core import caching
caching.CacheImpl._locator_classes = []
from croupier.odds.tables import by_ranks
print(by_ranks(5).strengths.max())
"""
    assert run(program) == "7452"


def test_nothing_is_left_to_compile_after_warming():
    program = """
from croupier.odds import decisions, matchups, warm
from croupier.odds.advice import casino_holdem, ultimate_texas_holdem
from croupier.odds.equities import equities
named = vars(decisions) | vars(matchups)
kernels = [value for value in named.values() if hasattr(value, "signatures")]
warm()
warmed = [len(kernel.signatures) for kernel in kernels]
casino_holdem((51, 50), [3, 7, 11])
ultimate_texas_holdem([51, 50], (3, 7, 11), "published")
ultimate_texas_holdem([51, 50], (3, 7, 11, 15, 18), "published")
equities([(51, 50), [1, 2], (5, 6)], (3, 7, 11), seed=1)
equities([(), ()], (3, 7, 11, 15), seed=1)
equities([(), ()], (), seed=1)
print(warmed == [len(kernel.signatures) for kernel in kernels], any(warmed))
"""
    assert run(program) == "True True"
