"""No-Limit Texas Hold'em: two to ten seats play each other, and the house only deals. No rake.

Inside a hand everything is by *position*, clockwise from the first dealt-in seat after the button; the button
is the last (see :mod:`croupier.rules.betting`). Seat numbers come back at the edges. Sources: seed 002; where
it is silent, the tournament directors' rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, TypeAlias

from croupier.rules import betting
from croupier.rules.actions import Action, LegalAction
from croupier.rules.cards import Card
from croupier.rules.game import (
    MAX_AMOUNT,
    BetName,
    BettingView,
    Chair,
    Finish,
    InvalidOption,
    Meter,
    NotEnoughSeats,
    NotYourTurn,
    Posting,
    Pot,
    RoundView,
    SeatSettlement,
    SeatState,
    SeatView,
    Settlement,
    SideBets,
    Table,
    Transition,
)
from croupier.rules.hands import best_hand
from croupier.rules.options import Between, check_limits
from croupier.rules.pots import award, called, side_pots

MAX_SEATS = 10
MAX_STACK = MAX_AMOUNT // MAX_SEATS

Stage: TypeAlias = Literal["preflop", "flop", "turn", "river"]

FOLLOWING: dict[Stage, Stage] = {"preflop": "flop", "flop": "turn", "turn": "river"}
BOARD_CARDS: dict[Stage, int] = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}


@dataclass(frozen=True, slots=True)
class NoLimitHoldemOptions:
    """What a session fixes; raises :class:`InvalidOption`.

    The limits keep the chips of a full table at 10^12. ``stacks`` has one entry a seat, each from the big
    blind to ``buy_in``; None: every seat brings ``buy_in``.
    """

    seats: Annotated[int, Between(2, MAX_SEATS)] = 2
    small_blind: Annotated[int, Between(1, MAX_STACK)] = 50
    big_blind: Annotated[int, Between(1, MAX_STACK)] = 100
    ante: Annotated[int, Between(0, MAX_STACK)] = 0
    buy_in: Annotated[int, Between(1, MAX_STACK)] = 3000
    stacks: tuple[int, ...] | None = None
    rebuys: bool = False

    def __post_init__(self) -> None:
        check_limits(self)
        if self.small_blind > self.big_blind:
            raise InvalidOption("small_blind", f"must be at most the big blind, {self.big_blind}")
        if self.buy_in < self.big_blind:
            raise InvalidOption("buy_in", f"must be at least the big blind, {self.big_blind}")
        if self.stacks is None:
            return
        if len(self.stacks) != self.seats:
            raise InvalidOption("stacks", f"must have one entry a seat, {self.seats}")
        for index, stack in enumerate(self.stacks):
            if not self.big_blind <= stack <= self.buy_in:
                raise InvalidOption(
                    f"stacks/{index}",
                    f"must be from the big blind, {self.big_blind}, to the buy-in, {self.buy_in}",
                )


# ── A hand ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a hand starts from, with every card of it: ``seats``, ``stacks`` and ``holes`` are by position.

    ``stacks`` are as they were before antes and blinds. All five of ``board`` are here, seen or not.
    """

    options: NoLimitHoldemOptions
    seats: tuple[int, ...]
    stacks: tuple[int, ...]
    holes: tuple[tuple[Card, Card], ...]
    board: tuple[Card, ...]

    @property
    def button(self) -> int:
        """The seat with the button."""
        return self.seats[-1]

    @property
    def antes(self) -> tuple[int, ...]:
        """What each position posted before the blinds: the ante, or all of a shorter stack."""
        return tuple(min(self.options.ante, stack) for stack in self.stacks)


class Playing(NamedTuple):
    """A hand that waits for the seat at ``position``. ``paid``: what each put in before this street.

    A named tuple for the reason that :class:`croupier.rules.betting.Street` is one.
    """

    dealt: Dealt
    stage: Stage
    paid: tuple[int, ...]
    street: betting.Street
    position: int


@dataclass(frozen=True, slots=True)
class Settled:
    """A hand that is over: ``stage`` and ``street`` are the last it reached."""

    dealt: Dealt
    stage: Stage
    street: betting.Street
    settlement: Settlement


NoLimitState: TypeAlias = Playing | Settled


