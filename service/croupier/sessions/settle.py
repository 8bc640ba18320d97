"""Settling and taking back: what a round does to the seats, the house, the meter and the ledger."""

from dataclasses import dataclass, replace
from typing import Any

from croupier.rules.game import Chair, Meter, SeatSettlement, Settlement, Transition
from croupier.rules.registry import GAMES
from croupier.sessions import fairness, ledger
from croupier.sessions.ports import MeterMove
from croupier.sessions.replay import outcome
from croupier.sessions.session import Millis, Round, Seat, Session, Totals, Void
from croupier.sessions.views import posting_view


@dataclass(frozen=True, slots=True)
class Now:
    """What a step may know of the world: the time, fresh entropy for a seed, and the operator's meter.

    ``meter_written`` is the meter's hundredths in the store, None where it was never written.
    """

    at: Millis
    seed: bytes
    meter: Meter | None = None
    meter_written: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """An accepted step: the session after it, its new ledger entries, what changed, the round to archive."""

    session: Session
    changes: tuple[str, ...]
    entries: tuple[bytes, ...] = ()
    record: Round | None = None
    record_replaces: bool = False
    meter: MeterMove | None = None


def settled(
    session: Session,
    played: Round,
    settlement: Settlement,
    meter: int | None,
    now: Now,
    changes: tuple[str, ...],
) -> Step:
    """Post the settlement to the seats, the house and the ledger; finish the session if it was the last.

    *meter* is the operator's meter after the settlement, in hundredths; None where the round has none.
    """
    played = replace(played, settled=True, deadline=None)
    button = session.button_from if played.table.button is None else played.table.button + 1
    seats = posted(session.seats, settlement, 1)
    jackpot = {} if settlement.jackpot_net is None else {"jackpot_net": settlement.jackpot_net}
    head, entry = ledger.entry(
        session,
        now.at,
        "round_settled",
        round=played.number,
        deal=played.deal,
        seats=[_ledger_row(seats[row.seat - 1], row) for row in settlement.seats],
        house_net=settlement.house_net,
        **jackpot,
    )
    session = replace(
        session,
        round=played,
        rounds_played=session.rounds_played + 1,
        house_net=session.house_net + settlement.house_net,
        button_from=button,
        seats=seats,
        **head,
    )
    changes = (*changes, "round_settled")
    session, left = cash_out_leavers(session, played, now)
    session, finished = finish(session, now)
    if finished:
        changes = (*changes, "session_finished")
    move = None if meter is None else MeterMove(now.meter_written, meter)
    return Step(session, changes, (entry, *left, *finished), played, meter=move)


def _ledger_row(seat: Seat, row: SeatSettlement) -> dict[str, Any]:
    shown = {
        "seat": row.seat,
        "bets": [posting_view(posting) for posting in row.bets],
        "net": row.net,
        "balance": seat.balance,
    }
    return shown if seat.stack is None else shown | {"stack": seat.stack}


def posted(seats: tuple[Seat, ...], settlement: Settlement, sign: int) -> tuple[Seat, ...]:
    """The seats after a settlement (*sign* 1), or after its reversal (−1)."""
    rows = {row.seat: row for row in settlement.seats}
    return tuple(_post(seat, rows[seat.seat], sign) if seat.seat in rows else seat for seat in seats)


def _post(seat: Seat, row: SeatSettlement, sign: int) -> Seat:
    net, was = row.net, seat.totals
    totals = Totals(
        rounds=was.rounds + sign,
        won=was.won + sign * (net > 0),
        lost=was.lost + sign * (net < 0),
        tied=was.tied + sign * (net == 0),
        staked=was.staked + sign * sum(posting.staked for posting in row.bets),
        returned=was.returned + sign * sum(posting.returned for posting in row.bets),
    )
    stack = None if seat.stack is None else seat.stack + sign * net
    status = seat.status
    if stack == 0 and status in ("playing", "sitting_out"):
        status = "busted"
    elif stack and status == "busted":
        status = "playing"
    return replace(seat, status=status, balance=seat.balance + sign * net, stack=stack, totals=totals)


