"""Makes the models: the schemas of responses, prepared for datamodel-code-generator."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

REF = "#/components/schemas/"
#: Not a model: trilho/events.py has the union of its kinds.
EVENT = "Event"
#: How the API writes a boolean in a query or a form.
FLAG_MARK = "[Tt][Rr][Uu][Ee]"
#: An amount as a text: a Decimal like those that are numbers.
AMOUNT_TEXT = r"^-?\d+\.\d{2}$"
#: What the API checks is not checked again in its responses, or a client would refuse those of a newer one.
CONSTRAINTS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "propertyNames"),
    *("examples", "example", "default", "additionalProperties"),
)


def write_models(document: Schema, header: str) -> str:
    """Returns the module with a model for every resource."""
    schemas = prepare(document)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "api.json"), Path(folder, "models.py")
        source.write_text(
            json.dumps({"openapi": "3.1.0", "info": {}, "paths": {}, "components": {"schemas": schemas}})
        )
        options = [
            *("--input", str(source), "--input-file-type", "openapi", "--output", str(target)),
            *("--output-model-type", "pydantic_v2.BaseModel", "--base-class", "trilho._model.Model"),
            *("--target-python-version", "3.10", "--enum-field-as-literal", "all", "--formatters", "builtin"),
            *("--use-union-operator", "--use-standard-collections", "--use-annotated"),
            *("--use-schema-description", "--use-field-description", "--disable-timestamp"),
            *("--custom-file-header", header),
        ]
        subprocess.run([sys.executable, "-m", "datamodel_code_generator", *options], check=True)  # noqa: S603
        return target.read_text()


def prepare(document: Schema) -> dict[str, Schema]:
    """Returns the schemas of all results by name, their inline objects named, and open to newer APIs."""
    return _name_inline_objects(_results_of(document))


def _results_of(document: Schema) -> dict[str, Schema]:
    components = document["components"]["schemas"]
    results = {
        f"{camel(operation['operationId'])}Result": data
        for operation in operations_of(document)
        if "properties" in (data := data_of(operation, components))
    }
    roots = [
        *results.values(),
        *(success_of(operation, components)[1] for operation in operations_of(document)),
    ]
    used = _reachable(roots, components)
    described = {
        reference_of(hook["post"]["requestBody"]["content"]["application/json"]["schema"]): hook["post"]
        for hook in document.get("webhooks", {}).values()
    }
    schemas = {
        name: {"description": described[name]["description"], **schema} if name in described else schema
        for name, schema in components.items()
        if name in used and not is_envelope(name) and name != EVENT
    }
    return {**schemas, **results}


def prepare_all(document: Schema) -> dict[str, Schema]:
    """Returns the schemas of all results as `prepare` does, and with them those of all bodies and queries, each with a
    name of its own: `CreatePaymentRequest`, `ListPaymentsQuery`. Of alternatives each field is optional."""
    components = document["components"]["schemas"]
    requests: dict[str, Schema] = {}
    for operation in operations_of(document):
        name = camel(operation["operationId"])
        body = body_of(operation)
        if body:
            requests[f"{name}Request"] = components[reference] if (reference := reference_of(body)) else body
        queries = [one for one in operation.get("parameters", []) if one["in"] == "query"]
        if queries:
            requests[f"{name}Query"] = {
                "type": "object",
                "properties": {one["name"]: one["schema"] for one in queries},
                "required": [one["name"] for one in queries if one.get("required")],
            }
    used = _reachable(list(requests.values()), components)
    every = {**_results_of(document), **requests, **{name: components[name] for name in used}}
    return _name_inline_objects({name: _simplify(schema, components) for name, schema in every.items()})


def body_of(operation: Schema) -> Schema:
    """Returns the schema of a body, as JSON where there is a choice; empty where there is none."""
    content = operation.get("requestBody", {}).get("content", {})
    return next(iter(content.values()))["schema"] if content else {}


def _simplify(schema: Any, components: dict[str, Schema]) -> Any:
    """Makes flags of texts, files of what holds one, and one object of alternatives."""
    if isinstance(schema, list):
        return [_simplify(item, components) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if FLAG_MARK in schema.get("pattern", ""):
        return {**schema, "type": "boolean"}
    if "file" in schema.get("properties", {}):
        return {"type": "string", "format": "binary"}
    choices = [components[name] for one in schema.get("anyOf", []) if (name := reference_of(one))]
    if len(choices) > 1:
        properties = {name: inner for one in choices for name, inner in one["properties"].items()}
        schema = {
            **{key: value for key, value in schema.items() if key != "anyOf"},
            "type": "object",
            "properties": properties,
        }
    return {
        key: {name: _simplify(item, components) for name, item in value.items()}
        if key == "properties"
        else _simplify(value, components)
        for key, value in schema.items()
    }


def _name_inline_objects(schemas: dict[str, Schema]) -> dict[str, Schema]:
    """Opens schemas to newer APIs, and gives the objects within them names."""
    schemas = {name: _open(schema) for name, schema in schemas.items()}
    names = _names_of_inline_objects(schemas)
    for name in list(schemas):
        schemas[name] = _extract(schemas[name], name, names, schemas, is_root=True)
    return schemas


def _reachable(roots: list[Any], components: dict[str, Schema]) -> set[str]:
    """Returns the names of all schemas that some schemas refer to, directly or not."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
            name = reference_of(part)
            if name is not None and name not in found:
                found.add(name)
                waiting.append(components[name])
    return found


