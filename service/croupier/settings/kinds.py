"""What a setting may look like, and what is said of one that does not."""

import os
import re
from ipaddress import ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

PREFIX = "CROUPIER_"
KEY_RECIPE = 'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
"""A shell command that prints a good key."""

NAME = "a name of at most 64 letters, digits, - and _"
_NAME = re.compile(r"(?=[_-]*[A-Za-z0-9])[A-Za-z0-9_-]{1,64}")
TOKEN_PREFIXES = ("tbl_", "seat_")
"""How sessions' tokens begin; an operator key that did would be taken for one."""


class WrongSetting(ValueError):
    """A setting is not what it may be; the message names it, says what is allowed, and shows no secret."""


class OperatorKey(NamedTuple):
    """An operator and the key that opens the API to it."""

    name: str
    key: SecretStr


def listed(value: object) -> object:
    """The parts of a comma-separated list; anything but text as it is."""
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if not isinstance(value, str):
        return value
    return tuple(part.strip() for part in value.split(",") if part.strip())


def operator_keys(value: object) -> object:
    """A list of ``name:key``, each part read by :func:`operator_key`. Raises ``ValueError``."""
    parts = listed(value)
    if not isinstance(parts, tuple):
        return parts
    return tuple(operator_key(part) if isinstance(part, str) else part for part in parts)


def operator_name(name: str) -> str:
    """The name of an operator. Raises ``ValueError`` for what cannot be one."""
    if not _NAME.fullmatch(name):
        raise ValueError(NAME)
    return name


def operator_key(part: str) -> OperatorKey:
    """``name:key``. Raises ``ValueError`` for a name or key that cannot be one."""
    name, colon, key = part.partition(":")
    if not colon or not _NAME.fullmatch(name):
        raise ValueError(f"a list of name:key with commas between, {NAME}")
    if len(key) < 20 or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"a key of at least 20 visible ASCII characters for {name} (make one: {KEY_RECIPE})")
    if key.startswith(TOKEN_PREFIXES):
        raise ValueError(f"a key for {name} that does not begin as the tokens of sessions do")
    return OperatorKey(name, SecretStr(key))


def long_secret(value: SecretStr) -> SecretStr:
    """A secret that nobody guesses. Raises ``ValueError`` for a short one."""
    if len(value.get_secret_value()) < 32:
        raise ValueError(f"secrets of at least 32 characters (make one: {KEY_RECIPE})")
    return value


def origin(value: str) -> str:
    """An origin as browsers send it, or ``*``. Raises ``ValueError``."""
    parts = urlsplit(value)
    if value != "*" and (
        parts.scheme not in {"http", "https"} or f"{parts.scheme}://{parts.netloc}" != value
    ):
        raise ValueError("a list of origins like https://example.com, without a path, or *")
    return value


def metrics_key(value: SecretStr | None) -> SecretStr | None:
    """A key that nobody guesses. Raises ``ValueError`` for one that cannot stand in a header, or is short."""
    if value is None:
        return None
    key = value.get_secret_value()
    if len(key) < 20 or not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"a key of at least 20 visible ASCII characters (make one: {KEY_RECIPE})")
    return value


def collector(value: str | None) -> str | None:
    """The address of a collector, or the one that OpenTelemetry's own variable has. Raises ``ValueError``."""
    address = value or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or None
    if address is not None and urlsplit(address).scheme not in {"http", "https"}:
        raise ValueError("an address that begins with http:// or https://")
    return address


def redis_url(value: SecretStr | None) -> SecretStr | None:
    """The address of a store. Raises ``ValueError`` for one that is none."""
    if value is not None:
        # A client of the store takes a while to load, and most commands need none.
        from croupier.store.addresses import parsed  # noqa: PLC0415

        parsed(value.get_secret_value())
    return value


def rates(value: str | None) -> str | None:
    """Limits in the notation of the ``limits`` library, as ``100/second;5000/minute``.

    Raises ``ValueError`` for what reads otherwise, a limit of nothing, and two for one span of time.
    """
    if value is None:
        return None
    # Read by few servers, and it takes a while to load.
    from limits import parse_many  # noqa: PLC0415

    try:
        items = parse_many(value)
    except ValueError:
        items = []
    if not items or any(one.amount < 1 for one in items):
        raise ValueError("limits like 100/second;5000/minute")
    if len({one.get_expiry() for one in items}) < len(items):
        raise ValueError("limits like 100/second;5000/minute, one for each span of time")
    return value


def network(value: str) -> str:
    """A network or a single address. Raises ``ValueError``."""
    try:
        return str(ip_network(value))
    except ValueError:
        raise ValueError("a list of addresses and networks like 10.0.0.0/8, with commas between") from None


def switch(value: object) -> object:
    """True or false by its usual words. Raises ``ValueError`` for another."""
    words = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    if isinstance(value, str):
        if value.lower() not in words:
            raise ValueError("true or false")
        return words[value.lower()]
    return value
