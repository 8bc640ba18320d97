"""Tokens: derived from the secret, good in one place, and compared without telling how far they are right."""

import base64
from dataclasses import replace

import pytest

from croupier.sessions import access
from croupier.sessions.access import SeatHolder, TableHolder, Tokens
from croupier.sessions.errors import NotFound, Unauthorized
from croupier.sessions.requests import Caller
from croupier.sessions.session import Session
from sessions.house import SECRETS, House, Started

NEWER = b"a newer secret of thirty-two byte"


@pytest.fixture
async def table(house: House) -> Started:
    return await house.start("ultimate-texas-holdem", seats=3)


@pytest.fixture
async def session(house: House, table: Started) -> Session:
    return await house.session(table.id)


def bearer(token: str) -> Caller:
    return Caller(token=token)


def test_a_token_has_256_bits_and_says_by_its_beginning_what_it_is(session: Session) -> None:
    tokens = Tokens(SECRETS)
    for prefix, token in (("tbl", tokens.table(session)), ("seat", tokens.seat(session, 2))):
        begin, _, rest = token.partition("_")
        assert begin == prefix
        assert len(base64.urlsafe_b64decode(rest + "=")) == 32


def test_a_token_is_good_for_one_place_alone(session: Session) -> None:
    tokens = Tokens(SECRETS)
    later = replace(
        session, seats=tuple(replace(seat, generation=seat.generation + 1) for seat in session.seats)
    )
    elsewhere = replace(session, id="elsewhere")
    again = replace(session, created_at=session.created_at + 1)
    seats = [tokens.seat(one, seat) for one in (session, later, elsewhere, again) for seat in (1, 2, 3)]
    assert len({*seats, *(tokens.table(one) for one in (session, elsewhere, again))}) == 15
    for seat in (1, 2, 3):
        own = tokens.seat(session, seat)
        assert tokens.role(session, bearer(own)) == SeatHolder(seat, alone=False)
        for other in (later, elsewhere, again):
            with pytest.raises(Unauthorized):
                tokens.role(other, bearer(own))
        for dressed in ("tbl_" + own.removeprefix("seat_"), own + "=", own.upper(), own[:-1], "seat_"):
            with pytest.raises(Unauthorized):
                tokens.role(session, bearer(dressed))
    assert tokens.role(later, bearer(tokens.table(session))) == TableHolder()


def test_every_token_there_could_be_is_compared_in_constant_time(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, expected: bytes) -> bool:
        compared.append((given, expected))
        return given == expected

    monkeypatch.setattr(access.hmac, "compare_digest", compare)
    tokens = Tokens(SECRETS)
    for token in (tokens.seat(session, 1), tokens.seat(session, 3)):
        compared.clear()
        tokens.role(session, bearer(token))
        assert len({expected for _, expected in compared}) == len(SECRETS) * len(session.seats)
    compared.clear()
    with pytest.raises(NotFound):
        tokens.role(session, Caller(operator="another"))
    assert compared == [(b"another", b"house")]


def test_tokens_outlive_a_change_of_the_secret_until_it_is_dropped(session: Session) -> None:
    token = Tokens(SECRETS).seat(session, 1)
    changed = Tokens((NEWER, *SECRETS))
    assert changed.role(session, bearer(token)) == SeatHolder(1, alone=False)
    assert changed.seat(session, 1) != token
    with pytest.raises(Unauthorized):
        Tokens((NEWER,)).role(session, bearer(token))
