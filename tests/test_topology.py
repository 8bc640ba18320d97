"""What docker-compose.yml puts together, as plain processes: two servers, Valkey, proxy, Prometheus."""

import contextlib
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import yaml
from httpx_sse import connect_sse

from croupier.store import EmbeddedStore
from serving import PATIENCE, Server, Start, servers, until
from test_deploy import FILLED_IN, of_compose, of_image
from test_deploy_tools import DEPLOY, tool

OPERATOR = FILLED_IN["CROUPIER_OPERATOR_KEYS"].partition(":")[2]
METRICS_KEY = FILLED_IN["CROUPIER_METRICS_KEY"]
CHEAPEST = ("check", "call", "fold")
GAMES = ("casino-holdem", "ultimate-texas-holdem", "no-limit-holdem")


@dataclass
class Topology:
    """The running processes, and what is needed to start a server anew."""

    url: str
    servers: list[Server]
    environment: dict[str, str]
    start: Start

    def restart(self, number: int) -> None:
        """Stop a server as an orchestrator does, and start it where it was."""
        port = httpx.URL(self.servers[number].url).port
        assert self.servers[number].terminate() == 0
        self.servers[number] = self.start("--port", str(port), **self.environment)


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


@pytest.fixture(scope="module")
def topology(valkey: EmbeddedStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Topology]:
    """All of it with the environment of the compose file, but for addresses and the time to drain."""
    caddy, folder = tool("caddy"), tmp_path_factory.mktemp("topology")
    environment = {
        **of_image(),
        **of_compose(),
        "CROUPIER_HOST": "127.0.0.1",
        "CROUPIER_PORT": "0",
        "CROUPIER_REDIS_URL": valkey.url,
        "CROUPIER_TRUSTED_PROXIES": "127.0.0.1",
        "CROUPIER_DRAIN_SECONDS": "2.5",
    }
    url = f"http://127.0.0.1:{free_ports(1)[0]}"
    with servers(folder) as start, (folder / "caddy.log").open("w") as log:
        both = [start(**environment) for _ in range(2)]
        places = " ".join(f"127.0.0.1:{httpx.URL(server.url).port}" for server in both)
        proxy = subprocess.Popen(
            [caddy, "run", "--config", DEPLOY / "caddy/Caddyfile", "--adapter", "caddyfile"],
            env={**os.environ, "SITE": url, "SERVERS": places, "HOME": str(folder)},
            stdout=log,
            stderr=log,
        )
        try:
            until(lambda: answers(f"{url}/health/ready"))
            yield Topology(url, both, environment, start)
        finally:
            proxy.terminate()
            proxy.wait(PATIENCE)


