"""What each caller may see: the one place that hides cards and seeds.

Everything shown of a session passes through here, as plain values ready for JSON. Cards come from the rules'
own ``view``, which gives a seat its own hand only; seeds are shown when their time has come, never before.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

from croupier.locales import describe
from croupier.rules.actions import LegalAction
from croupier.rules.cards import texts
from croupier.rules.game import Meter, Posting, Pot, RoundView, SeatView, Settlement
from croupier.rules.hands import Hand
from croupier.rules.registry import GAMES
from croupier.sessions.fairness import commitment
from croupier.sessions.ledger import rfc3339
from croupier.sessions.replay import outcome
from croupier.sessions.session import Round, Seat, Session

Json: TypeAlias = dict[str, Any]


def session_view(session: Session, seat: int | None, locale: str, *, operator: bool = False) -> Json:
    """The whole position as *seat*, or with None a bystander, may see it: enough to reconnect with.

    The references of ``players`` are shown to the operator alone.
    """
    latest = session.round
    return {
        "id": session.id,
        "game": session.game,
        "status": session.status,
        "options": options_view(session),
        "version": session.version,
        "rounds_played": session.rounds_played,
        "seats": [
            {"seat": one.seat, "status": one.status, "balance": one.balance}
            | ({} if one.stack is None else {"stack": _live_stack(session, one.seat, one.stack)})
            for one in session.seats
        ],
        "round": None if latest is None else round_view(session, latest, seat, locale),
        "next_commitment": _next_commitment(session),
        "result": session.result,
        "created_at": rfc3339(session.created_at),
        "sandbox": session.sandbox,
        "metadata": dict(session.metadata),
    } | ({"players": session.players} if operator and session.players is not None else {})


def event_view(
    session: Session, changes: Sequence[str], seat: int | None, locale: str, *, operator: bool = False
) -> Json:
    """What happened at *session*'s version, and the whole position that it made, as *seat* may see it.

    No *changes*: the position is told, not what led to it.
    """
    shown = session_view(session, seat, locale, operator=operator)
    return {"version": session.version, "changes": list(changes), "session": shown}


def options_view(session: Session) -> Json:
    """The options a session plays by: the game's own, and those common to all games."""
    own = {name: getattr(session.options, name) for name in session.options.__dataclass_fields__}
    return own | {"decision_seconds": session.decision_seconds, "advice": session.advice}


def round_view(session: Session, played: Round, seat: int | None, locale: str) -> Json:
    """One deal of a round as *seat*, or with None a bystander, may see it."""
    reached = outcome(session, played)
    view = GAMES[session.game].view(reached.state, seat)
    is_open = played.open
    latest = session.round
    shown: Json = {
        "game": session.game,
        "number": played.number,
        "deal": played.deal,
        "version": session.version if latest is not None and _same(latest, played) else played.version,
        "stage": "voided" if played.void else view.stage,
        "board": texts(view.board),
        "seats": _seats(session, played, view),
        "to_act": list(view.to_act) if is_open else [],
        "legal_actions": [legal_view(action) for action in view.legal_actions] if is_open else [],
        "deadline": None if played.deadline is None or not is_open else rfc3339(played.deadline),
        "settlement": None
        if view.settlement is None or played.void
        else settlement_view(view.settlement, locale),
        "next_commitment": _next_commitment(session),
        "fairness": {
            "commitment": commitment(played.server_seed),
            "client_seed": played.client_seed,
            "server_seed": played.server_seed.hex() if _revealed(session, played) else None,
            "scripted": played.script is not None,
        },
    }
    if view.dealer is not None:
        hole, hand = view.dealer.hole, view.dealer.hand
        shown["dealer"] = {"hole": None if hole is None else texts(hole), "hand": hand_view(hand, locale)}
    if view.betting is not None:
        shown["button"] = view.betting.button
        shown["current_bet"] = view.betting.current_bet
        shown["pots"] = [_pot(pot, settled=False) for pot in view.betting.pots]
    clocked = [one.seat for one in played.decisions if one.by == "clock"]
    if clocked:
        shown["clocked"] = clocked
    if played.void is not None:
        shown["void"] = {"reason": played.void.reason, "at": rfc3339(played.void.at)}
    return shown


def legal_view(action: LegalAction) -> Json:
    """A legal action with its amounts."""
    fields = ("type", "multiple", "amount", "min_to", "max_to")
    return {name: getattr(action, name) for name in fields if hasattr(action, name)}


