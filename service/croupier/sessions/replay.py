"""What a round's inputs come to: its deck, its state and its settlement, computed by the rules.

A session keeps inputs only. Since a round grows by one decision at a time, the newest results are remembered
in the process, so that a request costs one step of the rules and not the whole round.
"""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

from croupier.rules.cards import Card
from croupier.rules.game import Transition
from croupier.rules.registry import GAMES
from croupier.sessions.fairness import scripted, shuffled
from croupier.sessions.session import Decision, Round, Session

Remembered: TypeAlias = tuple[tuple[Decision, ...], Transition[Any]]

MOST = 2048
_remembered: OrderedDict[Hashable, Remembered] = OrderedDict()


def deck(session: Session, played: Round) -> tuple[Card, ...]:
    """The 52 cards of a round, in the order in which they left the deck."""
    cards = shuffled(played.server_seed, played.client_seed, session.id, played.number)
    return cards if played.script is None else scripted(played.script, cards)


def outcome(session: Session, played: Round) -> Transition[Any]:
    """The state and settlement that the rules reach from a round's deal by its decisions.

    Raises ``RuleViolation`` where the inputs are not legal.
    """
    key = _inputs(session, played)
    known = _remembered.get(key)
    if known is not None and played.decisions[: len(known[0])] == known[0]:
        reached = _decided(session, known[1], played.decisions[len(known[0]) :])
    else:
        reached = outcome_anew(session, played)
    _remember(key, played, reached)
    return reached


def outcome_anew(session: Session, played: Round) -> Transition[Any]:
    """The same, worked out from the seeds whatever has been remembered. Raises ``RuleViolation``."""
    dealt = GAMES[session.game].deal(
        session.options, played.table, deck(session, played), played.side_bets, played.meter
    )
    return _decided(session, dealt, played.decisions)


def _decided(session: Session, reached: Transition[Any], decisions: Sequence[Decision]) -> Transition[Any]:
    game = GAMES[session.game]
    for decision in decisions:
        reached = game.decide(reached.state, decision.seat, decision.action, decision.meter)
    return reached


def remember(session: Session, played: Round, reached: Transition[Any]) -> None:
    """Note the outcome of a round by who has just computed it."""
    _remember(_inputs(session, played), played, reached)


def _inputs(session: Session, played: Round) -> Hashable:
    """What tells a deal from every other, tried ones that never came to be among them."""
    return (
        session.id,
        session.options,
        played.server_seed,
        played.client_seed,
        played.table,
        played.side_bets,
        played.script,
        played.meter,
    )


def _remember(key: Hashable, played: Round, reached: Transition[Any]) -> None:
    _remembered[key] = (played.decisions, reached)
    _remembered.move_to_end(key)
    if len(_remembered) > MOST:
        _remembered.popitem(last=False)
