"""What a real server lets be seen: lines in its log, metrics of all its workers, traces at a collector."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from prometheus_client.parser import text_string_to_metric_families

from serving import Server, Start, until

KEY = "the-key-of-prometheus"


def play(client: httpx.Client, **headers: str) -> tuple[str, list[str]]:
    """One round of Casino Hold'em: the session's id, and everything that only its players may know."""
    started = client.post("/v1/sessions", json={"game": "casino-holdem"}).json()
    (token,) = started["tokens"]["seats"]
    path = f"/v1/sessions/{started['session']['id']}"
    own = {"Authorization": f"Bearer {token}", **headers}
    deal = {"client_seed": "my lucky words"}
    dealt = client.post(f"{path}/deal", json=deal, headers={**own, "Idempotency-Key": "first-of-all"})
    client.post(f"{path}/deal", json=deal, headers={**own, "Idempotency-Key": "first-of-all"})
    client.post(f"{path}/decide", json={"action": {"type": "call"}}, headers=own)
    client.get(f"{path}/ledger?after=0&limit=7", headers=own)
    hole = json.dumps(dealt.json()["seats"][0]["hole"], separators=(",", ":"))
    secrets = [token, started["tokens"]["table"], "my lucky words", "first-of-all", "limit=7", hole, '"hole"']
    return started["session"]["id"], secrets


def test_the_log_is_json_and_nothing_else(start: Start) -> None:
    server = start(CROUPIER_LOG="json", CROUPIER_ACCESS_LOG="true", CROUPIER_METRICS_KEY=KEY)
    with httpx.Client(base_url=server.url) as client:
        session_id, secrets = play(client, **{"X-Request-Id": "the-one"})
        client.get(f"/v1/sessions/{secrets[0]}")
        for slip in (
            f"%20{secrets[0]}",
            secrets[0].upper(),
            secrets[0].removeprefix("seat_"),
            KEY,
            "%0a%1b[31m",
        ):
            client.get(f"/v1/sessions/{slip}")
        client.get("/nowhere/at/all?what=i-asked")
        client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})
    server.terminate()
    assert server.banner == ""
    told = next(line for line in server.lines if line["event"] == "started")
    assert told["api"] == f"{server.url}/v1"
    assert told["workers"] == 1
    assert server.lines[-1]["event"] == "stopped"
    requests = [line for line in server.lines if line["event"] == "request"]
    _, dealt, replayed, decided, read, mistaken, *slips, nowhere, metrics = requests
    assert (
        dealt.items()
        >= {
            "level": "info",
            "method": "POST",
            "route": "/v1/sessions/{session_id}/deal",
            "operation": "deal",
            "status": 201,
            "request_id": "the-one",
            "session_id": session_id,
        }.items()
    )
    assert 0 < dealt["duration_ms"] < 20_000
    assert [line.get("replayed") for line in (dealt, replayed, decided)] == [None, True, None]
    assert read["operation"] == "readLedger"
    for line in (mistaken, *slips):
        assert (line["operation"], line.get("session_id")) == ("readSession", None)
    assert (nowhere["status"], nowhere.get("route"), nowhere.get("operation")) == (404, None, None)
    assert metrics["status"] == 200
    written = server.errors.read_text()
    for secret in (*secrets, secrets[0].upper(), secrets[0][5:], KEY, "nowhere/at", "i-asked", "[31m"):
        assert secret not in written


def test_the_lines_of_libraries_take_the_same_form_and_tell_no_values() -> None:
    program = """
import logging
from croupier import log
log.configure("json", "warning")
logging.getLogger("somebody").info("not worth it")
logging.getLogger("somebody").warning("old %s", "style")
try:
    card = "ace of " + "spades"
    raise RuntimeError("failed")
except RuntimeError:
    logging.getLogger("somebody").exception("caught")
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    old, caught = map(json.loads, run.stderr.splitlines())
    assert (old["event"], old["level"]) == ("old style", "warning")
    assert "RuntimeError: failed" in caught["exception"]
    assert "ace of spades" not in caught["exception"]


def metrics(server: Server) -> dict[tuple[str, ...], float]:
    answer = httpx.get(f"{server.url}/metrics")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_any_worker_answers_for_all_and_a_killed_one_loses_no_count(start: Start) -> None:
    server = start(CROUPIER_WORKERS="2")
    told: list[str] = []
    for _ in range(12):  # a connection each, so that both workers have some
        with httpx.Client(base_url=server.url) as client:
            session_id, secrets = play(client)
            told += [session_id, *secrets]
    text = httpx.get(f"{server.url}/metrics").text
    assert not [secret for secret in (*told, "local") if secret in text]
    before = {place: value for place, value in metrics(server).items() if place[0].endswith("_total")}
    assert before["croupier_requests_total", "decide", "200"] == 12
    assert before["croupier_replays_total",] == 12
    assert before["croupier_commits_total",] == 36
    assert before["croupier_store_errors_total", "commit"] == 0

    victim = min(server.workers())
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(server.workers() - {victim}) == 2)
    for _ in range(4):
        after = metrics(server)
        fallen = {
            place: (value, after[place])
            for place, value in before.items()
            if after[place] < value and place[0] != "croupier_worker_cpu_seconds_total"
        }
        assert not fallen
    until(lambda: metrics(server)["croupier_worker_starts_total",] == 3)
    assert metrics(server)["croupier_workers",] == 2


