"""Makes the types and the methods of the Go client."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from typing import Any, TypeAlias

from .schemas import camel
from .shapes import (
    Field,
    Object,
    Operation,
    Type,
    read_error_codes,
    read_event_types,
    read_objects,
    read_operations,
)

Schema: TypeAlias = dict[str, Any]

HEADER = "// Code generated from openapi.json by `npm run sdk:go`; DO NOT EDIT.\n\npackage trilho\n\n"
INITIALISMS = {"Id": "ID", "Uuid": "UUID", "Url": "URL", "Uuids": "UUIDs"}
TYPES = {
    "amount": "Amount",
    "number": "float64",
    "integer": "int",
    "flag": "bool",
    "text": "string",
    "day": "string",
    "time": "time.Time",
    "file": "File",
    "any": "any",
}
NOTES = {"day": "`YYYY-MM-DD`."}


def write_go(document: Schema) -> dict[str, str]:
    """Returns the content of every generated file by its name."""
    files = {
        "types.go": _write_types(document),
        "resources.go": _write_resources(read_operations(document)),
        "codes.go": _write_codes(read_error_codes(document)),
    }
    return {name: _format(HEADER + code) for name, code in files.items()}


def _format(code: str) -> str:
    if shutil.which("gofmt") is None:
        raise SystemExit("The SDK for Go is not written: there is no gofmt, which the toolchain of Go brings")
    return subprocess.run(["gofmt"], input=code, capture_output=True, text=True, check=True).stdout  # noqa: S607


def _write_types(document: Schema) -> str:
    objects = [_write_object(one) for one in read_objects(document)]
    kinds = [
        f'\tcase "{kind}":\n\t\treturn new({name})\n' for kind, name in read_event_types(document).items()
    ]
    return (
        'import (\n\t"cmp"\n\t"encoding/json"\n\t"time"\n)\n\n'
        + "\n".join(objects)
        + "\n// newEventData returns a pointer to the data of an event's type; nil where it is a newer one.\n"
        + f"func newEventData(kind string) any {{\n\tswitch kind {{\n{''.join(kinds)}\t}}\n\treturn nil\n}}\n"
    )


def _write_object(one: Object) -> str:
    fields = [f"\t{one.base}\n"] if one.base else []
    fields += [_write_field(field) for field in one.fields]
    code = _comment(f"{one.name}: {one.description or 'an object of the API'}") + (
        f"type {one.name} struct {{\n{''.join(fields)}}}\n"
    )
    constants = [field for field in one.fields if field.constant]
    if not one.is_sent or not constants:
        return code
    defaults = "".join(
        f'\tplain.{_name(one.name)} = cmp.Or(plain.{_name(one.name)}, "{one.constant}")\n'
        for one in constants
    )
    return code + (
        f"\n// MarshalJSON fills in the fields that have one value only.\n"
        f"func (o {one.name}) MarshalJSON() ([]byte, error) {{\n\ttype fields {one.name}\n\tplain := fields(o)\n"
        f"{defaults}\treturn json.Marshal(plain)\n}}\n"
    )


def _write_field(field: Field) -> str:
    values = field.type.values or (field.type.item.values if field.type.item else ())
    known = f"{', '.join(values)}." if len(values) > 1 else ""
    only = f"{field.constant} where it is empty." if field.constant else ""
    parts = [field.description.rstrip("."), known or only, NOTES.get(field.type.kind, "")]
    text = " ".join(part if part.endswith(".") else f"{part}." for part in parts if part)
    type_ = _type(field.type)
    if _is_file(field.type):
        tag = 'json:"-"'
    elif field.is_required:
        tag = f'json:"{field.name}"'
    else:
        type_ = type_ if field.type.kind in ("list", "map") else f"Opt[{type_}]"
        tag = f'json:"{field.name},omitzero"'
    return (_comment(text, "\t") if text else "") + f"\t{_name(field.name)} {type_} `{tag}`\n"


def _is_file(type_: Type) -> bool:
    return type_.item is not None and type_.item.kind == "file"


def _type(type_: Type) -> str:
    if type_.kind == "object":
        return type_.name
    if type_.item is None:
        return TYPES[type_.kind]
    return ("[]" if type_.kind == "list" else "map[string]") + _type(type_.item)


def _write_resources(of_resource: dict[str, list[Operation]]) -> str:
    names = [camel(resource) for resource in of_resource]
    fields = "".join(f"\t{name} *{name}Resource\n" for name in names)
    values = "".join(f"\t\t{name}: &{name}Resource{{transport}},\n" for name in names)
    classes = [
        f"// {camel(resource)}Resource has the operations of {resource.replace('_', ' ')}.\n"
        f"type {camel(resource)}Resource struct{{ transport *transport }}\n\n"
        + "\n".join(_write_method(one) for one in operations)
        for resource, operations in of_resource.items()
    ]
    return (
        'import (\n\t"context"\n\t"iter"\n)\n\n'
        f"// Resources are the operations of the API by what they are about.\ntype Resources struct {{\n{fields}}}\n\n"
        f"func newResources(transport *transport) Resources {{\n\treturn Resources{{\n{values}\t}}\n}}\n\n"
        + "\n".join(classes)
    )


def _write_method(one: Operation) -> str:
    receiver = f"func (r *{camel(one.resource)}Resource)"
    name = _name(one.name)
    parameters, values = ["ctx context.Context"], ["ctx"]
    call = [
        f'operation: "{one.id}"',
        f'method: "{one.method}"',
        f'path: "{one.path}"',
        f'accept: "{one.accept}"',
    ]
    if one.path_names:
        parameters.append(", ".join(one.path_names) + " string")
        values += one.path_names
        call.append(f"pathValues: []string{{{', '.join(one.path_names)}}}")
    for argument, type_ in (("request", one.body), ("query", one.query)):
        if type_:
            parameters.append(f"{argument} {type_}")
            values.append("of" if argument == "query" else argument)
            call.append(f"{argument}: {argument}")
    if one.is_form:
        call.append("isForm: true, files: request.Attachments")
    if one.is_keyed:
        call.append("isKeyed: true")
    parameters.append("options ...CallOption")
    values.append("options...")
    results = {
        "one": (f"(*{one.model}, error)", f"readOne[{one.model}]"),
        "whole": (f"(*{one.model}, error)", f"readWhole[{one.model}]"),
        "list": (f"([]{one.model}, error)", f"readList[{one.model}]"),
        "page": (f"(*Page[{one.model}], error)", f"readPage[{one.model}]"),
        "nothing": ("error", "readNothing"),
        "content": ("([]byte, error)", "readContent"),
    }
    result, read = results[one.result]
    code = _comment(f"{name}: {one.description}") + (
        f"{receiver} {name}({', '.join(parameters)}) {result} {{\n"
        f"\treturn {read}(ctx, r.transport, call{{{', '.join(call)}}}, options)\n}}\n"
    )
    if not one.iterator:
        return code
    summary = one.description.split("\n\n")[0].rstrip(".")
    page = "\tquery.Page = Opt[int]{}\n" if one.has_pages else ""
    return code + (
        "\n"
        + _comment(f"{_name(one.iterator)}: {summary}, page after page.")
        + f"{receiver} {_name(one.iterator)}({', '.join(parameters)}) iter.Seq2[*{one.model}, error] {{\n"
        f"{page}\tquery.PerPage = Some(query.PerPage.Or(perPage))\n"
        f'\treturn iterate(query.Cursor.Or(""), func(cursor string) (*Page[{one.model}], error) {{\n'
        "\t\tof := query\n\t\tof.Cursor = Some(cursor)\n"
        f"\t\treturn r.{name}({', '.join(values)})\n\t}})\n}}\n"
    )


def _write_codes(codes: list[str]) -> str:
    lines = [f'\tErr{_name(code)} ErrorCode = "{code}"\n' for code in codes]
    return f"// Codes of the API's errors, for errors.Is.\nconst (\n{''.join(lines)})\n"


def _name(name: str) -> str:
    """`provider_uuid` is ProviderUUID."""
    words = [INITIALISMS.get(word, word) for word in map(camel, name.split("_"))]
    return "".join(words)


def _comment(text: str, indent: str = "") -> str:
    lines = [
        line
        for paragraph in text.split("\n")
        for line in textwrap.wrap(paragraph, 108, break_long_words=False, break_on_hyphens=False) or [""]
    ]
    return "".join(f"{indent}// {line}".rstrip() + "\n" for line in lines)
