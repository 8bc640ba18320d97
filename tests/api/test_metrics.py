"""``GET /metrics``: who may read them, and what they tell of requests."""

import hashlib

import pytest
from prometheus_client.parser import text_string_to_metric_families

from api.conftest import KEYS, Api, code, serving
from croupier.api.config import ApiConfig

KEY = "the-key-of-prometheus"
DIGEST = hashlib.sha256(KEY.encode()).hexdigest()
PROMETHEUS = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1"


async def read(api: Api) -> dict[tuple[str, ...], float]:
    answer = await api.http.get("/metrics", headers={"Accept": PROMETHEUS})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_requests_are_counted_by_operation_and_status(api: Api) -> None:
    table = await api.start()
    await table.post("deal", idempotency_key="once")
    await table.post("deal", idempotency_key="once")
    await table.post("deal")
    await api.http.get(f"/v1/sessions/{'x' * 24}", headers={"Authorization": "Bearer tbl_wrong"})
    await api.http.get("/nowhere")
    await api.http.request("HEAD", "/health/live")
    await api.http.options("/v1/sessions")
    found = await read(api)
    name = "croupier_requests_total"
    assert found[name, "startSession", "201"] == 1
    assert found[name, "deal", "201"] == 2
    assert found[name, "deal", "409"] == 1
    assert found[name, "readSession", "404"] == 1
    assert found[name, "isLive", "200"] == 1
    assert found[name, "none", "404"] == 1
    assert found[name, "none", "204"] == 1
    assert found["croupier_replays_total",] == 1
    assert found["croupier_request_seconds_count", "deal"] == 3
    assert found["croupier_request_seconds_sum", "deal"] > 0
    assert found["croupier_requests_in_work",] == 1, "the one that reads the metrics"


async def test_in_open_mode_they_are_open_and_with_operators_they_are_not(keyed: Api) -> None:
    async with serving(ApiConfig(open_mode=True)) as api:
        await read(api)
    for headers in ({}, {"Authorization": f"Bearer {KEYS['house']}"}):
        assert code(await keyed.http.get("/metrics", headers=headers)) == (404, "not-found")


@pytest.mark.parametrize("open_mode", [True, False])
async def test_a_key_of_their_own_opens_them(open_mode: bool) -> None:
    operators = {} if open_mode else {hashlib.sha256(b"the-key-of-the-house").hexdigest(): "house"}
    config = ApiConfig(operator_keys=operators, open_mode=open_mode, metrics_key=DIGEST)
    async with serving(config) as api:
        for given in (None, "Bearer", f"Basic {KEY}", "Bearer the-key-of-the-house", f"Bearer {KEY}x"):
            headers = {} if given is None else {"Authorization": given}
            assert code(await api.http.get("/metrics", headers=headers)) == (401, "unauthorized")
        answer = await api.http.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})
        assert answer.status_code == 200
        assert (
            code(await api.http.get("/v1/sessions/x", headers={"Authorization": f"Bearer {KEY}"}))[0] == 401
        )
