"""The schemas of the OpenAPI document: Pydantic's own, closed where clients write, open where they read."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from croupier.api.answers.problems import Problem
from croupier.api.operations import Operation

Schema: TypeAlias = dict[str, Any]

_SCHEMAS = "#/components/schemas/"
_INT32 = 2**31 - 1


def ref(kind: str, name: str) -> dict[str, Any]:
    """A reference to a component."""
    return {"$ref": f"#/components/{kind}/{name}"}


class Schemas(GenerateJsonSchema):
    """Pydantic's schemas, without a title that only repeats a field's name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False

    def int_schema(self, schema: Any) -> Schema:
        """An integer; one that may need more than 32 bits says so, for languages that have to choose."""
        found: Schema = super().int_schema(schema)
        if found.get("maximum", _INT32 + 1) > _INT32:
            found["format"] = "int64"
        return found

    def dict_schema(self, schema: Any) -> Schema:
        """A map; the pattern of its names stands with the names, where generators of clients look."""
        found: Schema = super().dict_schema(schema)
        for pattern, values in found.pop("patternProperties", {}).items():
            found["propertyNames"] = {**found.get("propertyNames", {}), "type": "string", "pattern": pattern}
            found["additionalProperties"] = values
        return found


def schemas_of(operations: Iterable[Operation]) -> Schema:
    """Every schema that *operations* use, by its name."""
    operations = list(operations)
    requests = _definitions([operation.body for operation in operations if operation.body is not None])
    answers = _definitions([Problem, *(one.answer for one in operations if one.answer is not None)])
    for schema in answers.values():
        _open(schema)
    named: Schema = {}
    for name, schema in (*requests.items(), *answers.items()):
        if name in named:
            raise ValueError(f"two schemas are named {name}")
        named[name] = {key: _hoisted(value, named) for key, value in schema.items()}
    return dict(sorted(named.items()))


def _definitions(models: list[type[BaseModel]]) -> Schema:
    _, whole = models_json_schema(
        [(model, "validation") for model in dict.fromkeys(models)],
        ref_template=_SCHEMAS + "{model}",
        schema_generator=Schemas,
    )
    schemas: Schema = whole["$defs"]
    _require_tags(schemas, schemas)
    return schemas


def _require_tags(node: Any, schemas: Schema) -> None:
    """Make the property that tells a union's branches apart required: without it no branch is found."""
    match node:
        case {"discriminator": {"propertyName": tag, "mapping": dict(mapping)}}:
            for target in mapping.values():
                branch = schemas[str(target).removeprefix(_SCHEMAS)]
                branch["properties"][tag].pop("default", None)
                branch["required"] = sorted({tag, *branch.get("required", ())})
    children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for child in children:
        _require_tags(child, schemas)


def _open(answer: Schema) -> None:
    """Let an answer gain fields in later versions; a field that may be missing is missing, never null."""
    if answer.get("additionalProperties") is False:
        del answer["additionalProperties"]
    for name, field in answer.get("properties", {}).items():
        match field:
            case {"default": None, "anyOf": [only, {"type": "null"}], **rest}:
                answer["properties"][name] = {**only, **rest}


def _hoisted(node: Any, named: Schema) -> Any:
    """*node* with every titled schema inside it put among the *named* ones, and a reference in its place."""
    match node:
        case dict():
            inner = {key: _hoisted(value, named) for key, value in node.items()}
            if not isinstance(node.get("title"), str):
                return inner
            beside = {key: inner.pop(key) for key in ("default",) if key in inner}
            known = named.setdefault(node["title"], inner)
            if inner.get("description") != known.get("description"):
                beside["description"] = inner.get("description")
            if {**inner, "description": None} != {**known, "description": None}:
                raise ValueError(f"two schemas are titled {node['title']}")
            return ref("schemas", node["title"]) | beside
        case list():
            return [_hoisted(value, named) for value in node]
        case _:
            return node
