"""The ledger: append-only entries, chained by hash. No cards in it.

``hash`` is SHA-256 in hex over the previous hash (64 zeros at first) followed by the entry's canonical JSON
(RFC 8785) without ``hash`` and ``previous_hash``. An entry is kept as its hash followed by that canonical
JSON; the previous hash is that of the entry before it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from croupier.sessions.session import Millis, Session

GENESIS = "0" * 64
_HASH = 64


def rfc3339(at: Millis) -> str:
    """*at* as RFC 3339 in UTC, to the millisecond."""
    return f"{datetime.fromtimestamp(at // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{at % 1000:03}Z"


def canonical(value: Any) -> bytes:
    """RFC 8785 JSON of a value whose keys are ASCII and whose numbers are integers."""
    return msgspec.json.encode(value, order="sorted")


def append(session: Session, at: Millis, kind: str, **fields: Any) -> tuple[Session, bytes]:
    """The session with its chain one entry longer, and the entry as it is kept."""
    head, kept = entry(session, at, kind, **fields)
    return replace(session, **head), kept


def entry(session: Session, at: Millis, kind: str, **fields: Any) -> tuple[dict[str, Any], bytes]:
    """The session's fields that a new entry changes, and the entry as it is kept."""
    seq = session.ledger_length + 1
    text = canonical({"seq": seq, "at": rfc3339(at), "type": kind, **fields})
    digest = chained(session.ledger_hash, text)
    return {"ledger_length": seq, "ledger_hash": digest}, digest.encode() + text


def chained(previous: str, text: bytes) -> str:
    """The hash of an entry whose canonical JSON is *text*."""
    return hashlib.sha256(previous.encode() + text).hexdigest()


def split(kept: bytes) -> tuple[str, bytes]:
    """A kept entry's hash and its canonical JSON."""
    return kept[:_HASH].decode(), kept[_HASH:]


def page(kept: Sequence[bytes], previous: str) -> bytes:
    """Kept entries as a JSON array, each with its ``hash`` and the ``previous_hash`` it follows."""
    shown: list[bytes] = []
    for entry in kept:
        digest, text = split(entry)
        shown.append(
            b'%b,"previous_hash":"%b","hash":"%b"}' % (text[:-1], previous.encode(), digest.encode())
        )
        previous = digest
    return b"[" + b",".join(shown) + b"]"
