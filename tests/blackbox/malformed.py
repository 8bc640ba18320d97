"""What a malformed request is made of: its name, its bytes, and the statuses that it may be answered with.

In the bytes, words in angle brackets stand for what a running server gives: ``<HOST>``, ``<SESSION>`` (the id
of an Ultimate session of two seats with a round open, sandbox allowed), ``<KEY>`` (its operator's key),
``<TABLE>`` and ``<SEAT>`` (its table's and its first seat's token).
"""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass

JSON = b"Content-Type: application/json"
OPERATOR, TABLE, SEAT = (b"Authorization: Bearer <%b>" % name for name in (b"KEY", b"TABLE", b"SEAT"))


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: *statuses* are what may be answered, the first answer alone counts."""

    name: str
    raw: bytes
    statuses: tuple[int, ...]

    def filled(self, words: Mapping[bytes, bytes]) -> bytes:
        """The bytes to send, with *words* for the words in brackets."""
        return re.sub(rb"<([A-Z]+)>", lambda found: words[found[1]], self.raw)


def head(line: bytes, *headers: bytes, host: bool = True) -> bytes:
    """A request's head with a good ``Host``."""
    return b"\r\n".join((line, *((b"Host: <HOST>",) if host else ()), *headers, b"", b""))


def get(path: bytes, *headers: bytes, method: bytes = b"GET") -> bytes:
    """A request without a body, as the operator unless *headers* say who asks."""
    credential = () if any(one.lower().startswith(b"authorization") for one in headers) else (OPERATOR,)
    return head(b"%b %b HTTP/1.1" % (method, path), *credential, *headers)


def post(path: bytes, body: bytes, *headers: bytes, media: bytes = JSON, who: bytes = OPERATOR) -> bytes:
    """A POST whose framing is right."""
    length = b"Content-Length: %d" % len(body)
    return head(b"POST %b HTTP/1.1" % path, who, media, length, *headers) + body


def start(body: bytes, *headers: bytes) -> bytes:
    """A start-session."""
    return post(b"/v1/sessions", body, *headers)


def deal(body: bytes, *headers: bytes) -> bytes:
    """A deal by the table."""
    return post(b"/v1/sessions/<SESSION>/deal", body, *headers, who=TABLE)


def decide(body: bytes, *headers: bytes) -> bytes:
    """A decision of the first seat."""
    return post(b"/v1/sessions/<SESSION>/decide", body, *headers, who=SEAT)


_RAW = (
    b"\0",
    b"\xff",
    b"\r\n",
    b"\n",
    b" ",
    b"\t",
    b":",
    b",",
    b'"',
    b"\\",
    b"{",
    b"[",
    b"%",
    b"/",
    b"\xf0\x9f\x82\xa1",
)
_PARTS = (
    *(b"%00", b"%ff", b"/..", b"//", b"?", b"&", b"=", b"#", b";", b"'"),
    *(b"9" * 20, b"-1", b"1e999", b"0x10", b"NaN", b"null", b"true", b'"a":1,', b"[" * 40, b"{" * 40),
    *(b"\\ud800", b"\\u0000", b"\xef\xbb\xbf", b"\r\nX-Injected: yes", b"Transfer-Encoding: chunked\r\n"),
    *(b"Content-Length: 5\r\n", b"Host: elsewhere\r\n", b"A" * 1000, b"\xed\xa0\x80"),
)


def mutated(raw: bytes, rng: random.Random) -> bytes:
    """*raw* with one to three faults more: bytes changed, put in, taken out, doubled or swapped."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(raw) + 1)
        to = min(len(raw), at + rng.choice((1, 1, 4, 40)))
        match rng.randrange(8):
            case 0:
                raw = raw[:at] + rng.choice(_RAW) + raw[at:]
            case 1:
                raw = raw[:at] + rng.choice(_PARTS) + raw[at:]
            case 2:
                raw = raw[:at] + raw[to:]
            case 3:
                raw = raw[:to] + raw[at:]
            case 4:
                raw = raw[:at] + bytes(byte ^ 1 << rng.randrange(8) for byte in raw[at:to]) + raw[to:]
            case 5:
                lines = raw.split(b"\r\n")
                lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
                raw = b"\r\n".join(lines)
            case 6:
                lines = raw.split(b"\r\n")
                rng.shuffle(lines)
                raw = b"\r\n".join(lines)
            case 7:
                digits = [found.span() for found in re.finditer(rb"\d+", raw)]
                if digits:
                    begin, end = rng.choice(digits)
                    raw = raw[:begin] + rng.choice((b"", b"-0", b"1.0", b"9" * 100, b"1_0")) + raw[end:]
    return raw or b"\0"
