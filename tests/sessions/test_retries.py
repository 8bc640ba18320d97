"""An Idempotency-Key of start-session stands for one body, whatever id the body leads to."""

import pytest

from croupier.rules.registry import GAMES
from croupier.sessions.errors import IdempotencyKeyReused
from croupier.sessions.requests import Retry, Start
from croupier.sessions.service import Sessions
from sessions.house import OPERATOR, SECRETS, House

UTH = "ultimate-texas-holdem"
PATH = "/v1/sessions"


def start(trips: str) -> Start:
    return Start(UTH, GAMES[UTH].options(trips=trips))


@pytest.mark.parametrize(("first", "second"), [("fixed", "progressive"), ("progressive", "fixed")])
async def test_a_key_is_not_taken_again_for_a_session_on_the_meter(
    house: House, first: str, second: str
) -> None:
    await house.service.start(OPERATOR, start(first), Retry("key", PATH, b"first"))
    with pytest.raises(IdempotencyKeyReused):
        await house.service.start(OPERATOR, start(second), Retry("key", PATH, b"second"))
    sessions, _ = await house.store.sessions_of("house", None, 10)
    assert len(sessions) == 1


@pytest.mark.parametrize("trips", ["fixed", "progressive"])
async def test_a_retry_after_the_secret_was_changed_finds_its_answer(house: House, trips: str) -> None:
    asked = start(trips), Retry("key", PATH, b"body")
    first = await house.service.start(OPERATOR, *asked)
    changed = Sessions(
        house.store, house.clock, house.entropy, (b"a newer secret of 32 bytes or so", *SECRETS), house.policy
    )
    again = await changed.start(OPERATOR, *asked)
    assert (again.body, again.replayed) == (first.body, True)
    with pytest.raises(IdempotencyKeyReused):
        await changed.start(OPERATOR, start("off"), Retry("key", PATH, b"another body"))
