"""Spots whose odds somebody asks for, and the answers: exact values of each action, or equities.

A spot holds what one seat knows and nothing else, so its odds cannot tell anybody more.
"""

import hashlib
from asyncio import Future
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from croupier.odds.advice import (
    Advice,
    Choice,
    casino_holdem_flop,
    casino_holdem_flops,
    ultimate_texas_holdem,
)
from croupier.odds.equities import Equities, equities
from croupier.odds.pool import Pool
from croupier.rules.actions import Play
from croupier.rules.cards import Card
from croupier.rules.casino_holdem import CasinoHoldem
from croupier.rules.game import RoundView
from croupier.rules.registry import GAMES
from croupier.rules.ultimate_texas_holdem import UltimateTexasHoldem
from croupier.sessions.errors import NotFound, NotYourTurn
from croupier.sessions.replay import outcome
from croupier.sessions.session import Session


@dataclass(frozen=True, slots=True)
class CasinoHoldemSpot:
    """Casino Hold'em's decision: two hole cards, three board cards."""

    hole: tuple[Card, ...]
    board: tuple[Card, ...]

    def ask(self, pool: Pool) -> Future[Advice]:
        """Have *pool* work out the exact values; raises ``InvalidOption`` and ``PoolFull``."""
        return pool.ask(casino_holdem_flops, casino_holdem_flop(self.hole, self.board))


@dataclass(frozen=True, slots=True)
class UltimateTexasHoldemSpot:
    """A decision of Ultimate Texas Hold'em: two hole cards, and none, three or five board cards."""

    hole: tuple[Card, ...]
    board: tuple[Card, ...]
    profile: str
    preflop_multiples: tuple[int, ...]

    def ask(self, pool: Pool) -> Future[Advice]:
        """Have *pool* work out the exact values, or find that there are none: ``InvalidOption``.

        Raises ``PoolFull``.
        """
        return pool.submit(
            partial(ultimate_texas_holdem, self.hole, self.board, self.profile, self.preflop_multiples)
        )


@dataclass(frozen=True, slots=True)
class NoLimitHoldemSpot:
    """Two to ten hands of no-limit, an empty one being unknown, and the board so far."""

    hands: tuple[tuple[Card, ...], ...]
    board: tuple[Card, ...]

    def ask(self, pool: Pool) -> Future[Equities]:
        """Have *pool* work out the equities, or find that there are none: ``InvalidOption``.

        Where they are too many to count, the question itself decides the sample: asked again, as by a retry,
        it has the same answer. Raises ``PoolFull``.
        """
        asked = hashlib.sha256(repr((self.hands, self.board)).encode()).digest()
        return pool.submit(partial(equities, self.hands, self.board, seed=int.from_bytes(asked[:8])))


Spot: TypeAlias = CasinoHoldemSpot | UltimateTexasHoldemSpot | NoLimitHoldemSpot

_ADVISED: Mapping[str, Callable[[Any, RoundView, tuple[Card, ...]], Spot]] = {
    CasinoHoldem.name: lambda options, view, hole: CasinoHoldemSpot(hole, view.board),
    UltimateTexasHoldem.name: lambda options, view, hole: UltimateTexasHoldemSpot(
        hole, view.board, options.profile, options.preflop_multiples
    ),
}
"""How a house game's view becomes a spot; no other game has advice."""


def spot_of(session: Session, seat: int) -> Spot:
    """What *seat* has to decide now, as it sees it.

    Raises ``NotFound`` for a game without advice and ``NotYourTurn`` for a seat with nothing to decide.
    """
    if session.game not in _ADVISED:
        raise NotFound(f"There is no advice in {session.game}: it would depend on what others hold.")
    if session.round is not None and session.round.open:
        view = GAMES[session.game].view(outcome(session, session.round).state, seat)
        for one in view.seats:
            if one.seat == seat and one.hole is not None and view.legal_actions:
                return _ADVISED[session.game](session.options, view, one.hole)
    raise NotYourTurn(f"Seat {seat} has nothing to decide now.", legal_actions=(), version=session.version)


def odds_view(found: Advice | Equities, ante: int = 1) -> dict[str, Any]:
    """A spot's odds as plain values ready for JSON; values in units are those of *ante*."""
    match found:
        case Advice(actions=actions, deals=deals):
            return {
                "actions": [_choice_view(choice, ante) for choice in actions],
                "deals": deals,
                "exact": found.exact,
            }
        case Equities():
            shown = {
                "equities": [
                    {"win": float(one.win), "tie": float(one.tie), "equity": float(one.equity)}
                    for one in found.equities
                ],
                "deals": found.deals,
                "exact": found.exact,
            }
            return shown if found.exact else shown | {"standard_error": found.standard_error}


def _choice_view(choice: Choice, ante: int) -> dict[str, Any]:
    action = choice.action
    view: dict[str, Any] = {"type": action.type}
    if isinstance(action, Play):
        view["multiple"] = action.multiple
    # A whole number over another is rounded once, to the nearest there is.
    view["value"] = choice.net / choice.parts
    view["value_units"] = choice.net * ante / choice.parts
    view["cost"] = choice.given_away / choice.parts
    view["best"] = choice.best
    return view
