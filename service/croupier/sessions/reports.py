"""An operator's report: what its rounds staked, returned and left to the house, by game.

The ledgers are the truth, so a report is read from them and kept nowhere. A page walks a bounded number of
sessions and entries, newest session first, and gives the sums of what it walked; the pages of one report add
up to the whole. A round counts where it was settled, once, and not at all if it has been voided. Sandbox
sessions are left out, and sessions that are no longer kept.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import msgspec

from croupier.sessions.errors import InvalidRequest
from croupier.sessions.ledger import rfc3339, split
from croupier.sessions.ports import SessionStore
from croupier.sessions.session import Millis, Session

MAX_SESSIONS = 1000
"""Sessions that one page walks at most."""
MAX_ENTRIES = 10_000
"""Ledger entries after which a page ends."""
_SESSIONS_AT_ONCE = 25
_ENTRIES_AT_ONCE = 125
"""What is read and summed before other requests get their turn: in two milliseconds."""

_CURSOR = re.compile(r"(\d{1,14})\.(\d{1,14})\.(\d{1,9})\.([0-9a-f]{16})\.([A-Za-z0-9_~-]{1,129})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Period:
    """What is asked: rounds settled from *since* on and before *until*, in all or by *player*.

    Without *until* it is the moment of the first page. *player* is a seat's reference: its seats alone count.
    *after* is the ``next_after`` of the page before; *limit* is how many sessions to walk.
    """

    since: Millis | None = None
    until: Millis | None = None
    player: str | None = None
    after: str | None = None
    limit: int = MAX_SESSIONS


class _Bet(msgspec.Struct, gc=False):
    staked: int
    returned: int


class _Row(msgspec.Struct):
    seat: int
    bets: tuple[_Bet, ...] = ()


class _Entry(msgspec.Struct):
    """What a report needs of a ledger entry."""

    type: str
    at: str
    round: int = 0
    deal: int = 0
    seats: tuple[_Row, ...] = ()
    house_net: int = 0
    jackpot_net: int = 0


_entry = msgspec.json.Decoder(_Entry).decode


@dataclass(slots=True)
class _Sums:
    rounds: int = 0
    voids: int = 0
    staked: int = 0
    returned: int = 0
    house_net: int = 0
    jackpot_net: int = 0


@dataclass(slots=True)
class Tally:
    """Sums by game of the ledger entries that it is given."""

    period: Period
    _games: dict[str, _Sums] = field(default_factory=dict)

    def concerns(self, session: Session) -> bool:
        """Whether anything in the ledger of *session* can count."""
        since, player = self.period.since, self.period.player
        return not (
            session.sandbox
            or (since is not None and session.changed_at < since)
            or (player is not None and player not in (session.players or ()))
        )

    def add(self, session: Session, entries: Sequence[bytes]) -> None:
        """Count *entries*, kept ones of the ledger of *session*, a session that concerns the period.

        *session* says which rounds were voided, so it must be at least as new as the entries.
        """
        period = self.period
        since = "" if period.since is None else rfc3339(period.since)
        until = "~" if period.until is None else rfc3339(period.until)
        seats = None if period.player is None else _seats_of(session, period.player)
        voided = Counter(session.voided)
        for kept in entries:
            entry = _entry(split(kept)[1])
            if not since <= entry.at < until:
                continue
            match entry.type:
                case "round_settled" if entry.deal > voided[entry.round]:
                    self._settled(session.game, entry, seats)
                case "round_voided":
                    self._sums(session.game).voids += 1

    def _settled(self, game: str, entry: _Entry, seats: frozenset[int] | None) -> None:
        rows = [row for row in entry.seats if seats is None or row.seat in seats]
        if not rows:
            return
        sums = self._sums(game)
        sums.rounds += 1
        sums.staked += sum(bet.staked for row in rows for bet in row.bets)
        sums.returned += sum(bet.returned for row in rows for bet in row.bets)
        sums.house_net += entry.house_net
        sums.jackpot_net += entry.jackpot_net

    def _sums(self, game: str) -> _Sums:
        return self._games.setdefault(game, _Sums())

    def view(self) -> list[dict[str, Any]]:
        """A row for every game that has any, by name.

        Without a player, ``net``, ``house_net`` and ``jackpot_net`` sum to 0. With one the last two are None:
        it is with the whole table that the house plays.
        """
        whole = self.period.player is None
        return [
            {
                "game": game,
                "rounds": sums.rounds,
                "voids": sums.voids,
                "staked": sums.staked,
                "returned": sums.returned,
                "net": sums.returned - sums.staked,
                "house_net": sums.house_net if whole else None,
                "jackpot_net": sums.jackpot_net if whole else None,
            }
            for game, sums in sorted(self._games.items())
        ]


def _seats_of(session: Session, player: str) -> frozenset[int]:
    return frozenset(seat for seat, one in enumerate(session.players or (), start=1) if one == player)


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where a report goes on: in a session at an entry, then with the sessions that are older than it."""

    until: Millis
    started: Millis
    session_id: str = ""
    position: int = 0


