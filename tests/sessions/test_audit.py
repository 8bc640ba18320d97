"""The auditor finds nothing in what was really played, and whatever is changed afterwards."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from croupier.rules.actions import Call, Fold
from croupier.sessions import ledger
from croupier.sessions.audit import findings
from croupier.sessions.requests import Deal, Decide
from croupier.sessions.session import Decision, Round, Session
from sessions.house import OPERATOR, House

Books = tuple[Session, list[bytes], list[Round]]


@pytest.fixture
async def books(house: House) -> Books:
    """Four rounds of Casino Hold'em, the third of them voided and dealt again."""
    at = await house.start("casino-holdem", rounds=6)
    for number in range(4):
        await at.service.deal(at.id, at.table, Deal(), None)
        await at.service.decide(at.id, at.seats[0], Decide(Call()), None)
        if number == 2:
            await at.service.void(at.id, 3, OPERATOR, "a test", None)
    session = await house.session(at.id)
    return (
        session,
        await house.store.ledger(at.id, 0, 100),
        await house.store.rounds(at.id, 0, 100),
    )


def rechained(entries: Sequence[bytes], **changes: object) -> list[bytes]:
    """The entries with the second one changed, every hash after it put right again."""
    previous, written = ledger.GENESIS, []
    for number, kept in enumerate(entries):
        entry = json.loads(ledger.split(kept)[1])
        if number == 1:
            entry |= changes
        text = ledger.canonical(entry)
        previous = ledger.chained(previous, text)
        written.append(previous.encode() + text)
    return written


def test_what_was_played_is_right(books: Books) -> None:
    assert findings(*books) == []


def test_an_altered_entry_breaks_the_chain(books: Books) -> None:
    session, entries, rounds = books
    for altered in (
        entries[1].replace(b'"deal":1', b'"deal":2'),
        entries[1].replace(b'"deal":1', b'"deal"', 1),
        entries[1][:-1],
    ):
        found = findings(session, [entries[0], altered, *entries[2:]], rounds)
        assert any("its hash differs" in one for one in found)


def test_a_missing_entry_is_missed(books: Books) -> None:
    session, entries, rounds = books
    found = findings(session, [*entries[:2], *entries[3:]], rounds)
    assert any("says that it is entry" in one for one in found)
    assert any("stands in no entry" in one for one in found)


def test_a_rewritten_ledger_does_not_end_where_the_session_does(books: Books) -> None:
    session, entries, rounds = books
    found = findings(session, rechained(entries, house_net=999), rounds)
    assert any("do not end where the session's" in one for one in found)
    assert any("the rules give the house otherwise" in one for one in found)


def test_a_ledger_rewritten_with_its_session_is_caught_by_the_rules(books: Books) -> None:
    session, entries, rounds = books
    row = json.loads(ledger.split(entries[1])[1])["seats"][0]
    entries = rechained(entries, seats=[row | {"net": row["net"] + 5, "balance": row["balance"] + 5}])
    session = replace(session, ledger_hash=ledger.split(entries[-1])[0])
    found = findings(session, entries, rounds)
    assert "entry 2: the rules pay otherwise" in found
    assert any("has a balance of" in one for one in found)


def test_another_decision_or_another_deck_pays_otherwise(books: Books) -> None:
    session, entries, rounds = books
    folded = replace(rounds[0], decisions=(Decision(1, Fold()),))
    assert "entry 2: the rules pay otherwise" in findings(session, entries, [folded, *rounds[1:]])
    other = [replace(rounds[0], server_seed=bytes([n]) * 32) for n in range(5)]
    assert any(findings(session, entries, [one, *rounds[1:]]) for one in other)


def test_a_balance_of_the_session_itself_is_checked(books: Books) -> None:
    session, entries, rounds = books
    richer = replace(session, seats=(replace(session.seats[0], balance=1000),))
    assert any("has a balance of 1000" in one for one in findings(richer, entries, rounds))
    assert any("house's net" in one for one in findings(replace(session, house_net=3), entries, rounds))


def test_a_void_has_to_reverse_what_was_paid(books: Books) -> None:
    session, entries, rounds = books
    unvoided = replace(rounds[2], void=None)
    found = findings(session, entries, [*rounds[:2], unvoided, *rounds[3:]])
    assert any("not voided in the archive" in one for one in found)
