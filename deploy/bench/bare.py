"""What requests are measured against: Litestar handlers that do the least such a request can do.

A change validates the same body with Pydantic, reads the state, changes it in one Lua compare-and-set that
also adds an event, and answers with JSON of the same size. A read reads as much and answers with as much. A
question about a spot validates the same body and answers with as much; the store is not asked. None of them
knows a game, credential, ledger, seal or problem.
It runs as Croupier's workers do (uvicorn, uvloop, httptools, no access log, a frozen heap), and asks the
store through redis-py's blocking pool.

    bare.py bare STORE_URL STATE_BYTES ANSWER_BYTES     the handlers
    bare.py echo ANSWER_BYTES                           a socket that answers at once: the generator's ceiling

Prints the port that it listens on.
"""

import asyncio
import gc
import os
import socket
import sys
from typing import Annotated, Any, Literal

import msgspec
import uvicorn
import uvloop
from litestar import Litestar, Request, Response, get, post
from litestar.exceptions import ClientException
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

_CONNECTIONS = 32
_ATTEMPTS = 5

_COMMIT = """#!lua
if (redis.call("HGET", KEYS[1], "v") or "0") ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "v", ARGV[2], "s", ARGV[3])
redis.call("XADD", KEYS[2], "MAXLEN", "=", 1000, ARGV[2] .. "-0", "s", ARGV[3])
return 1
"""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Call(_Strict):
    type: Literal["call"]


class _Fold(_Strict):
    type: Literal["fold"]


class _Decide(_Strict):
    seat: Annotated[int, Field(ge=1, le=10)] = 1
    action: Annotated[_Call | _Fold, Field(discriminator="type")]
    version: Annotated[int, Field(ge=1)] | None = None
    round: Annotated[int, Field(ge=1)] | None = None


class _Deal(_Strict):
    client_seed: Annotated[str, Field(max_length=128)] = ""
    version: Annotated[int, Field(ge=1)] | None = None


_Card = Annotated[str, Field(pattern="^[2-9TJQKA][cdhs]$")]


class _Spot(_Strict):
    game: Literal["casino-holdem"]
    hole: Annotated[list[_Card], Field(min_length=2, max_length=2)]
    board: Annotated[list[_Card], Field(min_length=3, max_length=3)]


def _app(url: str, state_bytes: int, answer_bytes: int) -> Litestar:
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=_CONNECTIONS,
        timeout=2.0,
        socket_timeout=2.0,
        retry=Retry(NoBackoff(), 0),
        protocol=2,
    )
    store: Any = Redis.from_pool(pool)
    commit = store.register_script(_COMMIT)
    state = os.urandom(state_bytes)
    filling = "x" * answer_bytes
    decide_body, deal_body, spot_body = TypeAdapter(_Decide), TypeAdapter(_Deal), TypeAdapter(_Spot)

    async def change(session_id: str, status: int) -> Response[bytes]:
        key = f"bare:{{{session_id}}}"
        for _ in range(_ATTEMPTS):
            found, _state = await store.hmget(key, "v", "s")
            version = int(found or 0)
            if await commit([key, f"{key}:events"], [version, version + 1, state]):
                answer = msgspec.json.encode({"version": version + 1, "round": filling})
                return Response(answer, media_type="application/json", status_code=status)
        raise ClientException(status_code=409)

    @post("/v1/sessions/{session_id:str}/deal")
    async def deal(request: Request[Any, Any, Any], session_id: str) -> Response[bytes]:
        deal_body.validate_json(await request.body())
        return await change(session_id, 201)

    @post("/v1/sessions/{session_id:str}/decide")
    async def decide(request: Request[Any, Any, Any], session_id: str) -> Response[bytes]:
        decide_body.validate_json(await request.body())
        return await change(session_id, 200)

    @get("/v1/sessions/{session_id:str}")
    async def read(session_id: str) -> Response[bytes]:
        key = f"bare:{{{session_id}}}"
        found, _state = await store.hmget(key, "v", "s")
        if found is None:
            await store.hset(key, mapping={"v": 1, "s": state})
        answer = msgspec.json.encode({"version": int(found or 1), "round": filling})
        return Response(answer, media_type="application/json")

    @post("/v1/odds")
    async def odds(request: Request[Any, Any, Any]) -> Response[bytes]:
        spot_body.validate_json(await request.body())
        return Response(
            msgspec.json.encode({"odds": filling}), media_type="application/json", status_code=200
        )

    return Litestar([deal, decide, read, odds], logging_config=None, openapi_config=None)


class _Server(uvicorn.Server):
    """uvicorn with a frozen heap."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()


def _serve(app: Litestar) -> None:
    listener = _listen()
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
    )
    _Server(config).run([listener])


class _Echo(asyncio.Protocol):
    """Answers whatever comes with the same bytes."""

    def __init__(self, size: int) -> None:
        self._answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (size, b"x" * size)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._transport.write(self._answer)


async def _echo(size: int) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Echo(size), sock=_listen())
    await server.serve_forever()


def _listen() -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    print(listener.getsockname()[1], flush=True)
    return listener


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["bare", url, state_bytes, answer_bytes]:
            _serve(_app(url, int(state_bytes), int(answer_bytes)))
        case ["echo", answer_bytes]:
            uvloop.run(_echo(int(answer_bytes)))
        case _:
            sys.exit(__doc__)
