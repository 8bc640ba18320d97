"""What a session store means, whichever it is."""

import asyncio

import pytest

from croupier.sessions.ports import (
    Answer,
    AnswerSlot,
    Committed,
    Event,
    KeptAnswer,
    Loaded,
    Raced,
    SessionStore,
)
from store.samples import ANSWER, SLOT, START, change, entry, move, round_, session, started, versions

DAY = 86_400_000
SHARED = "tag~own"
"""The id of a session that settles on the meter of ``tag``."""


async def test_what_is_not_there(store: SessionStore) -> None:
    assert await store.load("s", SLOT) == Loaded(None)
    assert await store.load("no/such id") == Loaded(None)
    assert await store.ledger("s", 0, 10) == []
    assert await store.rounds("s", 0, 10) == []
    assert await store.events("s", 0, 10) == []
    assert await store.sessions_of("house", None, 10) == ([], None)
    assert await store.due(START, 10) == []
    assert await store.meter("tag") is None


async def test_a_commit_is_read_back_whole(store: SessionStore) -> None:
    first = await started(store)
    assert await store.load("s") == Loaded(first)
    record = round_(1)
    second = session(version=2, rounds_played=1, round=record)
    done = await store.commit(
        change(
            second,
            changes=("dealt", "settled"),
            entries=(entry(2), entry(3)),
            record=record,
            answer=(SLOT, ANSWER),
        )
    )
    assert done == Committed()
    assert await store.load("s", SLOT) == Loaded(second, KeptAnswer(ANSWER, SLOT.body_digest))
    assert await store.load("s", AnswerSlot("another", "")) == Loaded(second)
    assert await store.ledger("s", 0, 100) == [entry(1), entry(2), entry(3)]
    assert await store.ledger("s", 1, 2) == [entry(2)]
    assert await store.rounds("s", 0, 10) == [record]
    assert await store.events("s", 0, 10) == [
        Event(1, ("started",), first),
        Event(2, ("dealt", "settled"), second),
    ]
    assert await store.events("s", 1, 10) == [Event(2, ("dealt", "settled"), second)]
    assert await store.events("s", 0, 1) == [Event(1, ("started",), first)]


async def test_a_slot_stands_for_the_session_that_claimed_it_first(store: SessionStore) -> None:
    assert await store.claim(SLOT, "s") == "s"
    assert await store.claim(SLOT, SHARED) == "s"
    assert await store.claim(AnswerSlot(SLOT.slot, "another body"), "s") == "s"
    assert await store.claim(AnswerSlot("another", ""), SHARED) == SHARED


@pytest.mark.parametrize("version", [1, 2, 4, 9])
async def test_a_commit_on_another_version_writes_nothing(store: SessionStore, version: int) -> None:
    await started(store)
    await versions(store, "s", 2, 2)
    stale = change(
        session(version=version, operator="somebody"),
        entries=(entry(9),),
        record=round_(2),
        answer=(SLOT, ANSWER),
        due=START,
        expire_after=1,
    )
    before = await store.load("s")
    assert await store.commit(stale) == Raced()
    assert await store.load("s", SLOT) == before
    assert await store.ledger("s", 0, 10) == [entry(1), entry(2)]
    assert await store.rounds("s", 0, 10) == [round_(1)]
    assert [one.version for one in await store.events("s", 0, 10)] == [1, 2]
    assert await store.due(START, 10) == []


async def test_a_commit_on_a_session_that_is_not_there_writes_nothing(store: SessionStore) -> None:
    assert await store.commit(change(session(version=2), entries=(entry(2),))) == Raced()
    assert await store.load("s") == Loaded(None)
    assert await store.ledger("s", 0, 10) == []


async def test_of_two_racing_commits_one_wins(store: SessionStore) -> None:
    await started(store)
    rivals = [
        change(session(version=2, next_seed=bytes([one]) * 32), entries=(entry(one),)) for one in (1, 2)
    ]
    outcomes = await asyncio.gather(*map(store.commit, rivals))
    assert sorted(map(type, outcomes), key=str) == [Committed, Raced]
    won = rivals[outcomes.index(Committed())]
    assert (await store.load("s")).session == won.session
    assert (await store.ledger("s", 1, 10)) == list(won.entries)


async def test_two_hundred_at_once_are_all_in_once(store: SessionStore) -> None:
    await started(store)

    async def add(number: int) -> None:
        while True:
            found = (await store.load("s")).session
            assert found is not None
            done = await store.commit(
                change(session(version=found.version + 1), changes=("dealt",), entries=(entry(number),))
            )
            if done == Committed():
                return

    await asyncio.gather(*(add(number) for number in range(2, 202)))
    assert (await store.load("s")).session == session(version=201)
    kept = await store.ledger("s", 0, 1000)
    assert sorted(kept) == sorted(entry(number) for number in range(1, 202))


