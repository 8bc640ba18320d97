"""Real topologies of own processes: a primary under Sentinel, and a Redis Cluster.

    with SentinelSet.run(folder) as sentinels:           # a primary, one replica, three sentinels
        sentinels.url                                    # what CROUPIER_REDIS_URL takes
        dead = sentinels.kill_primary()                  # kill -9
        sentinels.await_failover(dead)                   # until all sentinels name another one
        sentinels.restart(dead)                          # it comes back as a replica

    with Cluster.run(folder) as cluster:                 # three primaries, a replica each
        source, target, other = cluster.primaries()
        cluster.move_slots(source, target, 100)          # live; slots that hold keys first
        dead = cluster.kill_primary()                    # or kill_primary(cluster.primary_of(key))
        cluster.await_failover(dead)

``run`` has everything ready when it enters and ends every process when it leaves; ``folder`` is an empty
directory. ``durable=True`` keeps an append-only file with fsync at every write, on every node. Both have
``url``, ``nodes``, ``primaries()``, ``kill_primary()``, ``await_failover(dead)``, ``promote()`` (a failover
without a death), ``restart(node)``, ``flush()`` and ``stop()``; a :class:`Node` has ``port``, ``redis``,
``kill()``, ``freeze()`` and ``thaw()``. Everything here blocks: in a coroutine use ``asyncio.to_thread``.

A failover takes some two seconds: a node counts as dead after ``DOWN_MILLIS``.
"""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from redis import Redis
from redis.exceptions import RedisError

from croupier.store.embedded import _binary

DOWN_MILLIS = 1000
PATIENCE = 30.0
_SERVICE = "mymaster"
_SLOTS = 16384


