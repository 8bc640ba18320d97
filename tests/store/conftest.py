from collections.abc import AsyncIterator, Iterator

import pytest

from croupier.sessions.ports import SessionStore
from croupier.store import Limits, RedisStore, Replicas, connect
from croupier.store.memory import MemoryStore
from store.samples import SECRETS
from store.topologies import Cluster, SentinelSet


@pytest.fixture
async def redis_store(valkey_url: str) -> AsyncIterator[RedisStore]:
    store = connect(valkey_url, SECRETS)
    yield store
    await store.close()


@pytest.fixture(params=["memory", "valkey", "sentinel", "cluster"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[SessionStore]:
    """The port as each store has it; on more than one server, replicas have to have all."""
    match request.param:
        case "memory":
            yield MemoryStore()
            return
        case "valkey":
            found = connect(request.getfixturevalue("valkey_url"), SECRETS)
        case "sentinel":
            sentinels = request.getfixturevalue("sentinel_set")
            sentinels.flush()
            found = connect(sentinels.url, SECRETS, limits=Limits(replicas=Replicas(1, on_disk=True)))
        case "cluster":
            cluster = request.getfixturevalue("cluster")
            cluster.flush()
            found = connect(cluster.url, SECRETS, limits=Limits(replicas=Replicas(1)))
    yield found
    await found.close()


@pytest.fixture(scope="session")
def sentinel_set(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelSet]:
    """A primary and a replica, which write to disk, under three sentinels."""
    with SentinelSet.run(tmp_path_factory.mktemp("sentinel"), durable=True) as sentinels:
        yield sentinels


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Three primaries with a replica each."""
    with Cluster.run(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster_url(cluster: Cluster) -> str:
    """The URL of an empty cluster."""
    cluster.flush()
    return cluster.url
