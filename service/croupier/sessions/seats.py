"""What a seat may do besides deciding: sit out and in, leave, buy in again, set its seed, renew its token."""

from dataclasses import replace

from croupier.rules.actions import LegalAction
from croupier.sessions import ledger, play
from croupier.sessions.errors import IllegalAction, InvalidRequest, NotFound, RoundInProgress, SessionFinished
from croupier.sessions.requests import SeatChange
from croupier.sessions.session import Seat, Session
from croupier.sessions.settle import Now, Step, cash_out, finish

NO_ACTIONS: tuple[LegalAction, ...] = ()


def change(session: Session, number: int, request: SeatChange, now: Now) -> Step:
    """Do what *request* says for seat *number*.

    Raises ``NotFound`` for a seat that does not exist, ``SessionFinished``, ``RoundInProgress`` for a rebuy
    in the middle of a hand, and ``IllegalAction`` for what the seat may not do now.
    """
    if session.status != "open":
        raise SessionFinished(f"The session is {session.status}; start another.", version=session.version)
    if not 1 <= number <= len(session.seats):
        raise NotFound(f"There is no seat {number}; the session has seats 1 to {len(session.seats)}.")
    seat = session.seats[number - 1]
    if seat.status == "left" and request.do != "new_token":
        raise _refused(f"Seat {number} has left and does not come back.")
    # In the middle of a round this is no sign of life, or a seat could put off a losing hand for ever: only a
    # decision is one.
    waiting = session.round is not None and session.round.open
    changed_at = session.changed_at if waiting else now.at
    session = replace(session, version=session.version + 1, changed_at=changed_at)
    match request:
        case SeatChange("sit_out"):
            return _away(_with(session, _sitting(seat, "playing", "sitting_out")), number, now)
        case SeatChange("sit_in"):
            return Step(_with(session, _sitting(seat, "sitting_out", "playing")), ("seat_changed",))
        case SeatChange("leave"):
            return _left(session, seat, now)
        case SeatChange("rebuy", amount=int(amount)):
            return _rebought(session, seat, amount, now)
        case SeatChange("client_seed", value=str(value)):
            return Step(_with(session, replace(seat, client_seed=value)), ("seat_changed",))
        case SeatChange("new_token"):
            return Step(_with(session, replace(seat, generation=seat.generation + 1)), ("seat_changed",))
        case _:
            field = "amount" if request.do == "rebuy" else "value"
            raise InvalidRequest.of(f"/{field}", f"goes with {request.do}")


def _sitting(seat: Seat, have: str, want: str) -> Seat:
    if seat.status != have:
        raise _refused(f"Seat {seat.seat} is {seat.status.replace('_', ' ')}, not {have}.")
    return replace(seat, status="playing" if want == "playing" else "sitting_out")


def _left(session: Session, seat: Seat, now: Now) -> Step:
    """Leave for good: at once between rounds; in the middle of one its chips stay in until the round ends."""
    if session.round is not None and session.round.open and seat.seat in session.round.table.seats:
        return _away(_with(session, replace(seat, status="left")), seat.seat, now)
    session, entry = cash_out(replace(session, stacks_moved=True), seat, now.at)
    session, finished = finish(session, now)
    changes = ("seat_changed", "session_finished") if finished else ("seat_changed",)
    return Step(session, changes, (entry, *finished))


def _away(session: Session, number: int, now: Now) -> Step:
    """From now on the seat's turns in the open round are passed, this one too if it has it."""
    played = session.round
    if played is None or not played.open or number not in played.table.seats or number in played.away:
        return Step(session, ("seat_changed",))
    session = replace(session, round=replace(played, away=(*played.away, number), version=session.version))
    return play.pass_away_turns(session, now, ("seat_changed",))


def _rebought(session: Session, seat: Seat, amount: int, now: Now) -> Step:
    """Buy chips between hands, up to the table's buy-in."""
    options = session.options
    if seat.stack is None or not options.rebuys:
        raise _refused("This session takes no rebuys.")
    if session.round is not None and session.round.open:
        raise RoundInProgress("Chips are bought between hands.")
    room = options.buy_in - seat.stack
    if amount > room:
        raise _refused(f"A rebuy may bring seat {seat.seat} up to {options.buy_in}: {room} at most.")
    stack = seat.stack + amount
    status = "playing" if seat.status == "busted" else seat.status
    session = replace(
        _with(session, replace(seat, stack=stack, status=status)),
        stacks_moved=True,
    )
    session, entry = ledger.append(session, now.at, "rebuy", seat=seat.seat, amount=amount, stack=stack)
    return Step(session, ("seat_changed",), (entry,))


def _with(session: Session, seat: Seat) -> Session:
    seats = tuple(seat if one.seat == seat.seat else one for one in session.seats)
    return replace(session, seats=seats)


def _refused(why: str) -> IllegalAction:
    return IllegalAction(why, legal_actions=NO_ACTIONS)
