"""The pure steps of a session: a session in, a new one out, with what the commit has to carry."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from croupier.rules.actions import Action, Check, Fold
from croupier.rules.cards import Card
from croupier.rules.game import Chair, SideBets, Transition
from croupier.rules.game import IllegalAction as RulesIllegalAction
from croupier.rules.game import InvalidOption as RulesInvalidOption
from croupier.rules.game import NotEnoughSeats as RulesNotEnoughSeats
from croupier.rules.game import NotYourTurn as RulesNotYourTurn
from croupier.rules.registry import GAMES
from croupier.sessions import fairness, ledger
from croupier.sessions.errors import (
    IllegalAction,
    InvalidRequest,
    NoRound,
    NotEnoughSeats,
    NotFound,
    NotYourTurn,
    RoundInProgress,
    SessionFinished,
    StaleVersion,
)
from croupier.sessions.replay import outcome, remember
from croupier.sessions.requests import Deal, Decide, Start
from croupier.sessions.session import DecidedBy, Decision, Millis, Round, Seat, Session
from croupier.sessions.settle import Now, Step, settled, voided
from croupier.sessions.views import options_view

# ── The use cases ────────────────────────────────────────────────────────────────────────────────────────


def start(session_id: str, operator: str, request: Start, now: Now) -> Step:
    """A new session at version 1."""
    game = GAMES[request.game]
    session = Session(
        id=session_id,
        operator=operator,
        game=request.game,
        options=request.options,
        created_at=now.at,
        changed_at=now.at,
        next_seed=now.seed,
        seats=tuple(Seat(chair.seat, stack=chair.stack) for chair in game.chairs(request.options)),
        version=1,
        metadata=request.metadata,
        players=request.players,
        advice=request.advice,
        decision_seconds=request.decision_seconds,
        sandbox=request.sandbox,
    )
    seats = [
        {"seat": seat.seat} | ({} if seat.stack is None else {"stack": seat.stack}) for seat in session.seats
    ]
    session, entry = ledger.append(
        session,
        now.at,
        "session_started",
        game=session.game,
        options=options_view(session),
        sandbox=session.sandbox,
        seats=seats,
    )
    return Step(session, ("session_started",), (entry,))


def deal(session: Session, request: Deal, now: Now) -> Step:
    """The next round, dealt; settled at once where the rules leave nobody anything to decide."""
    _must_be_open(session)
    _guard(session, request.version, None)
    if session.round is not None and session.round.open:
        raise _refuse_open_round(session, "Decide it, or void it as the operator, before the next deal.")
    chairs = _chairs(session, request)
    game = GAMES[session.game]
    try:
        table = game.table(session.options, chairs, session.button_from)
    except RulesNotEnoughSeats as refused:
        raise NotEnoughSeats(f"{refused}", version=session.version) from None
    latest = session.round
    again = latest is not None and latest.number == session.rounds_played + 1
    dealt = Round(
        number=session.rounds_played + 1,
        deal=latest.deal + 1 if again and latest is not None else 1,
        table=table,
        server_seed=session.next_seed,
        client_seed=_client_seed(session, request.client_seed or "", table.seats),
        dealt_at=now.at,
        version=session.version + 1,
        side_bets=_side_bets(session, request, table.seats),
        script=_script(session, request),
        meter=now.meter,
    )
    session = replace(
        session,
        version=session.version + 1,
        changed_at=now.at,
        round=dealt,
        next_seed=now.seed,
        stacks_moved=False,
        seats=tuple(_without_client_seed(seat) for seat in session.seats),
    )
    try:
        reached = outcome(session, dealt)
    except RulesInvalidOption as refused:
        raise InvalidRequest.of(f"/{refused.field}", refused.reason) from None
    return _go_on(session, None, reached, now, ("round_dealt",))


def decide(session: Session, seat: int, request: Decide, now: Now) -> Step:
    """One seat's decision, and all it sets off."""
    _must_be_open(session)
    _guard(session, request.version, request.round)
    played = _open_round(session)
    before = outcome(session, played)
    session, reached = _decided(session, before, Decision(seat, request.action), now)
    return _go_on(session, before, reached, now, ("decided",))


def overdue(session: Session, now: Now) -> Step:
    """The clock's decision for every seat that had to decide: check if it may, else fold."""
    played = _open_round(session)
    before = outcome(session, played)
    late = GAMES[session.game].to_act(before.state)
    session, reached = _passed(_moved(session, now.at), before, late, "clock", now)
    return _go_on(session, before, reached, now, ("decided",))


