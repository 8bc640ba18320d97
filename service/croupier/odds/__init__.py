"""Exact expected values and house edges; stands on the rules alone.

Importing any public module here is cheap. numba, and the tables that its machine code reads, are loaded with
the first question that needs them; a server calls :func:`warm` in a background thread instead.
"""


def warm() -> None:
    """Load numba, build the tables and compile, or read from disk, every kernel that answers questions.

    About a second when the machine code is on disk, some ten the first time. Releases the GIL for the better
    part of it, and may run while other threads ask already.
    """
    from croupier.odds.advice import casino_holdem, ultimate_texas_holdem  # noqa: PLC0415
    from croupier.odds.equities import equities  # noqa: PLC0415

    hole, board = (0, 5), (10, 15, 20, 25, 30)
    casino_holdem(hole, board[:3])
    for seen in (0, 3, 5):
        ultimate_texas_holdem(hole, board[:seen])
    equities([hole, ()], board, seed=0)
    equities([hole, (), ()], (), seed=0)
