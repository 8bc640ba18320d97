"""Looks for cards, seeds and tokens where they must not be, in whatever dress they may come."""

import base64
import binascii
import contextlib
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import redis

from blackbox.table import DECK

CARD = rb"[2-9TJQKA][cdhs]"
WORD = rb"[A-Za-z0-9_-]"
"""What ids, tokens and hashes are made of: two of its letters in a row are no card."""
ALONE = re.compile(rb"(?<!%b)%b(?!%b)" % (WORD, CARD, WORD))
QUOTED = re.compile(rb"""["'](%b)["']""" % CARD)
RUN = re.compile(rb"(?<!%b)(?:%b[ ,|/\xa2]?){4,}(?!%b)" % (WORD, CARD, WORD))
BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}={0,2}")
HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){4,}")


def cards_in(text: bytes) -> set[str]:
    """Every card that a text for people or for JSON readers names."""
    return {found.decode() for found in ALONE.findall(text)}


def seed_forms(server_seed: str) -> list[bytes]:
    """The ways in which thirty-two bytes may be written."""
    raw = bytes.fromhex(server_seed)
    encoded = [base64.b64encode(raw), base64.urlsafe_b64encode(raw), base64.b32encode(raw)]
    return [raw, raw.hex().encode(), raw.hex().upper().encode(), *(form.rstrip(b"=") for form in encoded)]


def token_forms(token: str) -> list[bytes]:
    """A token with its prefix and without, and the bytes that it spells."""
    bare = token.partition("_")[2].encode()
    return [bare, base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))]


def secrets_in(blob: bytes, seeds: Iterable[str], tokens: Iterable[str]) -> list[bytes]:
    """The seeds and tokens in *blob*, as they are written there."""
    forms = chain(*map(seed_forms, seeds), *map(token_forms, tokens))
    return [form for form in forms if form in blob]


def stored_cards_in(blob: bytes, holes: Iterable[list[str]], deck: list[str]) -> set[str]:
    """The cards in *blob*, which may be binary: so alone they count in quotes only, else as hands or runs.

    *holes* and *deck* are what lies hidden. Hands are looked for in both orders; the deck as numbers too, by
    its beginning, its middle and its end, of which whatever is left of it has one.
    """
    found = {card.decode() for card in QUOTED.findall(blob)}
    for run in RUN.findall(blob):
        found |= {card.decode() for card in re.findall(CARD, run)}
    for hole in holes:
        for a, b in (hole, hole[::-1]):
            written = rb"(?<!%b)%b[ ,|/\xa2]{0,2}%b(?!%b)" % (WORD, a.encode(), b.encode(), WORD)
            if re.search(written, blob):
                found |= {a, b}
    ranks, suits = "23456789TJQKA", "cdhs"
    by_rank = [ranks.index(card[0]) * 4 + suits.index(card[1]) for card in deck]
    by_suit = [suits.index(card[1]) * 13 + ranks.index(card[0]) for card in deck]
    for numbers in (by_rank, by_suit):
        for first in (0, len(deck) // 2, len(deck) - 8):
            eight = numbers[first : first + 8]
            texts = (between.join(map(str, eight)).encode() for between in (",", ", ", " "))
            if any(form in blob for form in (bytes(eight), bytes(n + 1 for n in eight), *texts)):
                found |= set(deck[first : first + 8])
    return found & set(DECK)


def unfolded(blob: bytes) -> Iterator[bytes]:
    """*blob*, and what it says once unpacked from the usual wrappings."""
    texts = [blob]
    for match in BASE64.findall(blob):
        bare = match.rstrip(b"=")
        for letters in (b"+/", b"-_"):
            with contextlib.suppress(binascii.Error):
                texts.append(base64.b64decode(bare + b"=" * (-len(bare) % 4), letters))
    texts += (bytes.fromhex(match.decode()) for match in HEX.findall(blob))
    yield from texts
    for text in texts:
        for wbits in (zlib.MAX_WBITS, -zlib.MAX_WBITS, zlib.MAX_WBITS | 16):
            with contextlib.suppress(zlib.error):
                yield zlib.decompressobj(wbits).decompress(text, 1 << 20)


def stored(store: redis.Redis) -> list[bytes]:
    """Everything that a store holds: names, values of every type, and their raw dumps."""
    parts: list[Any] = []
    for key in store.scan_iter():
        kind = store.type(key)
        dump = store.dump(key)
        if dump is None:
            continue
        parts += [key, dump]
        match kind:
            case b"string":
                parts.append(store.get(key) or b"")
            case b"hash":
                parts += chain(*store.hgetall(key).items())
            case b"list":
                parts += store.lrange(key, 0, -1)
            case b"set":
                parts += store.smembers(key)
            case b"zset":
                parts += store.zrange(key, 0, -1)
            case b"stream":
                parts += chain(*(chain(*(fields or {}).items()) for _, fields in store.xrange(key) or ()))
            case _:
                raise AssertionError(f"{key!r} is a {kind!r}, which is not searched")
    return parts
