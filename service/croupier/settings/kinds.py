"""What a setting may look like, and what is said of one that does not."""

from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

PREFIX = "CROUPIER_"
KEY_RECIPE = 'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
"""A shell command that prints a good key."""

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


def operator_key(part: str) -> OperatorKey:
    """``name:key``. Raises ``ValueError`` for a name or key that cannot be one."""
    name, colon, key = part.partition(":")
    if (
        not colon
        or not name.replace("-", "").replace("_", "").isalnum()
        or not name.isascii()
        or len(name) > 64
    ):
        raise ValueError("a list of name:key with commas between, a name of letters, digits, - and _")
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


def redis_url(value: SecretStr | None) -> SecretStr | None:
    """The address of a store. Raises ``ValueError`` for a scheme that is none."""
    if value is None:
        return None
    try:
        parts = urlsplit(value.get_secret_value())
        good = parts.scheme in {"redis", "rediss", "unix"} and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise ValueError("an address that begins with redis://, rediss:// or unix://")
    return value


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
