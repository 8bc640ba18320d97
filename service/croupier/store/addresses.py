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

FORMS = "redis://, rediss://, unix://, redis+sentinel://, rediss+sentinel://, redis+cluster:// or rediss+cluster://"
_PORTS = {"sentinel": 26379, "cluster": 6379}
_SENTINEL = "sentinel_"


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
        """What makes connections to a server of this store; *options* are redis-py's. Opens none.

        Raises ``ValueError`` for an option in the address that redis-py does not know.
        """
        pool = ConnectionPool.from_url(self.url, **options)
        pool.connection_kwargs.update(options)  # from_url lets the URL win
        try:
            pool.make_connection()  # type: ignore[no-untyped-call]
        except TypeError:
            raise ValueError("an address with no option behind the ? that connections do not know") from None
        return pool


def parsed(url: str) -> Address:
    """The address that *url* stands for. Raises ``ValueError``, whose text shows nothing of *url*."""
    scheme, _, rest = url.partition("://")
    tls, _, kind = scheme.partition("+")
    if tls not in {"redis", "rediss"} or kind not in _PORTS:
        if scheme not in {"redis", "rediss", "unix"} or urlsplit(url).port == 0:
            raise ValueError(f"an address that begins with {FORMS}")
        return Address("single", url)
    parts = urlsplit(f"//{rest}")
    login, _, hosts = parts.netloc.rpartition("@")
    places = tuple(_place(host, _PORTS[kind]) for host in hosts.split(","))
    name, _, db = parts.path.strip("/").partition("/")
    if kind == "sentinel" and (not name or not (db or "0").isdecimal()):
        raise ValueError(
            f"{scheme}://host:26379,host:26379/name, with the name by which sentinels know the store"
        )
    if kind == "cluster" and name not in {"", "0"}:
        raise ValueError(f"{scheme}://host:6379,host:6379; a cluster has only the database 0")
    query = parse_qsl(parts.query, keep_blank_values=True)
    options = urlencode([(key, value) for key, value in query if not key.startswith(_SENTINEL)])
    return Address(
        kind="sentinel" if kind == "sentinel" else "cluster",
        url=f"{tls}://{login and login + '@'}host:1/{db or 0}?{options}",
        places=places,
        name=name,
        login={key.removeprefix(_SENTINEL): value for key, value in query if key.startswith(_SENTINEL)},
    )


def _place(text: str, port: int) -> Place:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.port == 0 or parts.path or "@" in text:
        raise ValueError("an address with host:port of each, and commas between")
    return parts.hostname, parts.port or port
