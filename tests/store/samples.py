"""Sessions and changes to store, built by hand: the store must keep them, not understand them."""

from dataclasses import replace
from typing import Any

from croupier.rules.actions import Call
from croupier.rules.casino_holdem import CasinoHoldemOptions
from croupier.rules.game import Table
from croupier.sessions.ports import Answer, AnswerSlot, Change, Committed, MeterMove, SessionStore
from croupier.sessions.session import Decision, Round, Seat, Session, Totals

START = 1_767_225_600_000
SECRETS = (b"a secret of at least sixteen bytes",)
SLOT = AnswerSlot("slot-1", "digest of a body")
ANSWER = Answer(201, b'{"dealt": true}', etag='"1"', location="/v1/sessions/s", replayed=False)


def session(session_id: str = "s", version: int = 1, **fields: Any) -> Session:
    made = Session(
        id=session_id,
        operator="house",
        game="casino-holdem",
        options=CasinoHoldemOptions(ante=5),
        created_at=START,
        changed_at=START + version,
        next_seed=b"\x01" * 32,
        seats=(Seat(1, totals=Totals(rounds=3, won=1, lost=2, staked=30, returned=20)),),
        version=version,
    )
    return replace(made, **fields)


def round_(number: int, deal: int = 1, **fields: Any) -> Round:
    made = Round(
        number=number,
        deal=deal,
        table=Table((1,)),
        server_seed=bytes([number]) * 32,
        client_seed="mine",
        dealt_at=START + number,
        version=number,
        decisions=(Decision(1, Call()),),
        settled=True,
    )
    return replace(made, **fields)


def change(of: Session, **fields: Any) -> Change:
    return Change(**{"session": of, "changes": ("dealt",), **fields})


def entry(number: int) -> bytes:
    return b'{"seq":%d}' % number


def move(before: int | None, after: int) -> MeterMove:
    return MeterMove(before, after)


async def started(store: SessionStore, session_id: str = "s", **fields: Any) -> Session:
    """A session that is in *store* at version 1."""
    made = session(session_id, **fields)
    assert await store.commit(change(made, changes=("started",), entries=(entry(1),))) == Committed()
    return made


async def versions(store: SessionStore, session_id: str, first: int, last: int) -> None:
    """Commit the versions *first* to *last* of a session, each with one ledger entry and one round."""
    for version in range(first, last + 1):
        done = await store.commit(
            change(
                session(session_id, version),
                entries=(entry(version),),
                record=round_(version - 1),
            )
        )
        assert done == Committed()
