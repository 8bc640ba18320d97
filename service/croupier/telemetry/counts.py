"""One worker's hand on the board. Everything here runs on the worker's event loop, in every request."""

from bisect import bisect_left
from collections.abc import Mapping

import msgspec

from croupier.sessions.ports import Change
from croupier.telemetry.board import Board
from croupier.telemetry.metrics import BUCKETS, NOWHERE, STATUSES

_SUM = len(BUCKETS) + 1
_ENTRY_HASH = 64
_OTHER = "other"


class _Entry(msgspec.Struct):
    """What is read of a ledger entry."""

    house_net: int = 0


_entry = msgspec.json.Decoder(_Entry).decode


class Counts:
    """Counts for worker number *worker* of *board*, from 0."""

    def __init__(self, board: Board, worker: int) -> None:
        self.board = board
        self._row = board.enter(worker)
        self._in_work = board.place("croupier_requests_in_work")
        self._replays = board.place("croupier_replays")
        self._commits = board.place("croupier_commits")
        self._conflicts = board.place("croupier_conflicts")
        self._request_seconds = self._places(board, "croupier_request_seconds")
        self._call_seconds = self._places(board, "croupier_store_call_seconds")
        self._call_errors = self._places(board, "croupier_store_errors")
        self._status = {int(status): number for number, status in enumerate(STATUSES[:-1])}
        self._statuses = {
            operation: board.place("croupier_requests", operation, STATUSES[0])
            for operation in self._request_seconds
        }
        ended = self._places(board, "croupier_sessions_ended")
        self._sessions: Mapping[str, dict[str, int]] = {
            "session_started": self._places(board, "croupier_sessions_started"),
            "session_finished": ended,
            "session_closed": ended,
        }
        self._rounds: Mapping[str, dict[str, int]] = {
            "round_settled": self._places(board, "croupier_rounds_settled"),
            "round_voided": self._places(board, "croupier_rounds_voided"),
        }
        self._won = self._places(board, "croupier_house_won_units")
        self._lost = self._places(board, "croupier_house_lost_units")
        self._row[board.place("croupier_worker_starts")] += 1

    # ── Requests ─────────────────────────────────────────────────────────────────────────────────────────

    def begun(self) -> None:
        """A request has arrived."""
        self._row[self._in_work] += 1

    def ended(self) -> None:
        """Its answer has begun, or never will."""
        self._row[self._in_work] -= 1

    def answered(self, operation: str | None, status: int, seconds: float, *, replayed: bool) -> None:
        """A request was answered with *status*, after *seconds*."""
        row = self._row
        name = operation if operation in self._statuses else NOWHERE
        row[self._statuses[name] + self._status.get(status, len(STATUSES) - 1)] += 1
        self._observe(self._request_seconds[name], seconds)
        if replayed:
            row[self._replays] += 1

    # ── The store ────────────────────────────────────────────────────────────────────────────────────────

    def called(self, call: str, seconds: float) -> None:
        """The store was asked, and answered or failed after *seconds*."""
        self._observe(self._call_seconds.get(call) or self._call_seconds[_OTHER], seconds)

    def failed(self, call: str) -> None:
        """The store failed a call."""
        self._row[self._call_errors.get(call) or self._call_errors[_OTHER]] += 1

    def lost(self) -> None:
        """A commit lost its race."""
        self._row[self._conflicts] += 1

    def committed(self, change: Change) -> None:
        """A change is in."""
        row, session = self._row, change.session
        row[self._commits] += 1
        for what in change.changes:
            if what in self._sessions:
                row[self._sessions[what][session.game]] += 1
            elif what in self._rounds and not session.sandbox:
                row[self._rounds[what][session.game]] += 1
                for entry in change.entries:
                    net = _entry(entry[_ENTRY_HASH:]).house_net
                    row[(self._won if net > 0 else self._lost)[session.game]] += abs(net)

    # ── What is looked at now and then ───────────────────────────────────────────────────────────────────

    def gauges(self, *, event_streams: int, odds_waiting: int) -> None:
        """How much of what comes and goes there is at this moment."""
        self._row[self.board.place("croupier_event_streams")] = event_streams
        self._row[self.board.place("croupier_odds_waiting")] = odds_waiting

    def _observe(self, place: int, seconds: float) -> None:
        row = self._row
        row[place + bisect_left(BUCKETS, seconds)] += 1
        row[place + _SUM] += seconds

    @staticmethod
    def _places(board: Board, name: str) -> dict[str, int]:
        (metric,) = (one for one in board.metrics if one.name == name)
        return {choice[0]: board.place(name, *choice) for choice in metric.choices()}
