import sys
from collections.abc import Iterator

import httpx
import pytest

from blackbox.server import PATIENCE, Server, running


def pytest_ignore_collect() -> bool | None:
    """The embedded store, and so the server that these tests start, lives on Linux and macOS alone."""
    return True if sys.platform == "win32" else None


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One server for all the tests of a pytest worker; each test starts sessions of its own."""
    with running() as server:
        yield server


@pytest.fixture(scope="session")
def http(server: Server) -> Iterator[httpx.Client]:
    """Requests to that server; without a credential they are the operator's."""
    with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as client:
        yield client
