"""Recorded no-limit hands, from anywhere, read and played again by the rules.

A record in the PHH format (:mod:`croupier.sessions.history`) names every action and, most of the time, the
cards and the finishing stacks. The rules have to find each action legal and come to the same stacks.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from croupier.rules.actions import Action, AllIn, Bet, Call, Check, Fold, Raise
from croupier.rules.cards import DECK, Card, card
from croupier.rules.game import IllegalAction, InvalidOption, Pot, SeatSettlement, Table
from croupier.rules.no_limit_holdem import (
    BOARD_CARDS,
    MAX_SEATS,
    NoLimitHoldem,
    NoLimitHoldemOptions,
    NoLimitState,
    Playing,
    Settled,
)
from croupier.rules.pots import award
from croupier.sessions.history import STREETS, VARIANT

GAME = NoLimitHoldem()


class NotPlayable(ValueError):
    """A hand of another game, or of no-limit hold'em in a way these rules do not know, as with straddles."""


class Malformed(ValueError):
    """A text that is no hand in the PHH format; the message says where."""


class Differs(Exception):
    """The rules do not play the hand as it was recorded; the message names the action."""


Hole: TypeAlias = tuple[Card, Card]


@dataclass(frozen=True, slots=True)
class History:
    """A recorded no-limit hold'em hand. Tuples have an entry a player, ``p1`` first, left of the button.

    ``dead`` are antes that go into the main pot and are nobody's bet, such as one ante of the big blind for
    the table; where it is empty every seat posts ``options.ante``. Cards are None where not recorded.
    """

    options: NoLimitHoldemOptions
    stacks: tuple[int, ...]
    dead: tuple[int, ...]
    holes: tuple[Hole | None, ...]
    board: tuple[Card | None, ...]
    actions: tuple[str, ...]
    finishing: tuple[int, ...] | None
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One recorded action, in PHH's words (empty for the deal), and the hand after it.

    ``board``: how many board cards are recorded so far.
    """

    action: str
    board: int
    state: NoLimitState


@dataclass(frozen=True, slots=True)
class Replayed:
    """A hand that the rules play as recorded. ``stacks`` are None where what decides them is not recorded.

    ``unchecked`` says in words what could not be compared.
    """

    stacks: tuple[int, ...] | None
    unchecked: tuple[str, ...] = ()


def hands(text: str) -> Iterator[dict[str, Any]]:
    """The hands of a ``.phh`` or ``.phhs`` text, as TOML has them. Raises :class:`Malformed`."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        raise Malformed(f"not TOML: {wrong}") from None
    if "variant" in read:
        yield read
        return
    for name, hand in read.items():
        if not isinstance(hand, dict) or "variant" not in hand:
            raise Malformed(f"{name} is no hand: it has no variant")
        yield hand


def history(hand: dict[str, Any]) -> History:
    """A hand as TOML has it, understood. Raises :class:`NotPlayable`, :class:`Malformed`."""
    if hand["variant"] != VARIANT:
        raise NotPlayable(f"variant {hand['variant']}, not no-limit hold'em")
    stacks = _chips(hand, "starting_stacks")
    players = len(stacks)
    if not 2 <= players <= MAX_SEATS:
        raise NotPlayable(f"{players} players")
    antes, blinds = _chips(hand, "antes", players), _chips(hand, "blinds_or_straddles", players)
    if any(blinds[2:]):
        raise NotPlayable("straddles")
    if hand.get("min_bet") != blinds[1]:
        raise NotPlayable("a minimum bet other than the big blind")
    dead = _dead_antes(antes, stacks, trimmed=hand.get("ante_trimming_status") is True)
    try:
        options = NoLimitHoldemOptions(
            seats=players,
            small_blind=blinds[0],
            big_blind=blinds[1],
            ante=0 if dead else antes[0],
            buy_in=max(blinds[1], *stacks),
        )
    except InvalidOption as wrong:
        raise NotPlayable(f"stakes out of range: {wrong}") from None
    actions = _actions(hand)
    names = hand.get("players")
    if not isinstance(names, list) or len(names) != players:
        names = [f"p{number}" for number in range(1, players + 1)]
    holes, board = _cards(actions, players)
    return History(
        options=options,
        stacks=stacks,
        dead=dead,
        holes=holes,
        board=board,
        actions=actions,
        finishing=_chips(hand, "finishing_stacks", players) if "finishing_stacks" in hand else None,
        players=tuple(map(str, names)),
    )


