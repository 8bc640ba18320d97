"""Sessions, rounds and answers as compact bytes: MessagePack arrays by position.

A layout lists a dataclass's fields in the order in which they are stored; fields at the end that have their
default are left out. A layout's order is fixed for good: a new field goes to its end and has a default, so
that records written before it can be read. A record with more fields than the layout knows was written by a
newer release and is refused. Options are the exception: they are kept whole and by name, so that no later
default can change a session.
"""

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import msgpack

from croupier.rules.actions import Action, AllIn, Bet, Call, Check, Fold, Play, Raise
from croupier.rules.game import Meter, SideBets, Table
from croupier.rules.registry import GAMES
from croupier.sessions.errors import Unreadable
from croupier.sessions.ports import Answer, KeptAnswer
from croupier.sessions.session import Decision, Round, Seat, Session, Totals, Void

_pack = msgpack.Encoder().encode
_unpack = msgpack.Decoder(list[Any]).decode

T = TypeVar("T")


class UnreadableRecord(Unreadable):
    """A record that this release cannot read."""


class Stored(NamedTuple):
    """One field: its name and, where its value is not stored as it is, the way there and back."""

    name: str
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None


class Layout(Generic[T]):
    """How a frozen dataclass is laid out as a list."""

    def __init__(self, kind: type[T], *stored: Stored) -> None:
        declared = {one.name: one for one in fields(kind)}  # type: ignore[arg-type]
        self.kind = kind
        self.names = tuple(one.name for one in stored)
        self._values = attrgetter(*self.names)
        self._defaults = [_default_of(declared[name]) for name in self.names]
        self._write = [(at, one.write) for at, one in enumerate(stored) if one.write]
        self._read = [(at, one.read) for at, one in enumerate(stored) if one.read]

    def write(self, value: T) -> list[Any]:
        """*value* as a list, without the defaults at its end."""
        values = list(self._values(value))
        while values and values[-1] == self._defaults[len(values) - 1]:
            values.pop()
        for at, write in self._write:
            if at < len(values) and values[at] is not None:
                values[at] = write(values[at])
        return values

    def read(self, values: list[Any], **more: Any) -> T:
        """The value that :meth:`write` was given, with the fields *more* that are kept elsewhere."""
        if len(values) > len(self.names):
            raise UnreadableRecord(f"a {self.kind.__name__} has fields that only a newer release knows")
        for at, read in self._read:
            if at < len(values) and values[at] is not None:
                values[at] = read(values[at])
        more.update(zip(self.names, values, strict=False))
        return self.kind(**more)


