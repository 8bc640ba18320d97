"""Who is let in: how much one worker takes on at a time, and how often a caller may ask.

What is refused here is refused before anything is done for it, so that a flood costs little. Nothing here is
in the way of a request that no limit is set for but two comparisons.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

from croupier.api.auth import bearer, is_token
from croupier.api.config import Bounds
from croupier.api.problems import Overloaded, refused
from croupier.api.replies import Header
from croupier.sessions.errors import TooManyRequests

if TYPE_CHECKING:
    from litestar.types import ASGIApp, Message, Receive, Scope, Send

NEVER_REFUSED = ("/health/", "/metrics")
"""How the paths begin that tell how the server does, which has to be seen above all when it is busy."""
STREAMS = "/events"
"""How the paths of event streams end."""
WITH_CREDENTIAL = ("/v1/sessions", "/v1/odds", "/v1/jackpots", "/v1/reports")
"""How the paths begin where a credential is looked at; anywhere else one says nothing about who asks."""
_LET_IN = frozenset({409, 422, 429})
"""Refusals that only a good credential gets; any other may come before it was looked at."""
_REMEMBERED = 10_000
"""Callers known to be over a limit, about whom nobody has to be asked, and callers known to have been let in;
the first of more are forgotten."""
_MARGIN = 0.005
"""Seconds past the moment at which a limit has room again, so that one who comes then is not turned away."""
_ADDRESS = 64
"""Characters of an address that are looked at; the longest has fewer, but a proxy may pass on anything."""

Kind: TypeAlias = Literal["key", "token", "address", "guess"]
"""What a caller is counted by. ``guess``: an address once more, by the wrong credentials it has sent."""


class Caller(NamedTuple):
    """Who is counted: a digest of a credential or, without one, of an address."""

    kind: Kind
    digest: bytes


class Standing(Protocol):
    """How a caller stands with one limit once a request was counted."""

    @property
    def quota(self) -> int:
        """Requests that the limit lets in."""

    @property
    def seconds(self) -> int:
        """The span of time that they are counted in."""

    @property
    def left(self) -> int:
        """Requests that may follow now."""

    @property
    def reset(self) -> float:
        """Seconds until there is room for one more."""

    @property
    def over(self) -> bool:
        """Whether this request was too many."""


class Rates(Protocol):
    """Counts requests for all workers and servers together."""

    async def count(self, kind: Kind, digest: bytes) -> Sequence[Standing]:
        """Count one request; how the caller stands with each limit of its *kind*.

        Empty where there is none, and where nobody can say: a limit never keeps a request from its answer.
        """


class Admission:
    """Wraps *inner*: bounds what is under way in this worker.

    Event streams last, so they are no requests in work; they are counted on their own, by who opened them.
    """

    def __init__(self, inner: "ASGIApp", bounds: Bounds) -> None:
        self._inner = inner
        self._bounds = bounds
        self._working = 0
        self._streams: Counter[Caller] = Counter()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        path = scope["path"]
        if path.endswith(STREAMS):
            await self._stream(scope, receive, send)
        elif self._working < self._bounds.requests or path.startswith(NEVER_REFUSED):
            self._working += 1
            try:
                await self._inner(scope, receive, send)
            finally:
                self._working -= 1
        else:
            busy = Overloaded("This server has as many requests in work as it takes on.")
            await refused(busy, scope)(scope, receive, send)

    async def _stream(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        caller = _caller(dict(scope["headers"]).get(b"authorization"), scope)
        if self._streams[caller] >= self._bounds.streams_of_caller:
            many = TooManyRequests("You have as many streams of events open as one caller may.")
            await refused(many, scope)(scope, receive, send)
        elif self._streams.total() >= self._bounds.streams:
            busy = Overloaded("This server has as many streams of events open as it takes on.")
            await refused(busy, scope)(scope, receive, send)
        else:
            self._streams[caller] += 1
            try:
                await self._inner(scope, receive, send)
            finally:
                self._streams[caller] -= 1
                if not self._streams[caller]:
                    del self._streams[caller]


class Limited:
    """Wraps *inner*: counts each request for who sent it, and refuses those over a limit.

    A credential is counted by its digest, and a request without one, or where none is looked at, by its
    address. An answer of 401 counts as a guess of the address besides, and so does any other refusal of a
    credential that has not been let in yet: else a new one with each request would be counted nowhere. An
    address that has guessed too often is refused whatever credential it sends.
    """

    def __init__(self, inner: "ASGIApp", rates: Rates) -> None:
        self._inner = inner
        self._rates = rates
        self._over: dict[Caller, _Verdict] = {}
        self._let_in: dict[Caller, None] = {}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answer one request."""
        if scope["path"].startswith(NEVER_REFUSED):
            await self._inner(scope, receive, send)
            return
        looked_at = scope["path"].startswith(WITH_CREDENTIAL)
        given = dict(scope["headers"]).get(b"authorization") if looked_at else None
        guesser = Caller("guess", _address(scope)) if given is not None else None
        verdict = self._known(guesser) if guesser is not None else None
        caller = _caller(given, scope)
        if verdict is None:
            verdict = await self._count(caller)
        if (wait := verdict.wait) is not None:
            over = TooManyRequests(verdict.reason, retry_after=max(1, ceil(wait)))
            await refused(over, scope, *verdict.headers)(scope, receive, send)
            return

        async def sent(message: "Message") -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *verdict.headers]
                if guesser is not None and self._guessed(caller, message["status"]):
                    await self._count(guesser)
            await send(message)

        await self._inner(scope, receive, sent if verdict.standings or guesser else send)

    def _guessed(self, caller: Caller, status: int) -> bool:
        """Whether an answer with *status* counts as a guess of the address that *caller* has."""
        if status < 400 or status in _LET_IN:
            self._let_in.pop(caller, None)
            self._let_in[caller] = None
            if len(self._let_in) > _REMEMBERED:
                del self._let_in[next(iter(self._let_in))]
            return False
        return status == 401 or (status < 500 and caller not in self._let_in)

    async def _count(self, caller: Caller) -> "_Verdict":
        known = self._known(caller)
        if known is not None:
            return known
        verdict = _Verdict(caller.kind, await self._rates.count(*caller))
        if verdict.wait is not None:
            while len(self._over) >= _REMEMBERED:
                del self._over[next(iter(self._over))]
            self._over[caller] = verdict
        return verdict

    def _known(self, caller: Caller) -> "_Verdict | None":
        """What was found of a caller that is over a limit, for as long as it is."""
        verdict = self._over.get(caller)
        if verdict is not None and verdict.wait is None:
            del self._over[caller]
            return None
        return verdict


