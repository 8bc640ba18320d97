"""Provable fairness: commit to a seed, shuffle with it, reveal it, and let anybody check.

The construction is the API contract's: the deck in the order ``2c 2d 2h 2s 3c … As`` is shuffled by
Fisher-Yates from the top index down, each ``j`` drawn uniformly by rejection from 32-bit big-endian words of
the stream ``HMAC-SHA-256(server_seed, "{client_seed}:{session_id}:{round}:{block}")``.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator, Sequence

from croupier.rules.cards import DECK, Card

SEED_BYTES = 32
_WORDS = struct.Struct(">8I")
_DRAWS = tuple((i, i + 1, 2**32 - 2**32 % (i + 1)) for i in range(51, 0, -1))
"""For each index from the top: the index, how many places ``j`` may take, and the first word refused."""


def commitment(server_seed: bytes) -> str:
    """What is published before the deal: the seed's SHA-256 in hex."""
    return hashlib.sha256(server_seed).hexdigest()


def shuffled(server_seed: bytes, client_seed: str, session_id: str, number: int) -> tuple[Card, ...]:
    """The 52 cards of round *number* in the order in which they leave the deck."""
    deck = list(DECK)
    word = _words(server_seed, f"{client_seed}:{session_id}:{number}:").__next__
    for i, places, refused in _DRAWS:
        drawn = word()
        while drawn >= refused:
            drawn = word()
        j = drawn % places
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def _words(server_seed: bytes, prefix: str) -> Iterator[int]:
    start, block = prefix.encode(), 0
    while True:
        yield from _WORDS.unpack(hmac.digest(server_seed, start + str(block).encode(), "sha256"))
        block += 1


def scripted(script: Sequence[Card], deck: Sequence[Card]) -> tuple[Card, ...]:
    """A sandbox's deck: *script* on top, then the committed shuffle's order without those cards."""
    chosen = frozenset(script)
    return (*script, *(card for card in deck if card not in chosen))


def client_seed(text: str, parts: Sequence[tuple[int, str]]) -> str:
    """The round's client seed: the deal's text, then ``|<seat>:<text>`` for each seat that set one."""
    return text + "".join(f"|{seat}:{part}" for seat, part in parts)
