"""What answers look like, as Pydantic models: they document, and tests hold real answers against them.

Answers are written by the use cases as ready bytes, so no request pays for these models. They are closed
here, so that a test notices a field nobody described; the OpenAPI document leaves them open, because later
versions may add fields.
"""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, RootModel, StringConstraints

from croupier.api.schemas import CardText
from croupier.rules.game import (
    MAX_AMOUNT,
    BetName,
    Check,
    Fold,
    LegalAllIn,
    LegalBet,
    LegalCall,
    LegalPlay,
    LegalRaise,
    Outcome,
)
from croupier.sessions.session import SeatStatus, Status


def _open(schema: dict[str, Any]) -> None:
    schema.pop("additionalProperties", None)


class Answered(BaseModel):
    """The base of every answer."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, json_schema_extra=_open)


Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_~-]{1,64}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$"), Field(description="SHA-256 in hex.")]
Time = Annotated[
    str,
    StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"),
    Field(description="RFC 3339, UTC.", json_schema_extra={"format": "date-time"}),
]
Natural = Annotated[int, Field(ge=0)]
Amount = Annotated[int, Field(ge=0, le=MAX_AMOUNT)]
Number = Annotated[int, Field(ge=1)]
Category = Literal["high_card", "pair", "two_pair", "three_of_a_kind", "straight", "flush", "full_house",
                   "four_of_a_kind", "straight_flush", "royal_flush"]  # fmt: skip
Five = Annotated[list[CardText], Field(min_length=5, max_length=5)]
Hole = Annotated[list[CardText], Field(min_length=2, max_length=2)]
Board = Annotated[list[CardText], Field(max_length=5)]
HouseSeatState: TypeAlias = Literal["deciding", "waiting", "done", "folded", "sitting_out"]
NoLimitSeatState: TypeAlias = Literal["deciding", "waiting", "done", "all_in", "folded", "sitting_out"]
Stage: TypeAlias = Literal["preflop", "flop", "turn", "river", "settled", "voided"]


class Hand(Answered):
    """The best five of a seat's or the dealer's cards."""

    category: Category
    cards: Five
    description: str


# ── Settlement ───────────────────────────────────────────────────────────────────────────────────────────


class SettledBet(Answered):
    """One settled bet: `net` is `returned` less `staked`."""

    bet: BetName
    staked: Amount
    returned: Natural
    net: int
    outcome: Outcome
    odds: str | None


class SeatSettlement(Answered):
    """What one dealt-in seat got."""

    seat: Number
    hand: Hand | None
    bets: list[SettledBet]
    net: int


class DealerSettlement(Answered):
    """The dealer's side; nulls where its hand was not opened."""

    qualified: bool | None
    hand: Hand | None


class PotShare(Answered):
    """What one winner takes from a pot."""

    seat: Number
    amount: Amount


class SettledPot(Answered):
    """A pot, who could win it and who did."""

    amount: Amount
    seats: list[Number]
    winners: list[PotShare]


class HouseSettlement(Answered):
    """A settled round against the dealer. All nets and `house_net` (and `jackpot_net`) sum to 0."""

    seats: list[SeatSettlement]
    dealer: DealerSettlement
    house_net: int
    jackpot_net: int | None = None


class NoLimitSettlement(Answered):
    """A settled hand between seats; the nets sum to 0."""

    seats: list[SeatSettlement]
    pots: list[SettledPot]
    house_net: int


# ── Rounds ───────────────────────────────────────────────────────────────────────────────────────────────


LegalAction: TypeAlias = Annotated[
    Fold | Check | LegalCall | LegalAllIn | LegalBet | LegalRaise | LegalPlay, Field(discriminator="type")
]


class Proof(Answered):
    """What makes the shuffle checkable; `server_seed` is null until it is revealed."""

    commitment: Digest
    client_seed: str
    server_seed: Digest | None
    scripted: bool


class HouseSeat(Answered):
    """One seat of a round against the dealer; `hole` is null where the caller may not see it."""

    seat: Number
    hole: Hole | None
    bets: dict[str, Amount]
    state: HouseSeatState


class NoLimitSeat(Answered):
    """One seat of a hand; `bets` is always empty, the chips are `street_bet` and `stack`."""

    seat: Number
    hole: Hole | None
    bets: dict[str, Amount]
    state: NoLimitSeatState
    street_bet: Amount
    stack: Amount


class Dealer(Answered):
    """The dealer; nulls while hidden."""

    hole: Hole | None
    hand: Hand | None


class Pot(Answered):
    """A pot as it stands and the seats that may win it."""

    amount: Amount
    seats: list[Number]


class _Round(Answered):
    number: Number
    deal: Number
    version: Number
    stage: Stage
    board: Board
    to_act: list[Number]
    legal_actions: list[LegalAction]
    deadline: Time | None
    next_commitment: Digest | None
    fairness: Proof


class HouseRound(_Round):
    """A round against the dealer, as the caller may see it."""

    seats: list[HouseSeat]
    dealer: Dealer
    settlement: HouseSettlement | None


class NoLimitRound(_Round):
    """A hand of no-limit, as the caller may see it."""

    seats: list[NoLimitSeat]
    button: Number
    current_bet: Amount
    pots: list[Pot] | list[SettledPot]
    settlement: NoLimitSettlement | None


class Round(RootModel[HouseRound | NoLimitRound]):
    """A round, as the caller may see it: of a house game with its `dealer`, of no-limit with its `button`."""


