"""What is stored comes back equal, takes little room, and can still be read by later releases."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import msgpack

from croupier.rules.actions import AllIn, Bet, Call, Check, Fold, Play, Raise
from croupier.rules.game import Meter, SideBets, Table
from croupier.rules.registry import GAMES
from croupier.sessions.ports import Answer, KeptAnswer
from croupier.sessions.requests import Deal, Decide
from croupier.sessions.session import Decision, Round, Seat, Session, Totals, Void
from croupier.store.codec import (
    UnreadableRecord,
    decode_answer,
    decode_round,
    decode_session,
    encode_answer,
    encode_round,
    encode_session,
)
from sessions.house import make_house
from store.samples import ANSWER, START, round_, session

AMOUNT = st.integers(-(2**53), 2**53)
COUNT = st.integers(0, 2**53)
SEATS = st.lists(st.integers(1, 9), max_size=9).map(tuple)
TEXT = st.text(max_size=20)
METERS = st.builds(Meter, COUNT, COUNT, COUNT, COUNT)
ACTIONS = st.one_of(
    *(st.builds(action) for action in (Fold, Check, Call, AllIn)),
    *(st.builds(action, COUNT) for action in (Bet, Raise, Play)),
)
DECISIONS = st.builds(
    Decision, st.integers(1, 9), ACTIONS, st.sampled_from(["seat", "clock", "away"]), st.none() | METERS
)
ROUNDS = st.builds(
    Round,
    number=COUNT,
    deal=COUNT,
    table=st.builds(Table, SEATS, st.none() | SEATS, st.none() | st.integers(1, 9)),
    server_seed=st.binary(min_size=32, max_size=32),
    client_seed=TEXT,
    dealt_at=COUNT,
    version=COUNT,
    side_bets=st.lists(st.builds(SideBets, COUNT, COUNT, COUNT), max_size=3).map(tuple),
    script=st.none() | st.permutations(range(52)).map(lambda deck: tuple(deck[:9])),
    decisions=st.lists(DECISIONS, max_size=6).map(tuple),
    deadline=st.none() | COUNT,
    meter=st.none() | METERS,
    away=SEATS,
    settled=st.booleans(),
    void=st.none() | st.builds(Void, TEXT, COUNT, st.booleans()),
)
GAMES_WITH_OPTIONS = st.sampled_from(
    [
        ("casino-holdem", GAMES["casino-holdem"].options(ante=7)),
        ("ultimate-texas-holdem", GAMES["ultimate-texas-holdem"].options(seats=4, preflop_multiples=(3, 4))),
        ("ultimate-texas-holdem", GAMES["ultimate-texas-holdem"].options(trips="progressive")),
        ("no-limit-holdem", GAMES["no-limit-holdem"].options(seats=2, stacks=(300, 2000))),
    ]
)
SESSIONS = st.builds(
    lambda game, **fields: Session(id="s", version=3, game=game[0], options=game[1], **fields),
    game=GAMES_WITH_OPTIONS,
    operator=TEXT,
    created_at=COUNT,
    changed_at=COUNT,
    next_seed=st.binary(min_size=32, max_size=32),
    seats=st.lists(
        st.builds(
            Seat,
            st.integers(1, 9),
            st.sampled_from(["playing", "sitting_out", "busted", "left"]),
            AMOUNT,
            st.none() | COUNT,
            st.builds(Totals, COUNT, COUNT, COUNT, COUNT, COUNT, COUNT),
            COUNT,
            st.none() | TEXT,
        ),
        max_size=4,
    ).map(tuple),
    status=st.sampled_from(["open", "finished", "closed"]),
    result=st.none() | st.sampled_from(["player", "dealer", "tie"]) | st.integers(1, 9),
    rounds_played=COUNT,
    round=st.none() | ROUNDS,
    button_from=st.integers(1, 9),
    voided=SEATS,
    stacks_moved=st.booleans(),
    house_net=AMOUNT,
    ledger_length=COUNT,
    ledger_hash=st.binary(min_size=32, max_size=32).map(bytes.hex),
    metadata=st.dictionaries(TEXT, TEXT, max_size=3).map(MappingProxyType),
    players=st.none() | st.lists(TEXT, max_size=3).map(tuple),
    advice=st.booleans(),
    decision_seconds=st.none() | st.integers(1, 600),
    sandbox=st.booleans(),
)

FIRST_SESSION = (
    "dc0014a5686f757365ad636173696e6f2d686f6c64656dc40f82a4616e746505a6726f756e647314cf0000019b76daa8"
    "00cf0000019b76daa809c420010101010101010101010101010101010101010101010101010101010101010191950100"
    "00c096030102001e1400019a020102cf0000019b76daa802c42002020202020202020202020202020202020202020202"
    "02020202020202020202a46d696e65919101c290cf0000019b76db926004c420abababababababababababababababab"
    "abababababababababababababababab0001c3c0c090c281a57461626c65a137"
)
FIRST_ROUND = (
    "9e010101cf0000019b76daa801c4200101010101010101010101010101010101010101010101010101010101010101a4"
    "6d696e65919101c3929401920528019105920100c0c090c093a961206d697374616b65cf0000019b76daa800c3"
)
FIRST_ANSWER = "95a6646967657374ccc9c40f7b226465616c74223a20747275657da3223122ae2f76312f73657373696f6e732f73"


@settings(max_examples=300, deadline=None)
@given(SESSIONS)
@example(session("s", 3, seats=(Seat(1, generation=1),)))  # totals of nothing but defaults, and a field after
def test_a_session_comes_back(made: Session) -> None:
    back = decode_session("s", 3, encode_session(made))
    assert back == made
    # Equal is not alike: True equals 1, and a list in place of a tuple would be found out much later.
    assert kinds(back) == kinds(made)


@settings(max_examples=300, deadline=None)
@given(ROUNDS)
def test_a_round_comes_back(made: Round) -> None:
    back = decode_round(encode_round(made))
    assert back == made
    assert kinds(back) == kinds(made)


@given(st.builds(Answer, COUNT, st.binary(), st.none() | TEXT, st.none() | TEXT, st.booleans()), TEXT)
def test_an_answer_comes_back(made: Answer, digest: str) -> None:
    assert decode_answer(encode_answer(made, digest)) == KeptAnswer(made, digest)


def kinds(value: Any) -> Any:
    """The types in *value*, all the way down."""
    if isinstance(value, tuple | list):
        return type(value), [kinds(one) for one in value]
    if isinstance(value, Mapping):
        return "mapping", [(kinds(key), kinds(one)) for key, one in value.items()]
    if hasattr(value, "__dataclass_fields__"):
        return type(value), [kinds(getattr(value, name)) for name in value.__dataclass_fields__]
    return type(value)


def test_records_of_the_first_release_can_be_read() -> None:
    """These bytes are never changed: a release that cannot read them loses its users' sessions."""
    state = bytes.fromhex(FIRST_SESSION)
    assert decode_session("s", 9, state) == session(
        "s",
        9,
        changed_at=START + 9,
        round=round_(2, settled=False, decisions=(), deadline=START + 60_000),
        rounds_played=1,
        ledger_length=4,
        ledger_hash="ab" * 32,
        metadata={"table": "7"},
    )
    assert decode_round(bytes.fromhex(FIRST_ROUND)) == round_(
        1,
        decisions=(Decision(1, Raise(40), "clock", Meter(5)), Decision(1, Fold())),
        void=Void("a mistake", START, was_settled=True),
    )
    assert decode_answer(bytes.fromhex(FIRST_ANSWER)) == KeptAnswer(ANSWER, "digest")