def answers(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@dataclass
class Session:
    """A session that is played through *client*, a key on every change."""

    client: httpx.Client
    game: str
    statuses: list[int] = field(default_factory=list)

    def begin(self) -> "Session":
        started = self._post("/v1/sessions", OPERATOR, {"game": self.game})
        self.id = started["session"]["id"]
        self.tokens = started["tokens"]
        self.path = f"/v1/sessions/{self.id}"
        return self

    def play_round(self) -> dict[str, Any]:
        played = self._post(f"{self.path}/deal", self.tokens["table"], {})
        while played["settlement"] is None:
            token = self.tokens["seats"][played["to_act"][0] - 1]
            seen = self.client.get(f"{self.path}/rounds/{played['number']}", headers=bearer(token)).json()
            types = {action["type"] for action in seen["legal_actions"]}
            action = next(one for one in CHEAPEST if one in types)
            played = self._post(f"{self.path}/decide", token, {"action": {"type": action}})
        return played

    def _post(self, path: str, token: str, body: dict[str, Any]) -> Any:
        headers = {**bearer(token), "Idempotency-Key": uuid4().hex}
        answer = self.client.post(path, json=body, headers=headers)
        self.statuses.append(answer.status_code)
        assert answer.is_success, answer.text
        return answer.json()


def count(server: Server, name: str) -> float:
    text = httpx.get(f"{server.url}/metrics", headers=bearer(METRICS_KEY)).text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def test_all_games_are_played_through_the_proxy_on_both_servers(topology: Topology) -> None:
    for _ in range(2):
        for game in GAMES:
            # A connection for each, as clients have.
            with httpx.Client(base_url=topology.url) as client:
                session = Session(client, game).begin()
                for _ in range(2):
                    settlement = session.play_round()["settlement"]
                    net = sum(seat["net"] for seat in settlement["seats"])
                    assert net + settlement["house_net"] + settlement.get("jackpot_net", 0) == 0
    assert sum(count(server, "croupier_rounds_settled_total") for server in topology.servers) == 12
    assert min(count(server, "croupier_requests_total") for server in topology.servers) > 20

    assert httpx.get(f"{topology.url}/metrics", headers=bearer(METRICS_KEY)).status_code == 404
    assert httpx.get(f"{topology.servers[0].url}/metrics").status_code == 401


def test_events_come_through_the_proxy_as_they_happen(topology: Topology) -> None:
    with httpx.Client(base_url=topology.url, timeout=PATIENCE) as client:
        session = Session(client, "casino-holdem").begin()
        (seat,) = session.tokens["seats"]
        heard: list[tuple[float, str]] = []
        listening = threading.Event()

        def listen() -> None:
            with (
                httpx.Client(base_url=topology.url, timeout=PATIENCE) as other,
                connect_sse(other, "GET", f"{session.path}/events", headers=bearer(seat)) as source,
            ):
                for event in source.iter_sse():
                    heard.append((time.monotonic(), event.data))
                    listening.set()
                    if "session_closed" in event.data:
                        return

        listener = threading.Thread(target=listen)
        listener.start()
        assert listening.wait(PATIENCE)
        for number in (1, 2, 3):
            session.play_round()
            at = time.monotonic()
            until(lambda number=number: len(heard) == 1 + 2 * number)
            assert heard[-1][0] < at + 1
        client.post(f"{session.path}/close", headers=bearer(seat), json={})
        listener.join(PATIENCE)
        assert not listener.is_alive()


def test_both_servers_are_restarted_one_by_one_and_no_request_fails(topology: Topology) -> None:
    statuses: list[int] = []
    failures: list[Exception] = []
    over = threading.Event()

    def keep_playing() -> None:
        try:
            with httpx.Client(base_url=topology.url, timeout=PATIENCE) as client:
                while not over.is_set():
                    session = Session(client, "casino-holdem", statuses).begin()
                    for _ in range(3):
                        session.play_round()
                        time.sleep(0.01)
        except Exception as failure:
            failures.append(failure)

    players = [threading.Thread(target=keep_playing) for _ in range(3)]
    for player in players:
        player.start()
    for number in (0, 1):
        topology.restart(number)
        # The proxy looks every second, and a server that it does not know to be back is no help.
        until(lambda number=number: count(topology.servers[number], "croupier_requests_total") > 20)
    over.set()
    for player in players:
        player.join(PATIENCE)
    assert not failures
    assert len(statuses) > 200
    assert set(statuses) <= {200, 201}


def test_prometheus_reads_both_servers(topology: Topology, tmp_path: Path) -> None:
    prometheus = tool("prometheus")
    config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
    key = tmp_path / "metrics_key"
    key.write_text(METRICS_KEY)
    (job,) = config["scrape_configs"]
    job["authorization"]["credentials_file"] = str(key)
    job["static_configs"] = [
        {"targets": [f"127.0.0.1:{httpx.URL(server.url).port}" for server in topology.servers]}
    ]
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(DEPLOY / "prometheus/alerts.yml")]
    (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(config))
    (port,) = free_ports(1)
    with (tmp_path / "prometheus.log").open("w") as log:
        process = subprocess.Popen(
            [
                *(prometheus, f"--config.file={tmp_path / 'prometheus.yml'}"),
                *(f"--storage.tsdb.path={tmp_path / 'tsdb'}", f"--web.listen-address=127.0.0.1:{port}"),
            ],
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"

    def asked(query: str) -> list[Any]:
        try:
            answer = httpx.get(f"{url}/api/v1/query", params={"query": query})
            return answer.json()["data"]["result"] if answer.is_success else []
        except httpx.TransportError:
            return []

    try:
        until(lambda: [one["value"][1] for one in asked('up{job="croupier"}')] == ["1", "1"])
        assert len(asked("croupier_build_info")) == 2
        rules = httpx.get(f"{url}/api/v1/rules").json()["data"]["groups"][0]["rules"]
        assert {rule["health"] for rule in rules} <= {"ok", "unknown"}
        assert "firing" not in {rule["state"] for rule in rules}
    finally:
        process.terminate()
        process.wait(PATIENCE)
