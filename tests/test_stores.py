"""``croupier serve`` and its siblings on the stores of larger places."""

import subprocess
from pathlib import Path

import httpx
import pytest

from serving import CROUPIER, Start, until
from store.topologies import Cluster, SentinelSet

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("kind", [SentinelSet, Cluster])
def test_a_round_is_played_through_a_failover_and_verified(
    kind: type[SentinelSet] | type[Cluster], start: Start, tmp_path: Path
) -> None:
    with kind.run(tmp_path / "store") as store:
        environment = {
            "CROUPIER_REDIS_URL": store.url,
            "CROUPIER_SECRET_KEYS": SECRET,
            "CROUPIER_DURABILITY": "replicated",
        }
        server = start("--log", "json", **environment)
        assert not [line for line in server.lines if line["level"] == "warning"]
        sessions = f"{server.url}/v1/sessions"
        started = httpx.post(sessions, json={"game": "casino-holdem", "rounds": 1}).json()
        path = f"{sessions}/{started['session']['id']}"
        headers = {"Authorization": f"Bearer {started['tokens']['seats'][0]}"}

        def post(verb: str, body: object) -> httpx.Response:
            """The answer to the same request, again and again until it is none of the store's absence."""
            key = {**headers, "Idempotency-Key": verb}

            def answered() -> httpx.Response | None:
                given = httpx.post(f"{path}/{verb}", json=body, headers=key, timeout=30)
                return None if given.status_code == 503 else given

            return until(answered)

        assert post("deal", {}).status_code == 201
        dead = store.kill_primary()
        refused = httpx.post(f"{path}/decide", json={"action": {"type": "call"}}, headers=headers, timeout=30)
        assert refused.status_code in {200, 503}
        store.await_failover(dead)
        store.restart(dead)
        if refused.status_code == 503:
            assert refused.headers["Retry-After"]
            decided = post("decide", {"action": {"type": "call"}})
            # The one that was refused may have been carried out.
            assert decided.status_code in {200, 409}
        assert httpx.get(path, headers=headers).json()["status"] == "finished"
        verified = subprocess.run(
            [CROUPIER, "verify", "--all"], env=environment, capture_output=True, text=True, timeout=60
        )
        assert (verified.returncode, verified.stdout) == (0, "1 sessions, 1 rounds: nothing wrong\n")


def test_a_store_that_keeps_less_than_the_setting_says_so_at_the_start(valkey_url: str, start: Start) -> None:
    server = start("--log", "json", CROUPIER_REDIS_URL=valkey_url, CROUPIER_SECRET_KEYS=SECRET)
    warned = until(lambda: [line["event"] for line in server.lines if line["level"] == "warning"])
    assert warned == ["the store keeps no file: when it ends, everything is lost (appendonly should be yes)"]


def test_an_address_of_sentinels_without_a_name_is_refused(start: Start) -> None:
    server = start("--log", "json", ready=False, CROUPIER_REDIS_URL="redis+sentinel://a,b")
    assert server.process.wait(20) == 2
    assert (
        "CROUPIER_REDIS_URL: must be redis+sentinel://host:26379,host:26379/name" in server.errors.read_text()
    )