def settlement_view(settlement: Settlement, locale: str) -> Json:
    """A settled round's lines, by seat."""
    shown: Json = {
        "seats": [
            {
                "seat": row.seat,
                "hand": hand_view(row.hand, locale),
                "bets": [posting_view(posting) for posting in row.bets],
                "net": row.net,
            }
            for row in settlement.seats
        ],
        "house_net": settlement.house_net,
    }
    if settlement.dealer is not None:
        shown["dealer"] = {
            "qualified": settlement.dealer.qualified,
            "hand": hand_view(settlement.dealer.hand, locale),
        }
    if settlement.pots is not None:
        shown["pots"] = [_pot(pot, settled=True) for pot in settlement.pots]
    if settlement.jackpot_net is not None:
        shown["jackpot_net"] = settlement.jackpot_net
    return shown


def posting_view(posting: Posting) -> Json:
    """One settled bet."""
    return {
        "bet": posting.bet,
        "staked": posting.staked,
        "returned": posting.returned,
        "net": posting.net,
        "outcome": posting.outcome,
        "odds": posting.odds,
    }


def totals_view(seat: Seat) -> Json:
    """What one seat's counted rounds come to."""
    totals = seat.totals
    return {
        "seat": seat.seat,
        "rounds": totals.rounds,
        "won": totals.won,
        "lost": totals.lost,
        "tied": totals.tied,
        "staked": totals.staked,
        "returned": totals.returned,
        "net": totals.returned - totals.staked,
    }


def meter_view(meter: Meter) -> Json:
    """An operator's progressive meter; ``hundredths`` are of a unit, so that nothing is rounded."""
    return {
        "game": "ultimate-texas-holdem",
        "bet": "trips",
        "hundredths": meter.hundredths,
        "amount": meter.hundredths // 100,
        "stake": meter.stake,
        "contribution_percent": meter.contribution,
        "seed_amount": meter.seed_amount,
    }


def hand_view(hand: Hand | None, locale: str) -> Json | None:
    """A hand's category, best five cards and description."""
    if hand is None:
        return None
    return {"category": hand.category, "cards": texts(hand.cards), "description": describe(hand, locale)}


def _seats(session: Session, played: Round, view: RoundView) -> list[Json]:
    """Every seat of the session; those that were not dealt in as sitting out."""
    dealt = {one.seat: _seat(one, played) for one in view.seats}
    stacked = view.betting is not None
    return [dealt.get(one.seat) or _absent(one.seat, one.stack if stacked else None) for one in session.seats]


def _seat(one: SeatView, played: Round) -> Json:
    shown: Json = {
        "seat": one.seat,
        "hole": None if one.hole is None else texts(one.hole),
        "bets": dict(one.bets),
        "state": "waiting" if played.void and one.state == "deciding" else one.state,
    }
    if one.stack is not None:
        shown["street_bet"], shown["stack"] = one.street_bet, one.stack
    return shown


def _absent(seat: int, stack: int | None) -> Json:
    shown: Json = {"seat": seat, "hole": None, "bets": {}, "state": "sitting_out"}
    if stack is not None:
        shown["street_bet"], shown["stack"] = 0, stack
    return shown


def _pot(pot: Pot, *, settled: bool) -> Json:
    shown: Json = {"amount": pot.amount, "seats": list(pot.seats)}
    if settled:
        shown["winners"] = [{"seat": share.seat, "amount": share.amount} for share in pot.winners]
    return shown


def _live_stack(session: Session, seat: int, between: int) -> int:
    """A no-limit stack as it is now: while a round is open, what its bets have left of it."""
    if session.round is None or not session.round.open:
        return between
    view = GAMES[session.game].view(outcome(session, session.round).state, None)
    return next((one.stack for one in view.seats if one.seat == seat and one.stack is not None), between)


def _same(one: Round, other: Round) -> bool:
    return (one.number, one.deal) == (other.number, other.deal)


def _revealed(session: Session, played: Round) -> bool:
    """House games: once settled or voided. No-limit: when the session ends, for a seed shows folded hands."""
    if played.open:
        return False
    return session.status != "open" or not GAMES[session.game].private_seeds


def _next_commitment(session: Session) -> str | None:
    return commitment(session.next_seed) if session.status == "open" else None