def _default_of(field: Any) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _code(*words: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """A word as its place in *words*; new words go to the end."""
    return {word: place for place, word in enumerate(words)}.__getitem__, words.__getitem__


# ── Rounds ───────────────────────────────────────────────────────────────────────────────────────────────

_ACTIONS: tuple[type[Any], ...] = (Fold, Check, Call, AllIn, Bet, Raise, Play)
_ACTION = {action: code for code, action in enumerate(_ACTIONS)}


def _write_action(action: Action) -> int | tuple[int, int]:
    code = _ACTION[type(action)]
    match action:
        case Bet(to=amount) | Raise(to=amount) | Play(multiple=amount):
            return code, amount
        case _:
            return code


def _read_action(stored: Any) -> Action:
    code, *amount = stored if isinstance(stored, list) else (stored,)
    action: Action = _ACTIONS[code](*amount)
    return action


_METER = Layout(Meter, Stored("hundredths"), Stored("contribution"), Stored("seed_amount"), Stored("stake"))
_DECISION = Layout(
    Decision,
    Stored("seat"),
    Stored("action", _write_action, _read_action),
    Stored("by", *_code("seat", "clock", "away")),
    Stored("meter", _METER.write, _METER.read),
)
_TABLE = Layout(Table, Stored("seats", None, tuple), Stored("stacks", None, tuple), Stored("button"))
_SIDE_BETS = Layout(SideBets, Stored("seat"), Stored("trips"), Stored("hole_card_bonus"))
_VOID = Layout(Void, Stored("reason"), Stored("at"), Stored("was_settled"))


def _each(layout: Layout[T]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """A tuple of values, each in its own layout."""
    write, read = layout.write, layout.read
    return (lambda values: [write(one) for one in values]), (
        lambda stored: tuple([read(one) for one in stored])
    )


_ROUND = Layout(
    Round,
    Stored("number"),
    Stored("deal"),
    Stored("version"),
    Stored("dealt_at"),
    Stored("server_seed"),
    Stored("client_seed"),
    Stored("table", _TABLE.write, _TABLE.read),
    Stored("settled"),
    Stored("decisions", *_each(_DECISION)),
    Stored("deadline"),
    Stored("meter", _METER.write, _METER.read),
    Stored("side_bets", *_each(_SIDE_BETS)),
    Stored("script", bytes, tuple),
    Stored("void", _VOID.write, _VOID.read),
    Stored("away", None, tuple),
)


def encode_round(played: Round) -> bytes:
    """A round as it is archived."""
    return _pack(_ROUND.write(played))


def decode_round(data: bytes) -> Round:
    """The round that :func:`encode_round` was given. Raises :class:`UnreadableRecord`."""
    return _ROUND.read(_unpack(data))


# ── Sessions ─────────────────────────────────────────────────────────────────────────────────────────────


def _plain(value: Any) -> Any:
    """Read-only mappings, which MessagePack has no word for."""
    if isinstance(value, MappingProxyType):
        return dict(value)
    raise TypeError(f"an option of type {type(value).__name__} cannot be stored")


_write_options = msgpack.Encoder(enc_hook=_plain).encode


@lru_cache(1024)
def _read_options(game: str, data: bytes) -> Any:
    # Cached: sessions share few sets of options, and their limits need no second check.
    try:
        return msgpack.decode(data, type=GAMES[game].options)
    except (KeyError, msgspec.ValidationError) as error:
        raise UnreadableRecord(f"the options of {game} are not ones that this release knows") from error


_TOTALS = Layout(
    Totals,
    Stored("rounds"),
    Stored("won"),
    Stored("lost"),
    Stored("tied"),
    Stored("staked"),
    Stored("returned"),
)
_SEAT = Layout(
    Seat,
    Stored("seat"),
    Stored("status", *_code("playing", "sitting_out", "busted", "left")),
    Stored("balance"),
    Stored("stack"),
    Stored("totals", _TOTALS.write, _TOTALS.read),
    Stored("generation"),
    Stored("client_seed"),
)
_SESSION = Layout(
    Session,
    Stored("operator"),
    Stored("game"),
    Stored("options", _write_options),
    Stored("created_at"),
    Stored("changed_at"),
    Stored("next_seed"),
    Stored("seats", *_each(_SEAT)),
    Stored("status", *_code("open", "finished", "closed")),
    Stored("rounds_played"),
    Stored("round", _ROUND.write, _ROUND.read),
    Stored("ledger_length"),
    Stored("ledger_hash", bytes.fromhex, bytes.hex),
    Stored("house_net"),
    Stored("button_from"),
    Stored("advice"),
    Stored("decision_seconds"),
    Stored("result"),
    Stored("voided", None, tuple),
    Stored("stacks_moved"),
    Stored("metadata", dict, MappingProxyType),
    Stored("players", None, tuple),
    Stored("sandbox"),
)
_GAME, _OPTIONS = _SESSION.names.index("game"), _SESSION.names.index("options")


def encode_session(session: Session) -> bytes:
    """All of *session* but its id and its version, which are kept beside it."""
    return _pack(_SESSION.write(session))


def decode_session(session_id: str, version: int, data: bytes) -> Session:
    """The session that :func:`encode_session` was given. Raises :class:`UnreadableRecord`."""
    values = _unpack(data)
    values[_OPTIONS] = _read_options(values[_GAME], values[_OPTIONS])
    return _SESSION.read(values, id=session_id, version=version)


# ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────

_ANSWER = Layout(
    Answer, Stored("status"), Stored("body"), Stored("etag"), Stored("location"), Stored("replayed")
)


def encode_answer(answer: Answer, body_digest: str) -> bytes:
    """An answer and the digest of the body that it answered."""
    return _pack([body_digest, *_ANSWER.write(answer)])


def decode_answer(data: bytes) -> KeptAnswer:
    """What :func:`encode_answer` was given. Raises :class:`UnreadableRecord`."""
    body_digest, *values = _unpack(data)
    return KeptAnswer(_ANSWER.read(values), body_digest)
