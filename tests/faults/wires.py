"""Connections that are cut in the middle of what is said on them, before the server and behind it."""

import asyncio
from urllib.parse import urlsplit

from faults.bots import crowd
from faults.ground import Ground, Row, concluded, elsewhere
from faults.relay import Cutter


async def connections_cut(ground: Ground, seconds: float, bots: int = 50) -> Row:
    """Cut or stall, at any byte, what clients and server say to each other, and server and store."""
    with ground.store() as store:
        behind = Cutter(("127.0.0.1", store.port), every=60_000, stall=1.5, seed=1)
        async with behind.listening():
            settings = elsewhere(f"redis://127.0.0.1:{behind.port}")
            server = ground.start("--workers", "2", "--store-timeout", "1", **settings)
            address = urlsplit(server.url)
            assert address.hostname is not None
            assert address.port is not None
            before = Cutter((address.hostname, address.port), every=15_000, stall=0.5, seed=2)
            async with before.listening():
                async with crowd(f"http://127.0.0.1:{before.port}", bots) as journal:
                    await asyncio.sleep(seconds)
                    before.failing = behind.failing = False
                for cutter, where in ((before, "clients"), (behind, "the store")):
                    if not cutter.cut:
                        journal.complain(f"no connection to {where} was cut")
                direct = elsewhere(f"redis://127.0.0.1:{store.port}") | {
                    "CROUPIER_SECRET_KEYS": settings["CROUPIER_SECRET_KEYS"]
                }
                return await concluded(
                    f"connections cut for {seconds:g} s",
                    journal,
                    server,
                    direct,
                    recovery=journal.recovery(),
                    notes=f"to clients {before.cut} cut, {before.stalled} stalled; to the store {behind.cut} "
                    f"cut, {behind.stalled} stalled; no answer to another's question",
                )
