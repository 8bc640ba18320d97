"""Afterwards: is every acknowledged change there, once, and does a retry still find the very same answer?"""

import asyncio
import itertools
import random
from dataclasses import dataclass
from typing import Any

import httpx

from blackbox.table import check_chain
from faults.journal import Journal, Json, Match, Receipt, digest

_AT_ONCE = 8
_TRIES = 40


@dataclass(slots=True)
class Findings:
    """Changes that were acknowledged, those of them that are not there, and those that are there twice.

    ``by_clock`` are changes that nobody asked for: seats whose time was up.
    """

    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    by_clock: int = 0


async def audited(url: str, journal: Journal, *, replays: int = 4000) -> Findings:
    """Hold what the server has now against the *journal*; what is wrong is complained about there.

    Of the acknowledged requests up to *replays* are sent again.
    """
    found = Findings()
    gate = asyncio.Semaphore(_AT_ONCE)
    async with httpx.AsyncClient(base_url=url, timeout=15, trust_env=False) as http:

        async def look(match: Match) -> None:
            async with gate:
                await _Auditor(http, journal, found).match(match)

        await asyncio.gather(*map(look, journal.matches))
        receipts = list(journal.receipts)
        if len(receipts) > replays:
            receipts = random.sample(receipts, replays)

        async def again(receipt: Receipt) -> None:
            async with gate:
                await _Auditor(http, journal, found).replay(receipt)

        await asyncio.gather(*map(again, receipts))
    return found


class _Auditor:
    def __init__(self, http: httpx.AsyncClient, journal: Journal, found: Findings) -> None:
        self._http = http
        self._journal = journal
        self._found = found

    async def match(self, match: Match) -> None:
        """One session: its versions, its ledger, its settlements."""
        acknowledged = [receipt.version for receipt in match.receipts]
        self._found.acknowledged += len(acknowledged)
        session = await self._get(match.path, match.table)
        if not session["version"]:
            self._found.lost += len(acknowledged)
            return
        entries = await self._ledger(match)
        by_clock = await self._by_clock(match, session) if match.timed else 0
        self._found.by_clock += by_clock
        missing = len(acknowledged) - len({one for one in acknowledged if one <= session["version"]})
        surplus = session["version"] - by_clock - len(set(acknowledged))
        try:
            check_chain(entries)
        except AssertionError as broken:
            self._journal.complain(f"{match.id}: the ledger's chain breaks: {broken}")
        booked = [
            (entry["round"], entry["deal"], tuple((row["seat"], row["net"]) for row in entry["seats"]))
            for entry in entries
            if entry["type"] == "round_settled"
        ]
        told = [receipt.settled for receipt in match.receipts if receipt.settled is not None]
        missing += len(set(told) - set(booked))
        surplus += len(booked) - len(set(booked))
        if not by_clock:
            surplus += len(set(booked) - set(told))
        if missing or surplus:
            self._found.lost += max(0, missing)
            self._found.doubled += max(0, surplus)
            self._journal.complain(
                f"{match.id}: version {session['version']}, {by_clock} by the clock, acknowledged "
                f"{acknowledged}; in the ledger {booked}, told {told}"
            )

    async def _by_clock(self, match: Match, session: Json) -> int:
        """How often the clock decided, by the records of all rounds."""
        last = session["round"]["number"] if session["round"] else 0
        rounds = [await self._get(f"{match.path}/rounds/{one}", match.table) for one in range(1, last + 1)]
        return sum(len(round_.get("clocked", ())) for round_ in rounds)

    async def _ledger(self, match: Match) -> list[Json]:
        page = await self._get(f"{match.path}/ledger?limit=100", match.table)
        entries: list[Json] = page["entries"]
        while page["next_after"] is not None:
            page = await self._get(f"{match.path}/ledger?limit=100&after={page['next_after']}", match.table)
            entries += page["entries"]
        if [entry["seq"] for entry in entries] != list(range(1, len(entries) + 1)):
            self._journal.complain(f"{match.id}: the ledger's entries are not numbered on")
        return entries

    async def replay(self, receipt: Receipt) -> None:
        """Send an acknowledged request again: the first answer, and nothing else happens."""
        headers = {"Idempotency-Key": receipt.key}
        if receipt.token is not None:
            headers["Authorization"] = f"Bearer {receipt.token}"
        answer = await self._patiently("POST", receipt.path, json=receipt.body, headers=headers)
        if answer.headers.get("idempotency-replayed") != "true" and answer.is_success:
            self._found.doubled += 1
            self._journal.complain(f"{receipt.path} was done again for key {receipt.key}")
        elif (answer.status_code, digest(answer.content)) != (receipt.status, receipt.digest):
            self._journal.complain(f"{receipt.path}, key {receipt.key}: another answer: {answer.text}")

    async def _get(self, path: str, token: str) -> Any:
        answer = await self._patiently("GET", path, headers={"Authorization": f"Bearer {token}"})
        if not answer.is_success:
            self._journal.complain(f"GET {path}: {answer.status_code} {answer.text}")
            return {"version": 0, "entries": [], "next_after": None, "round": None}
        return answer.json()

    async def _patiently(self, method: str, path: str, **request: Any) -> httpx.Response:
        for attempt in itertools.count(1):
            try:
                answer = await self._http.request(method, path, **request)
            except httpx.TransportError:
                if attempt == _TRIES:
                    raise
            else:
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or attempt == _TRIES:
                    return answer
            await asyncio.sleep(0.25)
        raise AssertionError("unreachable")