def pass_away_turns(session: Session, now: Now, changes: tuple[str, ...]) -> Step:
    """The round gone on after a seat went away from it: its turn is passed if it has it."""
    reached = outcome(session, _open_round(session))
    return _go_on(session, reached, reached, now, changes)


def void(session: Session, number: int, reason: str, now: Now) -> Step:
    """Take the latest round back: stakes return, its net is reversed, its number is dealt again.

    A settled one only while it is the latest, the session is open and no seat has left or bought in since.
    """
    played = session.round
    if played is None or number > played.number or number < 1:
        raise NotFound(f"There is no round {number} in this session.")
    _must_be_open(session)
    if number != played.number:
        raise _refuse_void(session, f"Only the latest round, {played.number}, may be voided.")
    if played.void is not None:
        raise NoRound(f"Round {number} is voided already; deal it again.", version=session.version)
    if played.settled and session.stacks_moved:
        raise _refuse_void(session, "A seat has left or bought in since the round was settled.")
    return voided(session, played, reason, now)


def close(session: Session, now: Now, *, by: str, void_open: bool) -> Step:
    """End the session early; an open round is voided first where *void_open* allows, else it refuses."""
    _must_be_open(session)
    entries: tuple[bytes, ...] = ()
    changes: tuple[str, ...] = ()
    record, move = None, None
    if session.round is not None and session.round.open:
        if not void_open:
            raise _refuse_open_round(session, "Decide the round first: closing is no way out of a hand.")
        step = voided(session, session.round, "The session was closed.", now)
        session, entries, changes, record, move = (
            step.session,
            step.entries,
            step.changes,
            step.record,
            step.meter,
        )
    else:
        session = _moved(session, now.at)
    session, entry = ledger.append(replace(session, status="closed"), now.at, "session_closed", by=by)
    return Step(session, (*changes, "session_closed"), (*entries, entry), record, meter=move)


def abandoned(session: Session, now: Now) -> Step:
    """A session left idle: its open decisions are made as the clock would make them, then it is closed."""
    entries: tuple[bytes, ...] = ()
    changes: tuple[str, ...] = ()
    record, move, version = None, None, session.version + 1
    while session.status == "open" and session.round is not None and session.round.open:
        step = overdue(session, now)
        session = step.session
        entries, changes = (*entries, *step.entries), (*changes, *step.changes)
        record, move = step.record or record, step.meter or move
    if session.status == "open":
        step = close(session, now, by="idle", void_open=False)
        session = step.session
        entries, changes = (*entries, *step.entries), (*changes, *step.changes)
    session = replace(session, version=version, round=_at_version(session.round, version))
    return Step(session, tuple(dict.fromkeys(changes)), entries, _at_version(record, version), meter=move)


# ── What follows of itself ───────────────────────────────────────────────────────────────────────────────


def _go_on(
    session: Session,
    before: Transition[Any] | None,
    reached: Transition[Any],
    now: Now,
    changes: tuple[str, ...],
) -> Step:
    """Pass the turns of seats that are away, then open the next stage or settle."""
    game = GAMES[session.game]
    played = _open_round(session)
    while away := [seat for seat in game.to_act(reached.state) if seat in played.away]:
        session, reached = _passed(session, reached, away[:1], "away", now)
        played = _open_round(session)
    if reached.settlement is not None:
        return settled(session, played, reached.settlement, reached.meter, now, changes)
    new_turn = before is None or _new_turn(game, before.state, reached.state)
    if before is not None and _stage(before.state) != _stage(reached.state):
        changes = (*changes, "stage_opened")
    if new_turn and session.decision_seconds is not None:
        deadline = now.at + session.decision_seconds * 1000
        session = replace(session, round=replace(played, deadline=deadline))
    return Step(session, changes)


def _new_turn(game: Any, before: Any, after: Any) -> bool:
    """Whether somebody is asked who was not asked before: a new stage, or the turn has passed on."""
    return _stage(before) != _stage(after) or not set(game.to_act(after)) <= set(game.to_act(before))


def _stage(state: Any) -> str:
    stage: str = state.stage
    return stage


