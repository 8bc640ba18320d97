"""Memory of a worker that has served, and of a session with 20 settled rounds in the store; and the start."""

import time
from collections import Counter
from statistics import median

import httpx
import load
import processes
import traffic
from commit_path import Sizes
from figures import Figure
from load import Speaker
from processes import Places, Server
from redis import Redis
from sides import CONNECTIONS

_WORKER = "memory of one worker after the load"
_WARMED = "memory of one worker with its odds loaded, after the load"
_START = "start of croupier serve on a store that runs, one worker"
_STARTS = 3
_SESSION = f"session of {traffic.ROUNDS} settled rounds in the store"
_KEPT = ("state", "ledger", "rounds")


def measure(places: Places | None, seconds: float) -> tuple[list[Figure], Sizes]:
    """The figures, and the sizes that the bare handler has to match."""
    with (
        processes.store("memory", places.store if places else None) as url,
        processes.croupier(url, places.server if places else None) as server,
    ):
        session_id, answer_bytes, ledger_bytes = _play_one_match(server.host)
        with Redis.from_url(url) as store:
            sizes = Sizes(_state_bytes(store, session_id), answer_bytes, ledger_bytes)
            parts, counts = _bytes_by_part(store, session_id)
        before, after = _loaded(server, places, seconds)
    kept = sum(parts[part] for part in _KEPT)
    figures = [
        Figure(_SESSION, ", ".join(_KEPT), kept / 1024, "KiB", target=16, most=True),
        *(Figure(_SESSION, f"  {part}", parts[part] / 1024, "KiB") for part in _KEPT),
        Figure(_SESSION, f"apart: stream of {counts['events']} events", parts["events"] / 1024, "KiB"),
        Figure(
            _SESSION, f"apart: {counts['answer']} answers kept for retries", parts["answer"] / 1024, "KiB"
        ),
        Figure(_SESSION, "apart: one sealed state", sizes.state / 1024, "KiB"),
    ]
    for kind, size in after.items():
        figures.append(
            Figure(_WORKER, kind, size, "MB", "before the load", before[kind], target=120, most=True)
        )
    return figures, sizes


def with_odds(places: Places | None, seconds: float) -> list[Figure]:
    """Memory with odds loaded, and how long a start takes: until the server is ready, and until odds are."""
    core = places.server if places else None
    ready, odds_ready = [], []
    with processes.store("memory", places.store if places else None) as url:
        for _ in range(_STARTS):
            begun = time.perf_counter()
            with processes.croupier(url, core, odds=True) as server:
                ready.append(time.perf_counter() - begun)
                server.post("/v1/odds", traffic.SPOT)
                odds_ready.append(time.perf_counter() - begun)
        with processes.croupier(url, core, odds=True) as server:
            server.post("/v1/odds", traffic.SPOT)
            before, after = _loaded(server, places, seconds)
    return [
        *(
            Figure(_WARMED, kind, size, "MB", "before the load", before[kind], target=250, most=True)
            for kind, size in after.items()
        ),
        Figure(_START, "until it answers", median(ready), "s"),
        Figure(_START, "until its odds are loaded", median(odds_ready), "s"),
    ]


def _loaded(
    server: Server, places: Places | None, seconds: float
) -> tuple[dict[str, float], dict[str, float]]:
    """The worker's memory before and after a round of load."""
    before = server.memory()
    speakers = [Speaker(traffic.matches(server.host)) for _ in range(CONNECTIONS)]
    with processes.on_core(places.generator if places else None):
        load.run(server.port, speakers, seconds)
    return before, server.memory()


def _play_one_match(host: str) -> tuple[str, int, int]:
    """Play 20 rounds, each request with an idempotency key.

    The session, an answer's mean bytes, and those of the ledger.
    """
    sizes = []
    with httpx.Client(base_url=f"http://{host}") as client:
        started = client.post("/v1/sessions", json={"game": "casino-holdem", "rounds": traffic.ROUNDS})
        answer = started.raise_for_status().json()
        session_id = str(answer["session"]["id"])
        bearer = {
            "Authorization": f"Bearer {answer['tokens']['seats'][0]}",
            "Content-Type": "application/json",
        }
        for number in range(traffic.ROUNDS):
            action = traffic.FOLD if number % traffic.ROUNDS_PER_FOLD == 0 else traffic.CALL
            for verb, body in (("deal", traffic.DEAL), ("decide", action)):
                given = client.post(
                    f"/v1/sessions/{session_id}/{verb}",
                    content=body,
                    headers={**bearer, "Idempotency-Key": f"{verb}-{number}"},
                )
                sizes.append(len(given.raise_for_status().content))
        page = client.get(f"/v1/sessions/{session_id}/ledger", headers=bearer).raise_for_status()
    return session_id, sum(sizes) // len(sizes), len(page.content)


def _state_bytes(store: Redis, session_id: str) -> int:
    return int(store.hstrlen(f"croupier:{{{session_id}}}", "s"))


def _bytes_by_part(store: Redis, session_id: str) -> tuple[Counter[str], Counter[str]]:
    """What the store says each of the session's keys takes, and how many things are in them."""
    sizes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    session = f"croupier:{{{session_id}}}"
    for key in store.scan_iter(match=f"{session}*", count=1000):
        part = key.decode()[len(session) :].lstrip(":").partition(":")[0] or "state"
        sizes[part] += int(store.memory_usage(key, samples=0) or 0)
        counts[part] += int(store.xlen(key)) if part == "events" else 1
    return sizes, counts
