"""What the API has to be told; the command line builds it from the settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class ApiConfig:
    """How one server answers.

    ``operator_keys`` maps an operator's name to the SHA-256, in hex, of its key: the keys need not be kept.
    ``open_mode``: a request without a credential acts as the operator ``local``, and ``Host`` has to be a
    loopback name. ``cors_origins`` are the origins whose pages may call (``*`` for all); none by default.
    ``max_body`` is in bytes.
    """

    operator_keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    open_mode: bool = False
    cors_origins: tuple[str, ...] = ()
    max_body: int = 64 * 1024