def cash_out_leavers(session: Session, played: Round, now: Now) -> tuple[Session, tuple[bytes, ...]]:
    """Seats that left while *played* was open are gone now that it is over, whatever they have left."""
    entries: list[bytes] = []
    for seat in session.seats:
        if seat.status == "left" and seat.seat in played.table.seats:
            session, entry = cash_out(session, seat, now.at)
            entries.append(entry)
    return session, tuple(entries)


def cash_out(session: Session, seat: Seat, at: Millis) -> tuple[Session, bytes]:
    """*seat* leaves with its stack (no-limit) and its balance stays in the books."""
    gone = replace(seat, status="left", stack=None if seat.stack is None else 0)
    seats = tuple(gone if one.seat == seat.seat else one for one in session.seats)
    taken = {} if seat.stack is None else {"stack": seat.stack}
    session = replace(session, seats=seats, stacks_moved=session.stacks_moved or seat.stack is not None)
    return ledger.append(session, at, "left", seat=seat.seat, balance=seat.balance, **taken)


def finish(session: Session, now: Now) -> tuple[Session, tuple[bytes, ...]]:
    """The session finished, where the game says that it is over."""
    game = GAMES[session.game]
    chairs = [Chair(seat.seat, seat.stack) for seat in session.seats]
    balances = [seat.balance for seat in session.seats]
    over = game.result(session.options, chairs, balances, session.rounds_played)
    if over is None:
        return session, ()
    session = replace(session, status="finished", result=over.result)
    session, entry = ledger.append(session, now.at, "session_finished", result=over.result)
    return session, (entry,)


def voided(session: Session, played: Round, reason: str, now: Now) -> Step:
    """*played*, the latest round, taken back: stakes return, and what it settled is reversed."""
    reached = outcome(session, played)
    undone = reached.settlement if played.settled else None
    taken_back = replace(
        played,
        void=Void(reason, now.at, was_settled=played.settled),
        deadline=None,
        version=session.version + 1,
    )
    session = replace(
        session,
        version=session.version + 1,
        changed_at=now.at,
        round=taken_back,
        voided=(*session.voided, played.number),
        button_from=played.table.button or session.button_from,
    )
    reversal: dict[str, Any] = {"seats": [], "house_net": 0}
    if undone is not None:
        session = replace(
            session,
            rounds_played=session.rounds_played - 1,
            house_net=session.house_net - undone.house_net,
            seats=posted(session.seats, undone, -1),
        )
        reversal["seats"] = [
            {"seat": row.seat, "net": -row.net, "balance": session.seats[row.seat - 1].balance}
            for row in undone.seats
        ]
        reversal["house_net"] = -undone.house_net
        if undone.jackpot_net is not None:
            reversal["jackpot_net"] = -undone.jackpot_net
    session, entry = ledger.append(
        session,
        now.at,
        "round_voided",
        round=played.number,
        deal=played.deal,
        commitment=fairness.commitment(played.server_seed),
        reason=reason,
        **reversal,
    )
    # Who left in a round that was settled has left with that settlement.
    session, left = cash_out_leavers(session, played, now) if undone is None else (session, ())
    session, finished = finish(session, now) if left else (session, ())
    return Step(
        session,
        ("round_voided", "session_finished") if finished else ("round_voided",),
        (entry, *left, *finished),
        taken_back,
        record_replaces=undone is not None,
        meter=_meter_back(reached, played, now) if undone is not None else None,
    )


def _meter_back(reached: Transition[Any], played: Round, now: Now) -> MeterMove | None:
    """The opposite of everything the round did to the operator's meter, done to the meter as it is now."""
    at_settlement = played.decisions[-1].meter if played.decisions else None
    if reached.meter is None or at_settlement is None or now.meter is None:
        return None
    return MeterMove(now.meter_written, now.meter.hundredths - (reached.meter - at_settlement.hundredths))
