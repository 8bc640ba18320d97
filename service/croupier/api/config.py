"""What the API has to be told; the command line builds it from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a worker has under way at most: requests, event streams, and streams of one caller."""

    requests: int = 500
    streams: int = 5000
    streams_of_caller: int = 100


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """How one server answers.

    ``operator_keys`` maps the SHA-256 of a key, in hex, to its operator's name: the keys need not be kept.
    ``open_mode``: as long as no key is in the store either, a request without a credential acts as the
    operator ``local``, and ``Host`` has to be a loopback name. ``cors_origins`` are the origins whose pages
    may call (``*`` for all); none by default. ``max_body`` is in bytes. ``access_log``: a line for every
    request. ``metrics_key`` is the SHA-256, in hex, of the key that opens the metrics; without one they
    are for open mode alone. ``heartbeat_seconds``: how long a stream of events is silent at most.
    """

    operator_keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    open_mode: bool = False
    cors_origins: tuple[str, ...] = ()
    max_body: int = 64 * 1024
    access_log: bool = False
    metrics_key: str | None = None
    bounds: Bounds = Bounds()
    heartbeat_seconds: float = 15