def _chips(hand: dict[str, Any], name: str, players: int | None = None) -> tuple[int, ...]:
    amounts = hand.get(name)
    if not isinstance(amounts, list) or (players is not None and len(amounts) != players):
        raise Malformed(f"{name} has to be a list with an amount a player")
    if any(isinstance(amount, float) for amount in amounts):
        raise NotPlayable(f"{name} in parts of a chip")
    if not all(isinstance(amount, int) and amount >= 0 for amount in amounts):
        raise Malformed(f"{name} has to be amounts of chips")
    return tuple(amounts)


def _dead_antes(antes: tuple[int, ...], stacks: tuple[int, ...], *, trimmed: bool) -> tuple[int, ...]:
    """Each player's ante where the antes are not one and the same bet of everybody's; else nothing."""
    if len(set(antes)) == 1 and (trimmed or min(stacks) >= antes[0]):
        return ()
    if trimmed:
        raise NotPlayable("uneven antes that are trimmed")
    if any(stack <= ante for ante, stack in zip(antes, stacks, strict=True)):
        raise NotPlayable("a seat all-in for a dead ante")
    return antes


def _actions(hand: dict[str, Any]) -> tuple[str, ...]:
    """The recorded actions without commentary and without lines that hold nothing else."""
    recorded = hand.get("actions")
    if not isinstance(recorded, list) or not all(isinstance(action, str) for action in recorded):
        raise Malformed("actions has to be a list of texts")
    bare = [" ".join(action.split("#")[0].split()) for action in recorded]
    return tuple(action for action in bare if action)


def _cards(actions: Sequence[str], players: int) -> tuple[tuple[Hole | None, ...], tuple[Card | None, ...]]:
    """The hole cards and the board as far as they are recorded."""
    holes: dict[int, Hole | None] = dict.fromkeys(range(1, players + 1))
    board: list[Card | None] = []
    for action in actions:
        match action.split():
            case ["d", "dh", player, text] | [player, "sm", text] if text != "-":
                number = _number(player, players)
                hole = _hole(text)
                if hole is not None and holes[number] not in (None, hole, hole[::-1]):
                    raise Malformed(f"{action}: {player} was dealt other cards")
                holes[number] = holes[number] or hole
            case ["d", "db", text]:
                board += _several(text)
    dealt = _known(holes.values(), board)
    if len(set(dealt)) != len(dealt) or len(board) > sum(STREETS):
        raise Malformed("a card is dealt twice, or the board has more than five")
    return tuple(holes.values()), tuple(board)


def _number(player: str, players: int) -> int:
    number = int(player[1:]) if player[:1] == "p" and player[1:].isdecimal() else 0
    if not 1 <= number <= players:
        raise Malformed(f"there is no player {player}")
    return number


def _known(holes: Iterable[Hole | None], board: Iterable[Card | None]) -> list[Card]:
    return [*(one for hole in holes for one in hole or ()), *(one for one in board if one is not None)]


def _hole(text: str) -> Hole | None:
    match _several(text):
        case [None, _] | [_, None]:
            return None
        case [int(first), int(second)]:
            return first, second
    raise Malformed(f"{text} are not two hole cards")


def _several(text: str) -> list[Card | None]:
    pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
    try:
        return [None if pair == "??" else card(pair) for pair in pairs]
    except ValueError as wrong:
        raise Malformed(f"{wrong}") from None


# ── Playing a record again ───────────────────────────────────────────────────────────────────────────────


def replay(hand: History) -> Replayed:
    """Play *hand* by the rules and compare. Raises :class:`Differs` at the first action that is not legal."""
    *_, last = play(hand)
    state = last.state
    unchecked = [] if hand.finishing is not None else ["no finishing stacks recorded"]
    if isinstance(state, Playing):
        if hand.finishing is not None:
            raise Differs(f"the record ends while p{state.position + 1} has to act")
        return Replayed(None, ("the record ends before the hand does",))
    stacks = stacks_after(hand, state)
    if stacks is None:
        return Replayed(None, (*unchecked, "cards of the showdown are not recorded"))
    for number, (ours, recorded) in enumerate(zip(stacks, hand.finishing or stacks, strict=True), start=1):
        if ours != recorded:
            raise Differs(f"p{number} finishes with {ours}, recorded are {recorded}")
    return Replayed(stacks, tuple(unchecked))


