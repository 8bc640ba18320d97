"""One small controller a resource. To add one: write its file, name it here."""

from litestar import Controller

from croupier.api.resources.documentation import Documentation
from croupier.api.resources.events import Events
from croupier.api.resources.fairness import Fairness
from croupier.api.resources.games import Games
from croupier.api.resources.hands import Hands
from croupier.api.resources.health import Health
from croupier.api.resources.jackpots import Jackpots
from croupier.api.resources.ledger import Ledger
from croupier.api.resources.metrics import Metrics
from croupier.api.resources.odds import Odds
from croupier.api.resources.play import PlayPage
from croupier.api.resources.problems import Problems
from croupier.api.resources.reports import Reports
from croupier.api.resources.rounds import Rounds
from croupier.api.resources.seats import Seats
from croupier.api.resources.sessions import SessionsResource

RESOURCES: list[type[Controller]] = [
    Games,
    SessionsResource,
    Rounds,
    Seats,
    Ledger,
    Events,
    Odds,
    Jackpots,
    Reports,
    Hands,
    Fairness,
    Problems,
    Health,
    Metrics,
    Documentation,
    PlayPage,
]
