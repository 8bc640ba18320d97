"""The ledger."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from croupier.api.answers.base import Amount, Answered, Digest, GameName, Natural, Number, Result, Time
from croupier.api.answers.rounds import SettledBet
from croupier.api.answers.sessions import AnyOptions


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


class _Entry(Answered):
    seq: Number
    at: Time
    previous_hash: Digest
    hash: Annotated[Digest, Field(description="SHA-256 over `previous_hash` and the entry's canonical JSON.")]


class SeatBrought(Answered):
    """A seat of a new session, in no-limit with what it brings."""

    seat: Number
    stack: Amount | None = None


class SessionStarted(_Entry):
    """The session began."""

    type: Literal["session_started"]
    game: GameName
    options: AnyOptions
    sandbox: bool
    seats: list[SeatBrought]


class SeatPosted(Answered):
    """What a settled round did to one seat, and where that left it."""

    seat: Number
    bets: list[SettledBet]
    net: int
    balance: int
    stack: Amount | None = None


class RoundSettled(_Entry):
    """A round was settled."""

    type: Literal["round_settled"]
    round: Number
    deal: Number
    seats: list[SeatPosted]
    house_net: int
    jackpot_net: int | None = None


class SeatReversed(Answered):
    """What voiding a settled round took back from one seat."""

    seat: Number
    net: int
    balance: int


class RoundVoided(_Entry):
    """A round was voided; `seats` is empty unless it had been settled."""

    type: Literal["round_voided"]
    round: Number
    deal: Number
    commitment: Digest
    reason: str
    seats: list[SeatReversed]
    house_net: int
    jackpot_net: int | None = None


class Rebought(_Entry):
    """A seat brought more chips."""

    type: Literal["rebuy"]
    seat: Number
    amount: Amount
    stack: Amount


class SeatLeft(_Entry):
    """A seat left, in no-limit with its stack."""

    type: Literal["left"]
    seat: Number
    balance: int
    stack: Amount | None = None


class SessionFinished(_Entry):
    """The session was played to its end."""

    type: Literal["session_finished"]
    result: Result


class SessionClosed(_Entry):
    """The session was ended early, or for having been idle."""

    type: Literal["session_closed"]
    by: Literal["operator", "table", "seat", "idle"]


Entry: TypeAlias = Annotated[
    SessionStarted | RoundSettled | RoundVoided | Rebought | SeatLeft | SessionFinished | SessionClosed,
    Field(title="LedgerEntry", discriminator="type"),
]


class Ledger(Answered):
    """A page of the append-only ledger, with the totals of all of it."""

    entries: list[Entry]
    totals: list[Totals]
    house_net: int
    voids: Natural
    result: Result
    next_after: int | None
