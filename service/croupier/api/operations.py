"""What the OpenAPI document says of one operation; every handler carries one in its ``opt``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel

Credential: TypeAlias = Literal["operatorKey", "tableToken", "seatToken", "metricsKey"]
JSON_ONLY = ("application/json",)


@dataclass(frozen=True, slots=True)
class Link:
    """An OpenAPI link: what to call next, and where its path's parameters come from, or what they are."""

    operation: str
    parameters: Mapping[str, str]
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: what it takes, what it gives, how it can refuse and who may call it.

    ``problems`` are codes of :data:`croupier.api.problems.PROBLEMS`; those that every operation of its kind
    shares are added by :mod:`croupier.api.openapi`. ``answer`` None: no JSON model describes it.
    ``query`` None: no parameter is taken. ``requests`` and ``answers`` are examples by name, ``texts`` those
    of the form that is no JSON.
    """

    id: str
    tag: str
    summary: str
    description: str
    answer: type[BaseModel] | None = None
    status: int = 200
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    credentials: tuple[Credential, ...] = ()
    problems: tuple[str, ...] = ()
    produces: tuple[str, ...] = JSON_ONLY
    headers: tuple[str, ...] = ()
    links: Mapping[str, Link] = field(default_factory=lambda: MappingProxyType({}))
    requests: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    answers: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    texts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Operation":
        """Itself: nothing of it changes. The framework copies handlers with all that is on them."""
        return self
