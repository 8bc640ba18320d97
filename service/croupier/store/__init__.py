"""Redis or Valkey behind the ports of the sessions room."""

from croupier.store.client import Limits
from croupier.store.embedded import EmbeddedStore, EmbeddedStoreError
from croupier.store.redis import Keeping, RedisStore, connect

__all__ = ["EmbeddedStore", "EmbeddedStoreError", "Keeping", "Limits", "RedisStore", "connect"]
