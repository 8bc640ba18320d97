"""One street of no-limit betting: who acts, what is legal, minimum raises, short all-ins.

Everything is by *position*: 0 is the first dealt-in seat after the button and the last is the button itself,
so counting upwards goes round the table clockwise. Amounts are chips; ``to`` is a seat's total for the
street. Sources: seed 002; where it is silent, the tournament directors' rules on raises and reopening.
"""

from collections.abc import Sequence
from typing import NamedTuple

from croupier.rules.actions import (
    Action,
    AllIn,
    Bet,
    Call,
    Check,
    Fold,
    LegalAction,
    LegalAllIn,
    LegalBet,
    LegalCall,
    LegalRaise,
    Raise,
)
from croupier.rules.game import IllegalAction

FOLD = Fold()
CHECK = Check()


class Street(NamedTuple):
    """A street's betting as it stands. All tuples but ``live`` and ``able`` have an entry a position.

    A named tuple, since every action makes one: a frozen dataclass takes four times as long to make.
    """

    stacks: tuple[int, ...]
    """Chips behind."""
    bets: tuple[int, ...]
    """Chips put in on this street."""
    acted: tuple[int | None, ...]
    """The bet that stood after each position's last action; None for one that has not acted yet."""
    live: tuple[int, ...]
    """The positions that have not folded, in order."""
    able: tuple[int, ...]
    """The live positions that have chips behind, in order."""
    current_bet: int
    """What a seat must have in to stay: the highest bet, before the flop at least the full big blind."""
    full_raise: int
    """The size of the last full bet or raise; at first the big blind."""
    aggressor: int | None = None
    """The last position to bet or raise on this street."""


def big_blind_position(players: int) -> int:
    """Who posts the big blind: heads-up the button posts the small one."""
    return 1 if players > 2 else 0


def small_blind_position(players: int) -> int:
    """Who posts the small blind."""
    return 0 if players > 2 else 1


def preflop(stacks: Sequence[int], small_blind: int, big_blind: int) -> Street:
    """The first street with the blinds posted; a stack shorter than its blind posts what it has.

    Whatever the big blind could post, the others owe the full one. The first to act is
    ``next_to_act(street, big_blind_position(players))``.
    """
    players = len(stacks)
    bets = [0] * players
    for position, blind in (
        (small_blind_position(players), small_blind),
        (big_blind_position(players), big_blind),
    ):
        bets[position] = min(blind, stacks[position])
    behind = tuple(stack - bet for stack, bet in zip(stacks, bets, strict=True))
    everyone = tuple(range(players))
    return Street(
        stacks=behind,
        bets=tuple(bets),
        acted=(None,) * players,
        live=everyone,
        able=tuple(position for position in everyone if behind[position]),
        current_bet=big_blind,
        full_raise=big_blind,
    )


def next_street(street: Street, big_blind: int) -> Street:
    """A later street, with the same seats and nothing bet; ``next_to_act(street, button)`` opens it."""
    players = len(street.stacks)
    return Street(
        stacks=street.stacks,
        bets=(0,) * players,
        acted=(None,) * players,
        live=street.live,
        able=street.able,
        current_bet=0,
        full_raise=big_blind,
    )


def next_to_act(street: Street, after: int) -> int | None:
    """The position to act next, clockwise from *after*; None when the street is over.

    A seat whose opponents are all all-in is asked only when one of them has put in more than it has. What a
    short big blind lacks is owed to nobody then, so by itself it is no reason to ask.
    """
    if len(street.live) == 1:
        return None
    able, bets = street.able, street.bets
    if len(able) == 1:
        lone = able[0]
        return lone if max(bets[position] for position in street.live) > bets[lone] else None
    acted, current_bet = street.acted, street.current_bet
    # With chips behind, having acted on the bet that stands means having matched it.
    pending = None
    for position in able:
        if acted[position] != current_bet:
            if position > after:
                return position
            if pending is None:
                pending = position
    return pending