# ── Traces ───────────────────────────────────────────────────────────────────────────────────────────────


class Collector:
    """Takes what an OpenTelemetry exporter sends over HTTP."""

    def __init__(self) -> None:
        self.exports: list[bytes] = []
        collector = self

        class Taken(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces"
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    import gzip

                    body = gzip.decompress(body)
                collector.exports.append(body)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Taken)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def requests(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for body in list(self.exports)]

    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests()
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@pytest.fixture
def collector() -> Iterator[Collector]:
    taken = Collector()
    thread = threading.Thread(target=taken.server.serve_forever, args=(0.05,))
    thread.start()
    yield taken
    taken.server.shutdown()
    thread.join()
    taken.server.server_close()


def attributes(of: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in of.attributes}


def test_a_request_is_traced_through_its_use_case_to_the_store(start: Start, collector: Collector) -> None:
    server = start(CROUPIER_TRACES=collector.url)
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    with httpx.Client(base_url=server.url) as client:
        session_id, secrets = play(client, traceparent=f"00-{trace}-{parent}-01")
        client.get(f"/v1/sessions/{secrets[0]}", headers={"traceparent": "what nobody can read"})
        client.get("/nowhere/at/all")
    assert server.terminate() == 0  # which sends what is left

    spans = collector.spans()
    deal = next(span for span in spans if span.name == "POST /v1/sessions/{session_id}/deal")
    assert deal.trace_id.hex() == trace
    assert deal.parent_span_id.hex() == parent
    assert deal.kind == Span.SPAN_KIND_SERVER
    assert (
        attributes(deal).items()
        >= {
            "http.request.method": "POST",
            "http.route": "/v1/sessions/{session_id}/deal",
            "http.response.status_code": 201,
            "croupier.operation": "deal",
            "croupier.session_id": session_id,
        }.items()
    )
    (use_case,) = [span for span in spans if span.parent_span_id == deal.span_id]
    assert use_case.name == "use case deal"
    calls = [span for span in spans if span.parent_span_id == use_case.span_id]
    assert [call.name for call in calls] == ["store load", "store commit"]
    assert {call.kind for call in calls} == {Span.SPAN_KIND_CLIENT}
    assert {call.trace_id.hex() for call in (use_case, *calls)} == {trace}
    for call in calls:
        assert deal.start_time_unix_nano <= call.start_time_unix_nano <= call.end_time_unix_nano
        assert call.end_time_unix_nano <= deal.end_time_unix_nano
        assert attributes(call) == {"db.system.name": "redis"}

    refused = next(span for span in spans if span.name == "use case read")
    assert attributes(refused) == {"error.type": "not-found"}
    assert refused.status.code == Status.STATUS_CODE_ERROR
    assert not [span for span in spans if span.events]
    roots = {span.name for span in spans if not span.parent_span_id}
    assert roots == {"POST /v1/sessions", "GET /v1/sessions/{session_id}", "GET"}, "the sweep is no trace"

    sent = b"".join(collector.exports)
    for secret in (*secrets, "nowhere/at"):
        assert secret.encode() not in sent
    (named,) = {attributes(one.resource_spans[0].resource)["service.name"] for one in collector.requests()}
    assert named == "croupier"


def test_the_variables_of_opentelemetry_do_as_well(start: Start, collector: Collector) -> None:
    server = start(
        OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
        OTEL_SERVICE_NAME="our-casino",
        OTEL_TRACES_SAMPLER="parentbased_always_off",
    )
    with httpx.Client(base_url=server.url) as client:
        client.get("/v1/games")
        client.get("/v1/games/casino-holdem", headers={"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"})
    server.terminate()
    (span,) = [span for span in collector.spans() if span.kind == Span.SPAN_KIND_SERVER]
    assert span.name == "GET /v1/games/{game}"
    assert attributes(collector.requests()[0].resource_spans[0].resource)["service.name"] == "our-casino"


def test_a_collector_that_is_away_harms_nobody(start: Start, collector: Collector) -> None:
    collector.server.server_close()
    server = start(CROUPIER_TRACES=collector.url)
    with httpx.Client(base_url=server.url) as client:
        play(client)
        assert client.get("/health/ready").status_code == 200
    begun = time.monotonic()
    assert server.terminate() == 0
    assert time.monotonic() - begun < 6, "the end waits two seconds for the last spans"
