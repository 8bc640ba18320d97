"""No-limit hands as text in the public PHH format, as far as a caller may see them.

PHH is TOML: a hand's stakes, stacks and actions, players numbered ``p1``, ``p2``, … from the button's left;
a ``.phhs`` file has a table a hand. :mod:`croupier.sessions.recorded` reads it.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from croupier.rules.actions import Action, AllIn, Bet, Fold, Raise
from croupier.rules.betting import Street
from croupier.rules.cards import Card, texts
from croupier.rules.no_limit_holdem import (
    BOARD_CARDS,
    NoLimitHoldem,
    NoLimitHoldemOptions,
    Playing,
    Settled,
    showdown_order,
)
from croupier.sessions.replay import deck
from croupier.sessions.session import Round, Session

GAME = NoLimitHoldem()
VARIANT = "NT"
STREETS = (3, 1, 1)
UNKNOWN = "????"


def phh(session: Session, played: Round, seat: int | None) -> str:
    """One deal of a no-limit session as *seat*, or with None a bystander, may see it.

    ``finishing_stacks`` are there once the hand is settled and not voided. An action that the seat did not
    take itself says who did.
    """
    options: NoLimitHoldemOptions = session.options
    state = GAME.deal(options, played.table, deck(session, played)).state
    dealt = state.dealt
    numbers = {holder: number for number, holder in enumerate(dealt.seats, start=1)}
    moves, shown = [], 0
    for decision in played.decisions:
        number = numbers[decision.seat]
        by = "" if decision.by == "seat" else f" # {decision.by}"
        moves.append(f"p{number} {_phh_action(state.street, number - 1, decision.action)}{by}")
        state = GAME.decide(state, decision.seat, decision.action).state
        if isinstance(state, Playing):
            moves += _board_lines(dealt.board, shown, BOARD_CARDS[state.stage])
            shown = BOARD_CARDS[state.stage]
    view = GAME.view(state, seat)
    holes = {one.seat: UNKNOWN if one.hole is None else "".join(texts(one.hole)) for one in view.seats}
    if isinstance(state, Settled):
        # Hands are opened before a run-out, and after the river's last action: then no card is left to come.
        moves += [f"p{numbers[holder]} sm {holes[holder]}" for holder in showdown_order(state)]
        moves += _board_lines(dealt.board, shown, BOARD_CARDS[state.stage])
    players = len(dealt.seats)
    at = datetime.fromtimestamp(played.dealt_at / 1000, UTC)
    fields: dict[str, Any] = {
        "variant": VARIANT,
        "ante_trimming_status": True,
        "antes": [options.ante] * players,
        "blinds_or_straddles": [options.small_blind, options.big_blind] + [0] * (players - 2),
        "min_bet": options.big_blind,
        "starting_stacks": list(dealt.stacks),
        "actions": [f"d dh p{numbers[holder]} {holes[holder]}" for holder in dealt.seats] + moves,
        "hand": played.number,
        "table": session.id,
        "seats": list(dealt.seats),
        "seat_count": len(session.seats),
        "players": [f"seat {holder}" for holder in dealt.seats],
        "year": at.year,
        "month": at.month,
        "day": at.day,
        "time_zone": "UTC",
    }
    if view.settlement is not None and played.void is None:
        after = {one.seat: one.stack for one in view.seats}
        fields["finishing_stacks"] = [after[holder] for holder in dealt.seats]
    # Numbers, truth values, arrays and plain strings are written alike in JSON and TOML.
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in fields.items()]
    return "".join(lines) + f"time = {at:%H:%M:%S}\n"


def phhs(session: Session, rounds: Sequence[Round], seat: int | None) -> str:
    """Several deals of a no-limit session as one file, a table each, as *seat* may see them."""
    return "\n".join(f"[{n}]\n{phh(session, played, seat)}" for n, played in enumerate(rounds, start=1))


def _phh_action(street: Street, position: int, action: Action) -> str:
    match action:
        case Fold():
            return "f"
        case Bet(to) | Raise(to):
            return f"cbr {to}"
        case AllIn():
            to = street.bets[position] + street.stacks[position]
            return f"cbr {to}" if to > street.current_bet else "cc"
        case _:
            return "cc"


def _board_lines(board: Sequence[Card], shown: int, count: int) -> list[str]:
    """The streets dealt from *shown* board cards on up to *count*."""
    lines, first = [], 0
    for size in STREETS:
        if shown <= first and first + size <= count:
            lines.append(f"d db {''.join(texts(board[first : first + size]))}")
        first += size
    return lines
