"""A whole match of each game over the generated Python client, and nothing else: `play.py URL KEY`.

Prints what came of it as JSON. Run by its test, in the environment that the client was generated in.
"""

import json
import sys
from typing import Any, TypeAlias, TypeVar
from uuid import uuid4

from croupier_client import AuthenticatedClient
from croupier_client.api.fairness import verify_deck
from croupier_client.api.ledger import read_ledger
from croupier_client.api.odds import read_advice
from croupier_client.api.rounds import deal, decide
from croupier_client.api.sessions import follow_session, read_session, start_session
from croupier_client.models import (
    AllIn,
    Call,
    CasinoHoldemOptions,
    CasinoHoldemStart,
    Check,
    DealRequest,
    DecideRequest,
    Event,
    Fold,
    HouseRound,
    Ledger,
    LegalAllIn,
    LegalBet,
    LegalCall,
    LegalCheck,
    LegalFold,
    LegalPlay,
    LegalRaise,
    NoLimitHoldemOptions,
    NoLimitHoldemStart,
    NoLimitRound,
    Play,
    Problem,
    ProblemCode,
    Raise,
    RoundSettled,
    SessionFinished,
    SessionStarted,
    Started,
    Status,
    Tokens,
    UltimateTexasHoldemOptions,
    UltimateTexasHoldemStart,
    VerifyRequest,
)

Start: TypeAlias = CasinoHoldemStart | UltimateTexasHoldemStart | NoLimitHoldemStart
Round: TypeAlias = HouseRound | NoLimitRound
Legal: TypeAlias = LegalFold | LegalCheck | LegalCall | LegalAllIn | LegalBet | LegalRaise | LegalPlay
Answer = TypeVar("Answer")

OPTIONS = {
    "casino-holdem": CasinoHoldemOptions,
    "ultimate-texas-holdem": UltimateTexasHoldemOptions,
    "no-limit-holdem": NoLimitHoldemOptions,
}


