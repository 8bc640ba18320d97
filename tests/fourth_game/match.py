"""Add High Card to the registry of this process, and play a match of it over HTTP; run by its test."""

import asyncio
import json
from types import MappingProxyType
from typing import Any

from croupier.locales import LOCALES, _words
from croupier.rules import registry
from fourth_game.high_card import HighCard

# The line in the registry and the word in each locale's file. What reads them is imported below.
registry.GAMES = MappingProxyType({**registry.GAMES, HighCard.name: HighCard()})
for locale in LOCALES:
    _words(locale)["games"][HighCard.name] = "High Card"

from api.conftest import serving  # noqa: E402
from croupier.api.config import ApiConfig  # noqa: E402
from croupier.sessions.audit import findings  # noqa: E402

_ROUNDS = 30


async def match() -> dict[str, Any]:
    """What a whole match showed: the catalogue's entry, the rounds, the ledger, the audit's verdict."""
    async with serving(ApiConfig(open_mode=True), sandbox=True) as api:
        catalogue = (await api.http.get(f"/v1/games/{HighCard.name}")).json()
        wrong = await api.http.post("/v1/sessions", json={"game": HighCard.name, "ante": 0})
        table = await api.start(HighCard.name, ante=5, rounds=_ROUNDS, sandbox=True)
        rounds = []
        for number in range(_ROUNDS):
            deck = ["Ah", "Kd"] if number == 0 else ["7h", "7d"] if number == 1 else None
            dealt = (await table.post("deal", {"deck": deck} if deck else {})).json()
            action = "fold" if number and dealt["seats"][0]["hole"][0][0] in "234" else "call"
            rounds.append((await table.post("decide", {"action": {"type": action}})).json())
        session = await api.house.session(table.id)
        entries = await api.house.store.ledger(table.id, 0, 1000)
        archive = await api.house.store.rounds(table.id, 0, 1000)
        return {
            "catalogue": catalogue,
            "refusal": wrong.json(),
            "hidden": dealt["dealer"]["hole"],
            "rounds": rounds,
            "session": (await table.get()).json(),
            "ledger": (await table.get("/ledger")).json(),
            "findings": findings(session, entries, archive),
        }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(match())))
