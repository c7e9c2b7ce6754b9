"""What the clients of Go and PHP are made of: the objects of the document with their fields, and its operations."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from .names import method_of
from .schemas import (
    EVENT,
    body_of,
    camel,
    data_of,
    operations_of,
    prepare_all,
    reference_of,
    success_of,
)

Schema: TypeAlias = dict[str, Any]

#: Numbers that are no amounts: tokens of a budget.
TOKENS = ("capacity", "refill_per_minute")


@dataclass(frozen=True)
class Type:
    #: amount, number, integer, flag, text, day, time, file, any, map, list or object.
    kind: str
    #: The name of an object.
    name: str = ""
    #: The type of what a list or a map holds.
    item: Type | None = None
    #: The values of a text that this document knows; a newer API may have others.
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    name: str
    type: Type
    #: It is always there, and never null.
    is_required: bool
    description: str

    @property
    def constant(self) -> str | None:
        """The only value of a field that must be sent."""
        return self.type.values[0] if self.is_required and len(self.type.values) == 1 else None


@dataclass(frozen=True)
class Object:
    name: str
    description: str
    #: The object whose fields it has, too.
    base: str | None
    fields: list[Field]
    #: A body sends it, itself or within another object.
    is_sent: bool = False


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    resource: str
    #: The name of its method, in snake case.
    name: str
    description: str
    path_names: list[str]
    #: The objects of its query and of its body.
    query: str | None
    body: str | None
    is_form: bool
    is_keyed: bool
    #: Its query has a page's number, and a cursor.
    has_pages: bool
    has_cursor: bool
    #: The media type of a success.
    accept: str
    #: one, whole, list, page, nothing or content.
    result: str
    #: The object of its result; of a list or a page its items' one.
    model: str

    @property
    def iterator(self) -> str | None:
        """The name of the iterator over all pages of a list."""
        is_iterated = self.result == "page" and self.has_cursor
        return self.name.replace("list", "iterate", 1) if is_iterated else None


def read_operations(document: Schema) -> dict[str, list[Operation]]:
    """Returns the operations of every resource, in the order of the document."""
    of_resource: defaultdict[str, list[Operation]] = defaultdict(list)
    for operation in operations_of(document):
        read = _read_operation(operation, document["components"]["schemas"])
        of_resource[read.resource].append(read)
    return of_resource


def _read_operation(operation: Schema, components: dict[str, Schema]) -> Operation:
    name = operation["operationId"]
    resource, method = method_of(name, operation["tags"][0])
    parameters = operation.get("parameters", [])
    in_query = [one["name"] for one in parameters if one["in"] == "query"]
    accept, _ = success_of(operation, components)
    result, model = _read_result(operation, components)
    summary = operation["summary"].rstrip(".") + "."
    return Operation(
        id=name,
        method=operation["method"],
        path=operation["path"],
        resource=resource,
        name=method,
        description="\n\n".join([summary, *filter(None, [operation.get("description")])]),
        path_names=re.findall(r"\{(\w+)\}", operation["path"]),
        query=f"{camel(name)}Query" if in_query else None,
        body=f"{camel(name)}Request" if body_of(operation) else None,
        is_form="multipart/form-data" in operation.get("requestBody", {}).get("content", {}),
        is_keyed=any(one["name"] == "Idempotency-Key" for one in parameters),
        has_pages="page" in in_query,
        has_cursor="cursor" in in_query,
        accept=accept,
        result=result,
        model=model,
    )


def _read_result(operation: Schema, components: dict[str, Schema]) -> tuple[str, str]:
    media_type, schema = success_of(operation, components)
    if media_type != "application/json":
        return "content", ""
    whole = reference_of(schema)
    if whole is not None:
        return "whole", whole
    data = data_of(operation, components)
    if not data:
        return "nothing", ""
    name = reference_of(data.get("items", data)) or f"{camel(operation['operationId'])}Result"
    if "items" not in data:
        return "one", name
    return "page" if "meta" in schema["properties"] else "list", name


def read_event_types(document: Schema) -> dict[str, str]:
    """Returns the object of an event's data by the type of the event."""
    components = document["components"]["schemas"]
    mapping = components[EVENT]["discriminator"]["mapping"]
    found = {}
    for kind, reference in mapping.items():
        event = components[reference_of({"$ref": reference}) or ""]
        found[kind] = reference_of(event["properties"]["data"]) or ""
    return found


