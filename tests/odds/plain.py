"""The house games' decisions by plain loops over every deal: what the kernels have to agree with.

Pay is written out here from the rules pages, not taken from the code.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from random import Random

from croupier.rules.cards import DECK, cards
from croupier.rules.hands import category, strength

ANTE = {"royal_flush": 100, "straight_flush": 20, "four_of_a_kind": 10, "full_house": 3, "flush": 2}
BLIND = {
    "royal_flush": 500,
    "straight_flush": 50,
    "four_of_a_kind": 10,
    "full_house": 3,
    "flush": Fraction(3, 2),
    "straight": 1,
}
PAIR_OF_FOURS = strength(cards("4c 4d 5h 3s 2c"))
PAIR = strength(cards("2c 2d 5h 4s 3c"))

Showdown = tuple[int, list[int]]
"""The player's strength on one board, and those of all 990 dealer hands."""


def showdowns(hole: tuple[int, ...], board: tuple[int, ...]) -> Iterator[Showdown]:
    unseen = [card for card in DECK if card not in (*hole, *board)]
    for rest in combinations(unseen, 5 - len(board)):
        full = (*board, *rest)
        left = [card for card in unseen if card not in rest]
        yield strength((*hole, *full)), [strength((*two, *full)) for two in combinations(left, 2)]


def casino_call(hole: tuple[int, ...], flop: tuple[int, ...]) -> Fraction:
    net = deals = 0
    for mine, dealers in showdowns(hole, flop):
        pays = ANTE.get(category(mine), 1)
        for dealer in dealers:
            if dealer < PAIR_OF_FOURS:
                net += pays
            elif mine > dealer:
                net += pays + 2
            elif mine < dealer:
                net -= 3
        deals += len(dealers)
    return Fraction(net, deals)


def ultimate_play(mine: int, dealers: list[int], multiple: int, pushes: bool) -> Fraction:
    """What a play wins against all *dealers* in sum."""
    blind = BLIND.get(category(mine), 0)
    net = Fraction()
    for dealer in dealers:
        if mine > dealer:
            net += multiple + blind + (dealer >= PAIR)
        elif mine < dealer:
            net -= multiple + 2 - (pushes and dealer < PAIR)
    return net


def ultimate_flop(hole: tuple[int, ...], flop: tuple[int, ...], pushes: bool) -> tuple[Fraction, Fraction]:
    """A play of two antes, and a check with the better of play and fold at each river."""
    play = check = Fraction()
    deals = 0
    for mine, dealers in showdowns(hole, flop):
        play += ultimate_play(mine, dealers, 2, pushes)
        check += max(ultimate_play(mine, dealers, 1, pushes), Fraction(-2 * len(dealers)))
        deals += len(dealers)
    return play / deals, check / deals


def ultimate_river(hole: tuple[int, ...], board: tuple[int, ...], pushes: bool) -> Fraction:
    ((mine, dealers),) = showdowns(hole, board)
    return ultimate_play(mine, dealers, 1, pushes) / len(dealers)


def flop_of(kind: str, random: Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A random hole and flop whose flop is of a kind."""
    wanted = {
        "monotone": lambda flop: len({card % 4 for card in flop}) == 1,
        "two-tone": lambda flop: len({card % 4 for card in flop}) == 2,
        "rainbow": lambda flop: len({card % 4 for card in flop}) == 3,
        "paired": lambda flop: len({card // 4 for card in flop}) == 2,
        "trips": lambda flop: len({card // 4 for card in flop}) == 1,
        "suited": lambda flop: len({card % 4 for card in flop}) == 1,
    }[kind]
    while True:
        dealt = random.sample(DECK, 5)
        hole, flop = tuple(dealt[:2]), tuple(dealt[2:])
        own = kind != "suited" or any(card % 4 == flop[0] % 4 for card in hole)
        if wanted(flop) and own:
            return hole, flop


KINDS = ("monotone", "two-tone", "rainbow", "paired", "trips", "suited")
