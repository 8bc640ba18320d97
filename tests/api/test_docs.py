"""The page that documents the API, which needs no other server."""

import re

import pytest

from api.conftest import Api, code
from croupier.api.openapi import document
from croupier.api.swagger import in_version_3_0


async def test_the_page_loads_from_this_server_alone(api: Api) -> None:
    page = await api.http.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    start = await api.http.get("/docs/start.js")
    loaded = re.findall(r"""(?:src|href|url)[=:] ?"([^"]+)\"""", page.text + start.text)
    assert "/docs/openapi.json" in loaded
    for path in loaded:
        assert re.match(r"/(?!/)", path), path
        answer = await api.http.get(path)
        assert answer.status_code == 200, path
        assert answer.content


@pytest.mark.parametrize("path", ["/", "/v1"])
async def test_who_looks_at_the_beginning_is_told_of_the_page(api: Api, path: str) -> None:
    nothing = (await api.http.get(path)).json()
    assert nothing["detail"] == "There is nothing at this path. The API is under /v1, and described at /docs."


async def test_the_page_may_run_scripts_and_ask_of_this_server_alone(api: Api) -> None:
    policy = (await api.http.get("/docs")).headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"


@pytest.mark.parametrize(
    ("path", "media"),
    [
        ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
        ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
        ("/docs/start.js", "text/javascript; charset=utf-8"),
        ("/docs/favicon-32x32.png", "image/png"),
        ("/docs/openapi.json", "application/json"),
        ("/openapi.json", "application/json"),
    ],
)
async def test_each_file_says_what_it_is(api: Api, path: str, media: str) -> None:
    assert (await api.http.get(path)).headers["content-type"] == media


@pytest.mark.parametrize(
    "name", ["index.html", "..%2fpyproject.toml", "%2e%2e", "swagger-ui.css%00", "a%2fb"]
)
async def test_no_other_file_is_served(api: Api, name: str) -> None:
    assert code(await api.http.get(f"/docs/{name}")) == (404, "not-found")


async def test_the_document_is_served_as_it_is_and_once_only_while_it_stays(api: Api) -> None:
    first = await api.http.get("/openapi.json")
    assert first.json() == document()
    again = await api.http.get("/openapi.json", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_copy_in_3_0_says_the_same_in_older_words() -> None:
    older = in_version_3_0(document())
    schemas = older["components"]["schemas"]
    assert older["openapi"] == "3.0.3"
    assert older["paths"].keys() == document()["paths"].keys()
    assert schemas["LegalFold"]["properties"]["type"] == {"type": "string", "enum": ["fold"]}
    assert schemas["Card"]["example"] == "Ah"
    assert schemas["Session"]["properties"]["round"] == {
        "allOf": [{"$ref": "#/components/schemas/Round"}],
        "nullable": True,
    }
    seconds = schemas["CasinoHoldemStart"]["properties"]["decision_seconds"]
    assert (seconds["type"], seconds["maximum"], seconds["nullable"]) == ("integer", 86_400, True)
