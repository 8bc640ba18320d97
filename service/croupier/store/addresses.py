"""The addresses of a store: one server, a primary that sentinels name, or a cluster.

====================================================  ====================================================
``redis://[user:password@]host[:6379][/db]``          one server; ``rediss://`` with TLS
``unix:///path/to/socket``                            one server on this machine
``redis+sentinel://…host[:26379],host…/name[/db]``    the primary *name*, as the sentinels say
``redis+cluster://…host[:6379],host…``                a cluster; any of its nodes tells the others
====================================================  ====================================================

``rediss+sentinel`` and ``rediss+cluster`` speak TLS to everybody. User and password are the store's; those of
the sentinels, if they ask for any, are ``?sentinel_username=…&sentinel_password=…``. Whatever else stands in
the query are options of redis-py's connections, such as ``ssl_ca_certs``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from redis.asyncio import ConnectionPool

Place: TypeAlias = tuple[str, int]
"""Host and port."""
Kind: TypeAlias = Literal["single", "sentinel", "cluster"]

FORMS = "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://"
_PORTS = {"sentinel": 26379, "cluster": 6379}
_SENTINEL = "sentinel_"


class BadAddress(ValueError):
    """An address is none; the message says what is allowed and shows nothing of it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is.

    ``url`` is one server's; for the other kinds a server's whose host and port are still to be put in.
    ``places`` are the sentinels, or nodes of the cluster; ``login`` is what sentinels want to be told.
    """

    kind: Kind
    url: str
    places: tuple[Place, ...] = ()
    name: str = ""
    login: Mapping[str, str] | None = None

    def server(self, **options: Any) -> ConnectionPool:
        """What makes connections to a server of this store; *options* are redis-py's. Opens none."""
        pool = ConnectionPool.from_url(self.url, **options)
        pool.connection_kwargs.update(options)  # from_url lets the URL win
        return pool


def parsed(url: str) -> Address:
    """The address that *url* stands for. Raises :class:`BadAddress`."""
    try:
        address = _parsed(url)
        address.server().make_connection()  # type: ignore[no-untyped-call]
    except BadAddress:
        raise
    except ValueError:
        raise BadAddress(f"an address that begins with {FORMS}") from None
    except TypeError:
        raise BadAddress("an address with no option behind its ? that connections do not know") from None
    return address


def _parsed(url: str) -> Address:
    scheme, _, rest = url.partition("://")
    transport, _, kind = scheme.partition("+")
    if kind not in _PORTS or transport not in {"redis", "rediss"}:
        if scheme not in {"redis", "rediss", "unix"} or urlsplit(url).port == 0:
            raise BadAddress(f"an address that begins with {FORMS}")
        return Address("single", url)
    parts = urlsplit(f"//{rest}")
    login, _, hosts = parts.netloc.rpartition("@")
    places = tuple(_place(host, _PORTS[kind]) for host in hosts.split(","))
    name, _, db = parts.path.strip("/").partition("/")
    query = parse_qsl(parts.query, keep_blank_values=True)
    options = urlencode([(key, value) for key, value in query if not key.startswith(_SENTINEL)])
    server = f"{transport}://{login and login + '@'}host:1"
    if kind == "cluster":
        if name not in {"", "0"}:
            raise BadAddress(f"{scheme}://host:6379,host:6379; a cluster has no database but 0")
        return Address("cluster", f"{server}?{options}", places)
    if not name or not (db or "0").isdecimal():
        raise BadAddress(
            f"{scheme}://host:26379,host:26379/name, the name being what sentinels call the store"
        )
    asked = {key.removeprefix(_SENTINEL): value for key, value in query if key.startswith(_SENTINEL)}
    return Address("sentinel", f"{server}/{db or 0}?{options}", places, name, asked)


def _place(text: str, port: int) -> Place:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port == 0 or parts.path or "@" in text:
        raise BadAddress("an address with host:port of each server, and commas between")
    return parts.hostname, parts.port or port
