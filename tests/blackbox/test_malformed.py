"""Whatever is sent, it is answered: never by a 500, never by silence, and nothing changes.

Every kind of the corpus is sent once and must be refused as HTTP and the contract say. Then mutations of all
kinds are sent by a seeded generator: ten thousand, and ten times as many on demand.
"""

import asyncio
import json
import random
import resource
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest

from blackbox.malformed import Kind, mutated
from blackbox.malformed_bodies import BODIES
from blackbox.malformed_http import HTTP
from blackbox.server import running
from blackbox.table import Json, bearer, good
from serving import Start

KINDS = (*HTTP, *BODIES)
KEY = "malformed-" + "k" * 32
PATIENCE = 20.0
SOON = 0.3
"""Seconds after which a request that has not been answered is taken to be unfinished, and is finished."""
REST = b"\r\n\r\n" + b"0\r\n\r\n" * 20_000
"""The rest of any request: it ends a head, ends chunks, fills any body that is allowed."""
AT_ONCE = 16
FAULTS = (AssertionError, OSError, TimeoutError, LookupError, ValueError)
"""What an answer that is none, or not as it should be, shows up as."""


class Answer(NamedTuple):
    status: int
    head: bytes
    body: bytes


def answer_in(received: bytes, *, bodiless: bool) -> Answer | None:
    """The first final answer in what came so far; None while it is not whole."""
    while received.startswith(b"HTTP/1.1 100"):
        received = received.partition(b"\r\n\r\n")[2]
    head, end, rest = received.partition(b"\r\n\r\n")
    if not end:
        return None
    assert head.startswith(b"HTTP/1.1 "), head[:200]
    status = int(head.split(maxsplit=2)[1])
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    length = 0 if bodiless or status in (204, 304) else int(fields[b"content-length"])
    return Answer(status, head, rest[:length]) if len(rest) >= length else None


async def answered(address: tuple[str, int], raw: bytes) -> Answer:
    """What the server answers to *raw* first. What is no whole request is made one after a while.

    A closed connection is no answer.
    """
    reader, writer = await asyncio.open_connection(*address)
    bodiless = raw.lstrip()[:5].upper() == b"HEAD "
    received = b""

    async def send() -> None:
        writer.write(raw)
        await writer.drain()
        await asyncio.sleep(SOON)
        writer.write(REST)
        await writer.drain()

    sending = asyncio.ensure_future(send())
    try:
        async with asyncio.timeout(PATIENCE):
            while (found := answer_in(received, bodiless=bodiless)) is None:
                part = await reader.read(65_536)
                assert part, f"closed after {received[:200]!r}"
                received += part
        return found
    finally:
        sending.cancel()
        # The server may have closed first, with some of what was sent unread.
        await asyncio.gather(sending, return_exceptions=True)
        writer.close()


def check(answer: Answer) -> None:
    """What holds for every answer: no mistake, no header from outside, and a problem if it is a refusal."""
    assert answer.status < 500, answer
    assert b"\r\nx-injected" not in answer.head.lower(), answer
    assert all(byte == 9 or 32 <= byte < 127 for byte in answer.head.replace(b"\r\n", b"")), answer
    if answer.status >= 400 and answer.body:
        assert b"\r\ncontent-type: application/problem+json" in answer.head.lower(), answer
        problem = json.loads(answer.body)
        assert problem["status"] == answer.status, problem
        assert problem["type"] == f"/problems/{problem['code']}", problem
        assert problem["title"] and problem["detail"] and problem["instance"], problem
        assert len(answer.body) < 8192, problem


class House(NamedTuple):
    """A server with a session of each game, a round open in each."""

    http: httpx.Client
    address: tuple[str, int]
    sessions: list[Json]

    @classmethod
    def opened(cls, url: str) -> "House":
        http = httpx.Client(base_url=url, headers=bearer(KEY), timeout=PATIENCE, trust_env=False)
        sessions = []
        for body in (
            {"game": "ultimate-texas-holdem", "seats": 2, "sandbox": True},
            {"game": "casino-holdem"},
            {"game": "no-limit-holdem", "seats": 3},
        ):
            started = good(http.post("/v1/sessions", json=body), 201)
            path = f"/v1/sessions/{started['session']['id']}"
            good(http.post(f"{path}/deal", headers=bearer(started["tokens"]["table"])), 201)
            sessions.append(started)
        where = urlsplit(url)
        return cls(http, (str(where.hostname), int(where.port or 80)), sessions)

    def everything(self) -> list[Json]:
        """All that the server has of its sessions, as the operator sees it."""
        listed = good(self.http.get("/v1/sessions"))
        paths = [f"/v1/sessions/{one['id']}" for one in listed["sessions"]]
        return [
            listed,
            *(good(self.http.get(path + rest)) for path in paths for rest in ("/ledger", "/rounds")),
        ]

    def words(self, of: int = 0, as_one_of: int = 0) -> Mapping[bytes, bytes]:
        """The words of the corpus for session number *of*, with the tokens of session number *as_one_of*."""
        tokens = self.sessions[as_one_of]["tokens"]
        return {
            b"HOST": "{}:{}".format(*self.address).encode(),
            b"SESSION": self.sessions[of]["session"]["id"].encode(),
            b"KEY": KEY.encode() if of == as_one_of else tokens["table"].encode(),
            b"TABLE": tokens["table"].encode(),
            b"SEAT": tokens["seats"][0].encode(),
        }


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with running(CROUPIER_OPERATOR_KEYS=f"me:{KEY}") as server:
        house = House.opened(server.url)
        yield house
        house.http.close()


