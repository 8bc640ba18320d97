"""Operator keys in Redis or Valkey: one hash, a field a key for what it is and one for its last use."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from croupier.sessions.operators import OperatorKey
from croupier.sessions.session import Millis
from croupier.store.client import Client, Script
from croupier.store.keys import Keys

_USED = Script("used.lua")
_LAST_USE = ":used"

_encode = msgspec.json.encode
_decode = msgspec.json.Decoder(OperatorKey).decode


class RedisKeyStore:
    """A :class:`~croupier.sessions.operators.KeyStore` in Redis or Valkey.

    Nothing in it is sealed: a digest tells nothing of its key, and keys outlive the server's secrets.
    """

    def __init__(self, client: Client, keys: Keys) -> None:
        self._client = client
        self._key = keys.operator_keys

    async def every(self) -> Sequence[OperatorKey]:
        """All keys, the oldest first."""
        flat: list[bytes] = await self._client.read("HGETALL", self._key)
        fields = dict(zip(flat[::2], flat[1::2], strict=True))
        used = {name: int(at) for name, at in fields.items() if name.endswith(_LAST_USE.encode())}
        found = [
            replace(_decode(kept), used_at=used.get(name + _LAST_USE.encode()))
            for name, kept in fields.items()
            if name not in used
        ]
        return sorted(found, key=lambda key: (key.created_at, key.id))

    async def add(self, key: OperatorKey) -> None:
        """Keep a new key."""
        await self._client.write("HSET", self._key, key.id, _encode(key))

    async def revoke(self, key_id: str) -> bool:
        """Forget a key; whether there was one."""
        return bool(await self._client.write("HDEL", self._key, key_id, key_id + _LAST_USE))

    async def used(self, key_id: str, at: Millis) -> None:
        """Note that a key was used; nothing for one that has been revoked meanwhile."""
        await self._client.run(_USED, (self._key,), key_id, key_id + _LAST_USE, at)
