"""``croupier keys`` beside real servers: made, taken, listed, revoked, and what a first key closes."""

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from croupier.cli.keys import expiry
from croupier.sessions.operators import FRESH
from serving import CROUPIER, Server, Start, until

DAY = 86_400_000
NOW = 1_767_225_600_000
GAME = {"game": "casino-holdem"}
PUBLIC = {"Host": "croupier.example"}


def keys(data: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    return subprocess.run(
        [CROUPIER, "keys", *arguments],
        env={**bare, "CROUPIER_DATA": str(data), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def made(data: Path, *arguments: str) -> str:
    """A new key, as a script would take it."""
    run = keys(data, "new", *arguments)
    assert run.returncode == 0, run.stderr
    assert re.fullmatch(r"cr_[a-z2-7]{16}_[\w-]{43}\n", run.stdout)
    assert run.stdout.strip() not in run.stderr
    return run.stdout.strip()


def listed(data: Path) -> list[dict[str, Any]]:
    run = keys(data, "list", "--json")
    assert run.returncode == 0, run.stderr
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


def start_session(server: Server, key: str | None = None, **headers: str) -> int:
    own = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.post(f"{server.url}/v1/sessions", json=GAME, headers=own | headers).status_code


def test_the_first_key_closes_an_open_server_and_no_revocation_opens_it_again(start: Start) -> None:
    server = start("--workers", "2")
    assert start_session(server) == 201
    assert start_session(server, **PUBLIC) == 403
    key = made(server.data, "me")
    time.sleep(FRESH + 1)  # one worker may have answered every question so far, and the other know nothing
    assert {start_session(server) for _ in range(16)} == {401}
    for _ in range(8):
        assert start_session(server, key) == 201
        assert start_session(server, key, **PUBLIC) == 201
    (row,) = listed(server.data)
    until(lambda: listed(server.data)[0]["last_used_at"])
    assert keys(server.data, "revoke", row["id"]).returncode == 0
    time.sleep(FRESH + 1)
    assert {start_session(server, key) for _ in range(16)} == {401}
    assert start_session(server) == 401
    said = server.output.read_text() + server.errors.read_text()
    assert key not in said


def test_keys_in_the_store_and_in_the_settings_open_side_by_side(start: Start, tmp_path: Path) -> None:
    data = tmp_path / "data"
    first, second, rival = made(data, "house"), made(data, "house", "--label", "till"), made(data, "rival")
    server = start(CROUPIER_OPERATOR_KEYS=f"house:{'h' * 20},house:{'i' * 20}")
    for key in (first, second, rival, "h" * 20, "i" * 20):
        assert start_session(server, key) == 201
    own = httpx.get(f"{server.url}/v1/sessions", headers={"Authorization": f"Bearer {first}"}).json()
    assert len(own["sessions"]) == 4
    assert "operator keys of house\n" in server.banner


def test_an_address_that_others_reach_needs_a_key_in_the_settings_or_the_store(
    start: Start, tmp_path: Path
) -> None:
    refused = start("--host", "0.0.0.0", ready=False)
    assert refused.process.wait(30) == 2
    told = refused.errors.read_text()
    assert told.startswith("croupier: CROUPIER_OPERATOR_KEYS: needed to listen on 0.0.0.0")
    assert "croupier keys new" in told
    assert (told.count("\n"), refused.banner) == (1, "")
    key = made(tmp_path / "data", "me")
    server = start("--host", "0.0.0.0")
    assert "operator keys of me\n" in server.banner
    assert start_session(server, key) == 201
    assert start_session(server) == 401


def test_keys_are_listed_for_people_and_for_programs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert listed(data) == []
    made(data, "house", "--label", "the bar's till", "--expires", "2099-01-31")
    key = made(data, "rival")
    first, second = listed(data)
    assert first | {"id": "", "created_at": ""} == {
        "id": "",
        "operator": "house",
        "label": "the bar's till",
        "created_at": "",
        "last_used_at": None,
        "expires_at": "2099-01-31T00:00:00.000Z",
        "expired": False,
    }
    assert key.startswith(f"cr_{second['id']}_")
    table = keys(data, "list").stdout
    assert [line.split()[0] for line in table.splitlines()] == ["id", first["id"], second["id"]]
    assert "the bar's till" in table
    assert key.split("_", 2)[2] not in table


def test_what_is_asked_wrongly_is_said(tmp_path: Path) -> None:
    for arguments in (
        ["ho use"],
        ["_"],
        ["x" * 65],
        ["me", "--expires", "soon"],
        ["me", "--expires", "2001-01-01"],
        ["me", "--label", "x" * 101],
        ["me", "--label", "a\nb"],
    ):
        run = keys(tmp_path / "data", "new", *arguments)
        assert (run.returncode, run.stdout) == (2, ""), arguments
        assert "must be" in run.stderr
    unknown = keys(tmp_path / "data", "revoke", "nobodys")
    assert unknown.returncode == 1
    assert unknown.stderr == "croupier: there is no key nobodys; see croupier keys list\n"
    away = keys(tmp_path, "list", CROUPIER_REDIS_URL="redis://127.0.0.1:1", CROUPIER_SECRET_KEYS="s" * 32)
    assert away.returncode == 2
    assert away.stderr == "croupier: The store is away.\n"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("90d", NOW + 90 * DAY),
        ("12h", NOW + DAY // 2),
        ("2026-01-02", NOW + DAY),
        ("2026-01-02T01:00+01:00", NOW + DAY),
        ("2026-01-01T00:00:00.001Z", NOW + 1),
    ],
)
def test_an_end_is_a_span_or_a_time(text: str, at: int) -> None:
    assert expiry(text, NOW) == at


@pytest.mark.parametrize(
    "text", ["", "0d", "-1d", "90", "90D", "1.5d", "99999d", "9999-12-31", "2026-01-01", "tomorrow"]
)
def test_an_end_that_is_over_or_unclear_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="90d or 12h, or a date to come"):
        expiry(text, NOW)