def read_error_codes(document: Any) -> list[str]:
    """Returns the codes of every error body, wherever the document describes one."""
    return sorted(set(_codes_in(document)))


def _codes_in(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for item in part:
            yield from _codes_in(item)
    elif isinstance(part, dict):
        properties = part.get("properties")
        if isinstance(properties, dict) and "request_id" in properties:
            yield from properties.get("code", {}).get("enum", ())
        for inner in part.values():
            yield from _codes_in(inner)


def read_objects(document: Schema) -> list[Object]:
    """Returns every object of results, bodies and queries, by name. Events are not among them: their data are."""
    schemas = prepare_all(document)
    mapping = document["components"]["schemas"][EVENT]["discriminator"]["mapping"]
    events = {reference_of({"$ref": reference}) for reference in mapping.values()}
    objects = {
        name: _read_object(name, schema, schemas)
        for name, schema in sorted(schemas.items())
        if name not in events and ("properties" in schema or "allOf" in schema)
    }
    sent = set(_names_below([name for name in objects if name.endswith("Request")], objects))
    return [
        Object(one.name, one.description, one.base, one.fields, is_sent=one.name in sent)
        for one in objects.values()
    ]


def _names_below(names: list[str], objects: dict[str, Object]) -> Iterator[str]:
    for name in names:
        yield name
        types = [field.type for field in objects[name].fields]
        inner = [one.item if one.item else one for one in types]
        yield from _names_below([one.name for one in inner if one.name], objects)


def _read_object(name: str, schema: Schema, schemas: dict[str, Schema]) -> Object:
    parts = schema.get("allOf", [schema])
    bases = [reference for part in parts if (reference := reference_of(part))]
    fields = [
        _read_field(field, inner, field in part.get("required", []), schemas)
        for part in parts
        for field, inner in part.get("properties", {}).items()
    ]
    return Object(name, schema.get("description", ""), bases[0] if bases else None, fields)


def _read_field(name: str, schema: Schema, is_required: bool, schemas: dict[str, Schema]) -> Field:
    type_, is_nullable = _read_type(schema, schemas)
    if type_.kind == "amount" and name in TOKENS:
        type_ = Type("number")
    return Field(name, type_, is_required and not is_nullable, schema.get("description", ""))


def _read_type(schema: Schema, schemas: dict[str, Schema]) -> tuple[Type, bool]:
    """Returns a type, and whether null may be in its place."""
    name = reference_of(schema)
    if name is not None:
        return Type("object", name=name), False
    choices = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if choices:
        others = [one for one in choices if one.get("type") != "null"]
        is_nullable = len(others) < len(choices)
        if all(one.get("type") == "string" for one in others):
            values = [value for one in others for value in one.get("enum", ())]
            return Type("text", values=tuple(values)), is_nullable
        return _read_only_type(others, schemas), is_nullable
    types = schema.get("type", "any")
    if isinstance(types, list):
        others = [{**schema, "type": one} for one in types if one != "null"]
        return _read_only_type(others, schemas), "null" in types
    if types == "array":
        return Type("list", item=_read_type(schema["items"], schemas)[0]), False
    if types == "object":
        inner = schema.get("additionalProperties")
        item = _read_type(inner, schemas)[0] if isinstance(inner, dict) else Type("any")
        return Type("map", item=item), False
    if types == "number":
        return Type("integer" if "enum" in schema else "amount"), False
    if types == "string":
        formats = {"date": "day", "date-time": "time", "binary": "file"}
        return Type(formats.get(schema.get("format", ""), "text")), False
    return Type({"integer": "integer", "boolean": "flag"}.get(types, "any")), False


def _read_only_type(choices: list[Schema], schemas: dict[str, Schema]) -> Type:
    """Returns the type of a choice; where there are several that no type of these languages covers, any."""
    return _read_type(choices[0], schemas)[0] if len(choices) == 1 else Type("any")
