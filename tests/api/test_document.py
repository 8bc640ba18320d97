"""The OpenAPI document: valid, complete, true to the application, and good to generate clients from."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from croupier.api.openapi import document
from croupier.api.problems import PROBLEMS
from croupier.api.resources import RESOURCES
from croupier.api.swagger import in_version_3_0
from croupier.rules.registry import GAMES

DOCUMENT = document()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
CHANGES = {"startSession", "deal", "decide", "voidRound", "closeSession", "changeSeat"}
by_id = pytest.mark.parametrize(
    ("path", "method", "operation"), OPERATIONS, ids=[one["operationId"] for _, _, one in OPERATIONS]
)


def followed(node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        found: Any = DOCUMENT
        for step in node["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        node = found
    return node


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def nodes(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(node, dict):
        yield path, node
        for key, value in node.items():
            yield from nodes(value, f"{path}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from nodes(value, f"{path}/{index}")


def test_is_valid_in_3_1_and_its_copy_in_3_0() -> None:
    assert DOCUMENT["openapi"].startswith("3.1")
    OpenAPIV31SpecValidator(DOCUMENT).validate()
    OpenAPIV30SpecValidator(in_version_3_0(DOCUMENT)).validate()


def test_the_file_in_the_repository_is_up_to_date() -> None:
    kept = Path(__file__).parents[2] / "openapi" / "openapi.json"
    assert json.loads(kept.read_text(encoding="utf-8")) == json.loads(json.dumps(DOCUMENT))


def test_every_route_of_the_application_is_in_it() -> None:
    served = {
        (method, re.sub(r":\w+}", "}", f"{vars(one).get('path', '')}/{path.strip('/')}".rstrip("/")))
        for one in RESOURCES
        for handler in vars(one).values()
        if hasattr(handler, "http_methods")
        for path in handler.paths
        for method in handler.http_methods
        if method in ("GET", "POST")
    }
    described = {(method.upper(), path) for path, method, _ in OPERATIONS}
    pages = {("GET", path + name) for path in ("/docs", "/play") for name in ("", "/{name}")}
    assert served - described == pages
    assert described <= served


def test_no_schema_is_without_use_and_no_reference_without_schema() -> None:
    used = {node["$ref"] for _, node in nodes(DOCUMENT) if isinstance(node.get("$ref"), str)}
    for ref in used:
        assert followed({"$ref": ref})
    named = {f"#/components/schemas/{name}" for name in SCHEMAS}
    assert named <= used


def test_operation_ids_are_distinct_and_each_tag_is_described() -> None:
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z][A-Za-z]+", one) for one in ids)
    assert {tag for _, _, one in OPERATIONS for tag in one["tags"]} == {
        one["name"] for one in DOCUMENT["tags"]
    }


@by_id
def test_path_parameters_are_declared_and_bounded(path: str, method: str, operation: dict[str, Any]) -> None:
    parameters = [followed(one) for one in operation["parameters"]]
    named = {one["name"] for one in parameters if one["in"] == "path"}
    assert named == set(re.findall(r"{(\w+)}", path))
    for one in parameters:
        schema = one["schema"]
        assert one["description"]
        match schema["type"]:
            case "integer":
                assert "minimum" in schema and "maximum" in schema
            case "string" if one["in"] != "header":
                assert "enum" in schema or "pattern" in schema
            case kind:
                assert kind == "string", "in a query nothing is null"


@by_id
def test_every_request_object_is_closed(path: str, method: str, operation: dict[str, Any]) -> None:
    if "requestBody" not in operation:
        return
    reached = {"": operation["requestBody"]["content"]["application/json"]["schema"]}
    while fresh := {
        node["$ref"]: followed(node)
        for schema in reached.values()
        for _, node in nodes(schema)
        if isinstance(node.get("$ref"), str) and node["$ref"] not in reached
    }:
        reached |= fresh
    objects = [
        (name, node)
        for name, schema in reached.items()
        for _, node in nodes(schema)
        if node.get("type") == "object"
    ]
    assert objects
    for name, node in objects:
        closed = node.get("additionalProperties")
        assert closed is False or (closed["type"] == "string" and "maxProperties" in node), name


@by_id
def test_every_string_and_integer_of_a_request_is_bounded(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    if "requestBody" not in operation:
        return
    seen: set[str] = set()

    def check(schema: dict[str, Any]) -> None:
        for where, node in nodes(schema):
            if isinstance(ref := node.get("$ref"), str) and ref not in seen:
                seen.add(ref)
                check(followed(node))
            match node.get("type"):
                case "string":
                    assert node.keys() & {"maxLength", "const", "enum"}, (where, node)
                case "integer":
                    assert "minimum" in node and "maximum" in node, (where, node)
                case "array":
                    assert "maxItems" in node, (where, node)

    check(operation["requestBody"]["content"]["application/json"]["schema"])


def test_unions_are_told_apart_by_a_required_constant() -> None:
    unions = {where: node for where, node in nodes(SCHEMAS) if "discriminator" in node}
    titles = {node["title"] for node in unions.values()}
    requests = {"StartRequest", "SeatRequest", "Action", "OddsRequest"}
    assert titles == requests | {"LegalAction", "LedgerEntry", "Round", "Option"}
    for node in unions.values():
        tag = node["discriminator"]["propertyName"]
        for value, ref in node["discriminator"]["mapping"].items():
            branch = followed({"$ref": ref})
            assert tag in branch["required"]
            told = branch["properties"][tag]
            assert value in told.get("enum", [told.get("const")])
        assert {one["$ref"] for one in node["oneOf"]} == set(node["discriminator"]["mapping"].values())


def test_a_start_has_a_branch_for_every_game() -> None:
    assert set(SCHEMAS["StartRequest"]["discriminator"]["mapping"]) == set(GAMES)


def test_what_may_need_more_than_32_bits_says_so() -> None:
    wide = {where for where, node in nodes(SCHEMAS) if node.get("format") == "int64"}
    assert {"/SettledBet/properties/staked", "/Totals/properties/net", "/Raise/properties/to"} <= wide
    for _, node in nodes(DOCUMENT):
        if node.get("type") == "integer" and "maximum" in node:
            assert ("format" in node) == (node["maximum"] >= 2**31)


def test_nulls_are_said_the_way_of_3_1() -> None:
    assert not [where for where, node in nodes(DOCUMENT["components"]) if node.get("nullable") is True]
    assert {"type": "null"} in SCHEMAS["Session"]["properties"]["round"]["anyOf"]


def test_answers_are_open_and_what_may_be_missing_is_not_null() -> None:
    for name in ("Session", "HouseRound", "NoLimitRound", "Ledger", "LegalCall", "Problem", "RoundSettled"):
        assert "additionalProperties" not in SCHEMAS[name], name
    assert SCHEMAS["Seat"]["properties"]["stack"]["type"] == "integer"
    assert "stack" not in SCHEMAS["Seat"]["required"]


@by_id
def test_examples_fit_their_schemas(path: str, method: str, operation: dict[str, Any]) -> None:
    contents = [operation.get("requestBody", {}), *map(followed, operation["responses"].values())]
    shown = 0
    for content in contents:
        for media in content.get("content", {}).values():
            for example in media.get("examples", {}).values():
                shown += 1
                validator(media["schema"]).validate(followed(example)["value"])
    assert shown


@by_id
def test_every_refusal_is_a_problem_document(path: str, method: str, operation: dict[str, Any]) -> None:
    refusals = {int(status): followed(one) for status, one in operation["responses"].items() if status >= "4"}
    assert {400, 403, 406, 500} <= set(refusals)
    assert ({413, 415} <= set(refusals)) == ("requestBody" in operation)
    assert (401 in refusals) == bool(operation["security"])
    assert ("{" in path) <= (404 in refusals)
    for status, one in refusals.items():
        assert list(one["content"]) == ["application/problem+json"]
        media = one["content"]["application/problem+json"]
        assert media["schema"] == {"$ref": "#/components/schemas/Problem"}
        for code in media["examples"]:
            assert PROBLEMS[code].status == status
        assert "X-Request-Id" in one["headers"]
        assert ("Retry-After" in one["headers"]) == (status in (429, 503))
        assert ("WWW-Authenticate" in one["headers"]) == (status == 401)


@by_id
def test_a_post_with_a_credential_may_be_retried(path: str, method: str, operation: dict[str, Any]) -> None:
    taken = {followed(one)["name"] for one in operation["parameters"]}
    good = next(one for status, one in operation["responses"].items() if status.startswith("2"))
    changes = operation["operationId"] in CHANGES
    keyed = changes or operation["operationId"] == "workOutOdds"
    assert ("Idempotency-Key" in taken) == keyed
    assert ("Idempotency-Replayed" in good["headers"]) == keyed
    assert ("422" in operation["responses"]) == keyed
    if changes:
        assert "ETag" in good["headers"]
        assert ("409" in operation["responses"]) == ("{session_id}" in path)


def test_a_started_session_has_a_location_and_links_lead_to_the_ledger() -> None:
    links = {
        operation["operationId"]: {
            link["operationId"]
            for response in operation["responses"].values()
            for link in followed(response).get("links", {}).values()
        }
        for _, _, operation in OPERATIONS
    }
    started = DOCUMENT["paths"]["/v1/sessions"]["post"]["responses"]["201"]
    assert "Location" in started["headers"]
    assert started["links"]["deal"]["parameters"] == {"path.session_id": "$response.body#/session/id"}
    assert {"deal", "readSession", "changeSeat", "listJackpots"} <= links["startSession"]
    assert {"decide", "readAdvice", "readRound", "voidRound"} <= links["deal"]
    assert {"deal", "decide", "readLedger"} <= links["decide"]
    assert "reportRounds" in links["closeSession"]
    # What needs no session needs nobody to lead there; all the rest is led to.
    alone = {path for path, _, _ in OPERATIONS if path.startswith(("/v1/games", "/v1/hands", "/v1/fairness"))}
    led_to = {one for several in links.values() for one in several}
    for path, _, operation in OPERATIONS:
        if path.startswith("/v1") and path not in alone | {"/v1/odds", "/v1/sessions"}:
            assert operation["operationId"] in led_to


def test_each_credential_is_a_bearer_scheme_and_each_operation_says_which() -> None:
    schemes = DOCUMENT["components"]["securitySchemes"]
    assert set(schemes) == {"operatorKey", "tableToken", "seatToken", "metricsKey"}
    assert all((one["type"], one["scheme"]) == ("http", "bearer") for one in schemes.values())
    who = {
        operation["operationId"]: {name for one in operation["security"] for name in one}
        for _, _, operation in OPERATIONS
    }
    assert who["startSession"] == who["listSessions"] == who["voidRound"] == {"operatorKey"}
    assert who["decide"] == {"seatToken"}
    assert who["deal"] == {"tableToken", "seatToken"}
    assert who["readLedger"] == {"operatorKey", "tableToken", "seatToken"}
    assert who["listGames"] == who["evaluateHands"] == who["verifyDeck"] == who["explainProblem"] == set()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("DecideRequest", {"action": {"type": "call", "amount": 2}}),
        ("DecideRequest", {"action": {"to": 5}}),
        ("DecideRequest", {"action": {"type": "bet", "to": 0}}),
        ("DealRequest", {"deck": ["Ah", "Ah"]}),
        ("DealRequest", {"deck": ["ah"]}),
        ("StartRequest", {"game": "casino-holdem", "seats": 1}),
        ("StartRequest", {"game": "casino-holdem", "metadata": {"": "x"}}),
        ("StartRequest", {"game": "casino-holdem", "metadata": {"a": 1}}),
        ("SeatRequest", {"do": "sit_out", "amount": 1}),
    ],
)
def test_the_schemas_refuse_what_the_server_refuses(schema: str, value: Any) -> None:
    assert not validator({"$ref": f"#/components/schemas/{schema}"}).is_valid(value)
