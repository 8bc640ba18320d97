"""Ultimate Texas Hold'em: one to six seats, each alone against the one dealer hand.

Before the flop, on the flop and at the river every seat checks or makes its one play bet, which shrinks as it
waits (4, 2, 1 antes); at the river it plays or folds. Within a stage the seats decide in any order. The stage
ends when every seat still to decide has decided, and a stage with nobody left to decide is passed through.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

from croupier.rules.actions import Action, Check, Fold, LegalAction, LegalPlay, Play
from croupier.rules.cards import Card
from croupier.rules.game import (
    BetName,
    Chair,
    DealerView,
    Finish,
    IllegalAction,
    InvalidOption,
    Meter,
    NotEnoughSeats,
    NotYourTurn,
    RoundView,
    SeatState,
    SeatView,
    Settlement,
    SideBets,
    Table,
    Transition,
)
from croupier.rules.options import Between, check_limits
from croupier.rules.tables import PROFILES
from croupier.rules.ultimate_settlement import Stakes, settle

ProfileName: TypeAlias = Literal["seed", "published"]
TripsKind: TypeAlias = Literal["off", "fixed", "progressive"]

PREFLOP_MULTIPLES = ((4,), (3, 4), (3,))
FLOP_MULTIPLES = (2,)
RIVER_MULTIPLES = (1,)


@dataclass(frozen=True, slots=True)
class UltimateTexasHoldemOptions:
    """What a session fixes; raises :class:`InvalidOption`.

    ``ante`` is the blind's size too. Its limit and ``side_bet_max``'s keep everything that the luckiest round
    of six seats can pay, added up, below 10^12. ``rounds`` None: until the session is closed.
    """

    seats: Annotated[int, Between(1, 6)] = 1
    ante: Annotated[int, Between(2, 10**9)] = 2
    profile: ProfileName = "seed"
    preflop_multiples: tuple[int, ...] = (4,)
    rounds: Annotated[int | None, Between(1, 10_000)] = None
    trips: TripsKind = "fixed"
    hole_card_bonus: bool = False
    side_bet_max: Annotated[int, Between(1, 10**8)] = 1000

    def __post_init__(self) -> None:
        check_limits(self)
        if self.ante % 2:
            raise InvalidOption(
                "ante", "must be even: the blind pays a flush 3:2, and amounts are whole units"
            )
        if self.profile not in PROFILES:
            raise InvalidOption("profile", f"must be one of {', '.join(PROFILES)}")
        if self.preflop_multiples not in PREFLOP_MULTIPLES:
            raise InvalidOption("preflop_multiples", "must be [4], [3, 4] or [3]")
        if self.trips not in get_args(TripsKind):
            raise InvalidOption("trips", f"must be one of {', '.join(get_args(TripsKind))}")


# ── A round ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Player:
    """One dealt-in seat: its stakes, and its decision in this stage or an earlier one that ended its round.

    ``decision`` None: still to decide.
    """

    stakes: Stakes
    decision: Check | Play | Fold | None = None


@dataclass(frozen=True, slots=True)
class _Dealt:
    """What every phase knows: the whole deal. ``open_cards`` of the board's five lie face up."""

    stage: ClassVar[str]
    open_cards: ClassVar[int] = 5

    options: UltimateTexasHoldemOptions
    players: tuple[Player, ...]
    dealer: tuple[Card, ...]
    board: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Preflop(_Dealt):
    """Hole cards dealt; check or play."""

    stage: ClassVar[str] = "preflop"
    open_cards: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Flop(_Dealt):
    """Three cards open; check or play."""

    stage: ClassVar[str] = "flop"
    open_cards: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class River(_Dealt):
    """All five open; play or fold."""

    stage: ClassVar[str] = "river"


@dataclass(frozen=True, slots=True)
class Settled(_Dealt):
    """Everyone has played or folded, and every bet is settled."""

    stage: ClassVar[str] = "settled"

    settlement: Settlement


UltimateState: TypeAlias = Preflop | Flop | River | Settled


