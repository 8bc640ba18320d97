"""The document holds what ``openapi/redocly.yaml`` asks of it, and what is asked is looked at."""

import json
from pathlib import Path
from typing import Any

from clients.workshop import DOCUMENT, OPENAPI, README, node_tools, run

Spoil = tuple[str, tuple[str, ...], str]
BODY = ("content", "application/json", "examples")
REFUSAL = ("responses", "409", "content", "application/problem+json", "examples")
SPOILT: tuple[Spoil, ...] = (
    ("deal", ("summary",), "operation-summary"),
    ("deal", ("description",), "operation-description"),
    ("deal", ("tags",), "rule/operation-tagged"),
    ("deal", ("requestBody", *BODY), "croupier/examples"),
    ("deal", ("responses", "201", "headers", "Idempotency-Replayed"), "croupier/idempotency"),
    ("decide", ("responses", "200", *BODY), "croupier/examples"),
    ("decide", ("responses", "200", "headers", "ETag"), "croupier/version-guard"),
    ("decide", ("responses", "200", "links"), "croupier/links"),
    ("decide", ("parameters",), "croupier/idempotency"),
    ("close", ("operationId",), "croupier/stable-operation-id"),
    ("close", REFUSAL, "croupier/examples"),
    ("close", (*REFUSAL, "stale-version"), "croupier/version-guard"),
)
"""What is taken out of an operation, and the rule that has to notice."""


def lint(document: Path) -> set[tuple[str, str]]:
    """The rules that *document* breaks, and where."""
    redocly = node_tools() / "node_modules" / ".bin" / "redocly"
    settings = ["--config", OPENAPI / "redocly.yaml", "--format", "json", "--max-problems", "1000"]
    ended = run([redocly, "lint", *settings, document], document.parent, {"REDOCLY_TELEMETRY": "off"})
    assert ended.stdout.lstrip().startswith("{"), ended.stderr
    found = {(one["ruleId"], one["location"][0]["pointer"]) for one in json.loads(ended.stdout)["problems"]}
    assert bool(ended.returncode) == bool(found)
    return found


def test_the_linter_finds_nothing() -> None:
    assert lint(DOCUMENT) == set()
    assert "npx redocly lint --config redocly.yaml openapi.json" in README


def test_the_linter_finds_whatever_is_missing(tmp_path: Path) -> None:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    for name, (*steps, last), _ in reversed(SPOILT):
        node: Any = document["paths"][f"/v1/sessions/{{session_id}}/{name}"]["post"]
        for step in steps:
            node = node[step]
        del node[last]
    del document["components"]["schemas"]["Round"]["discriminator"]
    spoilt = tmp_path / "openapi.json"
    spoilt.write_text(json.dumps(document), encoding="utf-8")
    found = lint(spoilt)
    for name, _, rule in SPOILT:
        path = f"/paths/~1v1~1sessions~1{{session_id}}~1{name}/post"
        assert [where for broken, where in found if broken == rule and path in where], (name, rule)
    assert ("croupier/told-apart", "#/components/schemas/Round") in found