def until(condition: Callable[[], Any], what: str, seconds: float = PATIENCE) -> None:
    """Wait until *condition* holds; a server that does not answer yet counts as no."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(RedisError, OSError):
            if condition():
                return
        assert time.monotonic() < deadline, f"not in {seconds:g} s: {what}"
        time.sleep(0.02)


class Node:
    """One server process on a port of its own."""

    def __init__(self, folder: Path, *flags: str, durable: bool = False, password: str = "") -> None:
        self.folder = folder
        self.port, self.bus = _free_port(), _free_port()
        folder.mkdir(parents=True)
        self._flags = (*("--appendonly", "yes" if durable else "no"), "--appendfsync", "always", *flags)
        self.password = password
        if password:
            self._flags += ("--requirepass", password, "--masterauth", password)
        self.redis = Redis(port=self.port, password=password or None, socket_timeout=5, decode_responses=True)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *more: str) -> None:
        """Start the process; it may not answer yet."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(_binary()), *self._command(), *more], stdout=log, stderr=log
            )

    def _command(self) -> list[str]:
        return [
            *("--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder), "--save", ""),
            *("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1", *self._flags),
        ]

    @property
    def pid(self) -> int:
        """The process, which has been started."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """``kill -9``; also ends a frozen one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self.redis.connection_pool.disconnect()

    def freeze(self) -> None:
        """Have it neither answer nor die."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)

    def refuse_replicas(self) -> None:
        """Let no replica have what is written from here on, whoever sends it here; until the process ends."""
        self.redis.execute_command("ACL", "SETUSER", "default", "-psync", "-sync")
        self.redis.execute_command("CLIENT", "KILL", "TYPE", "replica")

    def role(self) -> str:
        """``master`` or ``slave``."""
        return str(self.redis.info("replication")["role"])

    def in_step(self) -> bool:
        """Whether it is a replica with a good link."""
        found = self.redis.info("replication")
        return found["role"] == "slave" and found["master_link_status"] == "up"


class _Sentinel(Node):
    """A sentinel; what it learns is written into its file of settings."""

    def _command(self) -> list[str]:
        return [str(self.folder / "sentinel.conf"), "--sentinel"]

    def watch(self, primary: Node, quorum: int) -> None:
        lines = [
            *("bind 127.0.0.1", f"port {self.port}", f"dir {self.folder}"),
            f"sentinel monitor {_SERVICE} 127.0.0.1 {primary.port} {quorum}",
            f"sentinel down-after-milliseconds {_SERVICE} {DOWN_MILLIS}",
            f"sentinel failover-timeout {_SERVICE} {DOWN_MILLIS * 3}",
        ]
        if self.password:
            lines += [f"requirepass {self.password}", f"sentinel sentinel-pass {self.password}"]
            lines += [f"sentinel auth-pass {_SERVICE} {primary.password}"]
        (self.folder / "sentinel.conf").write_text("\n".join(lines) + "\n")


class _Topology:
    """What both have."""

    nodes: list[Node]

    @classmethod
    @contextlib.contextmanager
    def run(cls, folder: Path, **how: Any) -> Iterator[Self]:
        """The topology, from here ready to the end of the block."""
        made = cls(folder, **how)
        try:
            made.start()
            yield made
        finally:
            made.stop()

    def start(self) -> None:
        """Start every process and wait until all of them serve."""
        raise NotImplementedError

    def primaries(self) -> list[Node]:
        """The nodes that live and take writes, in the order of ``nodes``."""
        found = []
        for node in self.nodes:
            with contextlib.suppress(RedisError, OSError):
                if node.role() == "master":
                    found.append(node)
        return found

    def kill_primary(self, node: Node | None = None) -> Node:
        """``kill -9`` *node*, or the first primary; returns who died."""
        dead = node or self.primaries()[0]
        dead.kill()
        return dead

    def flush(self) -> None:
        """Empty every primary, of scripts too."""
        for node in self.primaries():
            node.redis.flushall()
            node.redis.script_flush()

    def stop(self) -> None:
        """End every process."""
        for node in self.nodes:
            node.kill()


class SentinelSet(_Topology):
    """A primary with its replicas, watched by three sentinels; *passwords* are the servers' and theirs."""

    def __init__(
        self, folder: Path, *, replicas: int = 1, durable: bool = False, passwords: tuple[str, str] = ("", "")
    ) -> None:
        ours, theirs = passwords
        self.nodes = [
            Node(folder / f"node{one}", durable=durable, password=ours) for one in range(replicas + 1)
        ]
        self.sentinels = [_Sentinel(folder / f"sentinel{one}", password=theirs) for one in range(3)]

    @property
    def url(self) -> str:
        """The sentinels, and the name of what they watch."""
        return f"redis+sentinel://{','.join(f'127.0.0.1:{one.port}' for one in self.sentinels)}/{_SERVICE}/0"

    def start(self) -> None:
        first, *others = self.nodes
        first.start()
        for node in others:
            node.start("--replicaof", "127.0.0.1", str(first.port))
        until(lambda: all(node.in_step() for node in others), "replicas in step")
        for sentinel in self.sentinels:
            sentinel.watch(first, quorum=2)
            sentinel.start()
        until(lambda: all(self._complete(one) for one in self.sentinels), "sentinels that know each other")

    def _complete(self, sentinel: Node) -> bool:
        state = sentinel.redis.execute_command("SENTINEL", "MASTER", _SERVICE)
        return (
            int(state["num-other-sentinels"]) == len(self.sentinels) - 1
            and int(state["num-slaves"]) == len(self.nodes) - 1
        )

    def _named(self, sentinel: Node) -> int:
        """The port of the primary that *sentinel* names."""
        _, port = sentinel.redis.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", _SERVICE)
        return int(port)

    def primary(self) -> Node:
        """The node that the sentinels name."""
        port = self._named(self.sentinels[0])
        return next(node for node in self.nodes if node.port == port)

    def kill_primary(self, node: Node | None = None) -> Node:
        """``kill -9`` the primary; returns who died."""
        return super().kill_primary(node or self.primary())

    def await_failover(self, dead: Node) -> Node:
        """Wait until all sentinels name another than *dead*, and it takes writes; returns it."""

        def done() -> bool:
            named = {self._named(sentinel) for sentinel in self.sentinels}
            return len(named) == 1 and dead.port not in named and self.primary().role() == "master"

        until(done, "another primary")
        return self.primary()

    def demote(self, node: Node) -> None:
        """Have a living former primary follow the new one, as sentinels do some ten seconds later."""
        node.redis.replicaof("127.0.0.1", str(self.primary().port))
        until(node.in_step, "a replica in step")

    def promote(self) -> Node:
        """A failover with nobody dead; returns the new primary, which the old one follows."""
        before = self.primary()
        until(lambda: self.sentinels[0].redis.execute_command("SENTINEL", "FAILOVER", _SERVICE), "a failover")
        after = self.await_failover(before)
        self.demote(before)
        return after

    @contextlib.contextmanager
    def steady(self) -> Iterator[None]:
        """Meanwhile no sentinel takes a server for dead, however long a busy machine keeps it waiting."""
        self._set_down_after(60 * DOWN_MILLIS)
        try:
            yield
        finally:
            self._set_down_after(DOWN_MILLIS)

    def _set_down_after(self, milliseconds: int) -> None:
        for sentinel in self.sentinels:
            sentinel.redis.execute_command(
                "SENTINEL", "SET", _SERVICE, "down-after-milliseconds", milliseconds
            )

    def restart(self, node: Node) -> None:
        """Have a dead node back as a replica in step.

        Before it is, it must not lead: its files may hold what no replica got.
        """
        with self.steady():
            node.start("--replicaof", "127.0.0.1", str(self.primary().port))
            until(node.in_step, "a replica in step")

    def stop(self) -> None:
        for sentinel in self.sentinels:
            sentinel.kill()
        super().stop()


class Cluster(_Topology):
    """A Redis Cluster: primaries with the slots shared out evenly, and replicas for each."""

    def __init__(self, folder: Path, *, primaries: int = 3, replicas: int = 1, durable: bool = False) -> None:
        self._count = primaries
        self.nodes = [
            Node(
                folder / f"node{one}",
                *("--cluster-enabled", "yes", "--cluster-node-timeout", str(DOWN_MILLIS)),
                *("--cluster-replica-validity-factor", "0", "--cluster-allow-replica-migration", "no"),
                durable=durable,
            )
            for one in range(primaries * (replicas + 1))
        ]

    @property
    def url(self) -> str:
        """Every node."""
        return f"redis+cluster://{','.join(f'127.0.0.1:{one.port}' for one in self.nodes)}"

    def start(self) -> None:
        for node in self.nodes:
            node.start("--cluster-port", str(node.bus))
        until(lambda: all(node.redis.ping() for node in self.nodes), "nodes that answer")
        first, *others = self.nodes
        for epoch, node in enumerate(self.nodes, 1):
            node.redis.cluster("SET-CONFIG-EPOCH", epoch)
        for node in others:
            node.redis.cluster("MEET", "127.0.0.1", first.port, first.bus)
        until(lambda: all(len(self._view(node)) == len(self.nodes) for node in self.nodes), "nodes that met")
        primaries, replicas = self.nodes[: self._count], self.nodes[self._count :]
        for place, node in enumerate(primaries):
            low, high = (_SLOTS * one // self._count for one in (place, place + 1))
            node.redis.cluster("ADDSLOTSRANGE", low, high - 1)
        for place, node in enumerate(replicas):
            node.redis.cluster("REPLICATE", self.id_of(primaries[place % self._count]))
        until(lambda: all(node.in_step() for node in replicas), "replicas in step")
        until(lambda: all(self._sound(node) for node in self.nodes), "a cluster of all nodes")

    def _view(self, node: Node) -> dict[str, dict[str, Any]]:
        """The nodes that *node* knows by a handshake that is over, by address."""
        found: dict[str, dict[str, Any]] = node.redis.cluster("NODES")
        return {address: one for address, one in found.items() if "handshake" not in one["flags"]}

    def _sound(self, node: Node) -> bool:
        roles = sorted(one["flags"].replace("myself,", "") for one in self._view(node).values())
        good = ["master"] * self._count + ["slave"] * (len(self.nodes) - self._count)
        return roles == good and node.redis.cluster("INFO")["cluster_state"] == "ok"

    def id_of(self, node: Node) -> str:
        """The name by which the cluster knows *node*."""
        return str(node.redis.cluster("MYID"))

    def primary_of(self, key: str) -> Node:
        """The living primary that holds *key*'s slot."""
        living = self.primaries()
        slot = living[0].redis.cluster("KEYSLOT", key)
        return next(node for node in living if slot in self.slots_of(node))

    def slots_of(self, node: Node) -> set[int]:
        """The slots that *node* says it holds."""
        mine = next(one for one in self._view(node).values() if "myself" in one["flags"])
        slots: set[int] = set()
        for part in mine["slots"]:
            slots.update(range(int(part[0]), int(part[-1]) + 1))
        return slots

    def move_slots(self, source: Node, target: Node, count: int) -> list[int]:
        """Move *count* slots with their keys, one after another, as ``--cluster reshard`` does; which ones.

        Slots that hold keys go first. Meanwhile, keys of the slot that is moved lie on either side.
        """
        held = {slot: source.redis.cluster("COUNTKEYSINSLOT", slot) for slot in self.slots_of(source)}
        slots = sorted(held, key=lambda slot: (-held[slot], slot))[:count]
        for slot in slots:
            self._move(source, target, slot)
        return slots

    def _move(self, source: Node, target: Node, slot: int) -> None:
        giver, taker = self.id_of(source), self.id_of(target)
        target.redis.cluster("SETSLOT", slot, "IMPORTING", giver)
        source.redis.cluster("SETSLOT", slot, "MIGRATING", taker)
        while keys := source.redis.cluster("GETKEYSINSLOT", slot, 10):
            source.redis.execute_command(
                "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "REPLACE", "KEYS", *keys
            )
        for node in (target, source, *(one for one in self.primaries() if one not in (source, target))):
            node.redis.cluster("SETSLOT", slot, "NODE", taker)

    def await_failover(self, dead: Node) -> None:
        """Wait until every slot is served again, by nodes other than *dead*."""
        lost = f"127.0.0.1:{dead.port}"

        def done() -> bool:
            living = [node for node in self.nodes if node is not dead]
            return all(
                node.redis.cluster("INFO")["cluster_state"] == "ok"
                and not next(one["slots"] for at, one in self._view(node).items() if at.startswith(lost))
                for node in living
            )

        until(done, "a cluster without the dead node")

    def promote(self, node: Node | None = None) -> None:
        """Have the replica of *node*, or of the first primary, take over with nobody dead."""
        before = node or self.primaries()[0]
        name = self.id_of(before)
        replica = next(
            one
            for one in self.nodes
            if any(
                "myself" in seen["flags"] and seen["master_id"] == name for seen in self._view(one).values()
            )
        )
        replica.redis.cluster("FAILOVER")
        until(lambda: replica.role() == "master" and before.role() == "slave", "changed places")

    def restart(self, node: Node) -> None:
        """Have a dead node back as a replica in step."""
        node.start("--cluster-port", str(node.bus))
        until(node.in_step, "a replica in step")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
