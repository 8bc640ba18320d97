"""What the page makes of a dealer who cheats, a line that breaks, a table that moves on, and a refusal."""

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.async_api import Route, expect

from browser.conftest import TURN, Visit, Visitor
from serving import servers

pytestmark = pytest.mark.asyncio(loop_scope="session")

Forge = Callable[[dict[str, Any]], None]


def _swapped_seed(round_: dict[str, Any]) -> None:
    """Another seed than the one committed to."""
    if round_["fairness"]["server_seed"]:
        round_["fairness"]["server_seed"] = "00" * 32


def _better_card(round_: dict[str, Any]) -> None:
    """The dealer shows a card that the deck did not give."""
    if round_["dealer"]["hole"]:
        round_["dealer"]["hole"][0] = "2c" if round_["dealer"]["hole"][0] != "2c" else "2d"


def _late_commitment(round_: dict[str, Any]) -> None:
    """A seed and its hash that fit each other, and were chosen once the bets were known."""
    if round_["fairness"]["server_seed"]:
        round_["fairness"]["server_seed"] = "00" * 32
        round_["fairness"]["commitment"] = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"


async def forged(visitor: Visitor, forge: Forge) -> None:
    """From now on every answer about this visitor's table is forged; streams do not get through."""

    async def answer(route: Route) -> None:
        real = await route.fetch()
        value = await real.json()
        round_ = value if "fairness" in value else value.get("round")
        if round_:
            forge(round_)
        await route.fulfill(response=real, body=json.dumps(value))

    await visitor.page.route(re.compile(r"/v1/sessions/[^/?]+(/decide|/deal)?$"), answer)
    await visitor.page.route("**/events", lambda route: route.abort())
    visitor.forgiven = "ERR_FAILED"


@pytest.mark.parametrize(
    ("forge", "step"),
    [(_swapped_seed, "seed"), (_better_card, "dealer"), (_late_commitment, "promise")],
    ids=lambda value: getattr(value, "__name__", value).strip("_"),
)
async def test_a_forged_proof_fails_where_it_was_forged(visit: Visit, forge: Forge, step: str) -> None:
    visitor = await visit()
    page = visitor.page
    await forged(visitor, forge)
    await visitor.start("casino-holdem")
    await page.keyboard.press("d")
    await expect(page.locator(TURN)).to_be_visible()
    await expect(page.locator("#proof")).to_have_attribute("data-verdict", "waiting")
    await page.keyboard.press("c")
    await expect(page.locator("#proof")).to_have_attribute("data-verdict", "failed")
    await expect(page.locator("#proof")).to_have_text("✗ Proof failed")
    await page.keyboard.press("v")
    await expect(page.locator(f".steps [data-step={step}].failed")).to_be_visible()


async def test_what_is_not_answered_is_asked_again_and_done_once(visit: Visit) -> None:
    visitor = await visit()
    page, keys = visitor.page, []
    visitor.forgiven = "ERR_CONNECTION|503"

    async def lost(route: Route) -> None:
        """The first answer is lost on its way, the second says that the store is away."""
        keys.append(route.request.headers["idempotency-key"])
        match len(keys):
            case 1:
                await route.fetch()
                await route.abort("connectionreset")
            case 2:
                await route.fulfill(status=503, headers={"Retry-After": "1"}, body="{}")
            case _:
                await route.continue_()

    # Before the page is there: one that is loaded may go past a new route for a moment.
    await page.route("**/deal", lost)
    await visitor.start("casino-holdem")
    await page.keyboard.press("d")
    await expect(page.locator(TURN)).to_be_visible()
    await expect(page.locator(".playing[aria-busy]")).to_have_count(0)
    assert len(keys) == 3
    assert len(set(keys)) == 1
    session = await visitor.asks()
    assert (session["version"], session["round"]["number"]) == (2, 1)