async def test_the_first_answer_is_given_again(store: SessionStore) -> None:
    await started(store)
    first = change(session(version=2), entries=(entry(2),), answer=(SLOT, ANSWER))
    assert await store.commit(first) == Committed()
    other = Answer(200, b"{}")
    kept = KeptAnswer(ANSWER, SLOT.body_digest)
    # Whether it would have raced or not; and with another body, which is for the use cases to refuse.
    for version, slot in ((2, SLOT), (3, SLOT), (3, AnswerSlot(SLOT.slot, "another body"))):
        again = change(session(version=version), entries=(entry(3),), answer=(slot, other))
        assert await store.commit(again) == kept
    assert await store.ledger("s", 0, 10) == [entry(1), entry(2)]
    assert (await store.load("s")).session == session(version=2)


async def test_a_retry_under_way_at_the_same_time_gets_the_same_answer(store: SessionStore) -> None:
    answers = [Answer(201, b'"%d"' % one) for one in range(20)]
    outcomes = await asyncio.gather(
        *(
            store.commit(change(session(), entries=(entry(one),), answer=(SLOT, given)))
            for one, given in enumerate(answers)
        )
    )
    first = answers[outcomes.index(Committed())]
    assert [one for one in outcomes if one != Committed()] == [KeptAnswer(first, SLOT.body_digest)] * 19
    assert len(await store.ledger("s", 0, 100)) == 1


async def test_answers_of_one_session_are_not_those_of_another(store: SessionStore) -> None:
    await started(store, "a")
    await started(store, "b")
    await store.commit(change(session("a", 2), answer=(SLOT, ANSWER)))
    assert (await store.load("b", SLOT)).kept is None


async def test_the_meter_moves_with_its_settlement_or_neither_does(store: SessionStore) -> None:
    await started(store, SHARED)
    assert await store.load(SHARED) == Loaded(session(SHARED))
    assert await store.commit(change(session(SHARED, 2), meter=move(None, 100_005))) == Committed()
    assert await store.load(SHARED) == Loaded(session(SHARED, 2), None, 100_005)
    assert await store.meter("tag") == 100_005
    for before in (None, 100_004):
        stale = change(session(SHARED, 3), meter=move(before, 7), entries=(entry(3),), answer=(SLOT, ANSWER))
        assert await store.commit(stale) == Raced()
    assert await store.load(SHARED, SLOT) == Loaded(session(SHARED, 2), None, 100_005)
    assert await store.ledger(SHARED, 0, 10) == [entry(1)]
    # A session of the same operator sees the same meter.
    await started(store, "tag~other")
    assert (await store.load("tag~other")).meter == 100_005
    assert await store.commit(change(session("tag~other", 2), meter=move(100_005, 100_010))) == Committed()
    assert await store.meter("tag") == 100_010
    assert await store.meter("gat") is None


async def test_racing_sessions_move_one_meter_one_after_another(store: SessionStore) -> None:
    ids = [f"tag~{one}" for one in range(10)]
    for session_id in ids:
        await started(store, session_id)

    async def settle(session_id: str) -> None:
        while True:
            loaded = await store.load(session_id)
            after = (loaded.meter or 0) + 5
            if (
                await store.commit(change(session(session_id, 2), meter=move(loaded.meter, after)))
                == Committed()
            ):
                return

    await asyncio.gather(*map(settle, ids))
    assert await store.meter("tag") == 50


async def test_rounds_are_archived_at_their_position(store: SessionStore) -> None:
    await started(store)
    await versions(store, "s", 2, 3)
    with pytest.raises(ValueError, match="the archive has 2 rounds"):
        await store.commit(change(session(version=4), record=round_(2)))
    with pytest.raises(ValueError, match="the archive has 2 rounds"):
        await store.commit(change(session(version=4), record=round_(4)))
    voided = round_(2, settled=False)
    done = await store.commit(change(session(version=4, voided=(2,)), record=voided, record_replaces=True))
    assert done == Committed()
    assert await store.rounds("s", 0, 10) == [round_(1), voided]
    again = round_(2, deal=2)
    assert await store.commit(change(session(version=5, voided=(2,)), record=again)) == Committed()
    third = round_(3)
    assert await store.commit(change(session(version=6, voided=(2,)), record=third)) == Committed()
    assert await store.rounds("s", 1, 4) == [voided, again, third]


async def test_the_latest_thousand_events_are_kept(store: SessionStore) -> None:
    await started(store)
    for version in range(2, 1004):
        assert await store.commit(change(session(version=version))) == Committed()
    kept = await store.events("s", 0, 2000)
    assert [one.version for one in kept] == list(range(4, 1004))
    assert kept[-1].session == session(version=1003)


