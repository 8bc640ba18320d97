"""The auditor: does a session's ledger follow from its seeds and decisions, entry by entry?

Every round is dealt again from its seed and settled again by the rules; the hash chain, the running balances
and the totals are worked out anew. Nothing here trusts what was written when the round was played.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from croupier.rules.game import Chair, RuleViolation, Settlement
from croupier.rules.registry import GAMES
from croupier.sessions import ledger
from croupier.sessions.fairness import commitment
from croupier.sessions.replay import outcome_anew
from croupier.sessions.session import Round, Session, Status, Totals
from croupier.sessions.views import posting_view


@dataclass(slots=True)
class _Books:
    """What the entries so far come to."""

    balances: dict[int, int]
    stacks: dict[int, int | None]
    totals: dict[int, dict[str, int]]
    house_net: int = 0
    rounds: int = 0
    status: Status = "open"
    result: str | int | None = None
    seen: set[tuple[int, int]] = field(default_factory=set)

    def post(self, row: Mapping[str, Any], sign: int, bets: Sequence[Mapping[str, Any]]) -> None:
        """A seat's row of a settled round (*sign* 1) or of a voided one (−1: its net is reversed already)."""
        self.balances[row["seat"]] += row["net"]
        self.bring(row["seat"], row["net"])
        net, totals = sign * row["net"], self.totals[row["seat"]]
        totals["rounds"] += sign
        totals["won" if net > 0 else "lost" if net < 0 else "tied"] += sign
        totals["staked"] += sign * sum(bet["staked"] for bet in bets)
        totals["returned"] += sign * sum(bet["returned"] for bet in bets)

    def bring(self, seat: int, chips: int) -> None:
        """Add *chips* to the stack of a seat that has one."""
        stack = self.stacks[seat]
        self.stacks[seat] = None if stack is None else stack + chips

    def differ(self, row: Mapping[str, Any]) -> Iterator[str]:
        """Say where a row about a seat has another balance or stack than the books."""
        for name, kept in (("balance", self.balances), ("stack", self.stacks)):
            if name in row and row[name] != kept[row["seat"]]:
                yield f"seat {row['seat']} has a {name} of {row[name]}, not {kept[row['seat']]}"


def findings(session: Session, entries: Sequence[bytes], rounds: Sequence[Round]) -> list[str]:
    """What is wrong, each in a sentence; empty where everything is right.

    *entries* are the whole ledger as it is kept, *rounds* the whole archive in its order.
    """
    archive = {(played.number, played.deal): played for played in rounds}
    books = _Books(
        {seat.seat: 0 for seat in session.seats},
        {chair.seat: chair.stack for chair in GAMES[session.game].chairs(session.options)},
        {seat.seat: dict.fromkeys(Totals.__dataclass_fields__, 0) for seat in session.seats},
    )
    found = list(_chain(session, entries))
    for seq, kept in enumerate(entries, start=1):
        try:
            entry = json.loads(ledger.split(kept)[1])
            found += [f"entry {seq}: {what}" for what in _entry(session, entry, archive, books)]
        except (ValueError, KeyError, TypeError) as unreadable:
            found.append(f"entry {seq} cannot be read: {unreadable!r}")
    found += (
        f"round {number}, deal {deal} is archived but stands in no entry"
        for number, deal in sorted(archive.keys() - books.seen)
    )
    return found + list(_sums(session, books))


def _chain(session: Session, entries: Sequence[bytes]) -> Iterator[str]:
    previous = ledger.GENESIS
    for seq, kept in enumerate(entries, start=1):
        digest, text = ledger.split(kept)
        with suppress(ValueError, KeyError, TypeError):
            entry = json.loads(text)
            if entry["seq"] != seq:
                yield f"entry {seq} says that it is entry {entry['seq']}"
            if ledger.canonical(entry) != text:
                yield f"entry {seq} is not canonical JSON"
        if ledger.chained(previous, text) != digest:
            yield f"entry {seq} does not follow from the one before it: its hash differs"
        previous = digest
    if (len(entries), previous) != (session.ledger_length, session.ledger_hash):
        yield f"the ledger's {len(entries)} entries do not end where the session's {session.ledger_length} do"


