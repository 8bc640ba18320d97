"""Where a store is: what an address means, and what is said of one that means nothing."""

import pytest

from croupier.store.addresses import Address, BadAddress, parsed


def options(address: Address) -> dict[str, object]:
    """What connections to a server are told, but for what redis-py tells all of them."""
    told = {"host", "port", "path", "db", "username", "password", "ssl_ca_certs"}
    return {key: value for key, value in address.server().connection_kwargs.items() if key in told}


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://store", {"host": "store"}),
        (
            "redis://me:a%20b@store:6380/3",
            {"host": "store", "port": 6380, "db": 3, "username": "me", "password": "a b"},
        ),
        ("unix:///run/store.sock", {"path": "/run/store.sock"}),
    ],
)
def test_one_server(url: str, told: dict[str, object]) -> None:
    address = parsed(url)
    assert (address.kind, address.places) == ("single", ())
    assert options(address) == told


def test_sentinels_with_a_password_of_their_own() -> None:
    address = parsed(
        "rediss+sentinel://me:s%40cret@a,b:26380,[::1]:7/mymaster/2"
        "?sentinel_password=other%20word&sentinel_username=watch&ssl_ca_certs=/etc/ca.pem"
    )
    assert address.kind == "sentinel"
    assert address.places == (("a", 26379), ("b", 26380), ("::1", 7))
    assert address.name == "mymaster"
    assert address.login == {"username": "watch", "password": "other word"}
    told = options(address)
    assert (told["username"], told["password"], told["db"]) == ("me", "s@cret", 2)
    assert told["ssl_ca_certs"] == "/etc/ca.pem"


def test_a_cluster() -> None:
    address = parsed("redis+cluster://:word@a:7000,b")
    assert (address.kind, address.places) == ("cluster", (("a", 7000), ("b", 6379)))
    assert options(address)["password"] == "word"


@pytest.mark.parametrize("kind", ["redis", "redis+sentinel", "redis+cluster"])
def test_tls(kind: str) -> None:
    from redis.asyncio import SSLConnection

    plain, secure = (parsed(f"{scheme}://store/0/0") for scheme in (kind, kind.replace("redis", "rediss")))
    assert not issubclass(plain.server().connection_class, SSLConnection)
    assert issubclass(secure.server().connection_class, SSLConnection)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "begins with redis://"),
        ("store:6379", "begins with redis://"),
        ("http://store", "begins with redis://"),
        ("unix+cluster:///store", "begins with redis://"),
        ("redis+ring://store", "begins with redis://"),
        ("redis://store:0", "begins with redis://"),
        ("redis://store:p4ssw0rd", "begins with redis://"),
        ("redis://store?db=p4ssw0rd", "begins with redis://"),
        ("redis://store?p4ssw0rd=1", "no option"),
        ("redis+sentinel://a,b", "/name"),
        ("redis+sentinel://a/mymaster/p4ssw0rd", "/name"),
        ("redis+sentinel:///mymaster", "host:port"),
        ("redis+sentinel://a,,b/mymaster", "host:port"),
        ("redis+sentinel://a:p4ssw0rd/mymaster", "begins with redis://"),
        ("redis+cluster://a/3", "no database but 0"),
        ("redis+cluster://p4ssw0rd@x@a:b", "begins with redis://"),
    ],
)
def test_what_is_no_address_is_said_so_and_not_shown(url: str, said: str) -> None:
    with pytest.raises(BadAddress) as refused:
        parsed(url)
    assert said in str(refused.value)
    assert "p4ssw0rd" not in str(refused.value)