class UltimateTexasHoldem:
    """The game, as :class:`croupier.rules.game.Game` asks for it."""

    name: str = "ultimate-texas-holdem"
    options: type[UltimateTexasHoldemOptions] = UltimateTexasHoldemOptions
    stages: tuple[str, ...] = (Preflop.stage, Flop.stage, River.stage, Settled.stage)
    bets: tuple[BetName, ...] = ("ante", "blind", "play", "trips", "hole_card_bonus")
    actions: tuple[str, ...] = ("check", "play", "fold")
    private_seeds: bool = False

    def chairs(self, options: UltimateTexasHoldemOptions) -> tuple[Chair, ...]:
        """Every seat of a new session, in seat order."""
        return tuple(Chair(seat) for seat in range(1, options.seats + 1))

    def table(self, options: UltimateTexasHoldemOptions, chairs: Sequence[Chair], button_from: int) -> Table:
        """All of *chairs*: a house game has no button. Raises :class:`NotEnoughSeats` when there are none."""
        if not chairs:
            raise NotEnoughSeats("There is nobody to deal in.")
        return Table(tuple(sorted(chair.seat for chair in chairs)))

    def deal(
        self,
        options: UltimateTexasHoldemOptions,
        table: Table,
        deck: Sequence[Card],
        side_bets: Sequence[SideBets] = (),
        meter: Meter | None = None,
    ) -> Transition[UltimateState]:
        """Deal each seat of *table* two cards in seat order, the dealer two, the board five.

        A progressive session's *meter* says what its Trips bet costs. Raises :class:`InvalidOption` with a
        path such as ``bets/0/trips`` for a side bet that is not on offer.
        """
        _check_side_bets(options, table, side_bets, meter)
        bets = {one.seat: one for one in side_bets}
        players = []
        for dealt, seat in enumerate(table.seats):
            side = bets.get(seat, SideBets(seat))
            hole = tuple(deck[2 * dealt : 2 * dealt + 2])
            stakes = Stakes(seat, hole, options.ante, trips=side.trips, hole_card_bonus=side.hole_card_bonus)
            players.append(Player(stakes))
        rest = 2 * len(table.seats)
        dealer, board = tuple(deck[rest : rest + 2]), tuple(deck[rest + 2 : rest + 7])
        return Transition(Preflop(options, tuple(players), dealer, board))

    def to_act(self, state: UltimateState) -> tuple[int, ...]:
        """The seats still to decide in this stage, which may decide in any order."""
        return tuple(player.stakes.seat for player in state.players if player.decision is None)

    def legal_actions(self, state: UltimateState, seat: int) -> tuple[LegalAction, ...]:
        """What *seat* may do now; empty when it has nothing to decide."""
        if seat not in self.to_act(state):
            return ()
        ante = state.options.ante
        plays = tuple(LegalPlay(multiple, multiple * ante) for multiple in _multiples(state))
        return (Fold(), *plays) if isinstance(state, River) else (Check(), *plays)

    def decide(
        self, state: UltimateState, seat: int, action: Action, meter: Meter | None = None
    ) -> Transition[UltimateState]:
        """Take *action* for *seat* and pass through every stage that has nobody left to decide.

        A progressive session has to give its *meter* as it now stands. Raises :class:`NotYourTurn`,
        :class:`IllegalAction`.
        """
        to_act = self.to_act(state)
        if isinstance(state, Settled) or seat not in to_act:
            raise NotYourTurn(seat, to_act)
        match state, action:
            case _, Play(multiple) if multiple in _multiples(state):
                players = _with_decision(state.players, seat, Play(multiple), multiple * state.options.ante)
            case Preflop() | Flop(), Check():
                players = _with_decision(state.players, seat, Check())
            case River(), Fold():
                players = _with_decision(state.players, seat, Fold())
            case _:
                raise IllegalAction(_why_not(state, action), self.legal_actions(state, seat))
        return _advance(replace(state, players=players), meter)

    def view(self, state: UltimateState, seat: int | None) -> RoundView:
        """What *seat*, or with None a bystander, may know.

        At settlement every seat's cards are open; the dealer's are when a seat has played.
        """
        settled = state.settlement if isinstance(state, Settled) else None
        dealers = settled.dealer.hand if settled and settled.dealer else None
        return RoundView(
            stage=state.stage,
            board=state.board[: state.open_cards],
            seats=tuple(_seat_view(player, seat, settled is not None) for player in state.players),
            to_act=self.to_act(state),
            legal_actions=() if seat is None else self.legal_actions(state, seat),
            settlement=settled,
            dealer=DealerView(state.dealer if dealers else None, dealers),
        )

    def result(
        self,
        options: UltimateTexasHoldemOptions,
        chairs: Sequence[Chair],
        balances: Sequence[int],
        rounds: int,
    ) -> Finish | None:
        """Over after the agreed number of rounds; each stands alone, so nobody has won the session."""
        return Finish(None) if options.rounds is not None and rounds >= options.rounds else None


# ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────


