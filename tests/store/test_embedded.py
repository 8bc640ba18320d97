"""The embedded store: one server a folder, gone with its owner, its data kept, its secret private."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from croupier.store import EmbeddedStore, EmbeddedStoreError
from croupier.store.embedded import secret

OWNER = """
import sys, time
from pathlib import Path
from croupier.store import EmbeddedStore
print(EmbeddedStore(Path(sys.argv[1])).start(), flush=True)
time.sleep(60)
"""


def until(condition: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.01)


def pid_of(store: EmbeddedStore) -> int:
    with Redis.from_url(store.url) as redis:
        pid: int = redis.info("server")["process_id"]
        return pid


def lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def answers(store: EmbeddedStore) -> bool:
    with contextlib.suppress(Exception), Redis.from_url(store.url) as redis:
        return bool(redis.ping())
    return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "not yet there" / "data"


@pytest.fixture
def store(folder: Path) -> Iterator[EmbeddedStore]:
    made = EmbeddedStore(folder)
    yield made
    made.stop()


def test_it_is_ready_when_it_has_started_and_gone_when_it_has_stopped(store: EmbeddedStore) -> None:
    begun = time.monotonic()
    url = store.start()
    assert time.monotonic() - begun < 2
    assert url == store.url
    pid = pid_of(store)
    store.stop()
    assert not lives(pid)
    assert not answers(store)


@pytest.mark.parametrize("durability", ["everysec", "always"])
def test_data_is_found_again(folder: Path, durability: Any) -> None:
    store = EmbeddedStore(folder, durability)
    for round_ in range(3):
        store.start()
        with Redis.from_url(store.url) as redis:
            assert redis.get("rounds") == (str(round_).encode() if round_ else None)
            redis.set("rounds", round_ + 1)
        store.stop()


def test_nothing_is_written_when_data_is_kept_in_memory(folder: Path) -> None:
    store = EmbeddedStore(folder, "memory")
    store.start()
    with Redis.from_url(store.url) as redis:
        redis.set("secret", "of a player")
    store.stop()
    assert {one.name for one in folder.iterdir()} == {"lock", "valkey.log"}


def test_nobody_else_can_enter(folder: Path, store: EmbeddedStore) -> None:
    folder.mkdir(parents=True, mode=0o777)
    folder.chmod(0o777)
    store.start()
    key = secret(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "secret.key").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "valkey.sock").stat().st_mode) & 0o077 == 0
    assert len(key) == 32


def test_it_listens_on_its_socket_alone(store: EmbeddedStore) -> None:
    store.start()
    with Redis.from_url(store.url) as redis:
        assert redis.config_get("port") == {"port": "0"}


def test_the_secret_is_made_once_by_whoever_comes_first(folder: Path) -> None:
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(secret(folder))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16
    assert set(found) == {secret(folder)}
    assert [one.name for one in folder.iterdir()] == ["secret.key"]
    assert secret(folder.parent / "another") != secret(folder)


def test_a_damaged_secret_is_said_so(folder: Path) -> None:
    secret(folder)
    (folder / "secret.key").write_bytes(b"short")
    with pytest.raises(EmbeddedStoreError, match=r"secret\.key is not a secret key of 32 bytes"):
        secret(folder)


def test_a_second_starter_shares_the_server_and_takes_over_when_it_is_gone(folder: Path) -> None:
    first, second = EmbeddedStore(folder), EmbeddedStore(folder)
    first.start()
    second.start()
    pid = pid_of(first)
    try:
        assert pid_of(second) == pid
        with Redis.from_url(first.url) as redis:
            redis.set("key", "kept")
        first.stop()
        until(lambda: answers(second))
        assert pid_of(second) != pid
        with Redis.from_url(second.url) as redis:
            assert redis.get("key") == b"kept"
        first.start()
        first.stop()  # not its server
        assert answers(second)
    finally:
        second.stop()
    assert not answers(second)


def test_of_many_that_start_at_once_one_runs_the_server(folder: Path) -> None:
    stores = [EmbeddedStore(folder) for _ in range(6)]
    threads = [threading.Thread(target=one.start) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    try:
        assert len({pid_of(one) for one in stores}) == 1
    finally:
        for one in stores:
            one.stop()
    assert not answers(stores[0])


def test_a_killed_server_is_started_again(store: EmbeddedStore) -> None:
    store.start()
    for _ in range(2):
        pid = pid_of(store)
        os.kill(pid, signal.SIGKILL)
        until(lambda: answers(store))
        assert pid_of(store) != pid


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent died")
def test_the_server_dies_with_its_owner(folder: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", OWNER, str(folder)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        store = EmbeddedStore(folder)
        pid = pid_of(store)
        with Redis.from_url(store.url) as redis:
            redis.set("key", "kept")
        owner.kill()
    until(lambda: not lives(pid))
    try:
        store.start()
        with Redis.from_url(store.url) as redis:
            assert redis.get("key") == b"kept"
    finally:
        store.stop()


def test_a_folder_whose_path_is_too_long_for_a_socket(tmp_path: Path) -> None:
    folder = tmp_path / ("a long name " * 12)
    store = EmbeddedStore(folder)
    place = Path(store.url.removeprefix("unix://")).parent
    assert len(store.url) < 104 + len("unix://")
    try:
        store.start()
        assert answers(store)
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        # The same folder by another name is the same store.
        (tmp_path / "link").symlink_to(folder)
        assert EmbeddedStore(tmp_path / "link").url == store.url
    finally:
        store.stop()
        place.rmdir()


def test_what_cannot_start_says_its_last_words(store: EmbeddedStore, folder: Path) -> None:
    store.start()
    with Redis.from_url(store.url) as redis:
        redis.set("key", "value")
    store.stop()
    for file in (folder / "appendonlydir").glob("*.incr.aof"):
        file.write_bytes(b"not a log of commands\r\n" * 3)
    begun = time.monotonic()
    with pytest.raises(EmbeddedStoreError, match=r"does not start \(exit code 1\): .*Bad file format"):
        store.start()
    assert time.monotonic() - begun < 5


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbeddedStoreError, match="cannot be the data folder"):
        EmbeddedStore(tmp_path / "file" / "data").start()


def test_no_server_at_all_names_the_way_out(store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier.store.embedded.find_spec", lambda name: None)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EmbeddedStoreError, match="CROUPIER_REDIS_URL"):
        store.start()


def test_a_server_on_the_path_serves_where_the_package_has_none(
    store: EmbeddedStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from croupier.store import embedded

    packed = embedded._binary()
    (tmp_path / "redis-server").symlink_to(packed)
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    store.start()
    assert answers(store)
