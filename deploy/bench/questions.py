"""Requests that change nothing: ledgers, advice and odds over HTTP, and what a flood of odds does to play."""

from collections.abc import Callable

import processes
import traffic
from commit_path import Sizes
from figures import Figure
from load import Conversation, Speaker
from processes import Places, Server
from sides import CONNECTIONS, Side, at_half, compared, in_turns

_READ = "bare handler that reads as much"
_VALIDATE = "bare handler, same bodies"
_ODDS_TARGET = 0.5
_FLOOD = 40
"""Connections that ask for odds without a pause: more than may wait."""
_FLOODED_TARGET = 0.5


def measure(places: Places | None, sizes: Sizes, *, rounds: int, seconds: float, hold: float) -> list[Figure]:
    """Each kind of question beside its reference; then play beside itself under a flood of odds."""
    core = places.server if places else None
    found: list[Figure] = []

    def ask(
        group: str,
        mine: Callable[[str, int], Conversation],
        yours: Callable[[str, int], Conversation],
        read: int,
        answer: int,
        reference: str,
        target: float | None = None,
    ) -> None:
        with processes.reference(url, core, read, answer) as bare:
            ours, theirs = _side(server, mine), _side(bare, yours)
            in_turns(places, rounds, seconds, ours, theirs)
            found.extend(compared(group, ours, theirs, reference, target))
            if hold:
                found.extend(at_half(group, ours, theirs, reference, places, hold))

    with (
        processes.store("memory", places.store if places else None) as url,
        processes.croupier(url, core, odds=True) as server,
    ):
        odds = len(server.post("/v1/odds", traffic.SPOT))
        ask("ledger of 20 rounds", traffic.ledgers, traffic.reads, sizes.ledger, sizes.ledger, _READ)
        ask("advice on a flop of Casino Hold'em", traffic.advice, traffic.reads, sizes.state, odds, _READ)
        ask(
            "odds of a flop of Casino Hold'em", traffic.spots, traffic.spots, 0, odds, _VALIDATE, _ODDS_TARGET
        )
        calm = _side(server, lambda host, number: traffic.matches(host, str(number)))
        flooded = Side(
            server, [*calm.speakers, *(Speaker(traffic.flood(server.host, n)) for n in range(_FLOOD))]
        )
        in_turns(places, rounds, seconds, flooded, calm)
    group = f"deal + decide beside a flood of odds, {_FLOOD} connections"
    return found + compared(group, flooded, calm, "without them", _FLOODED_TARGET, work=False)


def _side(server: Server, talk: Callable[[str, int], Conversation]) -> Side:
    return Side(server, [Speaker(talk(server.host, number)) for number in range(CONNECTIONS)])
