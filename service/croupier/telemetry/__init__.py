"""Seeing inside a running server: counted, timed and traced, never with a card, a seed, a token or a key.

Traces have their own module, :mod:`croupier.telemetry.tracing`, which is loaded only where they are wanted.
"""

from croupier.telemetry.board import Board
from croupier.telemetry.counts import Counts
from croupier.telemetry.store import measured

__all__ = ["Board", "Counts", "measured"]
