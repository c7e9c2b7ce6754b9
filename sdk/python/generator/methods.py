"""Makes the methods of the client: one per operation of the API, and an iterator per list, sync and async."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, TypeAlias

from .inputs import Inputs
from .names import method_of
from .schemas import EVENT, camel, data_of, operations_of, reference_of, success_of

Schema: TypeAlias = dict[str, Any]

#: Set by iterators themselves.
POSITION = ("page", "cursor")
KEYWORD_DESCRIPTION = (
    "Repeat a call with the key of the first one to get its result; made for each call where absent"
)


@dataclass(frozen=True)
class Parameter:
    name: str
    #: Its type, with its default where it is optional.
    annotation: str
    is_required: bool
    description: str | None = None
    #: The code of its value in the call.
    value: str = ""

    @property
    def code(self) -> str:
        return f"{self.name}: {self.annotation}"


@dataclass(frozen=True)
class Method:
    """A method as both clients have it."""

    operation: Schema
    resource: str
    name: str
    path: list[Parameter]
    query: list[Parameter]
    body: list[Parameter]
    files: list[Parameter]
    is_keyed: bool
    #: The media type of a success.
    accept: str
    result: str
    parser: str

    @property
    def keywords(self) -> list[Parameter]:
        every = [*self.query, *self.body, *self.files]
        return sorted(every, key=lambda parameter: not parameter.is_required)

    @property
    def has_cursor(self) -> bool:
        return any(parameter.name == "cursor" for parameter in self.query)


def read_methods(document: Schema, inputs: Inputs) -> list[Method]:
    """Describes the method of every operation, in the order of the document."""
    return [_read_method(operation, inputs) for operation in operations_of(document)]


def _read_method(operation: Schema, inputs: Inputs) -> Method:
    name = operation["operationId"]
    resource, method = method_of(name, operation["tags"][0])
    prefix = camel(name)
    of_place: defaultdict[str, list[Parameter]] = defaultdict(list)
    for parameter in map(inputs.resolve, operation.get("parameters", [])):
        of_place[parameter["in"]].append(_read_parameter(parameter, prefix, inputs))
    body, files = _read_body(operation.get("requestBody"), prefix, inputs)
    accept, _ = success_of(operation, inputs.components)
    result, parser = _read_result(operation, inputs.components)
    return Method(
        operation=operation,
        resource=resource,
        name=method,
        path=of_place["path"],
        query=of_place["query"],
        body=body,
        files=files,
        is_keyed=any(header.name == "Idempotency-Key" for header in of_place["header"]),
        accept=accept,
        result=result,
        parser=parser,
    )


def _read_parameter(parameter: Schema, prefix: str, inputs: Inputs) -> Parameter:
    name, schema = parameter["name"], parameter["schema"]
    if parameter["in"] != "query":
        return Parameter(name, "str", is_required=parameter["in"] == "path")
    if schema.get("type") == "array":
        item = inputs.type_of(schema["items"], prefix + camel(name))
        annotation = f"{item} | Sequence[{item}]"
    else:
        annotation = inputs.type_of(schema, prefix + camel(name))
    is_required = bool(parameter.get("required"))
    value = (
        name if annotation != "Amount" else f'{"" if is_required else "optional_"}amount_of("{name}", {name})'
    )
    return Parameter(
        name=name,
        annotation=annotation if is_required else f"{annotation} | None = None",
        is_required=is_required,
        description=_own_description(parameter.get("description") or schema.get("description")),
        value=value,
    )


def _read_body(body: Schema | None, prefix: str, inputs: Inputs) -> tuple[list[Parameter], list[Parameter]]:
    """Returns the fields of a body and its files."""
    if body is None:
        return [], []
    schema = inputs.resolve(next(iter(body["content"].values()))["schema"])
    variants = [inputs.resolve(one) for one in schema.get("anyOf") or schema.get("oneOf") or [schema]]
    properties = {name: inner for one in variants for name, inner in one["properties"].items()}
    required = set.intersection(*(set(one.get("required", [])) for one in variants))
    fields = [
        _read_field(name, inner, name in required, prefix + camel(name), inputs)
        for name, inner in properties.items()
    ]
    files = [parameter for parameter in fields if "Iterable[File]" in parameter.annotation]
    return [parameter for parameter in fields if parameter not in files], files


def _read_field(name: str, schema: Schema, is_required: bool, type_name: str, inputs: Inputs) -> Parameter:
    annotation = inputs.type_of(schema, type_name)
    schema = inputs.resolve(schema)
    description = _own_description(schema.get("description"))
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if annotation == "Amount":
        default = "" if is_required else " | Omitted = OMITTED"
        return Parameter(name, annotation + default, is_required, description, f'amount_of("{name}", {name})')
    if annotation == "Iterable[File]":
        default = "" if is_required else " = ()"
    elif is_required and len(values) == 1:
        default, is_required = f" = {values[0]!r}", False
    else:
        default = "" if is_required else " | None = None"
    return Parameter(name, annotation + default, is_required, description, name)


def _read_result(operation: Schema, components: dict[str, Schema]) -> tuple[str, str]:
    """Returns the type of a result, and the code that reads it from a response."""
    media_type, schema = success_of(operation, components)
    if media_type != "application/json":
        # Files keep their bytes: their encoding, byte order mark and line ends.
        return ("str", "read_text") if media_type.startswith("image/svg") else ("bytes", "read_content")
    whole = reference_of(schema)
    if whole is not None:
        return f"models.{whole}", f"read_whole(models.{whole})"
    data = data_of(operation, components)
    if not data:
        return "None", "read_nothing"
    is_page = "items" in data
    name = reference_of(data["items"] if is_page else data) or f"{camel(operation['operationId'])}Result"
    if name == EVENT:
        return ("Page[Event]", "read_event_page") if is_page else ("Event", "read_event")
    model = f"models.{name}"
    if not is_page:
        return model, f"read_one({model})"
    if "meta" not in schema.get("properties", {}):
        return f"builtins.list[{model}]", f"read_list({model})"
    return f"Page[{model}]", f"read_page({model})"


def _own_description(text: str | None) -> str | None:
    return None if text == "A UUID" else text


def write_resources(methods: list[Method], header: str, *, is_async: bool) -> str:
    """Returns the module with all resources of a client."""
    of_resource: defaultdict[str, list[Method]] = defaultdict(list)
    for method in methods:
        of_resource[method.resource].append(method)
    transport = "AsyncTransport" if is_async else "SyncTransport"
    iterate = "aiterate_pages" if is_async else "iterate_pages"
    classes = [
        f"class {camel(resource)}:\n"
        f"    def __init__(self, transport: {transport}) -> None:\n"
        "        self._transport = transport\n\n"
        + "\n".join(_write_method(method, is_async) for method in of_one)
        for resource, of_one in of_resource.items()
    ]
    attributes = [f"        self.{resource} = {camel(resource)}(transport)" for resource in of_resource]
    return f"""{header}
