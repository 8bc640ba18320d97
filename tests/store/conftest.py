import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from redis import Redis
from redis.exceptions import RedisError

from croupier.sessions.ports import SessionStore
from croupier.store import RedisStore, connect
from croupier.store.embedded import _binary
from croupier.store.memory import MemoryStore
from store.samples import SECRETS


@pytest.fixture
async def redis_store(valkey_url: str) -> AsyncIterator[RedisStore]:
    store = connect(valkey_url, SECRETS)
    yield store
    await store.close()


@pytest.fixture(params=["memory", "valkey", "cluster"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[SessionStore]:
    """The port as each store has it."""
    if request.param == "memory":
        yield MemoryStore()
        return
    name = {"valkey": "valkey_url", "cluster": "cluster_url"}[request.param]
    found = connect(request.getfixturevalue(name), SECRETS)
    yield found
    await found.close()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of one node: it holds every slot, and refuses whatever touches two of them."""
    folder = tmp_path_factory.mktemp("cluster")
    port, bus = _free_port(), _free_port()
    node = subprocess.Popen(
        [
            str(_binary()),
            *("--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)),
            *("--cluster-enabled", "yes", "--cluster-port", str(bus), "--save", "", "--appendonly", "no"),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"redis://127.0.0.1:{port}"
        with Redis.from_url(url) as redis:
            _until_served(lambda: redis.execute_command("CLUSTER ADDSLOTSRANGE 0 16383"))
            _until_served(lambda: redis.set("probe", ""))
        yield url
    finally:
        node.kill()
        node.wait()


@pytest.fixture
def cluster_url(cluster: str) -> str:
    with Redis.from_url(cluster) as redis:
        redis.flushall()
    return cluster


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def _until_served(call: Callable[[], object]) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            call()
            return
        except RedisError:
            assert time.monotonic() < deadline, "the cluster does not answer"
            time.sleep(0.02)