def legal_actions(street: Street, position: int) -> tuple[LegalAction, ...]:
    """Exactly what *position*, which is in turn, may do.

    A call that takes the whole stack stands beside an all-in of the same size as long as the seat still has
    the right to raise.
    """
    stack = street.stacks[position]
    owed = street.current_bet - street.bets[position]
    if owed > stack:
        return (FOLD, LegalAllIn(stack))
    stay = LegalCall(owed) if owed else CHECK
    if _closed(street, position):
        return (FOLD, stay)
    low, high = street.current_bet + street.full_raise, street.bets[position] + stack
    if high < low:
        return (FOLD, stay, LegalAllIn(stack))
    more = LegalRaise(low, high) if street.current_bet else LegalBet(low, high)
    return (FOLD, stay, more, LegalAllIn(stack))


def act(street: Street, position: int, action: Action) -> Street:
    """The street after *position*, which is in turn, takes *action*. Raises :class:`IllegalAction`."""
    bet, stack = street.bets[position], street.stacks[position]
    owed = street.current_bet - bet
    match action:
        case Fold():
            return _fold(street, position)
        case Check():
            to = bet
            refusal = f"there is a bet of {street.current_bet}: it takes {owed} to call" if owed else None
        case Call():
            to, refusal = street.current_bet, _no_call(owed, stack)
        case AllIn():
            to, refusal = bet + stack, _closed(street, position) if owed <= stack else None
        case Bet(to) | Raise(to):
            refusal = (
                _misnamed(street, action.type)
                or _closed(street, position)
                or _wrong_size(street, position, to)
            )
        case _:
            to, refusal = bet, f"no-limit hold'em knows no {action.type}"
    if refusal:
        raise IllegalAction(refusal, legal_actions(street, position))
    return _put_in(street, position, to)


def _closed(street: Street, position: int) -> str | None:
    """Why *position* may put in no more than a call, or None when it may bet or raise.

    A full raise since the seat's last action opens the betting to it again, and so do short all-ins that add
    up to one.
    """
    if len(street.able) == 1:
        return "no opponent has chips left to answer it"
    acted = street.acted[position]
    if acted is not None and street.current_bet - acted < street.full_raise:
        return "nobody has made a full raise since this seat acted: it may only call or fold"
    return None


def _no_call(owed: int, stack: int) -> str | None:
    if not owed:
        return "there is nothing to call: check"
    if owed > stack:
        return f"a stack of {stack} does not cover the call of {owed}: go all in or fold"
    return None


def _misnamed(street: Street, name: str) -> str | None:
    """The first chips of a street are a bet and any more are a raise; blinds count as a bet."""
    if street.current_bet and name == "bet":
        return f"there is a bet of {street.current_bet} already: raise it"
    if not street.current_bet and name == "raise":
        return "there is nothing to raise: bet"
    return None


def _wrong_size(street: Street, position: int, to: int) -> str | None:
    """Why a bet or raise to *to* is of no legal size, or None when it is."""
    low, high = street.current_bet + street.full_raise, street.bets[position] + street.stacks[position]
    if to > high:
        return f"a total of {to} is above the stack, which reaches {high}"
    if to >= low:
        return None
    if to == street.current_bet and to:
        return f"a total of {to} is a call"
    if high < low:
        return f"the stack reaches {high}, less than the minimum of {low}: only an all-in may be that short"
    return f"a total of {to} is below the minimum of {low}"


def _fold(street: Street, position: int) -> Street:
    return Street(
        street.stacks,
        street.bets,
        street.acted,
        tuple(other for other in street.live if other != position),
        tuple(other for other in street.able if other != position),
        street.current_bet,
        street.full_raise,
        street.aggressor,
    )


def _put_in(street: Street, position: int, to: int) -> Street:
    """*position* has *to* in, a legal total; above the current bet that is a bet or a raise."""
    stacks, bets, able = street.stacks, street.bets, street.able
    current_bet, full_raise, aggressor = street.current_bet, street.full_raise, street.aggressor
    added = to - bets[position]
    if added:
        behind = stacks[position] - added
        stacks = _with(stacks, position, behind)
        bets = _with(bets, position, to)
        if not behind:
            able = tuple(other for other in able if other != position)
    if to > current_bet:
        full_raise = max(full_raise, to - current_bet)
        current_bet, aggressor = to, position
    acted = list(street.acted)
    acted[position] = current_bet
    return Street(stacks, bets, tuple(acted), street.live, able, current_bet, full_raise, aggressor)


def _with(chips: tuple[int, ...], position: int, amount: int) -> tuple[int, ...]:
    changed = list(chips)
    changed[position] = amount
    return tuple(changed)
