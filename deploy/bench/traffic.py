"""What the connections say: whole Casino Hold'em matches to Croupier, questions about them, and about spots.

The bare handlers are sent the same bodies.
"""

import json
import random
from collections.abc import Generator, Iterable, Sequence
from itertools import cycle

from load import Answer, Conversation, Request, get, post

from croupier.rules.cards import DECK, texts

ROUNDS = 20
ROUNDS_PER_FOLD = 5
"""One round in five is folded, as good players do (18 %)."""

DEAL = b"{}"
CALL = b'{"seat":1,"action":{"type":"call"}}'
FOLD = b'{"seat":1,"action":{"type":"fold"}}'
_START = b'{"game":"casino-holdem","ante":1,"rounds":%d}' % ROUNDS


def matches(host: str, name: str = "", *, keys: bool = False) -> Conversation:
    """One match of 20 rounds after another. Starting one does not count, though it takes its time.

    *keys* sends an idempotency key with every request; *name* tells this conversation's from those of others.
    """
    number = 0
    while True:
        path, bearer = yield from _started(host)
        deal, call, fold = (
            post(host, f"{path}/{verb}", body, bearer)
            for verb, body in (("deal", DEAL), ("decide", CALL), ("decide", FOLD))
        )
        for round_number in range(ROUNDS):
            decide = fold if round_number % ROUNDS_PER_FOLD == 0 else call
            for request in (deal, decide):
                number += 1
                key = f"Idempotency-Key: {name}-{number}"
                yield Request(_with(request, key) if keys else request)


def _started(host: str) -> Generator[Request, Answer, tuple[str, str]]:
    """Start a match: its path, and the header that its seat's token goes in."""
    answer = json.loads((yield Request(post(host, "/v1/sessions", _START), counts=False)).body)
    return f"/v1/sessions/{answer['session']['id']}", f"Authorization: Bearer {answer['tokens']['seats'][0]}"


def _with(request: bytes, header: str) -> bytes:
    head, blank, body = request.partition(b"\r\n\r\n")
    return b"%b\r\n%b%b%b" % (head, header.encode(), blank, body)


def bare(host: str, session_id: str) -> Conversation:
    """The same bodies and headers to one session of the bare handler, for ever."""
    bearer = "Authorization: Bearer seat_" + "x" * 43
    deal, call, fold = (
        Request(post(host, f"/v1/sessions/{session_id}/{verb}", body, bearer))
        for verb, body in (("deal", DEAL), ("decide", CALL), ("decide", FOLD))
    )
    number = 0
    while True:
        yield deal
        yield fold if number % ROUNDS_PER_FOLD == 0 else call
        number += 1


def ledgers(host: str, _: int) -> Conversation:
    """The ledger of a match that is over, again and again."""
    path, bearer = yield from _started(host)
    for number in range(ROUNDS):
        yield Request(post(host, f"{path}/deal", DEAL, bearer), counts=False)
        action = FOLD if number % ROUNDS_PER_FOLD == 0 else CALL
        yield Request(post(host, f"{path}/decide", action, bearer), counts=False)
    yield from same(get(host, f"{path}/ledger", bearer))


def advice(host: str, _: int) -> Conversation:
    """Advice on a flop, again and again."""
    path, bearer = yield from _started(host)
    yield Request(post(host, f"{path}/deal", DEAL, bearer), counts=False)
    yield from same(get(host, f"{path}/advice", bearer))


def reads(host: str, number: int) -> Conversation:
    """One read of the bare handler, again and again."""
    yield from same(get(host, f"/v1/sessions/{number:022}"))


def spots(host: str, seed: int) -> Conversation:
    """The odds of one Casino Hold'em flop after another."""
    dealer = random.Random(seed)
    yield from _all(post(host, "/v1/odds", _spot("casino-holdem", *_dealt(dealer))) for _ in range(200))


def flood(host: str, seed: int) -> Conversation:
    """Odds that take long, none of which counts; too many at once may be refused, and are asked for again."""
    dealer = random.Random(seed)
    asked = []
    for _ in range(50):
        hole, flop = _dealt(dealer)
        asked.append(post(host, "/v1/odds", _spot("ultimate-texas-holdem", hole, flop)))
        hands = {"game": "no-limit-holdem", "hands": [hole, []], "board": []}
        asked.append(post(host, "/v1/odds", json.dumps(hands).encode()))
    for request in cycle(asked):
        yield Request(request, counts=False, or_else=429)


def _spot(game: str, hole: Sequence[str], board: Sequence[str]) -> bytes:
    return json.dumps({"game": game, "hole": hole, "board": board}).encode()


SPOT = _spot("casino-holdem", ["Ah", "Kd"], ["2c", "7h", "Ts"])


def _dealt(dealer: random.Random) -> tuple[list[str], list[str]]:
    cards = texts(dealer.sample(DECK, 5))
    return cards[:2], cards[2:]


def same(*requests: bytes) -> Conversation:
    """The same requests for ever."""
    yield from _all(requests)


def _all(requests: Iterable[bytes]) -> Conversation:
    for request in cycle([Request(one) for one in requests]):  # noqa: UP028 - cycle cannot be sent to
        yield request