def reference_of(schema: Schema) -> str | None:
    """Returns the name of the schema that a reference is to."""
    reference = schema.get("$ref")
    return reference.removeprefix(REF) if isinstance(reference, str) else None


def is_envelope(name: str) -> bool:
    """`{"data": …}` around a resource is not a model: methods return what is in it."""
    return name.endswith("Response")


def operations_of(document: Schema) -> Iterator[Schema]:
    """Yields every operation with its method and path."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "operationId" in operation:
                yield {**operation, "method": method.upper(), "path": path}


def success_of(operation: Schema, components: dict[str, Schema]) -> tuple[str, Schema]:
    """Returns the media type and the schema of a success, of an envelope its content."""
    content = next(answer["content"] for status, answer in operation["responses"].items() if status < "300")
    media_type, body = next(iter(content.items()))
    schema = body.get("schema", {})
    name = reference_of(schema)
    return media_type, components[name] if name and is_envelope(name) else schema


def data_of(operation: Schema, components: dict[str, Schema]) -> Schema:
    """Returns the schema of a result; empty where it is the whole body, or not JSON."""
    media_type, schema = success_of(operation, components)
    data: Schema = schema.get("properties", {}).get("data", {}) if media_type == "application/json" else {}
    return data


def _open(schema: Any) -> Any:
    """Removes checks, makes amounts decimal, and accepts values of an enumeration that came later."""
    if isinstance(schema, list):
        return [_open(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    pattern = schema.get("pattern")
    opened = {
        key: {name: _open(item) for name, item in value.items()} if key == "properties" else _open(value)
        for key, value in schema.items()
        if key not in CONSTRAINTS or (key == "additionalProperties" and "properties" not in schema)
    }
    if opened.get("type") in ("number", ["number", "null"]) or pattern == AMOUNT_TEXT:
        return {**opened, "type": "number" if pattern == AMOUNT_TEXT else opened["type"], "format": "decimal"}
    if opened.get("type") == "string" and ("enum" in opened or "const" in opened):
        known = {"type": "string", "enum": opened.pop("enum", None) or [opened.pop("const")]}
        description = {"description": opened["description"]} if "description" in opened else {}
        return {"anyOf": [known, {"type": "string"}], **description}
    if opened.get("format") == "uuid":
        del opened["format"]
        if opened.get("description") == "A UUID":
            del opened["description"]
    return opened


def _walk(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yields the inline objects below a schema with the names of their properties, the deepest first."""
    for name, inner in schema.get("properties", {}).items():
        for part in _parts(inner):
            yield from _walk(part)
            if "properties" in part:
                yield name, part


def _parts(schema: Schema) -> Iterator[Schema]:
    yield schema
    for inner in [*schema.get("anyOf", []), *schema.get("oneOf", []), *schema.get("allOf", [])]:
        yield from _parts(inner)
    if isinstance(schema.get("items"), dict):
        yield from _parts(schema["items"])


def _names_of_inline_objects(schemas: dict[str, Schema]) -> dict[str, str]:
    """Returns names for properties whose inline objects are the same everywhere: `bank` is a `Bank`."""
    shapes: defaultdict[str, set[str]] = defaultdict(set)
    for schema in schemas.values():
        for name, part in _walk(schema):
            shapes[name].add(_shape(part))
    return {
        name: title(name)
        for name, of_name in shapes.items()
        if len(of_name) == 1 and title(name) not in schemas
    }


def _shape(schema: Any) -> str:
    if isinstance(schema, dict):
        return json.dumps(
            {key: _shape(value) for key, value in sorted(schema.items()) if key != "description"}
        )
    return json.dumps([_shape(item) for item in schema] if isinstance(schema, list) else schema)


def _extract(
    schema: Any, name: str, names: dict[str, str], schemas: dict[str, Schema], *, is_root: bool = False
) -> Any:
    """Replaces inline objects by references to schemas with a name."""
    if isinstance(schema, list):
        return [_extract(item, name, names, schemas) for item in schema]
    if not isinstance(schema, dict):
        return schema
    own = {
        # A part of a whole has no name of its own.
        key: [_extract(part, name, names, schemas, is_root=True) for part in value]
        if key == "allOf"
        else _extract(value, name, names, schemas)
        for key, value in schema.items()
        if key != "properties"
    }
    if "properties" not in schema:
        return own
    parent = name if is_root else names.get(name.rpartition(".")[2], title(name))
    own["properties"] = {
        property_name: _extract(inner, f"{parent}.{property_name}", names, schemas)
        for property_name, inner in schema["properties"].items()
    }
    if is_root:
        return own
    schemas[parent] = own
    return {"$ref": REF + parent}


def title(name: str) -> str:
    """`recipient_account` is a RecipientAccount, `Delivery.attempts` a DeliveryAttempt."""
    path, _, last = name.replace("-", "_").rpartition(".")
    if last in SINGULARS:
        last = SINGULARS[last]
    elif last.endswith("s") and not last.endswith(("ss", "us")) and last != "fees":
        last = last[:-1]
    return camel(f"{path}.{last}")


def camel(name: str) -> str:
    """`pix_keys` is PixKeys."""
    return "".join(word[0].upper() + word[1:] for word in re.split(r"[._-]", name) if word)


#: Of lists whose name is not their item's with an s.
SINGULARS = {"history": "history_entry"}