def _entry(
    session: Session, entry: Mapping[str, Any], archive: Mapping[tuple[int, int], Round], books: _Books
) -> Iterator[str]:
    """One entry against what the rules and the books say."""
    match entry["type"]:
        case "round_settled" | "round_voided":
            yield from _round(session, entry, archive, books)
        case "session_started":
            for row in entry["seats"]:
                yield from books.differ(row)
        case "rebuy":
            books.bring(entry["seat"], entry["amount"])
            yield from books.differ(entry)
        case "left":
            yield from books.differ(entry)
            books.bring(entry["seat"], -(books.stacks[entry["seat"]] or 0))
        case "session_finished":
            books.status = "finished"
            chairs = [Chair(seat, stack) for seat, stack in books.stacks.items()]
            over = GAMES[session.game].result(
                session.options, chairs, [*books.balances.values()], books.rounds
            )
            if over is None:
                yield "by the rules the session is not over"
                return
            books.result = over.result
            if entry["result"] != over.result:
                yield f"it gives the session to {entry['result']}, the rules to {over.result}"
        case "session_closed":
            books.status = "closed"


def _round(
    session: Session, entry: Mapping[str, Any], archive: Mapping[tuple[int, int], Round], books: _Books
) -> Iterator[str]:
    """One entry about a round against the round itself."""
    place = (entry["round"], entry["deal"])
    played = archive.get(place)
    if played is None:
        yield f"round {place[0]}, deal {place[1]} is not in the archive"
        return
    books.seen.add(place)
    books.house_net += entry["house_net"]
    try:
        settlement = outcome_anew(session, played).settlement
    except RuleViolation as refused:
        yield f"the rules refuse its decisions: {refused}"
        return
    if entry["type"] == "round_settled":
        yield from _settled(entry, settlement, books)
    else:
        yield from _voided(entry, played, settlement, books)
    for row in entry["seats"]:
        yield from books.differ(row)


def _settled(entry: Mapping[str, Any], settlement: Settlement | None, books: _Books) -> Iterator[str]:
    books.rounds += 1
    for row in entry["seats"]:
        books.post(row, 1, row["bets"])
    if settlement is None:
        yield "its decisions do not end the round"
        return
    due = [
        {"seat": row.seat, "bets": [posting_view(bet) for bet in row.bets], "net": row.net}
        for row in settlement.seats
    ]
    if [{name: row[name] for name in ("seat", "bets", "net")} for row in entry["seats"]] != due:
        yield "the rules pay otherwise"
    if (entry["house_net"], entry.get("jackpot_net")) != (settlement.house_net, settlement.jackpot_net):
        yield "the rules give the house otherwise"


def _voided(
    entry: Mapping[str, Any], played: Round, settlement: Settlement | None, books: _Books
) -> Iterator[str]:
    if played.void is None:
        yield "the round is not voided in the archive"
        return
    if entry["commitment"] != commitment(played.server_seed):
        yield "its commitment is not that of the round's seed"
    undone = settlement if played.void.was_settled else None
    due = {row.seat: -row.net for row in undone.seats} if undone else {}
    if {row["seat"]: row["net"] for row in entry["seats"]} != due:
        yield "it does not reverse what the rules had paid"
    if undone is None:
        return
    books.rounds -= 1
    bets = {row.seat: [posting_view(bet) for bet in row.bets] for row in undone.seats}
    for row in entry["seats"]:
        books.post(row, -1, bets[row["seat"]])


def _sums(session: Session, books: _Books) -> Iterator[str]:
    """The session's own figures against the books."""
    for seat in session.seats:
        if seat.balance != books.balances[seat.seat]:
            yield f"seat {seat.seat} has a balance of {seat.balance}, its entries {books.balances[seat.seat]}"
        if seat.stack != books.stacks[seat.seat]:
            yield f"seat {seat.seat} has a stack of {seat.stack}, its entries {books.stacks[seat.seat]}"
        totals = {name: getattr(seat.totals, name) for name in Totals.__dataclass_fields__}
        if totals != books.totals[seat.seat]:
            yield f"seat {seat.seat} has other totals than its entries"
    if session.house_net != books.house_net:
        yield f"the house's net is {session.house_net}, its entries' {books.house_net}"
    if session.rounds_played != books.rounds:
        yield f"{session.rounds_played} rounds were counted, the entries have {books.rounds}"
    if (session.status, session.result) != (books.status, books.result):
        yield (
            f"the session is {session.status} with {session.result} for its result, by its entries "
            f"{books.status} with {books.result}"
        )