class Rounds(Answered):
    """A page of round records, oldest first."""

    rounds: list[Round]
    next_after: int | None


# ── Sessions ─────────────────────────────────────────────────────────────────────────────────────────────


class Seat(Answered):
    """A seat between rounds; `stack` is no-limit's alone."""

    seat: Number
    status: SeatStatus
    balance: int
    stack: Amount | None = None


class Session(Answered):
    """The whole position as the caller may see it: enough to reconnect with."""

    id: Identifier
    game: str
    status: Status
    options: dict[str, Any]
    version: Number
    rounds_played: Natural
    seats: list[Seat]
    round: Round | None
    next_commitment: Digest | None
    result: Literal["player", "house", "tie"] | int | None
    created_at: Time
    sandbox: bool
    metadata: dict[str, str]


class SeatChanged(Session):
    """The session after a change of a seat; `token` is there after `new_token`."""

    token: str | None = None


class Tokens(Answered):
    """The credentials of a session's table and seats, shown once."""

    table: str
    seats: list[str]


class Started(Answered):
    """A new session and its tokens."""

    session: Session
    tokens: Tokens


class Listed(Answered):
    """A page of sessions, newest first."""

    sessions: list[Session]
    next_after: str | None


# ── Ledger ───────────────────────────────────────────────────────────────────────────────────────────────


class Totals(Answered):
    """One seat's counted rounds."""

    seat: Number
    rounds: Natural
    won: Natural
    lost: Natural
    tied: Natural
    staked: Natural
    returned: Natural
    net: int


class Entry(Answered):
    """One entry of the ledger. What else it holds depends on its `type`."""

    model_config = ConfigDict(strict=True, extra="allow", frozen=True, json_schema_extra=_open)

    seq: Number
    at: Time
    type: Literal[
        "session_started",
        "round_settled",
        "round_voided",
        "rebuy",
        "left",
        "session_finished",
        "session_closed",
    ]
    previous_hash: Digest
    hash: Digest


class Ledger(Answered):
    """A page of the append-only ledger, with the totals of all of it."""

    entries: list[Entry]
    totals: list[Totals]
    house_net: int
    voids: Natural
    result: Literal["player", "house", "tie"] | int | None
    next_after: int | None


# ── Hands, fairness, health, problems ────────────────────────────────────────────────────────────────────


class EvaluatedHand(Hand):
    """A hand and its place in the order of all hands: 1 is the worst, 7462 the best."""

    strength: Annotated[int, Field(ge=1, le=7462)]


class Evaluated(Answered):
    """The hands, in the order asked."""

    hands: list[EvaluatedHand]


class Verified(Answered):
    """What the seed commits to, and the deck it gives."""

    commitment: Digest
    deck: Annotated[list[CardText], Field(min_length=52, max_length=52)]


class Healthy(Answered):
    """The server is up, or ready to serve."""

    status: Literal["ok"]


class WrongField(Answered):
    """One wrong field: an RFC 6901 pointer into the body or the query, and what is allowed there."""

    pointer: str
    detail: str


class Problem(Answered):
    """An RFC 9457 problem document."""

    type: Annotated[str, Field(description="`/problems/` and the code: what it means, and what to do.")]
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    instance: str
    code: str
    errors: list[WrongField] | None = None
    legal_actions: list[LegalAction] | None = None
    version: int | None = None


class ProblemExplained(Answered):
    """What a problem code means, in plain words."""

    type: str
    code: str
    status: Annotated[int, Field(ge=400, le=599)]
    title: str
    happened: str
    remedy: str


# ── The catalogue ────────────────────────────────────────────────────────────────────────────────────────


class Names(Answered):
    """What people call it, by locale."""

    en: str
    pt: str
    pt_BR: Annotated[str, Field(alias="pt-BR")]
    es: str
    fr: str


class Named(Answered):
    """A code and its names."""

    code: str
    names: Names


class NamedCategory(Answered):
    """A hand category and its names."""

    category: Category
    names: Names


class SeatRange(Answered):
    """How many seats a session may have."""

    min: Number
    max: Number


class Option(Answered):
    """An option of start-session: its type, default and limits."""

    name: str
    type: Literal["boolean", "integer", "integers", "string"]
    nullable: bool
    default: bool | int | str | list[int] | None
    min: int | None = None
    max: int | None = None
    values: list[str] | None = None


class PayLine(Answered):
    """What is paid on what: `win:per`, net of the stake."""

    on: str
    odds: str


class MeterShare(Answered):
    """The share of the progressive meter that is paid on what."""

    on: str
    percent: Number


class PayTable(Answered):
    """What one bet pays; `otherwise` says what everything that the table does not list does."""

    bet: BetName
    paid_on: Literal["best_hand", "hole_cards"]
    lines: list[PayLine]
    otherwise: Literal["none", "push", "lose"]
    option: dict[str, str | bool] | None = None
    meter_shares_percent: list[MeterShare] | None = None


class CatalogueProfile(Answered):
    """A profile's house edge under the best play, in per cent of the ante."""

    profile: str
    house_edge_percent: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+$")]


class CatalogueGame(Answered):
    """One game."""

    game: str
    names: Names
    seats: SeatRange
    stages: list[Named]
    bets: list[Named]
    actions: list[Named]
    options: list[Option]
    pay_tables: list[PayTable]
    profiles: list[CatalogueProfile]


class Catalogue(Answered):
    """Every game, and the names of the hand categories, best first."""

    games: list[CatalogueGame]
    hands: list[NamedCategory]
