"""For everyone: by keys alone, on a phone, in each language, by ear, in the dark, with an operator's key."""

import hashlib
import json
from importlib.resources import files
from typing import Any

import pytest
from playwright.async_api import expect

from browser.conftest import TURN, Visit, Visitor
from croupier.locales import LOCALES, word
from serving import servers

pytestmark = pytest.mark.asyncio(loop_scope="session")

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


async def found_by_axe(visitor: Visitor, *rules: str) -> list[str]:
    """What axe has against what is shown now, from moderate on; *rules* are all of them if none is named."""
    if not await visitor.page.evaluate("typeof window.axe === 'object'"):
        await visitor.page.evaluate(AXE)
    result: dict[str, Any] = await visitor.page.evaluate(
        "rules => axe.run({resultTypes: ['violations'], ...(rules.length ? {runOnly: rules} : {})})", rules
    )
    return [
        f"{found['impact']}: {found['help']}: {[node['html'][:120] for node in found['nodes']]}"
        for found in result["violations"]
        if found["impact"] != "minor"
    ]


async def test_by_keys_alone(visit: Visit) -> None:
    """From the address bar to a settled round; focus is never lost, and what happens is said."""
    visitor = await visit()
    page = visitor.page
    await visitor.open()
    await page.keyboard.press("Tab")
    await expect(page.locator("#skip")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.locator("#game-casino-holdem")).to_be_focused()
    for _ in range(12):
        if await page.evaluate("document.activeElement.type") == "submit":
            break
        await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.locator(".actions")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Deal the first round")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(TURN)).to_be_visible()
    await expect(page.locator(".actions")).to_be_focused()
    hole = await page.locator(".own [data-card]").first.locator("svg").get_attribute("aria-label")
    await expect(page.locator("#said")).to_contain_text(f"Your cards: {hole}")
    await expect(page.locator("#said")).to_contain_text("You may: fold and call 2")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Call")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(".felt[data-stage=settled]")).to_be_visible()
    await expect(page.locator("#said")).to_contain_text("The dealer shows")
    for key, shown in (("v", ".fairness details[open]"), ("l", ".ledger[open]"), ("?", "#help[open]")):
        await page.keyboard.press(key)
        await expect(page.locator(shown)).to_be_visible()
    await expect(page.locator("#help dt")).to_have_count(11)
    await page.locator("#shortcuts-on").uncheck()
    await page.keyboard.press("Escape")
    await page.keyboard.press("d")
    await expect(page.locator(".felt[data-stage=settled]")).to_be_visible()
    assert (await visitor.asks())["round"]["number"] == 1, "single keys are off"


@pytest.mark.parametrize("game", ["casino-holdem", "ultimate-texas-holdem", "no-limit-holdem"])
async def test_on_a_phone(visit: Visit, game: str) -> None:
    """Nothing is wider than the screen, the whole table and what may be done are seen without scrolling."""
    visitor = await visit(**PHONE)
    page = visitor.page
    await visitor.start(game)
    await page.locator(".actions .primary").tap()
    await expect(page.locator(TURN)).to_be_visible()
    await expect(page.locator(".own .down")).to_have_count(0)
    width = await page.evaluate("document.documentElement.scrollWidth")
    assert width <= 390
    assert await page.evaluate("scrollY") == 0
    bar = await page.locator(".bar").bounding_box()
    cards = await page.locator(".own .cards").bounding_box()
    assert bar and cards
    assert bar["y"] + bar["height"] <= 844
    assert cards["y"] + cards["height"] <= bar["y"], "one's own cards are not behind the buttons"
    for button in await page.locator(".actions .row button").all():
        box = await button.bounding_box()
        assert box and min(box["width"], box["height"]) >= 40
    await visitor.picture(f"phone-{game}")
    await page.locator(".actions .row button").first.tap()
    await expect(page.locator(".actions .primary, .felt:not(.turn)").first).to_be_visible()


