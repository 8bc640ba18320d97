"""What the connections say: whole Casino Hold'em matches to Croupier, the same bodies to the bare handler."""

import json

from load import Conversation, Request, post

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
        answer = json.loads((yield Request(post(host, "/v1/sessions", _START), counts=False)).body)
        bearer = f"Authorization: Bearer {answer['tokens']['seats'][0]}"
        path = f"/v1/sessions/{answer['session']['id']}"
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


def same(request: bytes) -> Conversation:
    """One request for ever."""
    asked = Request(request)
    while True:
        yield asked