from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
import builtins
from typing import Any

from . import inputs, models
from ._amounts import OMITTED, Amount, Omitted
from ._calls import Call, File, amount_of, optional_amount_of, path_of
from ._pages import Page, {iterate}
from ._results import (
    read_content, read_event, read_event_page, read_list, read_nothing, read_one, read_page, read_text, read_whole
)
from ._transports import {transport}
from .events import Event

{chr(10).join(classes)}

class {"Async" if is_async else ""}Resources:
    def __init__(self, transport: {transport}) -> None:
{chr(10).join(attributes)}
"""


def _write_method(method: Method, is_async: bool) -> str:
    call = _write_call(method)
    send = "await self._transport.send" if is_async else "self._transport.send"
    key = [Parameter("idempotency_key", "str | None = None", False, KEYWORD_DESCRIPTION)]
    keywords = [*method.keywords, *(key if method.is_keyed else [])]
    define = "async def" if is_async else "def"
    lines = [
        _signature(define, method.name, [*method.path], keywords, method.result),
        _docstring(method, keywords),
        f"        {'' if method.result == 'None' else 'return '}{send}({call})\n",
    ]
    if method.has_cursor:
        lines.append(_write_iterator(method, is_async))
    return "\n".join(lines)


def _write_iterator(method: Method, is_async: bool) -> str:
    """An iterator over all pages of a list."""
    name = method.name.replace("list", "iterate", 1)
    item = method.result.removeprefix("Page[").removesuffix("]")
    keywords = [
        Parameter("per_page", "int = 100", False, "Resources that are read with one request")
        if parameter.name == "per_page"
        else parameter
        for parameter in method.keywords
        if parameter.name not in POSITION
    ]
    arguments = [*(one.name for one in method.path), *(f"{one.name}={one.name}" for one in keywords)]
    iterator = "AsyncIterator" if is_async else "Iterator"
    iterate = "aiterate_pages" if is_async else "iterate_pages"
    read = f"lambda cursor: self.{method.name}({', '.join([*arguments, 'cursor=cursor'])})"
    return "\n".join(
        [
            _signature("def", name, method.path, keywords, f"{iterator}[{item}]"),
            _docstring(method, keywords, ", page after page"),
            f"        return {iterate}({read})\n",
        ]
    )


def _signature(define: str, name: str, path: list[Parameter], keywords: list[Parameter], result: str) -> str:
    parameters = ["self", *(one.code for one in path)]
    if keywords:
        parameters += ["*", *(one.code for one in keywords)]
    return f"    {define} {name}({', '.join(parameters)}) -> {result}:"


def _docstring(method: Method, keywords: list[Parameter], addition: str = "") -> str:
    operation = method.operation
    summary = operation["summary"].rstrip(".") + addition
    described = [one for one in keywords if one.description]
    parts = [summary + "."]
    if "description" in operation:
        parts.append(_wrap(operation["description"], 8))
    if described:
        lines = [_wrap(f"{one.name}: {(one.description or '').rstrip('.')}.", 12, 16) for one in described]
        parts.append("\n".join(["Args:", *(f"            {line}" for line in lines)]))
    text = "\n\n        ".join(parts).replace("\\", "\\\\")
    closing = '"""' if len(parts) == 1 else '\n        """'
    return f'        """{text}{closing}'


def _wrap(text: str, indent: int, hanging: int | None = None) -> str:
    width = 108 - indent
    lines = textwrap.wrap(text.replace("\n", " "), width, break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * (hanging or indent)).join(lines)


def _write_call(method: Method) -> str:
    template = method.operation["path"]
    arguments = "".join(f", {one.name}={one.name}" for one in method.path)
    path = f'path_of("{template}"{arguments})' if method.path else f'"{template}"'
    parts = [
        f'"{method.operation["operationId"]}"',
        f'"{method.operation["method"]}"',
        path,
        method.parser,
    ]
    if method.query:
        parts.append(f"query={_mapping(method.query)}")
    if "requestBody" in method.operation:
        parts.append(f"body={_mapping(method.body)}")
    if method.files:
        parts.append(f"files={_mapping(method.files)}")
    if method.is_keyed:
        parts += ["is_keyed=True", "idempotency_key=idempotency_key"]
    if method.accept != "application/json":
        parts.append(f'accept="{method.accept}"')
    return f"Call({', '.join(parts)})"


def _mapping(parameters: list[Parameter]) -> str:
    return "{" + ", ".join(f'"{one.name}": {one.value or one.name}' for one in parameters) + "}"
