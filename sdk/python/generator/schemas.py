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
    """Returns the schemas of all responses by name, their inline objects named, and open to newer APIs."""
    schemas = {name: dict(schema) for name, schema in document["components"]["schemas"].items()}
    for operation_id, data in _inline_data(document):
        schemas[camel(operation_id) + "Result"] = data
    schemas = {name: _open(schema) for name, schema in schemas.items()}
    names = _names_of_inline_objects(schemas)
    for name in list(schemas):
        schemas[name] = _extract(schemas[name], name, names, schemas, is_root=True)
    return schemas


def _inline_data(document: Schema) -> Iterator[tuple[str, Schema]]:
    """Yields the ``data`` of responses that is an object without a name."""
    for operation in operations_of(document):
        data = response_schema(operation).get("properties", {}).get("data", {})
        if "properties" in data:
            yield operation["operationId"], data


def operations_of(document: Schema) -> Iterator[Schema]:
    """Yields every operation with its method and path."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "operationId" in operation:
                yield {**operation, "method": method.upper(), "path": path}


def success_of(operation: Schema) -> tuple[str, Schema]:
    """Returns the media type and the schema of a success."""
    content = next(answer["content"] for status, answer in operation["responses"].items() if status < "300")
    media_type, body = next(iter(content.items()))
    return media_type, body.get("schema", {})


def response_schema(operation: Schema) -> Schema:
    media_type, schema = success_of(operation)
    return schema if media_type == "application/json" else {}


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
    if opened.get("type") == "number" or pattern == AMOUNT_TEXT:
        return {**opened, "type": "number", "format": "decimal"}
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
    own = {key: _extract(value, name, names, schemas) for key, value in schema.items() if key != "properties"}
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
    """`recipient_account` is a RecipientAccount, `Delivery.tries` a DeliveryTry."""
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
SINGULARS = {"history": "history_entry", "tries": "try"}
