"""How this package compiles its inner loops: numba, machine code kept on disk, the GIL released."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile *function* at its first call with each combination of argument types.

    The machine code is cached where numba finds a place to write: the folder that ``NUMBA_CACHE_DIR`` names,
    else beside the source, else in the user's cache. Where there is none it is compiled anew in each process.
    Arrays reach a kernel as arguments, never as globals: a global would be frozen into the cached code. The
    cache notices a change in a kernel's own file alone: whoever edits one that others call removes the
    ``.nbi`` files.
    """
    try:
        compiled: Callable[P, R] = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no place for the cache can be written
        compiled = numba.njit(nogil=True)(function)
    return compiled
