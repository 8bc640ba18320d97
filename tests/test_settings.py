"""Settings: where they come from, what they may be, and what is said when one is wrong."""

from pathlib import Path

import pytest

from croupier.settings import Settings, WrongSetting, default, read, secret, variable

KEY = "k" * 20
OTHER_KEY = "o" * 20
SECRET = "s" * 32


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in Settings.model_fields:
        monkeypatch.delenv(variable(field), raising=False)


def wrong(monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for name, value in environment.items():
        monkeypatch.setenv(f"CROUPIER_{name}", value)
    with pytest.raises(WrongSetting) as raised:
        read()
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_nothing_set_is_a_loopback_server_in_open_mode_on_the_embedded_store() -> None:
    settings = read()
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 1)
    assert settings.loopback
    assert settings.open_mode
    assert not settings.sandbox
    assert settings.redis_url is None
    assert settings.data == Path.cwd() / ".croupier"
    assert settings.durability == "always"


def test_every_setting_is_described_and_its_default_is_one_it_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    for field, info in Settings.model_fields.items():
        assert info.description
        monkeypatch.setenv(variable(field), default(field))
    assert read() == Settings.model_construct(**{**Settings().model_dump(), "data": Path.cwd() / ".croupier"})


def test_a_flag_wins_over_the_environment_and_an_empty_variable_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CROUPIER_PORT", "9001")
    monkeypatch.setenv("CROUPIER_WORKERS", "")
    assert read().port == 9001
    assert read({"port": "9002"}).port == 9002
    assert read().workers == 1


def test_lists_are_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_OPERATOR_KEYS", f"house:{KEY}, my-bar_2:{OTHER_KEY}")
    monkeypatch.setenv("CROUPIER_SECRET_KEYS", f"{SECRET},{SECRET}2")
    monkeypatch.setenv("CROUPIER_CORS_ORIGINS", "https://a.example, http://localhost:3000")
    settings = read()
    assert [name for name, _ in settings.operator_keys] == ["house", "my-bar_2"]
    assert settings.operator_keys[1].key.get_secret_value() == OTHER_KEY
    assert [key.get_secret_value() for key in settings.secret_keys] == [SECRET, SECRET + "2"]
    assert settings.cors_origins == ("https://a.example", "http://localhost:3000")
    assert not settings.open_mode


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("PORT", "eighty", "a whole number from 0 to 65535, not 'eighty'"),
        ("PORT", "65536", "a whole number from 0 to 65535, not '65536'"),
        ("WORKERS", "0", "a whole number from 1 to 64, not '0'"),
        ("WORKERS", "1.5", "a whole number from 1 to 64, not '1.5'"),
        ("STORE_TIMEOUT", "inf", "a number from 0.05 to 60, not 'inf'"),
        ("STORE_TIMEOUT", "nan", "a number from 0.05 to 60, not 'nan'"),
        ("SANDBOX", "perhaps", "true or false, not 'perhaps'"),
        ("DURABILITY", "often", "memory, everysec, always or replicated, not 'often'"),
        ("LOG", "xml", "pretty or json, not 'xml'"),
        ("CORS_ORIGINS", "https://a.example/", "a list of origins like https://example.com"),
        ("CORS_ORIGINS", "a.example", "a list of origins like https://example.com"),
        ("LIMIT_TOKEN", "fast", "limits like 100/second;5000/minute, not 'fast'"),
        ("LIMIT_KEY", "0/second", "limits like 100/second;5000/minute, not '0/second'"),
        ("LIMIT_ADDRESS", "5/minute;1/60 second", "limits like 100/second;5000/minute, one for each span"),
        ("TRUSTED_PROXIES", "10.0.0.1/8", "a list of addresses and networks like 10.0.0.0/8"),
        ("TRACES", "collector:4318", "an address that begins with http:// or https://, not 'collector:4318'"),
        ("TRUSTED_PROXIES", "proxy.example", "a list of addresses and networks like 10.0.0.0/8"),
        (
            "REDIS_URL",
            "http://store",
            "an address that begins with redis://, rediss://, unix://, redis+sentinel:// or ",
        ),
        (
            "REDIS_URL",
            "redis://store:port",
            "an address that begins with redis://, rediss://, unix://, redis+sentinel:// or ",
        ),
    ],
)
def test_a_wrong_value_is_answered_with_the_name_and_what_is_allowed(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, allowed: str
) -> None:
    assert wrong(monkeypatch, **{name: value}).startswith(f"CROUPIER_{name}: must be {allowed}")


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("OPERATOR_KEYS", "house:hunter2", "hunter2"),
        ("OPERATOR_KEYS", f"{KEY}", KEY),
        ("OPERATOR_KEYS", f"ho use:{KEY}", KEY),
        ("OPERATOR_KEYS", f"house:{KEY},house:{KEY}", KEY),
        ("OPERATOR_KEYS", f"house:{KEY},bar:{KEY}", KEY),
        ("OPERATOR_KEYS", f"house:{KEY} x", KEY),
        ("OPERATOR_KEYS", f"house:tbl_{KEY}", KEY),
        ("OPERATOR_KEYS", f"house:seat_{KEY}", KEY),
        ("SECRET_KEYS", "correct-horse", "correct-horse"),
        ("REDIS_URL", "http://me:hunter2@store", "hunter2"),
        ("METRICS_KEY", "hunter2", "hunter2"),
        ("METRICS_KEY", f"{KEY} x", KEY),
    ],
)
def test_a_wrong_secret_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, hidden: str
) -> None:
    message = wrong(monkeypatch, **{name: value})
    assert message.startswith(f"CROUPIER_{name}: must be ")
    assert hidden not in message


