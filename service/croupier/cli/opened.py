"""The store that the settings name, for the commands that read it without serving."""

import contextlib
from collections.abc import AsyncIterator

from croupier.settings import Settings
from croupier.store import EmbeddedStore, Keeping, Limits, RedisStore, Replicas, connect
from croupier.store.embedded import secret


def secrets_of(settings: Settings) -> tuple[bytes, ...]:
    """The server's secret keys, the signing one first. Raises ``EmbeddedStoreError``.

    The embedded store's own key stays last in the list, so that what it sealed before can be opened.
    """
    given = tuple(key.get_secret_value().encode() for key in settings.secret_keys)
    return given if settings.redis_url is not None else (*given, secret(settings.data))


def embedded(settings: Settings) -> EmbeddedStore:
    """The store of a server that was given none. The settings refuse to have it replicated."""
    return EmbeddedStore(
        settings.data, "always" if settings.durability == "replicated" else settings.durability
    )


def store_at(settings: Settings, url: str, secrets: tuple[bytes, ...]) -> RedisStore:
    """The store at *url* as the settings want it used."""
    return connect(
        url,
        secrets,
        limits=Limits(
            connections=settings.pool_size,
            connect_seconds=min(1.0, settings.store_timeout),
            call_seconds=settings.store_timeout,
            replicas=Replicas(settings.replicas, on_disk=settings.replicas_on_disk)
            if settings.durability == "replicated"
            else None,
        ),
        keeping=Keeping(idle_seconds=settings.idle_seconds, answer_seconds=settings.answer_seconds),
    )


@contextlib.asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[RedisStore]:
    """The store, started for as long as this lasts where it is embedded and nobody runs it.

    Raises ``EmbeddedStoreError``.
    """
    with contextlib.ExitStack() as stack:
        if settings.redis_url is not None:
            url = settings.redis_url.get_secret_value()
        else:
            store_here = embedded(settings)
            url = store_here.start()
            stack.callback(store_here.stop)
        store = store_at(settings, url, secrets_of(settings))
        try:
            yield store
        finally:
            await store.close()