def test_fields_that_a_later_release_added_are_refused() -> None:
    values = msgpack.decode(encode_round(round_(1, away=(1,))))
    assert decode_round(msgpack.encode(values)) == round_(1, away=(1,))
    with pytest.raises(UnreadableRecord, match="newer release"):
        decode_round(msgpack.encode([*values, "a field of tomorrow"]))


def test_options_that_are_not_known_are_refused() -> None:
    values = msgpack.decode(encode_session(session()))
    for game, options in (("faro", values[2]), (values[1], msgpack.encode({"ante": "five"}))):
        with pytest.raises(UnreadableRecord, match="options"):
            decode_session("s", 1, msgpack.encode([values[0], game, options, *values[3:]]))


async def test_a_session_of_twenty_rounds_takes_less_than_sixteen_kibibytes() -> None:
    house = make_house()
    at = await house.start("casino-holdem", rounds=20)
    for _ in range(20):
        await house.service.deal(at.id, at.table, Deal(), None)
        await house.service.decide(at.id, at.seats[0], Decide(Call()), None)
    kept = await house.session(at.id)
    ledger = await house.store.ledger(at.id, 0, 1000)
    archive = [encode_round(one) for one in await house.store.rounds(at.id, 0, 1000)]
    assert kept.rounds_played == len(archive) == 20
    assert len(encode_session(kept)) + sum(map(len, ledger)) + sum(map(len, archive)) < 16 * 1024