class _Verdict:
    """How a caller stands with all limits of its kind, as of the moment it was counted."""

    __slots__ = ("_kind", "_since", "_until", "standings")

    def __init__(self, kind: Kind, standings: Sequence[Standing]) -> None:
        self.standings = standings
        self._kind = "address" if kind == "guess" else kind
        self._since = monotonic()
        resets = [one.reset for one in standings if one.over]
        self._until = self._since + max(resets) + _MARGIN if resets else None

    @property
    def wait(self) -> float | None:
        """Seconds until a request would be let in again; None when one is now."""
        if self._until is None or self._until <= (now := monotonic()):
            return None
        return self._until - now

    @property
    def reason(self) -> str:
        """The limits that are reached, in words."""
        limits = " and ".join(f"{one.quota} in {one.seconds} s" for one in self.standings if one.over)
        return f"More requests than {limits} came from this {self._kind}."

    @property
    def headers(self) -> list[Header]:
        """The fields that tell the limits and what is left of them."""
        if not self.standings:
            return []
        passed = monotonic() - self._since
        names = [f'"{self._kind}-{one.seconds}s"' for one in self.standings]
        policy = ", ".join(
            f"{name};q={one.quota};w={one.seconds}" for name, one in zip(names, self.standings, strict=True)
        )
        left = ", ".join(
            f"{name};r={one.left};t={max(0, ceil(one.reset - passed))}"
            for name, one in zip(names, self.standings, strict=True)
        )
        return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", left.encode())]


def _caller(given: bytes | None, scope: "Scope") -> Caller:
    credential = None if given is None else bearer(given)
    if credential is None:
        return Caller("address", _address(scope))
    return Caller("token" if is_token(credential) else "key", _digest(credential))


def _address(scope: "Scope") -> bytes:
    client = scope["client"]
    return b"" if client is None else _network(client[0][:_ADDRESS])


@lru_cache(4096)
def _network(host: str) -> bytes:
    """The digest of an address; of IPv6 that of the network, in which a client has as many as it likes."""
    try:
        address = ip_address(host)
    except ValueError:  # a name that a proxy gave, whatever it means
        return _digest(host.encode())
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or ip_network((address, 64), strict=False).network_address
    return _digest(address.packed)


def _digest(who: bytes) -> bytes:
    return hashlib.blake2b(who, digest_size=16).digest()