def test_secrets_have_no_flag_and_do_not_print(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CROUPIER_OPERATOR_KEYS", f"house:{KEY}")
    monkeypatch.setenv("CROUPIER_SECRET_KEYS", SECRET)
    monkeypatch.setenv("CROUPIER_REDIS_URL", "redis://me:hunter2@store")
    monkeypatch.setenv("CROUPIER_METRICS_KEY", OTHER_KEY)
    printed = f"{read()} {read()!r} {read().model_dump_json()}"
    for hidden in (KEY, OTHER_KEY, SECRET, "hunter2"):
        assert hidden not in printed
    assert [field for field in Settings.model_fields if secret(field)] == [
        "operator_keys",
        "secret_keys",
        "redis_url",
        "metrics_key",
    ]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "casino.example", "::ffff:192.0.2.1"])
def test_an_address_that_others_reach_is_never_open(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("CROUPIER_HOST", host)
    assert not read().open_mode


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1"])
def test_a_loopback_address_is_open_as_long_as_there_is_no_key(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("CROUPIER_HOST", host)
    assert read().open_mode
    monkeypatch.setenv("CROUPIER_OPERATOR_KEYS", f"house:{KEY}")
    assert not read().open_mode


def test_an_operator_may_have_two_keys_while_one_takes_the_others_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CROUPIER_OPERATOR_KEYS", f"house:{KEY},house:{OTHER_KEY}")
    assert [(name, key.get_secret_value()) for name, key in read().operator_keys] == [
        ("house", KEY),
        ("house", OTHER_KEY),
    ]


def test_only_a_store_with_replicas_can_be_replicated(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong(monkeypatch, DURABILITY="replicated").startswith("CROUPIER_REDIS_URL: needed with")
    monkeypatch.setenv("CROUPIER_REDIS_URL", "redis+sentinel://a,b:26380,c/mymaster")
    monkeypatch.setenv("CROUPIER_SECRET_KEYS", SECRET)
    settings = read()
    assert (settings.durability, settings.replicas, settings.replicas_on_disk) == ("replicated", 1, False)


def test_servers_on_one_redis_have_to_be_told_their_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong(monkeypatch, REDIS_URL="redis://store").startswith("CROUPIER_SECRET_KEYS: needed with")
    monkeypatch.setenv("CROUPIER_SECRET_KEYS", SECRET)
    assert read().redis_url is not None


def test_traces_go_where_opentelemetry_is_told_unless_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    assert read().traces is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://everybodys:4318")
    assert read().traces == "http://everybodys:4318"
    monkeypatch.setenv("CROUPIER_TRACES", "http://ours:4318")
    assert read().traces == "http://ours:4318"