class Refused(Exception):
    """The server answered with a problem document."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.status} {problem.code}: {problem.detail}")
        self.problem = problem


def given(answer: Answer | Problem | None) -> Answer:
    """The answer itself; raises :class:`Refused` for a problem."""
    if isinstance(answer, Problem):
        raise Refused(answer)
    assert answer is not None, "an answer that the document does not know"
    return answer


def played(answer: Round | Problem | None) -> Round:
    """As :func:`given`, for what is a union itself."""
    if isinstance(answer, HouseRound | NoLimitRound):
        return answer
    assert answer is not None, "an answer that the document does not know"
    raise Refused(answer)


def choice(legal: list[Legal], number: int) -> AllIn | Call | Check | Fold | Play | Raise:
    """A first hand of small raises, then all that is in front; against the dealer, never a fold."""
    match {action.type_: action for action in legal}:
        case {"raise": LegalRaise(min_to=least)} if number == 1 and least <= 400:
            return Raise(type_="raise", to=least)
        case {"all_in": _} if number > 1:
            return AllIn(type_="all_in")
        case {"play": LegalPlay(multiple=multiple), **others} if number % 2 or "check" not in others:
            return Play(type_="play", multiple=multiple)
        case {"check": _}:
            return Check(type_="check")
        case {"call": _}:
            return Call(type_="call")
        case _:
            return Fold(type_="fold")


class Match:
    """One session, played to its end."""

    def __init__(self, url: str, key: str, start: Start) -> None:
        self.url = url
        operator = self.client(key)
        once = str(uuid4())
        self.started = given(start_session.sync(client=operator, body=start, idempotency_key=once))
        again = start_session.sync_detailed(client=operator, body=start, idempotency_key=once)
        assert isinstance(again.parsed, Started) and again.parsed == self.started
        assert again.headers["Idempotency-Replayed"] == "true"
        self.id = self.started.session.id
        tokens: Tokens = self.started.tokens
        self.table = self.client(tokens.table)
        self.seats = [self.client(token) for token in tokens.seats]
        self.options = self.started.session.options
        assert type(self.options) is OPTIONS[start.game]

    def client(self, token: str) -> AuthenticatedClient:
        return AuthenticatedClient(self.url, token=token, httpx_args={"trust_env": False})

    def play(self) -> dict[str, Any]:
        """Deal and decide until the session is finished."""
        rounds = decisions = 0
        while (session := given(read_session.sync(self.id, client=self.table))).status is Status.OPEN:
            body = DealRequest(client_seed=f"luck {rounds}", version=session.version)
            once = str(uuid4())
            dealt = played(deal.sync(self.id, client=self.table, body=body, idempotency_key=once))
            rounds += 1
            if rounds == 1:
                self.is_refused(dealt)
                self.is_advised(dealt)
            while dealt.settlement is None:
                dealt = self.decide(dealt)
                decisions += 1
            self.checks(dealt)
        return {
            "id": self.id,
            "game": session.game,
            "result": session.result,
            "rounds": rounds,
            "decisions": decisions,
            "ledger": self.ledger(),
            "events": self.events(),
        }

    def decide(self, dealt: Round) -> Round:
        """One decision, by the seat that is next to act; asked twice, taken once."""
        number = dealt.to_act[0]
        seat = self.seats[number - 1]
        session = given(read_session.sync(self.id, client=seat))
        seen = session.round_
        assert type(seen) is type(dealt) and isinstance(seen, HouseRound | NoLimitRound)
        assert seen.seats[number - 1].hole is not None
        body = DecideRequest(action=choice(seen.legal_actions, seen.number), version=seen.version)
        once = str(uuid4())
        decided = played(decide.sync(self.id, client=seat, body=body, idempotency_key=once))
        again = played(decide.sync(self.id, client=seat, body=body, idempotency_key=once))
        assert decided == again
        return decided

    def is_refused(self, dealt: Round) -> None:
        """What is not allowed is a problem that says what is."""
        seat = self.seats[dealt.to_act[0] - 1]
        for client, body, code in (
            (self.table, DecideRequest(action=Fold(type_="fold")), ProblemCode.FORBIDDEN),
            (seat, DecideRequest(action=Play(type_="play", multiple=9)), ProblemCode.ILLEGAL_ACTION),
            (seat, DecideRequest(action=Fold(type_="fold"), version=1), ProblemCode.STALE_VERSION),
        ):
            try:
                given(decide.sync(self.id, client=client, body=body))
            except Refused as refused:
                problem = refused.problem
            assert problem.code is code and problem.type_ == f"/problems/{code}"
            if code is ProblemCode.ILLEGAL_ACTION:
                assert isinstance(problem.legal_actions, list) and len(problem.legal_actions) > 1
            if code is ProblemCode.STALE_VERSION:
                assert problem.version == dealt.version

    def is_advised(self, dealt: Round) -> None:
        """Against the dealer each legal action has its worth; between seats there is no such thing."""
        number = dealt.to_act[0]
        advice = read_advice.sync(self.id, client=self.seats[number - 1])
        if isinstance(dealt, HouseRound):
            actions = given(advice).actions
            assert actions[0].best and actions[0].cost == 0 and len(actions) > 1
        else:
            assert isinstance(advice, Problem) and advice.status == 404

    def checks(self, settled: Round) -> None:
        """The sums are right, and against the dealer the deck is the one that was committed to."""
        assert settled.settlement is not None
        nets = [row.net for row in settled.settlement.seats]
        assert sum(nets) + settled.settlement.house_net == 0
        if isinstance(settled, NoLimitRound):
            assert sum(pot.amount for pot in settled.settlement.pots) > 0
            assert settled.button in {seat.seat for seat in settled.seats}
        else:
            assert isinstance(settled.fairness.server_seed, str)
            body = VerifyRequest(
                server_seed=settled.fairness.server_seed,
                client_seed=settled.fairness.client_seed,
                session_id=self.id,
                round_=settled.number,
            )
            verified = given(verify_deck.sync(client=self.table, body=body))
            assert verified.commitment == settled.fairness.commitment
            assert verified.deck[:2] == settled.seats[0].hole

    def ledger(self) -> dict[str, Any]:
        """What the ledger comes to, read page by page."""
        entries: list[Any] = []
        after: int | None = 0
        while after is not None:
            page: Ledger = given(read_ledger.sync(self.id, client=self.table, after=after, limit=3))
            entries += page.entries
            after = page.next_after
        assert isinstance(entries[0], SessionStarted) and type(entries[0].options) is type(self.options)
        assert isinstance(entries[-1], SessionFinished)
        assert [one.previous_hash for one in entries[1:]] == [one.hash_ for one in entries[:-1]]
        settled = [one for one in entries if isinstance(one, RoundSettled)]
        nets = [
            sum(row.net for one in settled for row in one.seats if row.seat == total.seat)
            for total in page.totals
        ]
        assert nets == [total.net for total in page.totals] and sum(nets) == -page.house_net
        return {"entries": len(entries), "nets": nets, "last": entries[-1].hash_}

    def events(self) -> int:
        """How many changes there were, by asking and asking on."""
        heard: list[Event] = []
        after: int | None = 0
        while after is not None:
            page = given(follow_session.sync(self.id, client=self.table, after=after, wait=1))
            heard += page.events
            after = page.next_after
        assert [event.version for event in heard] == list(range(1, len(heard) + 1))
        return len(heard)


def main(url: str, key: str) -> None:
    """Play one match of each game."""
    starts: list[Start] = [
        CasinoHoldemStart(game="casino-holdem", ante=5, rounds=4),
        UltimateTexasHoldemStart(game="ultimate-texas-holdem", ante=2, rounds=4),
        NoLimitHoldemStart(game="no-limit-holdem", buy_in=1000),
    ]
    matches = [Match(url, key, start) for start in starts]
    print(json.dumps([match.play() for match in matches]))


if __name__ == "__main__":
    main(*sys.argv[1:])