def showdown_order(state: Settled) -> tuple[int, ...]:
    """The seats whose hands are opened, in order; empty when the hand was won without a showdown.

    The last aggressor of the river opens first, else the first live seat after the button.
    """
    live = state.street.live
    if len(live) == 1:
        return ()
    first = state.street.aggressor or 0
    clockwise = (*(p for p in live if p >= first), *(p for p in live if p < first))
    return tuple(state.dealt.seats[position] for position in clockwise)


class NoLimitHoldem:
    """The game, as :class:`croupier.rules.game.Game` asks for it."""

    name: str = "no-limit-holdem"
    options: type[NoLimitHoldemOptions] = NoLimitHoldemOptions
    stages: tuple[str, ...] = (*BOARD_CARDS, "settled")
    bets: tuple[BetName, ...] = ("pots",)
    actions: tuple[str, ...] = ("fold", "check", "call", "bet", "raise", "all_in")
    private_seeds: bool = True

    def chairs(self, options: NoLimitHoldemOptions) -> tuple[Chair, ...]:
        """Every seat with the stack it brings."""
        stacks = options.stacks or (options.buy_in,) * options.seats
        return tuple(Chair(seat, stack) for seat, stack in enumerate(stacks, start=1))

    def table(self, options: NoLimitHoldemOptions, chairs: Sequence[Chair], button_from: int) -> Table:
        """The chairs that have chips. Raises :class:`NotEnoughSeats` when they are fewer than two."""
        stacks = {chair.seat: chair.stack for chair in chairs if chair.stack}
        if len(stacks) < 2:
            raise NotEnoughSeats("No-limit hold'em takes two seats with chips.")
        seats = tuple(sorted(stacks))
        button = next((seat for seat in seats if seat >= button_from), seats[0])
        return Table(seats, tuple(stacks[seat] for seat in seats), button)

    def deal(
        self,
        options: NoLimitHoldemOptions,
        table: Table,
        deck: Sequence[Card],
        side_bets: Sequence[SideBets] = (),
        meter: Meter | None = None,
    ) -> Transition[NoLimitState]:
        """Post antes and blinds and deal: one card to each from the button's left, twice; then the board.

        When the posts leave nobody anything to decide the hand is settled at once. Raises
        :class:`InvalidOption` for any side bet.
        """
        if side_bets:
            raise InvalidOption("bets", "no-limit hold'em has no side bets")
        dealt = _dealt(options, table, deck)
        antes = dealt.antes
        behind = [stack - ante for stack, ante in zip(dealt.stacks, antes, strict=True)]
        street = betting.preflop(behind, options.small_blind, options.big_blind)
        return _play_on(dealt, "preflop", antes, street, betting.big_blind_position(len(behind)))

    def to_act(self, state: NoLimitState) -> tuple[int, ...]:
        """The one seat in turn; empty once settled."""
        match state:
            case Playing():
                return (state.dealt.seats[state.position],)
            case Settled():
                return ()

    def legal_actions(self, state: NoLimitState, seat: int) -> tuple[LegalAction, ...]:
        """What *seat* may do, with exact amounts; empty when it is not in turn."""
        if isinstance(state, Settled) or state.dealt.seats[state.position] != seat:
            return ()
        return betting.legal_actions(state.street, state.position)

    def decide(
        self, state: NoLimitState, seat: int, action: Action, meter: Meter | None = None
    ) -> Transition[NoLimitState]:
        """Take *action* for *seat* and go on to the next seat with something to decide, or to the end.

        Raises :class:`NotYourTurn`, :class:`IllegalAction`.
        """
        if isinstance(state, Settled) or state.dealt.seats[state.position] != seat:
            raise NotYourTurn(seat, self.to_act(state))
        street = betting.act(state.street, state.position, action)
        return _play_on(state.dealt, state.stage, state.paid, street, state.position)

    def view(self, state: NoLimitState, seat: int | None) -> RoundView:
        """What *seat*, or with None a bystander, may know.

        While the hand lasts ``pots`` hold the chips of this street too, so that stacks and pots make up the
        table's chips; a settled hand shows the pots as they were won, and no bets before the seats.
        """
        dealt, street = state.dealt, state.street
        by_seat = sorted(range(len(dealt.seats)), key=dealt.seats.__getitem__)
        match state:
            case Playing():
                stage: str = state.stage
                settlement = None
                stacks, bets, current_bet = street.stacks, street.bets, street.current_bet
                pots = _standing_pots(state)
                opened: tuple[int, ...] = ()
            case Settled():
                stage, settlement = "settled", state.settlement
                nets = {row.seat: row.net for row in settlement.seats}
                stacks = tuple(
                    stack + nets[holder] for holder, stack in zip(dealt.seats, dealt.stacks, strict=True)
                )
                bets, current_bet = (0,) * len(stacks), 0
                pots = settlement.pots or ()
                opened = showdown_order(state)
        return RoundView(
            stage=stage,
            board=dealt.board[: BOARD_CARDS[state.stage]],
            seats=tuple(
                SeatView(
                    seat=(holder := dealt.seats[position]),
                    hole=dealt.holes[position] if holder == seat or holder in opened else None,
                    state=_seat_state(state, position),
                    stack=stacks[position],
                    street_bet=bets[position],
                )
                for position in by_seat
            ),
            to_act=self.to_act(state),
            legal_actions=() if seat is None else self.legal_actions(state, seat),
            settlement=settlement,
            betting=BettingView(dealt.button, current_bet, pots),
        )

    def result(
        self, options: NoLimitHoldemOptions, chairs: Sequence[Chair], balances: Sequence[int], rounds: int
    ) -> Finish | None:
        """The seat that holds all the chips has won the session, unless it waits for rebuys."""
        holders = [chair.seat for chair in chairs if chair.stack]
        return Finish(holders[0]) if len(holders) == 1 and not options.rebuys else None


# ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────


def _dealt(options: NoLimitHoldemOptions, table: Table, deck: Sequence[Card]) -> Dealt:
    if table.stacks is None or table.button is None:
        raise ValueError("a no-limit table has stacks and a button")
    left = table.seats.index(table.button) + 1
    seats = table.seats[left:] + table.seats[:left]
    players = len(seats)
    return Dealt(
        options=options,
        seats=seats,
        stacks=table.stacks[left:] + table.stacks[:left],
        holes=tuple((deck[position], deck[players + position]) for position in range(players)),
        board=tuple(deck[2 * players : 2 * players + 5]),
    )


def _play_on(
    dealt: Dealt, stage: Stage, paid: tuple[int, ...], street: betting.Street, after: int
) -> Transition[NoLimitState]:
    """Pass through every street with nobody left to ask, and settle after the last one."""
    while (position := betting.next_to_act(street, after)) is None:
        if len(street.live) == 1 or stage == "river":
            settlement = _settle(dealt, paid, street)
            return Transition(Settled(dealt, stage, street, settlement), settlement)
        paid = _put_in(paid, street)
        stage, after = FOLLOWING[stage], len(dealt.seats) - 1
        street = betting.next_street(street, dealt.options.big_blind)
    return Transition(Playing(dealt, stage, paid, street, position))


def _put_in(paid: tuple[int, ...], street: betting.Street) -> tuple[int, ...]:
    return tuple(before + bet for before, bet in zip(paid, street.bets, strict=True))


def _settle(dealt: Dealt, paid: tuple[int, ...], street: betting.Street) -> Settlement:
    seats, board = dealt.seats, dealt.board
    staked = called(dict(zip(seats, _put_in(paid, street), strict=True)))
    live = [seats[position] for position in street.live]
    if len(live) > 1:
        hands = {seats[position]: best_hand(dealt.holes[position] + board) for position in street.live}
        strengths = {seat: hand.strength for seat, hand in hands.items()}
    else:
        hands, strengths = {}, {live[0]: 0}
    pots = tuple([award(pot, strengths, live) for pot in side_pots(staked, live)])
    won = dict.fromkeys(seats, 0)
    for pot in pots:
        for share in pot.winners:
            won[share.seat] += share.amount
    rows = [
        SeatSettlement(seat, hands.get(seat), (Posting(seat, "pots", staked[seat], won[seat]),))
        for seat in sorted(seats)
    ]
    return Settlement(tuple(rows), pots=pots)


def _standing_pots(state: Playing) -> tuple[Pot, ...]:
    seats, street = state.dealt.seats, state.street
    contributed = dict(zip(seats, _put_in(state.paid, street), strict=True))
    return side_pots(
        contributed,
        live=[seats[position] for position in street.live],
        able=[seats[position] for position in street.able],
    )


def _seat_state(state: NoLimitState, position: int) -> SeatState:
    if isinstance(state, Playing) and position == state.position:
        return "deciding"
    if position not in state.street.live:
        return "folded"
    return "waiting" if position in state.street.able else "all_in"
