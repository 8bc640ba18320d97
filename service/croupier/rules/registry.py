"""Every game there is, by name. A new game is its own file and one line here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from croupier.rules.casino_holdem import CasinoHoldem
from croupier.rules.game import Game
from croupier.rules.no_limit_holdem import NoLimitHoldem
from croupier.rules.ultimate_texas_holdem import UltimateTexasHoldem

GAMES: Mapping[str, Game[Any, Any]] = MappingProxyType(
    {game.name: game for game in (CasinoHoldem(), UltimateTexasHoldem(), NoLimitHoldem())}
)