async def test_a_table_that_moved_on_is_read_again(visit: Visit) -> None:
    """Another window of the same player folds; this one, which hears nothing, calls too late."""
    visitor = await visit()
    page = visitor.page
    visitor.forgiven = "409"
    await page.route("**/events", lambda route: route.fulfill(status=204))
    await visitor.start("casino-holdem")
    await page.keyboard.press("d")
    await expect(page.locator(TURN)).to_be_visible()
    keys = await visitor.keys()
    async with httpx.AsyncClient(base_url=visitor.site) as http:
        await http.post(
            f"/v1/sessions/{keys['id']}/decide",
            json={"action": {"type": "fold"}},
            headers={"Authorization": f"Bearer {keys['seats']['1']}"},
        )
    await page.keyboard.press("c")
    await expect(page.locator("#trouble .notice")).to_be_visible()
    await expect(page.locator("#trouble .remedy")).not_to_be_empty()
    await expect(page.locator(".felt[data-stage=settled]")).to_be_visible()
    assert (await visitor.asks())["round"]["settlement"]["seats"][0]["net"] == -1


async def test_a_seat_that_was_only_overtaken_decides_all_the_same(visit: Visit) -> None:
    """At a table for two a neighbour decides first: the version is another one, the choice is the same."""
    visitor = await visit()
    page = visitor.page
    visitor.forgiven = "409"
    await page.route("**/events", lambda route: route.fulfill(status=204))
    await visitor.start("ultimate-texas-holdem", seats=2)
    await page.keyboard.press("d")
    await expect(page.locator(TURN)).to_be_visible()
    keys = await visitor.keys()
    async with httpx.AsyncClient(base_url=visitor.site) as http:
        await http.post(
            f"/v1/sessions/{keys['id']}/decide",
            json={"action": {"type": "play", "multiple": 4}},
            headers={"Authorization": f"Bearer {keys['seats']['2']}"},
        )
    await page.keyboard.press("c")
    await expect(page.locator(".board [data-card]")).to_have_count(3)
    await expect(page.locator("#trouble .notice")).to_have_count(0)


async def test_a_refusal_says_which_field_and_what_is_allowed(visit: Visit) -> None:
    visitor = await visit()
    visitor.forgiven = "400"
    page = visitor.page
    await visitor.open()
    await page.locator("#game-ultimate-texas-holdem").check(force=True)
    await page.locator("#option-ante").fill("3")
    await page.get_by_role("button", name="Start the session").click()
    await expect(page.locator("#trouble .notice li")).to_contain_text("Ante must be even")
    await expect(page.locator("#option-ante")).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("#option-ante")).to_be_focused()
    await page.locator("#option-ante").fill("4")
    await page.get_by_role("button", name="Start the session").click()
    await expect(page.locator(".felt")).to_be_visible()
    await expect(page.locator("#trouble .notice")).to_have_count(0)


async def test_advice_is_given_when_asked_for(visit: Visit) -> None:
    visitor = await visit()
    page = visitor.page
    await visitor.start("casino-holdem")
    await page.keyboard.press("d")
    await expect(page.locator(TURN)).to_be_visible()
    await expect(page.locator(".advice")).to_be_hidden()
    await page.get_by_role("button", name="What is best?").click()
    await expect(page.locator(".advice tbody tr")).to_have_count(2, timeout=60_000)
    best = next(one for one in (await visitor.asks("/advice"))["actions"] if one["best"])
    await expect(page.locator(".advice tr.best th")).to_contain_text(best["type"].capitalize())
    value = f"{best['value']:+.4f}".replace("-", "\N{MINUS SIGN}")
    await expect(page.locator(".advice tr.best td").first).to_have_text(value)
    await page.keyboard.press("f")
    await expect(page.locator(".advice")).to_be_hidden()


async def test_a_server_that_restarts_in_the_middle_of_a_round_is_waited_for(
    visit: Visit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The decision is sent again until it is answered, and the stream comes back by itself."""
    with servers(tmp_path_factory.mktemp("restarting")) as start:
        first = start()
        visitor = await visit(at=first.url)
        visitor.forgiven = "ERR_|503"
        page = visitor.page
        await visitor.start("casino-holdem")
        await page.keyboard.press("d")
        await expect(page.locator(TURN)).to_be_visible()
        first.terminate()
        await expect(page.locator(".line")).to_contain_text("connection is lost")
        await page.keyboard.press("c")
        start("--port", first.url.rpartition(":")[2])
        await expect(page.locator(".felt[data-stage=settled]")).to_be_visible()
        await expect(page.locator("#proof")).to_have_attribute("data-verdict", "verified")
        await expect(page.locator(".line")).to_be_empty()
        assert (await visitor.asks())["rounds_played"] == 1
        await visitor.context.close()