def test_there_are_150_kinds_and_more() -> None:
    assert len(KINDS) >= 150
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert len({kind.raw for kind in KINDS}) == len(KINDS)


async def test_each_kind_is_refused_as_it_should_be_and_changes_nothing(house: House) -> None:
    before, words, wrong = house.everything(), house.words(), []
    turns = asyncio.Semaphore(AT_ONCE)

    async def send(kind: Kind) -> None:
        async with turns:
            try:
                answer = await answered(house.address, kind.filled(words))
                check(answer)
                if answer.status not in kind.statuses:
                    wrong.append(f"{kind.name}: {answer.status} {answer.body[:300]!r}")
            except FAULTS as fault:
                wrong.append(f"{kind.name}: {fault!r}"[:500])

    await asyncio.gather(*map(send, KINDS))
    assert not wrong, "\n".join(wrong)
    assert house.everything() == before


@pytest.mark.parametrize(
    "count", [10_000, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
async def test_whatever_is_sent_is_answered_and_changes_nothing(start: Start, count: int) -> None:
    server = start("--sandbox", CROUPIER_OPERATOR_KEYS=f"me:{KEY}")
    (worker,) = server.workers()
    house = House.opened(server.url)
    before = house.everything()
    # Good requests may come out too, so the credentials are of a session that they may not be used on.
    words = [house.words(of=of, as_one_of=(of + 1) % 3) for of in range(3)]
    rng = random.Random(1_000_003)
    requests = [mutated(rng.choice(KINDS).filled(rng.choice(words)), rng) for _ in range(count)]
    seen: Counter[int] = Counter()
    turns = asyncio.Semaphore(AT_ONCE)

    async def send(raw: bytes) -> None:
        async with turns:
            try:
                answer = await answered(house.address, raw)
                check(answer)
            except FAULTS as fault:
                raise AssertionError(f"{fault!r} to {raw[:2000]!r}") from fault
            seen[answer.status] += 1

    warm = count // 4
    await asyncio.gather(*map(send, requests[:warm]))
    at_first = resident(worker)
    await asyncio.gather(*map(send, requests[warm:]))
    grown = resident(worker) - at_first
    print(f"{count} requests: {dict(sorted(seen.items()))}; memory grew by {grown // 1024} KiB")
    assert sum(seen.values()) == count
    # They got beyond the protocol: all the ways to be refused are there.
    assert {400, 401, 404, 405, 406, 415} <= seen.keys()
    assert seen[400] < count * 0.9
    assert grown < 8 * 1024 * 1024
    assert server.workers() == {worker}
    assert house.everything() == before
    house.http.close()


async def test_nothing_that_is_long_is_remembered(start: Start) -> None:
    server = start()
    (worker,) = server.workers()
    where = urlsplit(server.url)
    address = (str(where.hostname), int(where.port or 80))
    templates = (
        b"GET /v1/sessions/%b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/games?%b HTTP/1.1\r\nHost: localhost\r\n\r\n",
        *(
            b"GET /v1/sessions HTTP/1.1\r\nHost: localhost\r\n%b: %%b\r\n\r\n" % name
            for name in (b"Accept", b"Accept-Language", b"Authorization", b"If-None-Match", b"Origin")
        ),
    )
    sizes = []
    for number in range(300):
        for template in templates:
            check(await answered(address, template % (b"%d" % number * 15_000)[:40_000]))
        sizes.append(resident(worker))
    # Any of these, remembered, would be 12 MB.
    assert sizes[-1] - sizes[20] < 6 * 1024 * 1024, sizes[::20]


def resident(pid: int) -> int:
    """A process's memory, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
