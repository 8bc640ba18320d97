"""Options: frozen dataclasses whose integer fields carry their limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, get_args, get_type_hints

from croupier.rules.game import InvalidOption


@dataclass(frozen=True, slots=True)
class Between:
    """The inclusive limits of an integer option, written ``Annotated[int, Between(1, 10)]``."""

    low: int
    high: int


@cache
def limits_of(options: type[Any]) -> Mapping[str, Between]:
    """The limits that a dataclass of options declares, by field."""
    hints = get_type_hints(options, include_extras=True)
    found: dict[str, Between] = {}
    for name, hint in hints.items():
        for part in (hint, *get_args(hint)):
            for extra in getattr(part, "__metadata__", ()):
                if isinstance(extra, Between):
                    found[name] = extra
    return MappingProxyType(found)


def check_limits(options: Any) -> None:
    """Raise :class:`InvalidOption` for the first integer field outside its :class:`Between` (None passes)."""
    declared: Any = type(options)
    for name, limit in limits_of(declared).items():
        value = getattr(options, name)
        if value is not None and not limit.low <= value <= limit.high:
            raise InvalidOption(name, f"must be from {limit.low} to {limit.high}")
