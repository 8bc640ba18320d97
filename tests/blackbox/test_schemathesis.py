"""The OpenAPI document against the server, by Schemathesis: every operation, alone and along the links.

It runs as its users run it, from its own command line, with an operator's key and the tokens of the sessions
that it starts. The hooks next to this file say which refusals no schema can foretell.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from blackbox.server import Server, running

TESTS = Path(__file__).parents[1]
KEYS = {
    "CROUPIER_TEST_KEY": "schemathesis-" + "k" * 32,
    "CROUPIER_TEST_METRICS_KEY": "metrics-" + "m" * 32,
}
SERVER = {
    "CROUPIER_OPERATOR_KEYS": f"fuzz:{KEYS['CROUPIER_TEST_KEY']}",
    "CROUPIER_METRICS_KEY": KEYS["CROUPIER_TEST_METRICS_KEY"],
    "CROUPIER_ACCESS_LOG": "true",
}
PLAYED = {
    "startSession",
    "deal",
    "decide",
    "changeSeat",
    "closeSession",
    "readSession",
    "readLedger",
    "readRound",
}
"""What has to have been done, and not refused alone."""


def fuzz(server: Server, folder: Path, *arguments: str, seed: str, seconds: int) -> None:
    """Run Schemathesis against *server* from *folder*, for *seconds* at most; nothing may be found."""
    ran = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), "--no-color", "run"),
            *(f"{server.url}/openapi.json", "--checks", "all", "--seed", seed, *arguments),
            *("--generation-database", "none", "--request-timeout", "60"),
            # The first advice waits until the odds are compiled.
            *("--max-response-time", "60"),
        ],
        env=os.environ
        | KEYS
        | {"PYTHONPATH": str(TESTS), "SCHEMATHESIS_HOOKS": "blackbox.schemathesis_hooks"},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def answered(server: Server) -> Counter[tuple[str | None, int]]:
    """How often each operation was answered with each status."""
    whole = server.said().rpartition(b"\n")[0]  # the last line may be half written
    lines = [json.loads(line) for line in whole.splitlines() if line.startswith(b"{")]
    return Counter(
        (line.get("operation"), line["status"]) for line in lines if line.get("event") == "request"
    )


def test_nothing_that_is_generated_finds_a_fault(tmp_path: Path) -> None:
    with running(**SERVER) as server:
        fuzz(server, tmp_path, "--max-examples", "25", seed="29", seconds=280)
        good = {operation for operation, status in answered(server) if status < 300}
        assert good >= PLAYED


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_twenty_thousand_requests_along_the_links_find_none_either(tmp_path: Path) -> None:
    """Long scenarios of all operations that know sessions, five minutes at a time, each from another seed."""
    (tmp_path / "schemathesis.toml").write_text("[phases.stateful]\nmax-steps = 50\n")
    with running(**SERVER) as server:
        done: Counter[tuple[str | None, int]] = Counter()
        while done.total() < 20_000:
            seed = str(done.total())
            fuzz(server, tmp_path, "--phases", "stateful", "--max-time", "300", seed=seed, seconds=600)
            done = answered(server)
        print(f"{done.total()} requests: {dict(sorted(done.items(), key=str))}")
        good = {operation for operation, status in done if status < 300}
        assert good >= PLAYED | {"voidRound", "readAdvice", "followSession", "listJackpots", "reportRounds"}
        assert not [status for _, status in done if status >= 500]
