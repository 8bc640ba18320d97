"""What several rooms' tests need: a real Valkey."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from croupier.store import EmbeddedStore

pytest_plugins = ["serving"]


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedStore]:
    """One server a test process."""
    store = EmbeddedStore(Path(tmp_path_factory.mktemp("valkey")), "memory")
    store.start()
    yield store
    store.stop()


@pytest.fixture
def valkey_url(valkey: EmbeddedStore) -> str:
    """The URL of an empty Valkey that keeps its data in memory alone."""
    with Redis.from_url(valkey.url) as redis:
        redis.flushall()
        redis.script_flush()
    return valkey.url