@pytest.mark.parametrize("locale", LOCALES)
async def test_in_every_language(visit: Visit, locale: str) -> None:
    """The page's own words and the API's, chosen by the browser; a word that is missing would be an error."""
    visitor = await visit(
        locale={"en": "en-US", "es": "es-MX", "fr": "fr-CA", "pt": "pt-PT"}.get(locale, locale)
    )
    page = visitor.page
    words = json.loads((files("croupier.play") / f"words-{locale}.json").read_text(encoding="utf-8"))
    await visitor.open()
    assert await page.evaluate("document.documentElement.lang") == locale
    await expect(page.locator("h1")).to_have_text(words["lobby.title"])
    await visitor.start("ultimate-texas-holdem", hole_card_bonus=True)
    await page.keyboard.press("d")
    check = word("actions", "check", locale)
    await page.get_by_role("button", name=check[0].upper() + check[1:]).click()
    await expect(page.locator(".plate .hand")).not_to_be_empty()
    await page.get_by_role("button", name="2×").click()
    await expect(page.locator(".receipt table")).to_be_visible()
    hand = (await visitor.asks())["round"]["settlement"]["seats"][0]["hand"]["category"]
    await expect(page.locator(".plate .hand")).to_contain_text(word("hands", hand, locale).split()[0])
    await page.keyboard.press("v")
    await page.keyboard.press("l")
    await page.locator(".pays > summary").click()
    text = await page.locator("body").inner_text()
    assert "undefined" not in text
    assert "NaN" not in text
    others = {"en": "es", "es": "fr", "fr": "pt", "pt": "pt-BR", "pt-BR": "en"}
    await page.locator("#language").select_option(others[locale])
    other = json.loads((files("croupier.play") / f"words-{others[locale]}.json").read_text(encoding="utf-8"))
    await expect(page.locator("#ledger-name, .ledger h2")).to_have_text(other["ledger.name"])
    await expect(page.locator(".receipt table")).to_be_visible()


@pytest.mark.parametrize(("scheme", "rules"), [("light", []), ("dark", ["color-contrast"])])
async def test_axe_finds_nothing(visit: Visit, scheme: str, rules: list[str]) -> None:
    """In the dark the colours alone are others."""
    visitor = await visit(color_scheme=scheme)
    page = visitor.page
    await visitor.open()
    await page.locator(".asked details summary").click()
    assert await found_by_axe(visitor, *rules) == []
    await visitor.start("ultimate-texas-holdem", seats=2)
    await page.keyboard.press("d")
    await expect(page.locator(TURN)).to_be_visible()
    assert await found_by_axe(visitor, *rules) == []
    for seat in (1, 2):
        await expect(page.locator(f"{TURN} #my-name")).to_have_text(f"You, seat {seat}")
        await page.keyboard.press("p")
    await expect(page.locator(".receipt table").first).to_be_visible()
    for key in "vl":
        await page.keyboard.press(key)
    await page.locator(".pays > summary").click()
    assert await found_by_axe(visitor, *rules) == []
    await page.keyboard.press("?")
    assert await found_by_axe(visitor, *rules) == []
    await page.keyboard.press("Escape")
    await visitor.start("no-limit-holdem", seats=3)
    await page.locator("[data-seat='3']").get_by_role("button", name="Invite by link").click()
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Deal the").click()
    await expect(page.locator(TURN)).to_be_visible()
    assert await found_by_axe(visitor, *rules) == []


async def test_a_server_with_operators_asks_for_a_key_and_keeps_it_nowhere(
    visit: Visit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    key = hashlib.sha256(b"an operator").hexdigest()
    with servers(tmp_path_factory.mktemp("keyed")) as start:
        server = start(CROUPIER_OPERATOR_KEYS=f"house:{key}", CROUPIER_DURABILITY="memory")
        visitor = await visit(at=server.url)
        visitor.forgiven = "401"
        page = visitor.page
        await visitor.open()
        await page.get_by_role("button", name="Start the session").click()
        await expect(page.locator("#operator-key")).to_be_focused()
        await page.locator("#operator-key").fill(key)
        await page.get_by_role("button", name="Start the session").click()
        await expect(page.locator(".felt")).to_be_visible()
        await page.keyboard.press("d")
        await expect(page.locator(TURN)).to_be_visible()
        kept = await page.evaluate(
            "JSON.stringify([{...sessionStorage}, {...localStorage}, document.cookie, location.href])"
        )
        assert key not in kept
        await page.reload()
        await expect(page.locator(TURN)).to_be_visible()
        await visitor.context.close()
