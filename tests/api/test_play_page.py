"""The page at ``/play`` as it is served: its files and nothing else, under a strict policy."""

import re
from html.parser import HTMLParser

import pytest

from api.conftest import Api, code
from croupier.play import assets


class Page(HTMLParser):
    """What a page loads, and what stands inline in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.inline: list[str] = []
        self._open: str = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._open = tag
        for name, value in attrs:
            if name == "src" or (name == "href" and tag == "link"):
                self.loads.append(value or "")
            if name == "style" or name.startswith("on"):
                self.inline.append(f"{tag} {name}")

    def handle_data(self, data: str) -> None:
        if self._open in ("script", "style") and data.strip():
            self.inline.append(data)


async def loaded(api: Api) -> list[str]:
    """Every path that the page comes to load: what it names, its modules import, and its styles picture."""
    found = Page((await api.http.get("/play")).text).loads
    for path in found:
        text = (await api.http.get(path)).text
        names = [f"/play/{name}" for name in re.findall(r'from "\./([^"]+)";', text)]
        names += re.findall(r'url\("([^"]+)"\)', text)
        found += [name for name in names if name not in found]
    return found


async def test_the_page_loads_from_this_server_alone_and_every_file_is_there(api: Api) -> None:
    paths = await loaded(api)
    for path in paths:
        answer = await api.http.get(path)
        assert answer.status_code == 200, path
        assert answer.content, path
    words = {name for name in assets() if name.startswith("words-")}
    assert {path.removeprefix("/play/") for path in paths} | words | {"index.html"} == assets().keys()


async def test_nothing_stands_inline_and_nothing_is_fetched_from_elsewhere(api: Api) -> None:
    page = await api.http.get("/play")
    assert Page(page.text).inline == []
    for name, asset in assets().items():
        text = asset.content.decode().replace("http://www.w3.org/", "")
        assert "://" not in text, name
        assert not re.search(
            r"innerHTML|insertAdjacentHTML|document\.write|\beval\(|new EventSource", text
        ), name


@pytest.mark.parametrize("path", ["/play", "/play/app.js", "/play/felt.css"])
async def test_the_policy_is_strict(api: Api, path: str) -> None:
    headers = (await api.http.get(path)).headers
    rules = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == rules["img-src"] == "'self'"
    assert rules["require-trusted-types-for"] == "'script'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "media"),
    [
        ("/play", "text/html; charset=utf-8"),
        ("/play/app.js", "text/javascript; charset=utf-8"),
        ("/play/base.css", "text/css; charset=utf-8"),
        ("/play/icon.svg", "image/svg+xml"),
        ("/play/words-pt-BR.json", "application/json"),
    ],
)
async def test_each_file_says_what_it_is_and_is_asked_about_before_it_is_used_again(
    api: Api, path: str, media: str
) -> None:
    first = await api.http.get(path)
    assert first.headers["content-type"] == media
    assert first.headers["cache-control"] == "public, no-cache"
    again = await api.http.get(path, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    # A browser takes a 304's headers in place of the ones it has kept.
    for name in ("content-security-policy", "cache-control", "etag"):
        assert again.headers[name] == first.headers[name]


@pytest.mark.parametrize(
    "name",
    [
        "index.html",
        "__init__.py",
        "__pycache__",
        "..%2fapi%2fapp.py",
        "%2e%2e",
        "app.js%00",
        "a%2fb",
        "APP.JS",
        "words-de.json",
    ],
)
async def test_no_other_file_is_served(api: Api, name: str) -> None:
    assert code(await api.http.get(f"/play/{name}")) == (404, "not-found")


async def test_every_module_is_named_by_the_page_so_that_none_waits_for_another(api: Api) -> None:
    text = (await api.http.get("/play")).text
    named = set(re.findall(r'(?:modulepreload" href|module" src)="/play/([^"]+)"', text))
    assert named == {name for name in assets() if name.endswith(".js")}
