"""A whole match of each game, played on the page; ledger, chart and receipt say what the API says."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

from browser.conftest import TURN, Visit, Visitor

pytestmark = pytest.mark.asyncio(loop_scope="session")


def signed(number: int) -> str:
    return f"{number:+,}".replace("-", "\N{MINUS SIGN}") if number else "0"


async def agrees(visitor: Visitor) -> dict[str, Any]:
    """The page's ledger, chart and receipt are the API's. Answers the session."""
    page, session, ledger = visitor.page, await visitor.asks(), await visitor.asks("/ledger")
    me = (await visitor.keys())["me"]
    [totals] = [one for one in ledger["totals"] if one["seat"] == me]
    [seat] = [one for one in session["seats"] if one["seat"] == me]
    chart = page.locator(".chart svg")
    await expect(chart).to_have_attribute("data-rounds", str(totals["rounds"]))
    await expect(chart).to_have_attribute("data-balance", str(seat["balance"]))
    await expect(page.locator(".balance")).to_have_text(signed(seat["balance"]))
    if not await page.locator(".ledger").get_attribute("open"):
        await page.locator(".ledger > summary").click()
    for name, value in totals.items():
        if name not in ("seat", "net"):
            await expect(page.locator(f"[data-total={name}] dd")).to_have_text(f"{value:,}")
    for entry in ledger["entries"]:
        row = page.locator(f"[data-entry='{entry['seq']}']")
        if entry["type"] == "round_settled":
            [own] = [one for one in entry["seats"] if one["seat"] == me]
            await expect(row.locator("td").nth(1)).to_have_text(signed(own["net"]))
            await expect(row.locator("td").nth(2)).to_have_text(signed(own["balance"]))
        else:
            await expect(row).to_be_visible()
    await expect(page.locator(".ledger .mark")).to_have_class(re.compile("verified"))
    return session


async def receipt_agrees(visitor: Visitor) -> None:
    """Every settled bet has its line: staked, odds and net."""
    round_ = (await visitor.asks())["round"]
    [row] = [one for one in round_["settlement"]["seats"] if one["seat"] == 1]
    lines = visitor.page.locator(".receipt tbody tr[data-bet]")
    await expect(lines).to_have_count(len(row["bets"]))
    for bet in row["bets"]:
        line = visitor.page.locator(f".receipt tr[data-bet={bet['bet']}]")
        await expect(line.locator("td")).to_have_text(
            [f"{bet['staked']:,}", bet["outcome"], bet["odds"] or "–", signed(bet["net"])]
        )
    await expect(visitor.page.locator(".receipt tfoot td").last).to_have_text(signed(row["net"]))


async def test_a_match_of_casino_holdem(visit: Visit) -> None:
    visitor = await visit()
    page = visitor.page
    await visitor.start("casino-holdem", ante=10, rounds=4)
    for number, key in enumerate(("call", "fold", "call", "call"), start=1):
        await page.get_by_role("button", name="Deal the").click()
        await expect(page.locator(".own [data-card]")).to_have_count(2)
        await expect(page.locator(".board [data-card]")).to_have_count(3)
        await expect(page.locator(".dealer [data-card]")).to_have_count(0)
        await page.get_by_role("button", name=key.capitalize()).click()
        await expect(page.get_by_role("heading", name=f"Round {number}, settled")).to_be_visible()
        await expect(page.locator("#proof")).to_have_attribute("data-verdict", "verified")
        await expect(page.locator(".board [data-card]")).to_have_count(5 if key == "call" else 3)
        await receipt_agrees(visitor)
    session = await agrees(visitor)
    assert session["status"] == "finished"
    ending = {"player": "is yours", "house": "house wins", "tie": "tied"}[session["result"]]
    await expect(page.locator(".prompt")).to_contain_text(ending)
    await expect(page.locator(".actions button")).to_have_count(0)
    await visitor.picture("casino-holdem")


async def test_a_match_of_ultimate(visit: Visit) -> None:
    visitor = await visit(color_scheme="dark")
    page = visitor.page
    await visitor.start("ultimate-texas-holdem", ante=4, rounds=2, hole_card_bonus=True)
    for number in (1, 2):
        await page.locator("#bet-trips").fill("5")
        await page.locator("#bet-hole_card_bonus").fill("3")
        await page.get_by_role("button", name="Deal the").click()
        for opened in (0, 3) if number == 1 else ():
            await expect(page.locator(".board [data-card]")).to_have_count(opened)
            await page.get_by_role("button", name="Check").click()
        if number == 1:
            await expect(page.locator(".board [data-card]")).to_have_count(5)
            await page.get_by_role("button", name="Play 1×").click()
        else:
            await page.get_by_role("button", name="Play 4×").click()
        await expect(page.get_by_role("heading", name=f"Round {number}, settled")).to_be_visible()
        await expect(page.locator("#proof")).to_have_attribute("data-verdict", "verified")
        await expect(page.locator(".dealer [data-card]")).to_have_count(2)
        await receipt_agrees(visitor)
    assert (await agrees(visitor))["status"] == "finished"
    await visitor.picture("ultimate-texas-holdem")


async def test_a_match_of_no_limit_at_one_screen(visit: Visit) -> None:
    """Both seats are played here, the view goes to whoever is in turn; at the end every deck is checked."""
    visitor = await visit()
    page = visitor.page
    await visitor.start("no-limit-holdem", seats=2, small_blind=50, big_blind=100, buy_in=200)
    for number in range(1, 60):
        await page.get_by_role("button", name="Deal the").click()
        settled = page.get_by_role("heading", name=f"Round {number}, settled")
        for _ in range(8):
            await expect(settled.or_(page.locator(TURN))).to_be_visible()
            if await settled.is_visible():
                break
            was = (
                await page.locator(".felt").get_attribute("data-stage"),
                await page.locator("#my-name").inner_text(),
            )
            if await page.locator(".actions").get_by_text("All-in").count():
                await page.keyboard.press("a")
                await page.keyboard.press("Enter")
            else:
                await page.keyboard.press("c")
            await page.wait_for_function(
                "([stage, name]) => document.querySelector('.felt').dataset.stage !== stage"
                " || document.querySelector('#my-name').innerText !== name",
                arg=[*was],
            )
        if (await visitor.asks())["status"] == "finished":
            break
    session = await agrees(visitor)
    assert session["status"] == "finished"
    await expect(page.locator(".prompt")).to_contain_text(re.compile("is yours|wins the match"))
    await expect(page.locator("#proof")).to_have_attribute("data-verdict", "verified")
    await page.locator(".fairness summary").click()
    await expect(page.locator(".steps.all li.verified")).to_have_count(session["rounds_played"])
    await visitor.picture("no-limit-holdem")
