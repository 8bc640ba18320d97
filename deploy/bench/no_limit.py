"""No-limit hold'em: whole hands in the rules package beside PokerKit, and what a hand takes in the store."""

import gc
import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, TypeAlias

import httpx
import processes
from figures import Figure
from pokerkit import Automation, NoLimitTexasHoldem
from processes import Places
from redis import Redis

from croupier.rules.actions import Call, Check
from croupier.rules.cards import DECK, TEXT, Card
from croupier.rules.game import Table
from croupier.rules.no_limit_holdem import NoLimitHoldem, NoLimitHoldemOptions

GAME = NoLimitHoldem()
CALL, CHECK = Call(), Check()

_PLAYERS = 6
_STACK = 10_000
_OPTIONS = NoLimitHoldemOptions(seats=_PLAYERS, buy_in=_STACK)
_TABLE = Table(tuple(range(1, _PLAYERS + 1)), (_STACK,) * _PLAYERS, button=_PLAYERS)
_HANDS = 1_500
_REFERENCE_HANDS = 30  # it is slow
_REPEATS = 9
_GIVEN = {Automation.HOLE_DEALING, Automation.BOARD_DEALING, Automation.CARD_BURNING}
_AUTOMATED = tuple(one for one in Automation if one not in _GIVEN)

Stacks: TypeAlias = tuple[int, ...]


def speed() -> list[Figure]:
    """Hands a second of one process, the legal actions asked for at every step. Both play the same hands."""
    dealer = random.Random(4)
    decks = [tuple(dealer.sample(DECK, len(DECK))) for _ in range(_HANDS)]
    few = decks[:_REFERENCE_HANDS]
    for deck in few:
        if _ours(deck) != _pokerkits(deck):
            raise AssertionError(f"PokerKit comes to other stacks with {[TEXT[card] for card in deck]}")
    ours, theirs = [], []
    gc.collect()
    for _ in range(_REPEATS):
        ours.append(_rate(_ours, decks))
        theirs.append(_rate(_pokerkits, few))
    return [
        Figure(
            f"no-limit hold'em, {_PLAYERS} players call and check to the showdown",
            "croupier.rules.no_limit_holdem",
            median(ours),
            "hands/s",
            "pokerkit.NoLimitTexasHoldem",
            median(theirs),
            median(a / b for a, b in zip(ours, theirs, strict=True)),
            target=50,
        )
    ]


def _rate(play: Callable[[Sequence[Card]], Stacks], decks: Sequence[Sequence[Card]]) -> float:
    """Hands a second of this process's own time, so that other programs do not count."""
    started = time.process_time()
    for deck in decks:
        play(deck)
    return len(decks) / (time.process_time() - started)


def _ours(deck: Sequence[Card]) -> Stacks:
    step = GAME.deal(_OPTIONS, _TABLE, deck)
    while step.settlement is None:
        (seat,) = GAME.to_act(step.state)
        legal = GAME.legal_actions(step.state, seat)
        step = GAME.decide(step.state, seat, CHECK if CHECK in legal else CALL)
    return tuple(_STACK + row.net for row in step.settlement.seats)


def _pokerkits(deck: Sequence[Card]) -> Stacks:
    state = NoLimitTexasHoldem.create_state(
        _AUTOMATED,
        True,
        0,
        (_OPTIONS.small_blind, _OPTIONS.big_blind),
        _OPTIONS.big_blind,
        (_STACK,) * _PLAYERS,
        _PLAYERS,
    )
    for player in range(_PLAYERS):
        state.deal_hole(TEXT[deck[player]] + TEXT[deck[_PLAYERS + player]], player)
    left = iter([TEXT[card] for card in deck[2 * _PLAYERS :]])
    while state.status:
        if state.can_burn_card():
            state.burn_card("??")
            state.deal_board("".join(next(left) for _ in range(state.street.board_dealing_count)))  # type: ignore[union-attr]
            continue
        # What may be done, as PokerKit says it.
        _ = (
            state.can_fold(),
            state.checking_or_calling_amount,
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )
        state.check_or_call()
    return tuple(state.stacks)


# ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────


def memory(places: Places | None) -> list[Figure]:
    """What the store says a session of ten seats takes whose hand is at the river."""
    with (
        processes.store("memory", places.store if places else None) as url,
        processes.croupier(url, places.server if places else None) as server,
    ):
        key = f"croupier:{{{_ten_at_the_river(server.host)}}}"
        with Redis.from_url(url) as store:
            whole = int(store.memory_usage(key, samples=0) or 0)
            sealed = int(store.hstrlen(key, "s"))
    group = "no-limit hold'em, ten seats at the river, in the store"
    return [
        Figure(group, "state", whole / 1024, "KiB", target=4, most=True),
        Figure(group, "of it sealed", sealed / 1024, "KiB"),
    ]


def _ten_at_the_river(host: str) -> str:
    """A session in which all ten called a raise, and checked and called bets since; its id."""
    with httpx.Client(base_url=f"http://{host}") as client:
        options = {"game": "no-limit-holdem", "seats": 10, "buy_in": 1_000_000, "decision_seconds": 600}
        started = client.post("/v1/sessions", json=options).raise_for_status().json()
        path, tokens = f"/v1/sessions/{started['session']['id']}", started["tokens"]

        def post(verb: str, token: str, body: dict[str, Any]) -> Any:
            bearer = {"Authorization": f"Bearer {token}"}
            answer = client.post(f"{path}/{verb}", json=body, headers=bearer)
            return answer.raise_for_status().json()

        round_ = post("deal", tokens["table"], {"client_seed": "a bench of ten"})
        raised = ""
        while round_["stage"] != "river":
            token = tokens["seats"][round_["to_act"][0] - 1]
            if raised != round_["stage"]:
                raised = round_["stage"]
                action = {"type": "raise" if raised == "preflop" else "bet", "to": 300}
            else:
                action = {"type": "call"}
            round_ = post("decide", token, {"action": action})
        return str(started["session"]["id"])
