"""Several browsers at one no-limit table: each has a seat by its link and sees its own cards only."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import expect

from browser.conftest import TURN, Visit, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def seated(visit: Visit) -> tuple[Visitor, Visitor]:
    """A host at seat 1 and a guest, whose browser speaks French, at seat 2."""
    host = await visit()
    await host.start("no-limit-holdem", seats=2)
    await host.page.locator("[data-seat='2']").get_by_role("button", name="Invite by link").click()
    link = await host.page.get_by_label("Link to seat 2").input_value()
    assert await host.page.evaluate("navigator.clipboard.readText()") == link
    guest = await visit(locale="fr-FR")
    await guest.open(link)
    await expect(guest.page.locator("#my-name")).to_contain_text("place 2")
    return host, guest


def rounds_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every round anywhere in a JSON value."""
    match value:
        case {"stage": _, "seats": [*_], "settlement": _}:
            yield value
        case dict():
            for inner in value.values():
                yield from rounds_in(inner)
        case list():
            for inner in value:
                yield from rounds_in(inner)


async def rounds_heard(visitor: Visitor) -> list[dict[str, Any]]:
    found = []
    for body in await visitor.heard():
        texts = (
            re.findall(r"^data: (.*)$", body["text"], re.MULTILINE)
            if "/events" in body["url"]
            else [body["text"]]
        )
        for text in texts:
            found += rounds_in(json.loads(text))
    return found


async def act(*visitors: Visitor, key: str) -> None:
    """Whoever of them is in turn presses *key*."""
    while True:
        for visitor in visitors:
            if await visitor.page.locator(TURN).count():
                felt = visitor.page.locator(".felt")
                version = await felt.get_attribute("data-version")
                await visitor.page.keyboard.press(key)
                await expect(felt).not_to_have_attribute("data-version", version or "")
                return
        await visitors[0].page.wait_for_timeout(30)


async def test_each_sees_what_happens_and_only_its_own_cards(visit: Visit) -> None:
    host, guest = await seated(visit)
    await host.page.get_by_role("button", name="Deal the").click()
    for visitor in (host, guest):
        await expect(visitor.page.locator(".own [data-card]")).to_have_count(2)
        await expect(visitor.page.locator(".others .down")).to_have_count(2)
        await expect(visitor.page.locator(".others [data-card]")).to_have_count(0)
    await expect(host.page.locator(TURN)).to_be_visible()
    await host.page.locator("#size").fill("300")
    await host.page.locator("#size").press("Enter")
    await expect(guest.page.locator(".others .bet")).to_have_text("300")
    await expect(guest.page.locator(TURN)).to_be_visible()
    await act(guest, key="c")
    await expect(host.page.locator(".board [data-card]")).to_have_count(3)
    await expect(guest.page.locator(".board [data-card]")).to_have_count(3)
    await act(host, guest, key="c")
    await act(host, guest, key="f")
    for visitor in (host, guest):
        await expect(visitor.page.locator(".felt[data-stage=settled]")).to_be_visible()
        await expect(visitor.page.locator(".others [data-card]")).to_have_count(0)
        assert not await visitor.page.locator("#proof.verified").count(), "the seed would show folded cards"
    for visitor, seat in ((host, 1), (guest, 2)):
        heard = await rounds_heard(visitor)
        assert any(one["seats"][seat - 1]["hole"] for one in heard)
        assert [one["seats"][2 - seat]["hole"] for one in heard if one["seats"][2 - seat]["hole"]] == []
        streams = [body for body in await visitor.heard() if body["url"].endswith("/events")]
        assert any(body["text"].count("\ndata: ") > 3 for body in streams), "it is told, and need not ask"
    await host.picture("two-browsers-host")
    await guest.picture("two-browsers-guest")


