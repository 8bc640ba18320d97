"""The words of the page: the same in every language, every one of them used, and none missing."""

import json
import re
from collections.abc import Mapping

import pytest

from croupier.api.catalogue import PAY_TABLES, catalogue
from croupier.locales import LOCALES
from croupier.play import assets
from croupier.rules.hands import CATEGORIES


def words(locale: str) -> Mapping[str, str]:
    table: Mapping[str, str] = json.loads(assets()[f"words-{locale}.json"].content)
    return table


def scripts() -> str:
    return "\n".join(asset.content.decode() for name, asset in assets().items() if name.endswith(".js"))


def test_every_locale_of_the_api_has_its_words() -> None:
    offered = re.search(r"LOCALES = \{([^}]+)\}", scripts())
    assert offered is not None
    assert {name.strip(' "') for name in re.findall(r'([\w" -]+):', offered[1])} == set(LOCALES)
    assert {name for name in assets() if name.startswith("words-")} == {
        f"words-{one}.json" for one in LOCALES
    }


@pytest.mark.parametrize("locale", LOCALES)
def test_a_locale_says_all_that_english_says_with_the_same_blanks(locale: str) -> None:
    english, own = words("en"), words(locale)
    assert own.keys() == english.keys()
    for key, text in own.items():
        assert text.strip() == text != "", key
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english[key])), key


@pytest.mark.parametrize("locale", [locale for locale in LOCALES if locale != "en"])
def test_a_locale_is_not_english_with_another_name(locale: str) -> None:
    english, own = words("en"), words(locale)
    same = [
        key for key, text in own.items() if text == english[key] and len(re.findall(r"[^\W\d]{3,}", text)) > 2
    ]
    assert same == []


def test_every_word_that_a_script_asks_for_is_there_and_every_word_is_asked_for() -> None:
    table, text = words("en"), scripts()
    asked = set(re.findall(r'\bt\(\s*"([^"]+)"', text))
    assert asked <= table.keys()
    families = {found.partition(".")[0] for found in re.findall(r"\b(?:t|knows)\(`([\w.]+)\$\{", text)}
    unused = [
        key for key in table if f'"{key}"' not in text and not (set(families) & {key.partition(".")[0]})
    ]
    assert unused == []


def test_everything_the_catalogue_may_show_has_a_word() -> None:
    table = words("en")
    for game in catalogue()["games"]:
        assert f"about.{game['game']}" in table
        for option in game["options"]:
            assert f"option.{option['name']}" in table
            for value in option.get("values", ()):
                assert f"choice.{value}" in table
    for pay_table in (one for tables in PAY_TABLES.values() for one in tables):
        assert f"otherwise.{pay_table.otherwise}" in table
        for line in pay_table.lines:
            assert line in CATEGORIES or f"line.{line}" in table
