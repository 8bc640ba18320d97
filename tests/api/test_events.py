"""Events: the stream and the list, who is told what, how they go on and how they end."""

import asyncio
import json
from typing import Any
from unittest.mock import AsyncMock

import httpx
import pytest

from api.conftest import KEYS, Api, Table, code, serving
from api.streamed import Stream, events_in
from croupier.api.answers.events import Event, Events
from croupier.api.app import end_streams
from croupier.api.auth import Credentials
from croupier.api.config import ApiConfig, Bounds
from croupier.sessions.errors import StoreUnavailable, Unauthorized
from croupier.sessions.requests import Caller
from croupier.store import memory

TOP = ["Ah", "Kd", "Qs", "Qc", "As", "7d", "4c", "9h", "2s"]


def held(answer: httpx.Response) -> Any:
    """A list of events, once the closed model has taken all of it."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    Events.model_validate_json(answer.content)
    return answer.json()


@pytest.fixture
async def table(api: Api) -> Table:
    return await api.start(rounds=2, sandbox=True, metadata={"table": "blue"})


async def play(table: Table) -> None:
    """Versions 2 and 3: a round, dealt and called."""
    assert (await table.post("deal", {"deck": TOP})).status_code == 201
    assert (await table.post("decide", {"action": {"type": "call"}})).status_code == 200


async def test_a_stream_tells_the_position_every_change_and_the_end(api: Api, table: Table) -> None:
    async with Stream(api, table).open() as stream:
        await stream.until("event: position")
        await play(table)
        await stream.until("id: 3")
        assert (await table.post("close")).status_code == 200
        told = await stream.ended()
    assert [(number, name) for number, name, _ in told] == [
        (1, "position"),
        (2, "change"),
        (3, "change"),
        (4, "change"),
        (None, "end"),
    ]
    assert [data["changes"] for _, _, data in told[:-1]] == [
        [],
        ["round_dealt"],
        ["decided", "round_settled"],
        ["session_closed"],
    ]
    for number, _, data in told[:-1]:
        Event.model_validate_json(json.dumps(data))
        assert data["version"] == data["session"]["version"] == number
    assert told[-1][2] == {"reason": "closed"}
    assert told[-2][2]["session"] == (await table.get()).json()


async def test_the_stream_of_a_session_that_is_over_ends_at_once_and_then_is_empty(table: Table) -> None:
    await play(table)
    await table.post("close")
    first = await table.get("/events")
    assert first.headers["content-type"] == "text/event-stream"
    assert first.headers["cache-control"] == "private, no-store"
    assert first.headers["x-accel-buffering"] == "no"
    assert first.text.startswith("retry: ")
    assert [(number, name) for number, name, _ in events_in(first.text)] == [(4, "position"), (None, "end")]
    again = await table.get("/events", Last_Event_ID="4")
    assert (again.status_code, again.content) == (204, b"")
    assert held(await table.get("/events?after=4&wait=0")) == {"events": [], "next_after": None}


@pytest.mark.parametrize(
    ("query", "headers", "versions"),
    [
        ("?after=0", {}, [1, 2, 3, 4]),
        ("?after=2", {}, [3, 4]),
        ("", {"Last_Event_ID": "3"}, [4]),
        ("?after=0", {"Last_Event_ID": "2"}, [3, 4]),
        ("?after=3", {"Last_Event_ID": ""}, [4]),
    ],
)
async def test_it_goes_on_after_the_last_event_seen(
    table: Table, query: str, headers: dict[str, str], versions: list[int]
) -> None:
    await play(table)
    await table.post("close")
    told = events_in((await table.get(f"/events{query}", **headers)).text)
    assert [(number, name) for number, name, _ in told] == [
        *((version, "change") for version in versions),
        (None, "end"),
    ]


@pytest.mark.parametrize("after", [1, 99])
async def test_where_what_follows_is_not_kept_the_position_is_told(
    table: Table, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "EVENTS", 1)
    await play(table)
    (event,) = held(await table.get(f"/events?after={after}&wait=0"))["events"]
    assert (event["version"], event["changes"]) == (3, [])
    assert held(await table.get("/events?after=2&wait=0"))["events"][0]["changes"]


async def test_more_events_than_go_into_one_read_are_all_told(api: Api, table: Table) -> None:
    for number in range(2, 54):
        await table.post("seats/1", {"do": "client_seed", "value": str(number)})
    async with Stream(api, table, last_event_id="0").open() as stream:
        await stream.until("id: 53\n")
    assert [number for number, _, _ in events_in(stream.text)] == list(range(1, 54))
    after, found = 0, []
    while page := held(await table.get(f"/events?after={after}&wait=0"))["events"]:
        found += [event["version"] for event in page]
        after = found[-1]
    assert found == list(range(1, 54))


async def test_a_list_is_waited_for_and_comes_with_the_change(table: Table) -> None:
    assert held(await table.get("/events?after=1&wait=0")) == {"events": [], "next_after": 1}
    waiting = asyncio.create_task(table.get("/events?after=1&wait=30"))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    await play(table)
    page = held(await asyncio.wait_for(waiting, 5))
    assert page["events"][0]["changes"] == ["round_dealt"]
    assert page["next_after"] == page["events"][-1]["version"]


async def test_a_wait_in_vain_ends_in_time(table: Table) -> None:
    begun = asyncio.get_running_loop().time()
    assert held(await table.get("/events?after=1&wait=1"))["events"] == []
    assert 0.9 < asyncio.get_running_loop().time() - begun < 3


async def test_a_list_without_a_beginning_is_the_position(table: Table) -> None:
    page = held(await table.get("/events?wait=30"))
    assert [event["changes"] for event in page["events"]] == [[]]
    assert page["events"][0]["session"] == (await table.get()).json()
    assert page["next_after"] == 1


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream;q=0.5"])
async def test_who_wants_json_gets_a_list(table: Table, accept: str) -> None:
    assert held(await table.get("/events?after=0", Accept=accept))["next_after"] == 1


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {"Accept": "text/html"}),
        ("?wait=0", {"Accept": "text/event-stream"}),
    ],
)
async def test_what_is_not_to_be_had(table: Table, query: str, headers: dict[str, str]) -> None:
    assert code(await table.get(f"/events{query}", **headers)) == (406, "not-acceptable")


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        *((query, {}) for query in ("?wait=31", "?wait=-1", "?wait=1.5", "?wait=", "?after=-1", "?after=x")),
        *((query, {}) for query in ("?after=1&after=2", "?limit=1", f"?after={10**13}", "?after=%00")),
        *(("", {"Last_Event_ID": text}) for text in ("x", "-1", "1.0", "00", "1" * 13, "1, 2")),
    ],
)
async def test_what_cannot_be_meant(table: Table, query: str, headers: dict[str, str]) -> None:
    assert code(await table.get(f"/events{query}", **headers)) == (400, "invalid-request")


async def test_head_and_other_methods(api: Api, table: Table) -> None:
    credential = {"Authorization": f"Bearer {table.table}"}
    head = await api.http.head(f"{table.path}/events", headers=credential)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"] == "text/event-stream"
    listed = await api.http.head(f"{table.path}/events?after=1&wait=30", headers=credential)
    assert (listed.status_code, listed.content) == (200, b"")
    assert listed.headers["content-type"] == "application/json"
    options = await api.http.options(f"{table.path}/events")
    assert options.headers["allow"] == "GET, HEAD, OPTIONS"
    assert code(await api.http.post(f"{table.path}/events"))[0] == 405


async def test_each_is_told_what_it_may_see(api: Api) -> None:
    table = await api.start("no-limit-holdem", seats=2, players=["ann", "bob"], sandbox=True)
    assert (await table.post("deal", {"deck": TOP}, token=table.table)).status_code == 201
    seen = {}
    for name, token in {"table": table.table, "one": table.seats[0], "two": table.seats[1]}.items():
        seen[name] = held(await table.get("/events?after=1&wait=0", token=token))["events"][0]["session"]
    operator = held(await api.http.get(f"{table.path}/events?after=1&wait=0"))["events"][0]["session"]
    holes = {name: [seat["hole"] for seat in one["round"]["seats"]] for name, one in seen.items()}
    assert holes["table"] == [None, None]
    assert holes["one"][1] is None
    assert holes["two"][0] is None
    assert sorted((holes["one"][0], holes["two"][1])) == [["Ah", "Qs"], ["Kd", "Qc"]]
    assert [bool(seen[name]["round"]["legal_actions"]) for name in ("table", "one", "two")] == [
        False,
        True,
        False,
    ]
    assert operator == seen["table"] | {"players": ["ann", "bob"]}


async def test_words_are_in_the_language_asked_for(table: Table) -> None:
    await play(table)
    said = set()
    for language in ("en", "fr"):
        page = held(await table.get("/events?after=2&wait=0", Accept_Language=language))
        row = page["events"][0]["session"]["round"]["settlement"]["seats"][0]
        said.add(row["hand"]["description"])
    assert len(said) == 2


async def test_only_who_may_read_may_follow(keyed: Api) -> None:
    table = await keyed.start(key=KEYS["house"])
    other = await keyed.start(key=KEYS["house"])
    path = f"{table.path}/events"
    for query in ("", "?after=1&wait=0"):
        assert code(await keyed.http.get(path + query)) == (401, "unauthorized")
        for token, refusal in {
            "nobody-knows-this": (401, "unauthorized"),
            other.seats[0]: (401, "unauthorized"),
            other.table: (401, "unauthorized"),
            KEYS["rival"]: (404, "not-found"),
        }.items():
            assert code(await table.get(f"/events{query}", token=token)) == refusal
        nowhere = {"Authorization": f"Bearer {KEYS['house']}"}
        assert (
            code(await keyed.http.get(f"/v1/sessions/none/events{query}", headers=nowhere))[1] == "not-found"
        )


async def test_a_renewed_token_ends_the_old_ones_streams_and_goes_on_itself(api: Api, table: Table) -> None:
    waiting = asyncio.create_task(table.get("/events?after=1&wait=30"))
    async with Stream(api, table).open() as stream, Stream(api, table, table.table).open() as other:
        await stream.until("event: position")
        renewed = (await table.post("seats/1", {"do": "new_token"}, token=table.table)).json()["token"]
        assert [name for _, name, _ in await stream.ended()] == ["position", "end"]
        assert events_in(stream.text)[-1][2] == {"reason": "replaced"}
        assert code(await asyncio.wait_for(waiting, 5)) == (401, "unauthorized")
        await other.until("id: 2")
        assert not other.task.done()
    assert [
        one["version"] for one in held(await table.get("/events?after=0&wait=0", token=renewed))["events"]
    ] == [
        1,
        2,
    ]


async def test_a_session_that_is_deleted_ends_its_streams(api: Api, table: Table) -> None:
    waiting = asyncio.create_task(table.get("/events?after=1&wait=30"))
    async with Stream(api, table).open() as stream:
        await stream.until("event: position")
        store = api.house.store
        del store._sessions[table.id]
        store._watches.found(table.id, 0)
        assert (await stream.ended())[-1][1:] == ("end", {"reason": "gone"})
    assert code(await asyncio.wait_for(waiting, 5)) == (404, "not-found")


async def test_streams_end_when_the_server_stops(api: Api, table: Table) -> None:
    waiting = asyncio.create_task(table.get("/events?after=1&wait=30"))
    async with Stream(api, table).open() as stream:
        await stream.until("event: position")
        assert len(stream.app.state.streams) == 2
        end_streams(stream.app)
        assert [name for _, name, _ in await stream.ended()] == ["position"]
    assert held(await asyncio.wait_for(waiting, 5)) == {"events": [], "next_after": 1}


async def test_a_client_that_leaves_is_forgotten(api: Api, table: Table) -> None:
    async with Stream(api, table).open() as stream:
        await stream.until("event: position")
        assert len(stream.app.state.streams) == 1
        assert table.id in api.house.store._watches
    assert len(stream.app.state.streams) == 0
    assert table.id not in api.house.store._watches


@pytest.mark.parametrize("by_now", [Caller(), Caller(operator="another")])
async def test_a_stream_ends_when_who_asked_is_nobody_or_somebody_else_by_now(
    by_now: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(ApiConfig(open_mode=True, heartbeat_seconds=0.05)) as api:
        table = await api.start()
        async with Stream(api, table).open() as stream:
            await stream.until("\n:\n\n:\n\n")
            assert not stream.task.done()
            monkeypatch.setattr(Credentials, "caller", AsyncMock(return_value=by_now))
            assert [name for _, name, _ in await stream.ended()] == ["position"]


async def test_a_silent_stream_shows_that_it_lives_and_ends_with_its_credential(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(ApiConfig(open_mode=True, heartbeat_seconds=0.05)) as api:
        table = await api.start()
        async with Stream(api, table).open() as stream:
            await stream.until("\n:\n\n:\n\n")
            assert not stream.task.done()

            async def revoked(*_: Any) -> Any:
                raise Unauthorized("This server does not know the key.")

            monkeypatch.setattr(Credentials, "caller", revoked)
            assert [name for _, name, _ in await stream.ended()] == ["position"]


async def test_a_stream_that_is_never_silent_ends_with_its_credential_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with serving(ApiConfig(open_mode=True, heartbeat_seconds=0.3)) as api:
        table = await api.start()
        caller, allowed = Credentials.caller, True

        async def once_revoked(*given: Any) -> Any:
            if given[1].get(b"x-request-id") == b"followed" and not allowed:
                raise Unauthorized("This server does not know the key.")
            return await caller(*given)

        monkeypatch.setattr(Credentials, "caller", once_revoked)
        async with Stream(api, table, x_request_id="followed").open() as stream:
            await stream.until("event: position")
            allowed = False
            for number in range(100):
                if stream.task.done():
                    break
                await table.post("seats/1", {"do": "client_seed", "value": str(number)})
                await asyncio.sleep(0.02)
            told = await stream.ended()
    assert 1 < len(told) < 60


async def test_a_store_that_is_away_for_a_while_costs_no_event(api: Api, table: Table) -> None:
    async with Stream(api, table).open() as stream:
        await stream.until("event: position")
        watches = api.house.store._watches
        read, failures = watches._read, 0

        async def away(session_id: str, after: int, limit: int) -> Any:
            nonlocal failures
            failures += 1
            if failures > 1:
                watches._read = read
            raise StoreUnavailable("The store is away.")

        watches._read = away
        await play(table)
        await stream.until("id: 3\n")
    assert failures == 2
    assert [number for number, _, _ in events_in(stream.text)] == [1, 2, 3]


async def test_streams_are_bounded_a_credential() -> None:
    config = ApiConfig(open_mode=True, bounds=Bounds(streams_of_caller=2))
    async with serving(config) as api:
        table = await api.start("no-limit-holdem")
        async with Stream(api, table).open() as one, Stream(api, table).open() as two:
            await one.until("event: position")
            await two.until("event: position")
            refused = await table.get("/events?after=1&wait=30")
            assert code(refused) == (429, "too-many-requests")
            assert int(refused.headers["retry-after"]) >= 1
            assert held(await table.get("/events?after=1&wait=0", token=table.seats[1]))["next_after"] == 1
        assert held(await table.get("/events?after=1&wait=0"))["next_after"] == 1


async def test_pages_of_allowed_origins_may_follow() -> None:
    config = ApiConfig(open_mode=True, cors_origins=("https://table.example",))
    async with serving(config) as api:
        table = await api.start()
        asked = await api.http.options(
            f"{table.path}/events",
            headers={
                "Origin": "https://table.example",
                "Access-Control-Request-Method": "GET",
                "Access-Control-Request-Headers": "authorization, last-event-id",
            },
        )
        assert asked.headers["access-control-allow-origin"] == "https://table.example"
        assert "last-event-id" in asked.headers["access-control-allow-headers"].lower()
        await table.post("close")
        answer = await table.get("/events", Origin="https://table.example")
        assert answer.headers["access-control-allow-origin"] == "https://table.example"