async def test_an_operators_sessions_newest_first_page_by_page(store: SessionStore) -> None:
    await started(store, "elsewhere", operator="somebody")
    # Three at a time start in the same millisecond.
    made = [await started(store, f"s{one:02}", created_at=START + one // 3) for one in range(14)]
    found: list[str] = []
    after: str | None = None
    pages = 0
    while pages == 0 or after is not None:
        page, after = await store.sessions_of("house", after, 4)
        found += [one.id for one in page]
        pages += 1
        # A session that starts meanwhile comes before the first page and moves none of the others.
        await started(store, f"z{pages}", created_at=START + 1000 + pages)
    assert found == [one.id for one in reversed(made)]
    assert pages == 4


async def test_a_page_that_is_exactly_full_is_the_last(store: SessionStore) -> None:
    for one in range(3):
        await started(store, f"s{one}")
    found, after = await store.sessions_of("house", None, 3)
    assert ([one.id for one in found], after) == (["s2", "s1", "s0"], None)


async def test_an_operators_sessions_behind_a_place(store: SessionStore) -> None:
    await started(store, "elsewhere", operator="somebody")
    made = [await started(store, f"s{one}", created_at=START + one // 2) for one in range(6)]
    made.reverse()
    assert await store.sessions_before("house", START + 3, "", 10) == made
    assert await store.sessions_before("house", START + 2, "", 10) == made[2:]
    assert await store.sessions_before("house", START + 2, "s5", 3) == made[1:4]
    assert await store.sessions_before("house", START + 1, "s2", 10) == made[4:]
    assert await store.sessions_before("house", START, "", 10) == []
    assert await store.sessions_before("nobody", START + 3, "", 10) == []


@pytest.mark.parametrize("cursor", ["", "x", "é", "MTIz", "MTIzLg", "LnM", "MTIzLiovKg", "MTIzLnM=", "\0"])
async def test_a_cursor_that_is_not_ours_is_refused(store: SessionStore, cursor: str) -> None:
    with pytest.raises(ValueError, match="not a cursor"):
        await store.sessions_of("house", cursor, 10)


async def test_a_new_session_is_due_when_it_has_been_idle(store: SessionStore) -> None:
    await started(store)
    assert await store.due(START + 30 * DAY - 1, 10) == []
    assert await store.due(START + 30 * DAY, 10) == ["s"]


async def test_the_earliest_are_due_first_and_again_until_they_are_reminded(store: SessionStore) -> None:
    for one in range(4):
        await started(store, f"s{one}")
        await store.commit(change(session(f"s{one}", 2), due=START + 400 - one * 100))
    assert await store.due(START + 99, 10) == []
    assert await store.due(START + 1000, 2) == ["s3", "s2"]
    assert await store.due(START + 1000, 3) == ["s3", "s2", "s1"]
    await store.remind("s3", START + 2000)
    assert await store.due(START + 1000, 10) == ["s2", "s1", "s0"]
    assert await store.due(START + 2000, 10) == ["s2", "s1", "s0", "s3"]


async def test_a_reminder_that_nobody_has_seen_is_brought_forward_but_not_put_off(
    store: SessionStore,
) -> None:
    await started(store)
    await store.commit(change(session(version=2), due=START + 100))
    await store.commit(change(session(version=3), due=START + 200))
    assert await store.due(START + 100, 10) == ["s"]
    await store.remind("s", START + 300)
    assert await store.due(START + 299, 10) == []
    await store.remind("s", START + 250)
    assert await store.due(START + 250, 10) == ["s"]


async def test_an_ended_session_is_due_when_its_retention_ends(store: SessionStore) -> None:
    await started(store)
    await store.commit(change(session(version=2, status="closed"), expire_after=60))
    assert await store.due(START + 2 + 59_999, 10) == []
    assert await store.due(START + 2 + 60_000, 10) == ["s"]


async def test_a_forgotten_session_is_on_no_list(store: SessionStore) -> None:
    await started(store, "s")
    await started(store, "t")
    await store.remind("s", None)
    await store.remind("never there", None)
    found, _ = await store.sessions_of("house", None, 10)
    assert [one.id for one in found] == ["t"]
    assert await store.due(START + 31 * DAY, 10) == ["t"]


async def test_repair_restores_what_was_forgotten_and_leaves_the_rest(store: SessionStore) -> None:
    for one in range(3):
        await started(store, f"tag~{one}")
    await store.commit(change(session("tag~1", 2, round=round_(1, deadline=START + 500, settled=False))))
    await store.remind("tag~0", START + 100)
    assert await store.repair() == 0
    await store.remind("tag~1", None)
    assert await store.repair() == 1
    assert await store.repair() == 0
    assert await store.due(START + 500, 10) == ["tag~0", "tag~1"]
    found, _ = await store.sessions_of("house", None, 10)
    assert [one.id for one in found] == ["tag~2", "tag~1", "tag~0"]


async def test_ping(store: SessionStore) -> None:
    await store.ping()
