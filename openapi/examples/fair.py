"""Checks a round's deck from outside: nothing here is the server's code.

Before a round the server publishes the SHA-256 of its seed; after it the seed itself. From the seed, the
client's own seed, the session and the round's number anybody can shuffle the same deck again.
"""

import hashlib
import hmac
from typing import Any

RANKS = "23456789TJQKA"
SUITS = "cdhs"


class Unfair(Exception):
    """The server did not deal the deck that it had committed to."""


def deck(server_seed: str, client_seed: str, session_id: str, number: int) -> list[str]:
    """The 52 cards in the order in which they left the deck."""
    cards = [rank + suit for rank in RANKS for suit in SUITS]
    key, block, words = bytes.fromhex(server_seed), 0, list[int]()
    for i in range(51, 0, -1):
        limit = 2**32 - 2**32 % (i + 1)
        while True:
            if not words:
                text = f"{client_seed}:{session_id}:{number}:{block}"
                digest = hmac.digest(key, text.encode(), "sha256")
                words = [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
                block += 1
            word = words.pop(0)
            if word < limit:
                break
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def check(round_: dict[str, Any], session_id: str, committed: str) -> list[str]:
    """The deck of a round whose seed is revealed. Raises :class:`Unfair` when it breaks the commitment.

    *committed* is the ``next_commitment`` that was read before the deal.
    """
    fairness = round_["fairness"]
    seed = fairness["server_seed"]
    if seed is None:
        raise Unfair(f"round {round_['number']}: the seed is not revealed")
    if not hashlib.sha256(bytes.fromhex(seed)).hexdigest() == fairness["commitment"] == committed:
        raise Unfair(f"round {round_['number']}: the seed is not the one committed to")
    return deck(seed, fairness["client_seed"], session_id, round_["number"])
