"""The command line without a running server: help, version, wrong settings, the OpenAPI document."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from croupier import __version__
from croupier.cli.banner import banner
from croupier.cli.serve import CannotServe, listen
from croupier.settings import Settings, default, read, secret, variable

CROUPIER = Path(sys.executable).with_name("croupier")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    bare = {name: value for name, value in os.environ.items() if not name.startswith("CROUPIER_")}
    return subprocess.run(
        [CROUPIER, *arguments],
        env={**bare, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_version() -> None:
    assert run("--version").stdout == f"croupier {__version__}\n"


def test_help_of_serve_lists_every_setting_with_its_variable_default_and_description() -> None:
    text = " ".join(run("serve", "--help").stdout.split())
    for field, info in Settings.model_fields.items():
        described = f"{info.description} [{variable(field)}; {default(field) or 'none'}]"
        assert "".join(described.split()) in "".join(text.split())  # lines may end within X-Forwarded-For
        assert (f"--{field.replace('_', '-')} " in text) is not secret(field)


@pytest.mark.parametrize(
    ("flags", "environment", "said"),
    [
        (["--port", "http"], {}, "CROUPIER_PORT: must be a whole number from 0 to 65535, not 'http'"),
        ([], {"CROUPIER_WORKERS": "-1"}, "CROUPIER_WORKERS: must be a whole number from 1 to 64, not '-1'"),
        ([], {"CROUPIER_REDIS_URL": "redis://127.0.0.1:1"}, "CROUPIER_SECRET_KEYS: needed with"),
    ],
)
def test_a_wrong_setting_is_one_line_and_exit_code_2(
    flags: list[str], environment: dict[str, str], said: str
) -> None:
    ended = run("serve", *flags, **environment)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith(f"croupier: {said}")
    assert ended.stderr.count("\n") == 1


def test_an_unknown_flag_is_exit_code_2() -> None:
    assert run("serve", "--colour", "red").returncode == 2


def test_openapi_is_written_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "openapi.json"
    missing = run("openapi", "--check", str(path))
    assert missing.returncode == 1
    assert "croupier openapi" in missing.stderr
    assert not path.exists()

    assert run("openapi", str(path)).returncode == 0
    assert json.loads(path.read_text())["openapi"].startswith("3.1")
    assert run("openapi", "--check", str(path)).returncode == 0

    path.write_text(path.read_text().replace('"3.1', '"3.0', 1))
    assert run("openapi", "--check", str(path)).returncode == 1


def test_recorded_hands_are_replayed() -> None:
    hand = Path(__file__).parent / "data" / "phh" / "pluribus-44-17.phh"
    replayed = run("replay", str(hand))
    assert replayed.returncode == 0, replayed.stderr
    assert replayed.stdout.startswith(f"ok          {hand}")
    assert replayed.stdout.endswith("1 ok, 0 differs, 0 skipped, 0 unreadable\n")


def test_a_name_that_is_no_address_is_said_so() -> None:
    with pytest.raises(CannotServe, match=r"nowhere\.invalid .* CROUPIER_HOST"):
        listen("nowhere.invalid", 0)


def test_an_address_of_another_machine_is_said_so() -> None:
    with pytest.raises(CannotServe, match=r"cannot listen on 192\.0\.2\.1 port 8000"):
        listen("192.0.2.1", 8000)


def test_the_banner_hides_the_password_of_the_store_and_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_HOST", "::")
    monkeypatch.setenv("CROUPIER_OPERATOR_KEYS", "house:" + "k" * 20)
    monkeypatch.setenv("CROUPIER_SECRET_KEYS", "s" * 32)
    monkeypatch.setenv("CROUPIER_REDIS_URL", "rediss://me:hunter2@store:6380/1?password=hunter2")
    text = banner(read(), 8123, ["house"])
    assert "http://[::1]:8123/v1" in text
    assert "rediss://store:6380/1\n" in text
    assert "operator keys of house\n" in text
    assert 'Bearer $KEY"' in text
    for hidden in ("hunter2", "k" * 20, "s" * 32):
        assert hidden not in text