def _passed(
    session: Session, reached: Transition[Any], seats: Iterable[int], by: DecidedBy, now: Now
) -> tuple[Session, Transition[Any]]:
    """Check for each of *seats* if it may, else fold."""
    game = GAMES[session.game]
    for seat in seats:
        legal = {action.type for action in game.legal_actions(reached.state, seat)}
        if not legal:
            continue
        action: Action = Check() if "check" in legal else Fold()
        session, reached = _decided(session, reached, Decision(seat, action, by), now, move=False)
    return session, reached


def _decided(
    session: Session, before: Transition[Any], decision: Decision, now: Now, *, move: bool = True
) -> tuple[Session, Transition[Any]]:
    """The session with one more decision in its round, and what the rules make of it."""
    played = _open_round(session)
    game = GAMES[session.game]
    try:
        reached = game.decide(before.state, decision.seat, decision.action, now.meter)
    except RulesNotYourTurn as refused:
        raise NotYourTurn(
            f"Seat {refused.seat} has nothing to decide now; to act: {_listed(refused.to_act)}.",
            legal_actions=(),
            version=session.version,
        ) from None
    except RulesIllegalAction as refused:
        raise IllegalAction(refused.reason, legal_actions=refused.legal, version=session.version) from None
    if reached.meter is not None:
        decision = replace(decision, meter=now.meter)
    version = session.version + move
    grown = replace(played, decisions=(*played.decisions, decision), version=version)
    remember(session, grown, reached)
    return replace(session, version=version, changed_at=now.at, round=grown), reached


# ── Conditions ───────────────────────────────────────────────────────────────────────────────────────────


def _must_be_open(session: Session) -> None:
    if session.status != "open":
        raise SessionFinished(f"The session is {session.status}; start another.", version=session.version)


def _guard(session: Session, version: int | None, number: int | None) -> None:
    """Refuse a request that was made for another version or another round than the present one."""
    if version is not None and version != session.version:
        raise StaleVersion(
            f"The session is at version {session.version}, not {version}; read it and decide anew.",
            version=session.version,
        )
    present = session.round.number if session.round is not None else None
    if number is not None and number != present:
        raise StaleVersion(
            f"The present round is {present}, not {number}; read the session and decide anew.",
            version=session.version,
        )


def _open_round(session: Session) -> Round:
    if session.round is None or not session.round.open:
        raise NoRound("No round is open; deal one.", version=session.version)
    return session.round


def _refuse_open_round(session: Session, advice: str) -> RoundInProgress:
    number = session.round.number if session.round is not None else 0
    return RoundInProgress(f"Round {number} is still open. {advice}", version=session.version)


def _refuse_void(session: Session, why: str) -> IllegalAction:
    return IllegalAction(why, legal_actions=(), version=session.version)


def _moved(session: Session, at: Millis) -> Session:
    """The session one version on."""
    return replace(session, version=session.version + 1, changed_at=at)


def _at_version(played: Round | None, version: int) -> Round | None:
    return None if played is None else replace(played, version=version)


def _listed(seats: Sequence[int]) -> str:
    return ", ".join(map(str, seats)) or "nobody"


def _chairs(session: Session, request: Deal) -> tuple[Chair, ...]:
    """The seats that want cards. Raises ``InvalidRequest`` for a seat to sit out that does not exist."""
    for position, seat in enumerate(request.sit_out):
        if seat > len(session.seats):
            raise InvalidRequest.of(
                f"/sit_out/{position}", f"the session has seats 1 to {len(session.seats)}"
            )
    return tuple(
        Chair(seat.seat, seat.stack)
        for seat in session.seats
        if seat.status == "playing" and seat.seat not in request.sit_out
    )


def _side_bets(session: Session, request: Deal, dealt: Sequence[int]) -> tuple[SideBets, ...]:
    """The side bets, each by a seat that is dealt in."""
    for position, bet in enumerate(request.bets):
        if bet.seat not in dealt:
            raise InvalidRequest.of(f"/bets/{position}/seat", f"seats dealt in: {_listed(dealt)}")
    return request.bets


def _script(session: Session, request: Deal) -> tuple[Card, ...] | None:
    if request.deck is not None and not session.sandbox:
        raise InvalidRequest.of("/deck", "only a session started with sandbox true takes a deck")
    return request.deck


def _without_client_seed(seat: Seat) -> Seat:
    return seat if seat.client_seed is None else replace(seat, client_seed=None)


def _client_seed(session: Session, text: str, dealt: Sequence[int]) -> str:
    parts = [
        (seat.seat, seat.client_seed)
        for seat in session.seats
        if seat.client_seed is not None and seat.seat in dealt
    ]
    return fairness.client_seed(text, parts)