def play(hand: History) -> Iterator[Step]:
    """The hand after its deal and after each recorded action. Raises :class:`Differs`."""
    players = len(hand.stacks)
    posted = hand.dead or (0,) * players
    behind = tuple(stack - ante for stack, ante in zip(hand.stacks, posted, strict=True))
    table = Table(tuple(range(1, players + 1)), behind, players)
    state = GAME.deal(hand.options, table, _whole_deck(hand)).state
    shown = 0
    yield Step("", shown, state)
    for text in hand.actions:
        match text.split():
            case ["d", "dh", _, _] | [_, "sm"] | [_, "sm", _]:
                continue
            case ["d", "db", cards]:
                shown += len(cards) // 2
                if shown > BOARD_CARDS[state.stage]:
                    raise Differs(f"{text}: {_waiting_for(state)}")
            case [player, *rest]:
                state = _taken(state, text, _number(player, players), rest)
        yield Step(text, shown, state)


def stacks_after(hand: History, state: Settled) -> tuple[int, ...] | None:
    """Every player's chips at the end, or None where a card that decides is not recorded.

    Dead antes go to who wins the main pot.
    """
    if not _cards_decide(hand, state):
        return None
    after = [stack - _staked(row) for stack, row in zip(hand.stacks, state.settlement.seats, strict=True)]
    for number, ante in enumerate(hand.dead):
        after[number] -= ante
    for pot in pots_after(hand, state):
        for share in pot.winners:
            after[share.seat - 1] += share.amount
    return tuple(after)


def pots_after(hand: History, state: Settled) -> tuple[Pot, ...]:
    """The pots as they were won, main pot first, dead antes in it; seats are players' numbers."""
    main, *others = state.settlement.pots or ()
    winners = tuple(share.seat for share in main.winners)
    whole = award(Pot(main.amount + sum(hand.dead), winners), dict.fromkeys(winners, 0), winners)
    return (whole, *others)


def _staked(row: SeatSettlement) -> int:
    return sum(posting.staked for posting in row.bets)


def _whole_deck(hand: History) -> list[Card]:
    """The recorded cards where they were dealt, and others where none are recorded."""
    known = set(_known(hand.holes, hand.board))
    rest = iter([one for one in DECK if one not in known])
    holes = [hole or (next(rest), next(rest)) for hole in hand.holes]
    recorded = (*hand.board, *(None,) * sum(STREETS))[: sum(STREETS)]
    board = [next(rest) if one is None else one for one in recorded]
    return [*(first for first, _ in holes), *(second for _, second in holes), *board, *rest]


def _taken(state: NoLimitState, text: str, number: int, words: Sequence[str]) -> NoLimitState:
    if not isinstance(state, Playing) or state.position + 1 != number:
        raise Differs(f"{text}: {_waiting_for(state)}")
    try:
        return GAME.decide(state, number, _action(state, text, words)).state
    except IllegalAction as refused:
        raise Differs(f"{text}: {refused}") from None


def _action(state: Playing, text: str, words: Sequence[str]) -> Action:
    """PHH's three actions in the rules' words, which tell a bet from a raise and an all-in from both."""
    street, position = state.street, state.position
    owed, stack = street.current_bet - street.bets[position], street.stacks[position]
    match words:
        case ["f"]:
            return Fold()
        case ["cc"]:
            return Check() if not owed else Call() if owed <= stack else AllIn()
        case ["cbr", amount] if amount.isdecimal():
            to = int(amount)
            if to == street.bets[position] + stack:
                return AllIn()
            return Raise(to) if street.current_bet else Bet(to)
    raise Malformed(f"{text} is no action of no-limit hold'em in whole chips")


def _waiting_for(state: NoLimitState) -> str:
    if isinstance(state, Playing):
        return f"p{state.position + 1} has to act on the {state.stage}"
    return "the hand is over" if len(state.street.live) == 1 else "nobody has anything left to decide"


def _cards_decide(hand: History, state: Settled) -> bool:
    """Whether every card that a showdown compares is recorded."""
    live = state.street.live
    return len(live) == 1 or (
        len(hand.board) == sum(STREETS)
        and None not in hand.board
        and all(hand.holes[position] is not None for position in live)
    )
