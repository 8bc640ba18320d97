"""The auditor finds nothing in what was really played, and whatever is changed afterwards."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from croupier.rules.actions import Call, Fold
from croupier.sessions import ledger
from croupier.sessions.audit import findings
from croupier.sessions.requests import Deal, Decide, SeatChange
from croupier.sessions.session import Decision, Round, Session
from sessions.house import OPERATOR, House, data

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


def rechained(entries: Sequence[bytes], at: int = 1, **changes: object) -> list[bytes]:
    """The entries with that at position *at* changed, every hash after it put right again."""
    previous, written = ledger.GENESIS, []
    for number, kept in enumerate(entries):
        entry = json.loads(ledger.split(kept)[1])
        if number == at:
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


def test_a_void_has_to_name_the_commitment_of_its_seed(books: Books) -> None:
    session, entries, rounds = books
    other = replace(rounds[2], server_seed=bytes(32))
    found = findings(session, entries, [*rounds[:2], other, *rounds[3:]])
    assert any("its commitment is not that of the round's seed" in one for one in found)


async def cash(house: House, *, rebuys: bool) -> Books:
    """Three seats of no-limit, of which two leave, each after a hand that all but one fold."""
    at = await house.start("no-limit-holdem", seats=3, buy_in=1000, rebuys=rebuys)
    for leaver in (1, 2):
        shown = data(await at.service.deal(at.id, at.table, Deal(), None))
        while shown["to_act"]:
            (seat,) = shown["to_act"]
            shown = data(await at.service.decide(at.id, at.seats[seat - 1], Decide(Fold()), None))
        for seat in (await house.session(at.id)).seats:
            if rebuys and seat.seat != leaver and seat.status == "playing" and 0 < (seat.stack or 0) < 1000:
                top = SeatChange("rebuy", amount=1000 - (seat.stack or 0))
                await at.service.seat(at.id, seat.seat, at.table, top, None)
        await at.service.seat(at.id, leaver, at.table, SeatChange("leave"), None)
    session = await house.session(at.id)
    return session, await house.store.ledger(at.id, 0, 100), await house.store.rounds(at.id, 0, 100)


def rewritten(books: Books, kind: str, **changes: object) -> str:
    """What is found when the first entry of a *kind* is changed, and all hashes with it."""
    session, entries, rounds = books
    kinds = [json.loads(ledger.split(kept)[1])["type"] for kept in entries]
    written = rechained(entries, kinds.index(kind), **changes)
    session = replace(session, ledger_hash=ledger.split(written[-1])[0])
    return "\n".join(findings(session, written, rounds))


async def test_chips_are_followed_from_the_first_stack_to_the_last(house: House) -> None:
    books = await cash(house, rebuys=True)
    assert findings(*books) == []
    assert "a stack of 7" in rewritten(books, "left", stack=7)
    started, settled = (
        next(
            entry
            for entry in map(json.loads, (ledger.split(kept)[1] for kept in books[1]))
            if entry["type"] == kind
        )
        for kind in ("session_started", "round_settled")
    )
    assert "a stack of 7" in rewritten(books, "session_started", seats=[started["seats"][0] | {"stack": 7}])
    assert "a stack of 7" in rewritten(books, "round_settled", seats=[settled["seats"][0] | {"stack": 7}])
    assert "a stack of" in rewritten(books, "rebuy", amount=1)
    assert "a stack of 7" in rewritten(books, "rebuy", stack=7)
    assert "a balance of 7" in rewritten(books, "left", balance=7)


async def test_a_session_ends_as_the_rules_say(house: House) -> None:
    books = await cash(house, rebuys=False)
    session, entries, rounds = books
    assert (session.status, session.result) == ("finished", 3)
    assert findings(*books) == []
    assert "it gives the session to 1, the rules to 3" in rewritten(books, "session_finished", result=1)
    richer = (*session.seats[:2], replace(session.seats[2], stack=5))
    for changed, said in (
        (replace(session, seats=richer), "has a stack of 5"),
        (replace(session, status="open"), "the session is open"),
        (replace(session, result=2), "with 2 for its result"),
    ):
        assert any(said in one for one in findings(changed, entries, rounds))


async def test_a_session_that_is_said_to_be_over_too_early_is_found(books: Books) -> None:
    session, entries, rounds = books
    finished, entry = ledger.append(session, session.changed_at, "session_finished", result="player")
    found = findings(replace(finished, status="finished", result="player"), [*entries, entry], rounds)
    assert any("by the rules the session is not over" in one for one in found)
