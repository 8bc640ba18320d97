"""Every setting of the server, read once: from the environment, or from the flag of the same name.

A setting ``store_timeout`` is ``CROUPIER_STORE_TIMEOUT`` in the environment and ``--store-timeout`` on the
command line, which wins. The help of ``croupier serve`` and the messages about wrong values come from this
model. Secrets are read from the environment alone (a command line is for everybody to see) and never printed.
"""

from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args, get_origin

from annotated_types import Ge, Le
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from croupier.settings import kinds
from croupier.settings.kinds import KEY_RECIPE, PREFIX, OperatorKey, WrongSetting

_DAY = 24 * 60 * 60


class Settings(BaseSettings):
    """What the server was told, checked and frozen. Made by :func:`read`."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="ignore", hide_input_in_errors=True
    )

    host: str = Field("127.0.0.1", min_length=1, description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    workers: int = Field(1, ge=1, le=64, description="Worker processes that answer requests.")
    sandbox: Annotated[bool, BeforeValidator(kinds.switch)] = Field(
        False, description="Allow sandbox sessions, which choose their own cards."
    )
    operator_keys: Annotated[tuple[OperatorKey, ...], NoDecode, BeforeValidator(kinds.operator_keys)] = Field(
        (),
        description="Who may use the API, beside `croupier keys`: name:key, with commas between. "
        "No key at all: open mode, on loopback only.",
    )
    secret_keys: Annotated[
        tuple[Annotated[SecretStr, AfterValidator(kinds.long_secret)], ...],
        NoDecode,
        BeforeValidator(kinds.listed),
    ] = Field(
        (),
        description="Secrets that sign tokens and seal seeds, with commas between; the first one signs. "
        "None: made and kept in the data folder (embedded store only).",
    )
    cors_origins: Annotated[
        tuple[Annotated[str, AfterValidator(kinds.origin)], ...], NoDecode, BeforeValidator(kinds.listed)
    ] = Field((), description="Origins whose pages may call the API, with commas between, or *.")
    redis_url: Annotated[SecretStr | None, AfterValidator(kinds.redis_url)] = Field(
        None, description="Redis or Valkey to keep sessions in. None: the embedded store."
    )
    data: Path = Field(Path(".croupier"), description="Folder of the embedded store.")
    durability: Literal["memory", "everysec", "always", "replicated"] = Field(
        "always",
        description="When a change is acknowledged: at once (everysec: with a write to disk every second), "
        "when it is on disk, or when replicas have it.",
    )
    replicas: int = Field(
        1, ge=1, le=100, description="How many replicas have to have a change, for the durability replicated."
    )
    replicas_on_disk: Annotated[bool, BeforeValidator(kinds.switch)] = Field(
        False, description="Whether they have to have it on disk, not only in memory."
    )
    store_timeout: float = Field(
        2.0, ge=0.05, le=60, description="Seconds to wait for the store before answering 503."
    )
    pool_size: int = Field(
        4, ge=1, le=10_000, description="Connections to each server of the store, for each worker."
    )
    idle_seconds: int = Field(
        30 * _DAY, ge=1, le=3650 * _DAY, description="Seconds until an idle session is settled and closed."
    )
    retention_seconds: int = Field(
        90 * _DAY, ge=1, le=3650 * _DAY, description="Seconds until an ended session is deleted."
    )
    answer_seconds: int = Field(
        _DAY,
        ge=1,
        le=30 * _DAY,
        description="Seconds an answer is kept for retries with its Idempotency-Key.",
    )
    request_seconds: int = Field(
        30, ge=1, le=600, description="Seconds in which a request has to arrive, from its first byte on."
    )
    connections_per_worker: int = Field(
        10_000, ge=10, le=1_000_000, description="Connections that a worker keeps open at most."
    )
    requests_per_worker: int = Field(
        500,
        ge=1,
        le=1_000_000,
        description="Requests that a worker has in work at most; what comes beyond gets 503 at once.",
    )
    streams_per_worker: int = Field(
        5000, ge=1, le=1_000_000, description="Streams of events that a worker has open at most."
    )
    streams_per_key: int = Field(
        100, ge=1, le=1_000_000, description="Of these, for one key, token or, without one, address."
    )
    limit_key: Annotated[str | None, AfterValidator(kinds.rates)] = Field(
        None, description="Requests that an operator key may send, such as 1000/second;30000/minute."
    )
    limit_token: Annotated[str | None, AfterValidator(kinds.rates)] = Field(
        None, description="Requests that a table's or seat's token may send, such as 20/second;300/minute."
    )
    limit_address: Annotated[str | None, AfterValidator(kinds.rates)] = Field(
        None,
        description="Requests that an address may send without a credential, and wrong credentials, such as "
        "20/second;300/minute.",
    )
    trusted_proxies: Annotated[
        tuple[Annotated[str, AfterValidator(kinds.network)], ...], NoDecode, BeforeValidator(kinds.listed)
    ] = Field(
        (),
        description="Addresses and networks of proxies, with commas between, whose X-Forwarded-For tells the "
        "client's address.",
    )
    heartbeat_seconds: float = Field(
        15, ge=0.1, le=60, description="Seconds for which a stream of events is silent at most."
    )
    drain_seconds: float = Field(
        0,
        ge=0,
        le=600,
        description="Seconds that the server, told to stop, serves on while /health/ready already says no.",
    )
    shutdown_seconds: int = Field(
        10, ge=1, le=600, description="Seconds that requests under way get to end when the server stops."
    )
    log: Literal["pretty", "json"] = Field("pretty", description="How log lines on standard error look.")
    access_log: Annotated[bool, BeforeValidator(kinds.switch)] = Field(
        False, description="Log a line for every request; it takes some 3 per cent of the throughput as JSON."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least important log lines shown."
    )
    metrics_key: Annotated[SecretStr | None, AfterValidator(kinds.metrics_key)] = Field(
        None,
        description="Opens /metrics, as a bearer token. None: they can be read in open mode alone.",
    )
    traces: Annotated[str | None, AfterValidator(kinds.collector)] = Field(
        None,
        validate_default=True,
        description="URL of an OpenTelemetry collector that takes traces over HTTP (port 4318, as a rule). "
        "None: what OTEL_EXPORTER_OTLP_ENDPOINT says, or no traces.",
    )
    warm_odds: Annotated[bool, BeforeValidator(kinds.switch)] = Field(
        True,
        description="Load what odds and advice need right after the start, not with the first question.",
    )
    progressive_stake: int = Field(
        1, ge=1, le=1_000_000, description="Stake of the progressive Trips bet, in units, a seat and round."
    )
    progressive_contribution: int = Field(
        5, ge=0, le=100, description="Per cent of that stake that goes into the operator's meter."
    )
    progressive_seed_amount: int = Field(
        1000,
        ge=0,
        le=1_000_000_000,
        description="Units the meter starts with, and again after a royal flush.",
    )

    @field_validator("data")
    @classmethod
    def _absolute(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("operator_keys")
    @classmethod
    def _distinct(cls, value: tuple[OperatorKey, ...]) -> tuple[OperatorKey, ...]:
        # An operator may stand there twice, with an old key and the new one that is to take its place.
        if len({key.get_secret_value() for _, key in value}) < len(value):
            raise ValueError("a list with each key once")
        return value

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if self.redis_url is not None and not self.secret_keys:
            raise WrongSetting(
                f"{PREFIX}SECRET_KEYS: needed with {PREFIX}REDIS_URL, the same for every server on it; "
                f'for example export {PREFIX}SECRET_KEYS="$({KEY_RECIPE})"'
            )
        if self.redis_url is None and self.durability == "replicated":
            raise WrongSetting(
                f"{PREFIX}REDIS_URL: needed with {PREFIX}DURABILITY=replicated, since the embedded store has "
                "no replicas"
            )
        return self

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the host. Names other than ``localhost`` count as reachable."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def open_mode(self) -> bool:
        """Whether a request without a credential acts as the operator ``local`` while no key is stored."""
        return self.loopback and not self.operator_keys


def read(flags: dict[str, Any] | None = None) -> Settings:
    """The settings of this process; *flags* are those given on the command line, by field name.

    Raises :class:`WrongSetting` with one line for the first setting that is wrong.
    """
    try:
        return Settings(**(flags or {}))
    except ValidationError as wrong:
        raise WrongSetting(_sentence(wrong)) from None


def variable(field: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + field.upper()


def secret(field: str) -> bool:
    """Whether a setting holds secrets, so that it has no flag and its value is never shown."""
    return field in {"operator_keys", "secret_keys", "redis_url", "metrics_key"}


def default(field: str) -> str:
    """A setting's default as one would write it, empty for none."""
    match Settings.model_fields[field].default:
        case None | ():
            return ""
        case bool(value):
            return str(value).lower()
        case value:
            return str(value)


def allowed(field: str) -> str:
    """What a setting may be, in words."""
    info = Settings.model_fields[field]
    if get_origin(info.annotation) is Literal:
        *most, last = get_args(info.annotation)
        return f"{', '.join(most)} or {last}"
    low = next((bound.ge for bound in info.metadata if isinstance(bound, Ge)), None)
    high = next((bound.le for bound in info.metadata if isinstance(bound, Le)), None)
    if low is None:
        return "text that is not empty"
    return f"{'a whole number' if info.annotation is int else 'a number'} from {low} to {high}"


def _sentence(wrong: ValidationError) -> str:
    first = wrong.errors(include_url=False)[0]
    if not first["loc"]:
        return str(first["ctx"]["error"])
    field = str(first["loc"][0])
    must_be = first["ctx"]["error"] if first["type"] == "value_error" else allowed(field)
    instead = "" if secret(field) else f", not {first['input']!r}"
    return f"{variable(field)}: must be {must_be}{instead}"
