"""What a thief finds who has copied the disk: everything in a server's data folder but its secret key."""

import os
import subprocess
from pathlib import Path

import httpx

from blackbox.leaks import secrets_in, stored_cards_in, unfolded
from blackbox.server import CROUPIER, PATIENCE, running
from blackbox.table import Json, Table, bearer, good, shuffled

ROUNDS = 3


def new_operator(data: Path, name: str) -> str:
    """A key for an operator, made beside the running server."""
    command = [str(CROUPIER), "keys", "new", name]
    environment = {**os.environ, "CROUPIER_DATA": str(data)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def copied(data: Path) -> dict[str, bytes]:
    files = (path for path in data.rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in files if path.name != "secret.key"}


def play(table: Table) -> None:
    """No-limit, which keeps its seeds until the session ends; the last hand stays open."""
    for number in range(1, ROUNDS + 1):
        deal = table.post("deal", {}, table.table, **{"Idempotency-Key": f"deal-{number}"})
        (seat,) = good(deal, 201)["to_act"]
        if number < ROUNDS:
            table.decide("fold", seat)


def test_a_copy_of_the_disk_holds_no_seed_no_hidden_card_no_token_and_no_key() -> None:
    with running("--durability", "always") as server:
        key = new_operator(server.folder / "data", "local")
        with httpx.Client(
            base_url=server.url, headers=bearer(key), timeout=PATIENCE, trust_env=False
        ) as http:
            table = Table.start(http, "no-limit-holdem", seats=2)
            play(table)
            disk = copied(server.folder / "data")
            good(table.post("close", {}, key))
            rounds = [table.round(number, table.table) for number in range(1, ROUNDS + 1)]

    assert any(table.id.encode() in blob for blob in disk.values())
    deals: list[Json] = [one["fairness"] for one in rounds]
    decks = [shuffled(one["server_seed"], "", table.id, number) for number, one in enumerate(deals, 1)]
    seeds, tokens = [one["server_seed"] for one in deals], [table.table, *table.seats]
    for blob in (part for kept in disk.values() for part in unfolded(kept)):
        assert not secrets_in(blob, seeds, tokens)
        assert key.split("_", 2)[2].encode() not in blob
        for deck in decks:
            assert not stored_cards_in(blob, [deck[0:4:2], deck[1:4:2]], deck)
