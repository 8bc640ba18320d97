"""The OpenAPI document against the server, by Schemathesis: every operation, alone and along the links.

It runs as its users run it, from its own command line, with an operator's key and the tokens of the sessions
that it starts. The hooks next to this file say which refusals no schema can foretell.
"""

import os
import subprocess
import sys
from pathlib import Path

from blackbox.server import running

TESTS = Path(__file__).parents[1]
KEY = "schemathesis-" + "k" * 32


def test_nothing_that_is_generated_finds_a_fault(tmp_path: Path) -> None:
    with running(CROUPIER_OPERATOR_KEYS=f"fuzz:{KEY}") as server:
        run = subprocess.run(
            [
                *(Path(sys.executable).with_name("schemathesis"), "--no-color", "run"),
                *(f"{server.url}/openapi.json", "--checks", "all", "--seed", "29", "--max-examples", "25"),
                *("--generation-database", "none", "--request-timeout", "60"),
            ],
            env=os.environ
            | {
                "PYTHONPATH": str(TESTS),
                "SCHEMATHESIS_HOOKS": "blackbox.schemathesis_hooks",
                "CROUPIER_TEST_KEY": KEY,
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        # It has got somewhere: rounds were dealt, decided, read and voided, and not refused alone.
        for played in ("POST {}/deal 201", "POST {}/decide 200", "GET {}/rounds/{{number}} 200"):
            assert played.format("/v1/sessions/{session_id}").encode() in server.said()