async def rounds_report(store: SessionStore, operator: str, asked: Period, now: Millis) -> dict[str, Any]:
    """A page of the report that *operator* asks for at *now*.

    Raises ``InvalidRequest`` for an ``after`` that is none of this report's, and for a period that ends
    before it begins.
    """
    if asked.since is not None and asked.until is not None and asked.until < asked.since:
        raise InvalidRequest.of("/to", "lies before the beginning of the period")
    question = _question(operator, asked)
    until = now if asked.until is None else asked.until
    begin = _Cursor(until, until) if asked.after is None else _cursor(asked.after, question)
    tally = Tally(Period(asked.since, begin.until, asked.player))
    reached = begin
    following: _Cursor | None = None
    walked = read = 0
    async with aclosing(_sessions(store, operator, begin)) as sessions:
        async for session, begun in sessions:
            if walked == asked.limit or read >= MAX_ENTRIES:
                following = reached
                break
            walked += session.id != begin.session_id
            end = session.ledger_length
            position = begun if tally.concerns(session) else end
            while position < end and read < MAX_ENTRIES:
                stop = min(position + _ENTRIES_AT_ONCE, end)
                tally.add(session, await store.ledger(session.id, position, stop))
                read += stop - position
                position = stop
            reached = _Cursor(begin.until, session.created_at, session.id, position)
            if position < end:
                following = reached
                break
    return {
        "from": None if asked.since is None else rfc3339(asked.since),
        "to": rfc3339(begin.until),
        "player": asked.player,
        "games": tally.view(),
        "next_after": None if following is None else _text(following, question),
    }


async def _sessions(
    store: SessionStore, operator: str, begin: _Cursor
) -> AsyncGenerator[tuple[Session, int], None]:
    """The session that *begin* is in, with the entry to go on at, and from the first those older than it."""
    started, session_id = begin.started, begin.session_id
    if session_id:
        session = (await store.load(session_id)).session
        if session is not None and session.operator == operator:
            yield session, begin.position
    while batch := await store.sessions_before(operator, started, session_id, _SESSIONS_AT_ONCE):
        for session in batch:
            yield session, 0
        started, session_id = batch[-1].created_at, batch[-1].id


def _question(operator: str, asked: Period) -> str:
    """A digest of what the pages of one report have in common."""
    text = msgspec.json.encode((operator, asked.since, asked.until, asked.player))
    return hashlib.sha256(text).hexdigest()[:16]


def _text(cursor: _Cursor, question: str) -> str:
    text = f"{cursor.until}.{cursor.started}.{cursor.position}.{question}.{cursor.session_id}"
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _cursor(text: str, question: str) -> _Cursor:
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except ValueError:
        raw = ""
    match = _CURSOR.fullmatch(raw)
    if match is None:
        raise InvalidRequest.of("/after", "not a cursor of a report")
    until, started, position, asked, session_id = match.groups()
    if asked != question:
        raise InvalidRequest.of("/after", "belongs to a report of another period or player")
    return _Cursor(int(until), int(started), session_id, int(position))
