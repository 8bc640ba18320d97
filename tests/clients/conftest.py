"""A server to play against, with an operator's key."""

from collections.abc import Iterator

import pytest

from serving import Server, servers

KEY = "clients-" + "k" * 32


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with servers(tmp_path_factory.mktemp("clients")) as start:
        yield start("--durability", "memory", CROUPIER_OPERATOR_KEYS=f"house:{KEY}")
