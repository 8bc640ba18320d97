"""What callers ask of the use cases, already parsed and bounded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from croupier.rules.actions import Action
from croupier.rules.cards import Card
from croupier.rules.game import SideBets


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: an operator (by a good key, or ``local`` in open mode), or the bearer of a session's token.

    At most one is set; neither is an anonymous caller. ``locale`` chooses the words for people.
    """

    operator: str | None = None
    token: str | None = None
    locale: str = "en"


@dataclass(frozen=True, slots=True)
class Retry:
    """The caller's Idempotency-Key, the path it came with, and the body as canonical JSON."""

    key: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Start:
    """Start a session of *game* with its own frozen *options*."""

    game: str
    options: Any
    metadata: Mapping[str, str] = field(default_factory=dict)
    players: tuple[str, ...] | None = None
    advice: bool = True
    decision_seconds: int | None = None
    sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal the next round. ``deck`` is a sandbox's chosen top of the deck."""

    version: int | None = None
    client_seed: str | None = None
    bets: tuple[SideBets, ...] = ()
    sit_out: tuple[int, ...] = ()
    deck: tuple[Card, ...] | None = None


@dataclass(frozen=True, slots=True)
class Decide:
    """Take *action*; ``seat`` may be left out with a seat's token. ``version`` and ``round`` are guards."""

    action: Action
    seat: int | None = None
    version: int | None = None
    round: int | None = None


@dataclass(frozen=True, slots=True)
class SeatChange:
    """Change a seat; ``amount`` goes with ``rebuy``, ``value`` with ``client_seed``."""

    do: Literal["sit_out", "sit_in", "leave", "new_token", "rebuy", "client_seed"]
    amount: int | None = None
    value: str | None = None
