"""Calls to one server, in batches on few connections."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

from redis import exceptions as trouble

Command: TypeAlias = tuple[Any, ...]
"""A command's name and arguments: bytes, str and int."""

_PATIENCE = 0.002
"""Seconds for which a batch may be under way before those behind it get a lane of their own."""

_LAST_WORD = 0.05
"""Seconds that a server's answer may need that has waited for replicas in vain, or a tenth of all time."""


class Connection(Protocol):
    """What is used of a connection of redis-py."""

    @property
    def is_connected(self) -> bool:
        """Whether it is open as far as this side knows."""

    async def connect(self) -> None:
        """Open it."""

    async def can_read(self) -> bool:
        """Whether there is something to read, if only its end."""

    async def send_packed_command(self, command: bytes) -> None:
        """Send what is packed."""

    async def read_response(self) -> Any:
        """Read one answer."""

    async def disconnect(self, nowait: bool = False) -> None:
        """Close it."""


class NotSent(Exception):
    """No connection could be had; the call was not sent, so sending it again is safe."""


class TooFewReplicas(Exception):
    """The call was carried out, and fewer replicas than asked for have said in time that they have it."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """How many replicas must have a change before it counts, in memory (WAIT) or on disk (WAITAOF)."""

    count: int = 1
    on_disk: bool = False

    def questions(self, milliseconds: int) -> Sequence[Command]:
        """Sent behind a batch on its own connection: they are answered for the writes before them.

        A replica that is asked for its disk says what is there at once, and then once a second: too early
        for what it is just being sent, and a second later. So it is asked when it has received it.
        """
        received = ("WAIT", self.count, milliseconds)
        return (received, ("WAITAOF", 0, self.count, milliseconds)) if self.on_disk else (received,)

    def suffice(self, answer: Any) -> bool:
        """Whether the answer to the last question names enough of them."""
        return int(answer[1] if self.on_disk else answer) >= self.count


class _Call(NamedTuple):
    """One command under way: since when, by the loop's clock, and who waits for its answer."""

    since: float
    command: Command
    answer: asyncio.Future[Any]


