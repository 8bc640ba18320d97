import pytest

from croupier.rules.cards import DECK, RANKS, SUITS, TEXT, card, cards, texts


def test_a_fresh_deck_is_in_the_order_of_the_contract():
    assert texts(DECK) == [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert texts((0, 1, 2, 3, 4, 51)) == ["2c", "2d", "2h", "2s", "3c", "As"]


def test_a_card_is_its_rank_times_four_and_its_suit():
    for one in DECK:
        assert TEXT[one] == RANKS[one // 4] + SUITS[one % 4]


def test_text_and_card_are_each_others_inverse():
    assert tuple(card(text) for text in TEXT) == DECK


def test_several_cards_come_from_one_text_or_from_many():
    assert cards("Ah Kd") == cards(["Ah", "Kd"]) == (card("Ah"), card("Kd"))
    assert cards("") == ()


@pytest.mark.parametrize("text", ["10h", "ah", "AH", "hA", "A", "", "Ahh", " Ah", "1c", "Ax"])
def test_what_names_no_card_is_refused(text):
    with pytest.raises(ValueError, match="is not a card"):
        card(text)
