"""The catalogue of games: everything a client can know before it starts a session, from the rules."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from croupier.locales import LOCALES, Kind, word
from croupier.odds.figures import Edge, shipped
from croupier.rules import tables
from croupier.rules.game import Game
from croupier.rules.hands import CATEGORIES
from croupier.rules.options import Between, limits_of
from croupier.rules.registry import GAMES


@dataclass(frozen=True, slots=True)
class PayTable:
    """What one bet pays, by what it is paid on; ``otherwise`` says what everything below the table does."""

    bet: str
    paid_on: str
    lines: Mapping[str, tables.Odds]
    otherwise: str
    option: tuple[str, Any] | None = None
    meter_shares: Mapping[str, int] | None = None


PAY_TABLES: Mapping[str, tuple[PayTable, ...]] = MappingProxyType(
    {
        "casino-holdem": (PayTable("ante", "best_hand", tables.CASINO_HOLDEM_ANTE, "none"),),
        "ultimate-texas-holdem": (
            PayTable("blind", "best_hand", tables.BLIND, "push"),
            PayTable("trips", "best_hand", tables.TRIPS, "lose", option=("trips", "fixed")),
            PayTable(
                "trips",
                "best_hand",
                tables.PROGRESSIVE_TRIPS,
                "lose",
                option=("trips", "progressive"),
                meter_shares=tables.METER_SHARES,
            ),
            PayTable(
                "hole_card_bonus",
                "hole_cards",
                tables.HOLE_CARD_BONUS,
                "lose",
                option=("hole_card_bonus", True),
            ),
        ),
    }
)

BASE = "base"
"""The one profile of a game whose rules have none to choose from."""

DIGITS = 10
"""Places behind the point of a percentage; each edge is counted over all 27,813,810,024,000 deals."""


def catalogue() -> dict[str, Any]:
    """The whole catalogue, as JSON has it."""
    return {
        "games": [game_entry(game) for game in GAMES.values()],
        "hands": [
            {"category": category, "names": _names("hands", category)} for category in reversed(CATEGORIES)
        ],
    }


def game_entry(game: Game[Any, Any]) -> dict[str, Any]:
    """One game, as JSON has it."""
    options: Any = game.options
    seats = limits_of(options).get("seats", Between(1, 1))
    return {
        "game": game.name,
        "names": _names("games", game.name),
        "seats": {"min": seats.low, "max": seats.high},
        "stages": [_named("stages", stage) for stage in game.stages],
        "bets": [_named("bets", bet) for bet in game.bets],
        "actions": [_named("actions", action) for action in game.actions],
        "options": _options(options),
        "pay_tables": [_pay_table(table) for table in PAY_TABLES.get(game.name, ())],
        "profiles": [_profile(edge) for edge in shipped().edges if edge.game == game.name],
    }


def _names(kind: Kind, code: str) -> dict[str, str]:
    return {locale: word(kind, code, locale) for locale in LOCALES}


def _named(kind: Kind, code: str) -> dict[str, Any]:
    return {"code": code, "names": _names(kind, code)}


def _options(options: Any) -> list[dict[str, Any]]:
    hints, limits = get_type_hints(options), limits_of(options)
    entries = []
    for option in fields(options):
        hint = hints[option.name]
        limit = limits.get(option.name)
        default = list(option.default) if isinstance(option.default, tuple) else option.default
        entry: dict[str, Any] = {
            "name": option.name,
            "type": _type_name(hint),
            "nullable": type(None) in get_args(hint),
            "default": default,
        }
        if limit is not None:
            entry |= {"min": limit.low, "max": limit.high}
        if get_origin(hint) is Literal:
            entry["values"] = list(get_args(hint))
        entries.append(entry)
    return entries


def _type_name(hint: Any) -> str:
    plain = next(
        (part for part in (hint, *get_args(hint)) if part in (bool, int) or get_origin(part) is tuple), str
    )
    return {bool: "boolean", int: "integer", str: "string"}.get(plain, "integers")


def _profile(edge: Edge) -> dict[str, Any]:
    """A set of rules and its edge; a profile's first entry is that of the default multiples."""
    entry: dict[str, Any] = {"profile": edge.profile or BASE}
    if edge.preflop_multiples is not None:
        entry["preflop_multiples"] = list(edge.preflop_multiples)
    return entry | {
        "house_edge_percent": percent(edge.house_edge),
        "element_of_risk_percent": percent(edge.element_of_risk),
    }


def _side_bet_edges(bet: str) -> list[dict[str, str]]:
    """A side bet's edge in each profile: its own there, or the one it has wherever nothing else is said."""
    edges = {side.profile: side.house_edge for side in shipped().side_bets if side.bet == bet}
    return [
        {"profile": profile, "house_edge_percent": percent(edges.get(profile, edges[None]))}
        for profile in tables.PROFILES
        if None in edges
    ]


def percent(share: Fraction) -> str:
    """*share* in per cent, rounded to :data:`DIGITS` places and never through a float."""
    whole, rest = divmod(round(share * 100 * 10**DIGITS), 10**DIGITS)
    return f"{whole}.{rest:0{DIGITS}}"


def _pay_table(table: PayTable) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "bet": table.bet,
        "paid_on": table.paid_on,
        "lines": [{"on": what, "odds": str(odds)} for what, odds in table.lines.items()],
        "otherwise": table.otherwise,
    }
    if table.option is not None:
        entry["option"] = dict([table.option])
    if table.meter_shares is None and (edges := _side_bet_edges(table.bet)):
        entry["house_edges"] = edges
    if table.meter_shares is not None:
        entry["meter_shares_percent"] = [
            {"on": what, "percent": share} for what, share in table.meter_shares.items()
        ]
    return entry