class Lanes:
    """Sends calls in batches: all that are made while the batch before them is under way.

    A lane is a connection with one batch under way; a call on its own costs twice as much processor time as
    one among others. So one lane does for a store that is near, and the next is opened only when the newest
    batch has not been answered for a while. A batch is sent once and has the time that its first call has
    left, so nobody waits longer than *seconds* in all.

    With *replicas* every batch ends with the question whether they have it, and no call of the batch is
    answered before. Redis answers that question for what its own connection has written, so it has to ride
    on the same one.

    The batches are packed, sent and read here, on plain connections of redis-py: its pipeline costs twice
    as much, and gives no answer before the last one is there.
    """

    def __init__(
        self, connect: Callable[[], Connection], lanes: int, seconds: float, replicas: Replicas | None = None
    ) -> None:
        self._connect = connect
        self._seconds = seconds
        self._replicas = replicas
        self._lanes = lanes
        self._busy = 0
        self._starting = False
        self._sent = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[_Call] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._connections: list[Connection] = []
        self._idle: list[Connection] = []
        self._closed = False

    def call(self, command: Command, since: float) -> asyncio.Future[Any]:
        """The answer to *command*, asked for at *since* by the loop's clock.

        Gives :class:`NotSent`, :class:`TooFewReplicas`, one of redis-py's errors, or ``TimeoutError``.
        """
        loop = asyncio.get_running_loop()
        call = _Call(since, command, loop.create_future())
        if self._closed:
            _tell(call, NotSent("the server is left"))
            return call.answer
        self._waiting.append(call)
        if not self._busy or self._timer is None:
            self._open(loop)
        return call.answer

    async def close(self, *, at_once: bool = False) -> None:
        """Send nothing more, and let every connection go when what is under way has ended, or *at_once*."""
        self._closed = True
        if at_once:
            await self.cut()
        while self._under_way:
            await asyncio.wait(self._under_way)
        for connection in self._connections:
            await connection.disconnect()

    async def cut(self) -> None:
        """Break every connection: what is under way gets no answer, and what waits is not sent."""
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            _tell(call, NotSent("the connection is given up"))
        for connection in self._connections:
            await connection.disconnect(nowait=True)

    def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open a lane for those who wait, at once or when the newest batch has had its time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._waiting or self._busy == self._lanes or self._starting:
            return
        early = self._sent + _PATIENCE - loop.time() if self._busy else 0
        if early > 0:
            self._timer = loop.call_later(early, self._open, loop)
            return
        self._busy += 1
        self._starting = True
        lane = loop.create_task(self._run(loop))
        self._under_way.add(lane)
        lane.add_done_callback(self._under_way.discard)

    async def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        self._starting = False
        if self._idle:
            connection = self._idle.pop()
        else:
            connection = self._connect()
            self._connections.append(connection)
        try:
            while self._waiting:
                # Nothing is sent for those who have given up by now.
                batch = [call for call in self._waiting if not call.answer.done()]
                self._waiting = []
                self._sent = loop.time()
                if batch:
                    await self._exchange(connection, batch)
        finally:
            self._busy -= 1
            self._idle.append(connection)

    async def _exchange(self, connection: Connection, batch: Sequence[_Call]) -> None:
        until = batch[0].since + self._seconds
        answered = False
        try:
            async with asyncio.timeout_at(until):
                await _ready(connection)
                if self._closed:
                    raise NotSent("the server is left")
                if self._replicas is None:
                    await connection.send_packed_command(_packed([call.command for call in batch]))
                    for call in batch:
                        _tell(call, await _answer(connection))
                else:
                    await self._replicated(connection, batch, self._replicas, until)
            answered = True
        except Exception as error:  # whatever it is, it is for those who wait to hear
            for call in batch:
                _tell(call, error)
        finally:
            if not answered:
                # The time was up, or the lane was cancelled: nobody may read a late answer for another one.
                await connection.disconnect(nowait=True)

    async def _replicated(
        self, connection: Connection, batch: Sequence[_Call], replicas: Replicas, until: float
    ) -> None:
        left = until - min(_LAST_WORD, self._seconds / 10) - asyncio.get_running_loop().time()
        questions = replicas.questions(max(1, int(left * 1000)))  # none at all would mean for ever
        await connection.send_packed_command(_packed([*(call.command for call in batch), *questions]))
        answers = [await _answer(connection) for _ in batch]
        said = [await _answer(connection) for _ in questions][-1]
        enough = not isinstance(said, Exception) and replicas.suffice(said)
        for call, answer in zip(batch, answers, strict=True):
            if enough or isinstance(answer, Exception):
                _tell(call, answer)
            else:
                _tell(call, TooFewReplicas(said))


def _packed(commands: Sequence[Command]) -> bytes:
    """*commands* as they are sent, in a third of redis-py's time."""
    parts: list[bytes] = []
    for command in commands:
        parts.append(b"*%d\r\n" % len(command))
        for argument in command:
            data = argument if isinstance(argument, bytes) else str(argument).encode()
            parts.append(b"$%d\r\n%b\r\n" % (len(data), data))
    return b"".join(parts)


async def _ready(connection: Connection) -> None:
    """Have *connection* open and with nothing to read. Raises :class:`NotSent`."""
    try:
        if connection.is_connected:
            # One that the server has closed is at its end; one with something to read is out of step.
            try:
                if not await connection.can_read():
                    return
            except trouble.ConnectionError:
                pass
            await connection.disconnect(nowait=True)
        await connection.connect()
    except (trouble.RedisError, OSError) as error:
        raise NotSent(str(error)) from error


_REFUSALS = (trouble.ResponseError, trouble.BusyLoadingError, trouble.AuthenticationError)
"""What a server says of one call, which it has not carried out; after the latter two redis-py hangs up."""


async def _answer(connection: Connection) -> Any:
    """The next answer; a refusal is one too."""
    try:
        return await connection.read_response()
    except _REFUSALS as refusal:
        return refusal


def _tell(call: _Call, answer: Any) -> None:
    if call.answer.done():
        return
    if isinstance(answer, Exception):
        call.answer.set_exception(answer)
    else:
        call.answer.set_result(answer)
