"""Random rounds of Ultimate Texas Hold'em against a settlement written apart from the product's.

It shares no code with the rules: a hand is the best of the 21 fives among seven cards, ranked by counting,
and the pay tables are typed here anew.
"""

from collections import Counter
from itertools import combinations
from random import Random

from croupier.rules.actions import LegalPlay, Play
from croupier.rules.game import SideBets, Table
from croupier.rules.ultimate_texas_holdem import UltimateTexasHoldem, UltimateTexasHoldemOptions

GAME = UltimateTexasHoldem()

HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL, QUADS, STRAIGHT_FLUSH, ROYAL = range(10)
SHAPES = {
    (1, 1, 1, 1, 1): HIGH,
    (2, 1, 1, 1): PAIR,
    (2, 2, 1): TWO_PAIR,
    (3, 1, 1): TRIPS,
    (3, 2): FULL,
    (4, 1): QUADS,
}
BLIND = {ROYAL: 500, STRAIGHT_FLUSH: 50, QUADS: 10, FULL: 3, FLUSH: 1.5, STRAIGHT: 1}
TRIPS_PAYS = {ROYAL: 50, STRAIGHT_FLUSH: 40, QUADS: 30, FULL: 8, FLUSH: 7, STRAIGHT: 4, TRIPS: 3}


def five(hand):
    """A five-card hand as (category, ranks that break ties); ranks are 2 to 14."""
    ranks = sorted((card // 4 + 2 for card in hand), reverse=True)
    if ranks == [14, 5, 4, 3, 2]:
        ranks = [5, 4, 3, 2, 1]
    count = Counter(ranks)
    order = sorted(count, key=lambda rank: (-count[rank], -rank))
    category = SHAPES[tuple(count[rank] for rank in order)]
    run = category == HIGH and ranks[0] - ranks[4] == 4
    suited = len({card % 4 for card in hand}) == 1
    if run and suited:
        category = ROYAL if ranks[0] == 14 else STRAIGHT_FLUSH
    elif suited:
        category = FLUSH
    elif run:
        category = STRAIGHT
    return category, order


def best(seven):
    return max(five(hand) for hand in combinations(seven, 5))


def bonus_pays(hole, dealer):
    high, low = sorted((card // 4 + 2 for card in hole), reverse=True)
    suited = hole[0] % 4 == hole[1] % 4
    if high == low == 14:
        return 1000 if {card // 4 + 2 for card in dealer} == {14} else 30
    if high == low:
        return 10 if high >= 11 else 3
    if high != 14 or low < 11:
        return -1
    if low == 13:
        return 25 if suited else 15
    return 20 if suited else 5


def expected(profile, hole, dealer, board, ante, multiple, trips, bonus):
    """The net of every bet made; *multiple* 0 is a fold."""
    mine, theirs = best(hole + board), best(dealer + board)
    qualified = theirs[0] >= PAIR
    nets = {}
    if not multiple:
        nets |= {"ante": -ante, "blind": -ante}
    elif mine > theirs:
        nets |= {
            "ante": ante * qualified,
            "blind": int(BLIND.get(mine[0], 0) * ante),
            "play": multiple * ante,
        }
    elif mine < theirs:
        keeps_ante = profile == "published" and not qualified
        nets |= {"ante": 0 if keeps_ante else -ante, "blind": -ante, "play": -multiple * ante}
    else:
        nets |= {"ante": 0, "blind": 0, "play": 0}
    if trips:
        forfeited = profile == "seed" and not multiple
        nets["trips"] = -trips if forfeited else trips * TRIPS_PAYS.get(mine[0], -1)
    if bonus:
        nets["hole_card_bonus"] = bonus * bonus_pays(hole, dealer)
    return nets


def play_and_compare(random):
    seats = tuple(sorted(random.sample(range(1, 7), random.randint(1, 3))))
    ante = 2 * random.randint(1, 50)
    profile = random.choice(["seed", "published"])
    multiples = random.choice([(4,), (3, 4), (3,)])
    options = UltimateTexasHoldemOptions(
        6, ante, profile, multiples, trips="fixed", hole_card_bonus=True, side_bet_max=50
    )
    side = {seat: SideBets(seat, random.randint(0, 9), random.randint(0, 9)) for seat in seats}
    deck = random.sample(range(52), 2 * len(seats) + 7)

    step = GAME.deal(options, Table(seats), deck, tuple(side.values()))
    chosen = dict.fromkeys(seats, 0)
    while to_act := GAME.to_act(step.state):
        seat = random.choice(to_act)
        action = random.choice(GAME.legal_actions(step.state, seat))
        if isinstance(action, LegalPlay):
            chosen[seat], action = action.multiple, Play(action.multiple)
        step = GAME.decide(step.state, seat, action)

    cut = 2 * len(seats)
    dealer, board = deck[cut : cut + 2], deck[cut + 2 :]
    for place, row in enumerate(step.settlement.seats):
        hole, bets = deck[2 * place : 2 * place + 2], side[row.seat]
        want = expected(
            profile, hole, dealer, board, ante, chosen[row.seat], bets.trips, bets.hole_card_bonus
        )
        assert {line.bet: line.net for line in row.bets} == want, (options, deck, chosen, row)


def test_random_rounds_settle_as_the_brute_force_says():
    random = Random(2006)
    for _ in range(20_000):
        play_and_compare(random)