async def test_a_reload_finds_the_seat_again_and_the_address_never_tells_it(visit: Visit) -> None:
    host, guest = await seated(visit)
    await host.page.get_by_role("button", name="Deal the").click()
    for visitor in (host, guest):
        cards = visitor.page.locator(".own [data-card]")
        await expect(cards).to_have_count(2)
        held = [await card.get_attribute("data-card") for card in await cards.all()]
        await visitor.page.reload()
        await expect(cards).to_have_count(2)
        assert [await card.get_attribute("data-card") for card in await cards.all()] == held
        assert not re.search("seat|tbl", visitor.page.url)
        history = await visitor.page.evaluate(
            "JSON.stringify([location.href, history.state, document.referrer])"
        )
        assert not re.search("seat_|tbl_", history)
    await expect(host.page.locator(TURN)).to_be_visible()
    await act(host, key="c")
    await expect(guest.page.locator(TURN)).to_be_visible()


async def test_a_key_that_was_taken_back_opens_nothing(visit: Visit) -> None:
    host, guest = await seated(visit)
    guest.forgiven = "404|401"
    await host.page.locator("[data-seat='2']").get_by_role("button", name="Take back").click()
    await expect(host.page.locator("[data-seat='2']")).to_contain_text("at this screen")
    await expect(guest.page.locator("#trouble .notice")).to_be_visible()
    stranger = await visit()
    stranger.forgiven = "404|401"
    await stranger.open(f"/play#session={(await host.keys())['id']}&seat2=seat_none")
    await expect(stranger.page.locator("#trouble .notice")).to_be_visible()
    await expect(stranger.page.locator(".lobby")).to_be_visible()


async def test_a_table_without_its_key_is_said_to_have_none(visit: Visit) -> None:
    visitor = await visit()
    await visitor.open("/play#session=abcdefghijklmnop")
    await expect(visitor.page.locator("#trouble")).to_contain_text("no key to that table")


async def test_a_link_stays_to_be_copied_while_the_table_plays_on(visit: Visit) -> None:
    """And one who has the table's key alone deals, and sees no hole card."""
    host, guest = await seated(visit)
    keys = await host.keys()
    link = host.page.get_by_label("Link to seat 2")
    await link.focus()
    dealer = await visit()
    await dealer.open(f"/play#session={keys['id']}&table={keys['table']}")
    await dealer.page.get_by_role("button", name="Deal the").click()
    await expect(dealer.page.locator(".others .down")).to_have_count(4)
    await expect(dealer.page.locator(".own")).to_be_hidden()
    await expect(host.page.locator(TURN)).to_be_visible()
    await expect(link).to_be_focused()
    selected = await host.page.evaluate("document.activeElement.selectionEnd")
    assert selected == len(await link.input_value())
    await host.page.get_by_role("button", name="Fold").click()
    await expect(dealer.page.locator(".felt[data-stage=settled]")).to_be_visible()
    await expect(dealer.page.locator("[data-card]")).to_have_count(0)
    await expect(guest.page.locator(".prompt")).to_contain_text("Vous gagnez")


async def test_the_clock_decides_and_the_page_shows_it(visit: Visit) -> None:
    visitor = await visit()
    await visitor.start("casino-holdem", decision_seconds=2)
    await visitor.page.keyboard.press("d")
    await expect(visitor.page.locator(".clock")).to_contain_text("s left")
    await expect(visitor.page.locator(".felt[data-stage=settled]")).to_be_visible()
    await expect(visitor.page.locator(".clock")).to_be_hidden()
    await expect(visitor.page.locator(".story")).to_contain_text("You folded")


async def test_a_game_goes_on_elsewhere_by_a_link_of_ones_own(visit: Visit) -> None:
    """From the desk to the phone: the seat, and at a table for several the table, come along."""
    desk = await visit()
    await desk.start("casino-holdem")
    await desk.page.get_by_role("button", name="Go on elsewhere").click()
    link = await desk.page.get_by_label("Link to go on elsewhere").input_value()
    phone = await visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    await phone.open(link)
    await phone.page.get_by_role("button", name="Deal the").tap()
    for visitor in (desk, phone):
        await expect(visitor.page.locator(TURN)).to_be_visible()
    await phone.page.get_by_role("button", name="Call").tap()
    await expect(desk.page.locator(".receipt table")).to_be_visible()
    await expect(desk.page.locator("#proof")).to_have_attribute("data-verdict", "verified")