def _check_side_bets(
    options: UltimateTexasHoldemOptions, table: Table, side_bets: Sequence[SideBets], meter: Meter | None
) -> None:
    seen: set[int] = set()
    for index, bets in enumerate(side_bets):
        path = f"bets/{index}"
        if bets.seat not in table.seats:
            raise InvalidOption(f"{path}/seat", f"seat {bets.seat} is not dealt in")
        if bets.seat in seen:
            raise InvalidOption(f"{path}/seat", f"seat {bets.seat} has its bets in this list already")
        seen.add(bets.seat)
        _check_stake(f"{path}/trips", bets.trips, _trips_stakes(options, meter))
        _check_stake(
            f"{path}/hole_card_bonus",
            bets.hole_card_bonus,
            range(1, options.side_bet_max + 1) if options.hole_card_bonus else None,
        )


def _trips_stakes(options: UltimateTexasHoldemOptions, meter: Meter | None) -> range | None:
    """What a Trips bet may cost; None when it is not on offer. The operator fixes a progressive one."""
    match options.trips:
        case "off":
            return None
        case "fixed":
            return range(1, options.side_bet_max + 1)
        case "progressive":
            if meter is None:
                raise ValueError("a progressive session is dealt with its meter")
            return range(meter.stake, meter.stake + 1)


def _check_stake(field: str, stake: int, allowed: range | None) -> None:
    if stake == 0 or (allowed is not None and stake in allowed):
        return
    if allowed is None:
        raise InvalidOption(field, "this bet is not on offer in this session")
    if len(allowed) == 1:
        raise InvalidOption(field, f"must be 0 or {allowed[0]}")
    raise InvalidOption(field, f"must be from 0 to {allowed[-1]}")


def _multiples(state: UltimateState) -> tuple[int, ...]:
    """The sizes of the play bet, in antes, that the stage allows."""
    match state:
        case Preflop():
            return state.options.preflop_multiples
        case Flop():
            return FLOP_MULTIPLES
        case River():
            return RIVER_MULTIPLES
        case Settled():
            return ()


def _why_not(state: UltimateState, action: Action) -> str:
    match action:
        case Play():
            sizes = " or ".join(str(multiple) for multiple in _multiples(state))
            return f"the play bet of this stage is {sizes} times the ante"
        case Fold():
            return "a seat may fold at the river alone; until then it may check"
        case Check():
            return "at the river a seat plays or folds"
        case _:
            return f"{action.type} is not an action of this game"


def _with_decision(
    players: tuple[Player, ...], seat: int, decision: Check | Play | Fold, play: int = 0
) -> tuple[Player, ...]:
    return tuple(
        Player(replace(player.stakes, play=play), decision) if player.stakes.seat == seat else player
        for player in players
    )


def _advance(state: Preflop | Flop | River, meter: Meter | None) -> Transition[UltimateState]:
    """Once nobody is left to decide, open the next stage; if nobody has to decide there either, settle."""
    if any(player.decision is None for player in state.players):
        return Transition(state)
    dealt = (state.options, _back_in_turn(state.players), state.dealer, state.board)
    if all(player.decision for player in dealt[1]):
        return _settled(state, meter)
    return Transition(Flop(*dealt) if isinstance(state, Preflop) else River(*dealt))


def _back_in_turn(players: tuple[Player, ...]) -> tuple[Player, ...]:
    """Those who have checked decide again in the next stage; a play or a fold stands."""
    return tuple(
        replace(player, decision=None) if isinstance(player.decision, Check) else player for player in players
    )


def _settled(state: Preflop | Flop | River, meter: Meter | None) -> Transition[UltimateState]:
    options = state.options
    progressive = options.trips == "progressive"
    if progressive and meter is None:
        raise ValueError("a progressive round is settled with its meter")
    settlement, after = settle(
        PROFILES[options.profile],
        tuple(player.stakes for player in state.players),
        state.dealer,
        state.board,
        meter if progressive else None,
    )
    return Transition(
        Settled(options, state.players, state.dealer, state.board, settlement), settlement, after
    )


# ── Sight ────────────────────────────────────────────────────────────────────────────────────────────────


def _seat_view(player: Player, viewer: int | None, settled: bool) -> SeatView:
    stakes = player.stakes
    return SeatView(
        seat=stakes.seat,
        hole=stakes.hole if settled or stakes.seat == viewer else None,
        state=_seat_state(player),
        bets=stakes.by_bet(),
    )


def _seat_state(player: Player) -> SeatState:
    match player.decision:
        case None:
            return "deciding"
        case Check():
            return "waiting"
        case Play():
            return "done"
        case Fold():
            return "folded"
