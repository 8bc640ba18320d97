"""The thread that works questions out: who is answered what, and who is refused."""

import asyncio
import threading

import pytest

from croupier.odds.pool import Pool, PoolFull


async def test_each_question_has_its_own_answer_or_failure():
    pool = Pool(waiting=100)
    asked = [pool.submit(lambda one=one: 10 // one) for one in (5, 0, 2, 1)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(one) if isinstance(one, Exception) else one for one in answers] == [
        2,
        ZeroDivisionError,
        5,
        10,
    ]
    assert await pool.submit(threading.current_thread) is not threading.current_thread()


async def test_as_many_wait_as_may_and_those_answered_leave_their_room():
    pool, gate = Pool(waiting=2), threading.Event()
    for _ in range(3):
        asked = [pool.submit(gate.wait) for _ in range(3)]
        with pytest.raises(PoolFull):
            pool.submit(gate.wait)
        gate.set()
        assert await asyncio.gather(*asked) == [True] * 3
        gate.clear()


async def test_who_gave_up_is_not_worked_for_and_leaves_its_room():
    pool, gate, done = Pool(waiting=1), threading.Event(), []
    first = pool.submit(gate.wait)
    given_up = pool.submit(lambda: done.append("in vain"))
    given_up.cancel()
    gate.set()
    await first
    await pool.submit(lambda: done.append("asked later"))
    assert done == ["asked later"]


async def test_a_long_question_keeps_no_answer_back():
    pool, gate = Pool(), threading.Event()
    short = [pool.submit(lambda one=one: one) for one in range(5)]
    long = pool.submit(gate.wait)
    assert await asyncio.wait_for(asyncio.gather(*short), 5) == [0, 1, 2, 3, 4]
    assert not long.done()
    gate.set()
    await long


async def test_questions_of_one_work_are_asked_together_and_answered_each():
    pool, gate, asked = Pool(waiting=100), threading.Event(), []

    def halves(numbers):
        asked.append(list(numbers))
        return [number // 2 for number in numbers]

    first = pool.submit(gate.wait)
    even = [pool.ask(halves, number) for number in range(0, 40, 2)]
    other = pool.submit(lambda: "between")
    last = pool.ask(halves, 100)
    even[1].cancel()
    gate.set()
    await first
    assert await asyncio.gather(*even[:1], *even[2:], other, last) == [0, *range(2, 20), "between", 50]
    assert asked == [[0, *range(4, 32, 2)], [32, 34, 36, 38], [100]]


async def test_a_question_that_fails_fails_alone():
    pool, gate = Pool(), threading.Event()
    first = pool.submit(gate.wait)

    def tenths(numbers):
        return [10 // number for number in numbers]

    asked = [pool.ask(tenths, number) for number in (5, 0, 2)]
    gate.set()
    await first
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [found[0], type(found[1]), found[2]] == [2, ZeroDivisionError, 5]
