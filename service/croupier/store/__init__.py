"""Redis or Valkey behind the ports of the sessions room."""

from croupier.store.durability import Durability
from croupier.store.embedded import EmbeddedStore, EmbeddedStoreError
from croupier.store.lanes import Replicas
from croupier.store.redis import Keeping, RedisStore, connect
from croupier.store.servers import Limits

__all__ = [
    "Durability",
    "EmbeddedStore",
    "EmbeddedStoreError",
    "Keeping",
    "Limits",
    "RedisStore",
    "Replicas",
    "connect",
]
