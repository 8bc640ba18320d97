"""The page in a real Chromium at a real server: what it asks for, what it hears, what its console says.

Without a Chromium these tests are skipped, unless ``CROUPIER_REQUIRE_BROWSER=1`` says that there has to be
one.
"""

import os
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, Request, async_playwright, expect

from serving import servers

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
TURN = ".playing:not([aria-busy]) .felt.turn"
"""The felt once it is one's turn and the page is done with what was asked before."""
PICTURES = Path(__file__).parent / "pictures"
"""Where screenshots are kept; git does not."""

# Every body that the page hears, streams too, which the browser's own tools give out at their end only.
EAR = """
(() => {
  const real = window.fetch;
  window.heard = [];
  window.fetch = async (...asked) => {
    const answer = await real(...asked);
    if (!answer.body) return answer;
    const [first, second] = answer.body.tee();
    const entry = { url: answer.url, text: "" };
    window.heard.push(entry);
    (async () => {
      const reader = second.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        entry.text += value;
      }
    })().catch(() => {});
    const { status, statusText, headers } = answer;
    const copy = new Response(first, { status, statusText, headers });
    Object.defineProperty(copy, "url", { value: answer.url });
    return copy;
  };
})();
"""


def installed() -> str | None:
    """The Chromium of this machine."""
    return os.environ.get("CROUPIER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@dataclass
class Visitor:
    """One browser's window at the page, and all that went through it."""

    page: Page
    context: BrowserContext
    site: str
    requests: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    forgiven: str = "(?!)"
    """What the console may say, as a pattern: a browser reports each refusal there."""

    def watch(self) -> None:
        self.page.on("request", self._asked)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )

    def _asked(self, request: Request) -> None:
        self.requests.append(request)

    async def open(self, link: str = "/play") -> None:
        await self.page.goto(link if link.startswith("http") else self.site + link)
        await expect(self.page.locator("main > *").first).to_be_visible()

    async def start(self, game: str, **options: object) -> None:
        """Fill in the form and sit down."""
        await self.open()
        await self.page.locator(f"#game-{game}").check(force=True)
        more = self.page.locator(".asked details")
        for name, value in options.items():
            control = self.page.locator(f"#option-{name}")
            if not await control.is_visible():
                await more.locator("summary").click()
            if isinstance(value, bool):
                await control.set_checked(value)
            elif await control.evaluate("element => element.tagName") == "SELECT":
                await control.select_option(str(value))
            else:
                await control.fill(str(value))
        await self.page.locator("form.start button[type=submit]").click()
        await expect(self.page.locator(".felt")).to_be_visible()

    async def keys(self) -> dict[str, Any]:
        """What this window may do: the table's keys as it keeps them, with the session's id."""
        tables: dict[str, Any] = await self.page.evaluate(
            "JSON.parse(sessionStorage.getItem('croupier.tables'))"
        )
        session = re.search(r"session=([^&]+)", self.page.url)
        assert session is not None
        return {"id": session[1], **tables[session[1]]}

    async def asks(self, path: str = "", token: str | None = None) -> Any:
        """What the API says of this table, asked from outside the page, with its seat's own token."""
        keys = await self.keys()
        token = token or keys["seats"][str(keys["me"])]
        answer = await self.context.request.get(
            f"{self.site}/v1/sessions/{keys['id']}{path}", headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.ok, await answer.text()
        return await answer.json()

    async def heard(self) -> list[dict[str, str]]:
        """Every body that came to the page since it was loaded."""
        found: list[dict[str, str]] = await self.page.evaluate("window.heard")
        return found

    async def picture(self, name: str) -> None:
        """Keep what the window shows."""
        await self.page.screenshot(path=PICTURES / f"{name}.png")

    def was_discreet(self) -> None:
        """Nothing left this server, no token stood in a URL, and the console is empty."""
        for request in self.requests:
            url, _ = urldefrag(request.url)
            assert url.startswith(self.site + "/"), url
            assert not re.search(r"seat_|tbl_|[?&](token|key)=", url), url
            assert request.resource_type in {"document", "script", "stylesheet", "image", "fetch", "other"}, (
                url
            )
        assert not re.search("seat_|tbl_", self.page.url), self.page.url
        assert [line for line in self.complaints if not re.search(self.forgiven, line)] == []


Visit = Callable[..., Awaitable[Visitor]]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in open mode."""
    with servers(tmp_path_factory.mktemp("site")) as start:
        yield start("--sandbox", CROUPIER_DURABILITY="memory").url


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    path = installed()
    if path is None:
        reason = f"no Chromium: none of {', '.join(NAMES)} is on the path (apt-get install chromium)"
        if os.environ.get("CROUPIER_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    PICTURES.mkdir(exist_ok=True)
    expect.set_options(timeout=15_000)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def visit(chromium: Browser, site: str) -> AsyncIterator[Visit]:
    """Opens windows, each a browser of its own; at the end each has to have been discreet."""
    visitors: list[Visitor] = []

    async def _visit(*, at: str | None = None, **how: Any) -> Visitor:
        context = await chromium.new_context(
            **{
                "locale": "en-GB",
                "viewport": {"width": 1280, "height": 900},
                "reduced_motion": "reduce",
                "permissions": ["clipboard-read", "clipboard-write"],
                **how,
            }
        )
        await context.add_init_script(EAR)
        visitor = Visitor(await context.new_page(), context, at or site)
        visitor.watch()
        visitors.append(visitor)
        return visitor

    yield _visit
    for visitor in visitors:
        if not visitor.page.is_closed():
            await visitor.page.unroute_all(behavior="ignoreErrors")
        await visitor.context.close()
    for visitor in visitors:
        visitor.was_discreet()
