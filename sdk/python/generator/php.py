"""Makes the models and the methods of the PHP client."""

from __future__ import annotations

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

HEADER = (
    "<?php\n\n// Made from openapi.json by `npm run sdk:php`; do not edit.\n\ndeclare(strict_types=1);\n\n"
)
AMOUNT = "Amount|string|int|float"
TYPES = {
    "amount": "Amount",
    "number": "float",
    "integer": "int",
    "flag": "bool",
    "text": "string",
    "day": "string",
    "time": "\\DateTimeImmutable",
    "any": "mixed",
    "list": "array",
    "map": "array",
}
#: Types of what a call sends, where they differ.
SENT = {
    "amount": AMOUNT,
    "day": "\\DateTimeInterface|string",
    "time": "\\DateTimeInterface|string",
    "object": "array",
}
#: Set by iterators themselves.
POSITION = ("page", "cursor", "per_page")


def write_php(document: Schema) -> dict[str, str]:
    """Returns the content of every generated file by its name."""
    objects = {one.name: one for one in read_objects(document)}
    received = [one for one in objects.values() if not one.name.endswith(("Request", "Query"))]
    return {
        "Models.php": HEADER + _write_models(received, read_event_types(document)),
        "Resources.php": HEADER + _write_resources(read_operations(document), objects),
        "ErrorCode.php": HEADER + _write_codes(read_error_codes(document)),
    }


def _write_models(objects: list[Object], events: dict[str, str]) -> str:
    # A class that another one extends comes first.
    ordered = sorted(objects, key=lambda one: one.base is not None)
    kinds = "".join(f"            '{kind}' => new {name}($data),\n" for kind, name in events.items())
    return (
        "namespace Trilho\\Model;\n\nuse Trilho\\Amount;\nuse Trilho\\Internal\\Read;\n\n"
        + "\n".join(map(_write_model, ordered))
        + "\n/** @internal */\nfinal class EventData\n{\n"
        "    /**\n     * Returns the data of a type of event; the array itself where this version does not know it.\n"
        "     *\n     * @param array<string, mixed> $data\n     */\n"
        "    public static function of(string $type, array $data): object|array\n    {\n"
        f"        return match ($type) {{\n{kinds}            default => $data,\n        }};\n    }}\n}}\n"
    )


def _write_model(one: Object) -> str:
    properties = "".join(
        _doc(_property_lines(field), 4)
        + f"    public readonly {_property_type(field)} ${_name(field.name)};\n\n"
        for field in one.fields
    )
    parent = "        parent::__construct($data);\n" if one.base else ""
    assignments = "".join(
        f"        $this->{_name(field.name)} = {_read_field(field)};\n" for field in one.fields
    )
    return (
        _doc([one.description] if one.description else [], 0)
        + f"class {one.name}{f' extends {one.base}' if one.base else ''}\n{{\n{properties}"
        "    /** @param array<string, mixed> $data */\n    public function __construct(array $data)\n    {\n"
        f"{parent}{assignments}    }}\n}}\n"
    )


def _property_lines(field: Field) -> list[str]:
    lines = [field.description] if field.description else []
    if len(field.type.values) > 1:
        lines.append(f"{', '.join(field.type.values)}; a newer API may have others.")
    if field.type.item:
        lines.append(f"@var {_doc_type(field.type)}{'' if field.is_required else '|null'}")
    return lines


def _property_type(field: Field) -> str:
    type_ = field.type.name or TYPES[field.type.kind]
    return type_ if field.is_required or type_ == "mixed" else f"?{type_}"


def _doc_type(type_: Type) -> str:
    if type_.kind == "list" and type_.item:
        return f"list<{_doc_type(type_.item)}>"
    if type_.kind == "map" and type_.item:
        return f"array<string, {_doc_type(type_.item)}>"
    return type_.name or TYPES[type_.kind]


def _read_field(field: Field) -> str:
    value = f"$data['{field.name}']"
    if field.is_required:
        return _read_value(field.type, f"{value} ?? null")
    return f"isset({value}) ? {_read_value(field.type, value)} : null"


def _read_value(type_: Type, value: str) -> str:
    if type_.kind == "object":
        return f"new {type_.name}(Read::object({value}))"
    if type_.kind == "list" and type_.item:
        return f"Read::items({value}, static fn (mixed $item) => {_read_value(type_.item, '$item')})"
    if type_.kind == "any":
        return value
    reader = {"day": "text", "map": "object"}.get(type_.kind, type_.kind)
    return f"Read::{reader}({value})"


def _write_resources(of_resource: dict[str, list[Operation]], objects: dict[str, Object]) -> str:
    classes = [
        f"/** The operations of {resource.replace('_', ' ')}. */\nfinal class {camel(resource)}\n{{\n"
        "    /** @internal */\n    public function __construct(private readonly Transport $transport)\n    {\n    }\n\n"
        + "\n".join(_write_method(one, objects) for one in operations)
        + "}\n"
        for resource, operations in of_resource.items()
    ]
    properties = "".join(
        f"    public readonly {camel(resource)} ${_name(resource)};\n\n" for resource in of_resource
    )
    values = "".join(
        f"        $this->{_name(resource)} = new {camel(resource)}($transport);\n" for resource in of_resource
    )
    return (
        "namespace Trilho\\Resource;\n\n"
        "use Trilho\\Amount;\nuse Trilho\\File;\nuse Trilho\\Internal\\Call;\nuse Trilho\\Internal\\Read;\n"
        "use Trilho\\Internal\\Transport;\nuse Trilho\\Model;\nuse Trilho\\Omitted;\nuse Trilho\\Page;\n\n"
        f"/** The operations of the API by what they are about. */\nabstract class Resources\n{{\n{properties}"
        "    /** @internal */\n    protected function __construct(Transport $transport)\n"
        f"    {{\n{values}    }}\n}}\n\n" + "\n".join(classes)
    )


def _write_method(one: Operation, objects: dict[str, Object]) -> str:
    body = objects[one.body].fields if one.body else []
    query = objects[one.query].fields if one.query else []
    parameters = [f"string ${_name(name)}" for name in one.path_names]
    parameters += [code for _, code in sorted(map(_parameter, body, [True] * len(body)), key=_is_last)]
    parameters += [code for _, code in sorted(map(_parameter, query, [False] * len(query)), key=_is_last)]
    if one.is_keyed:
        parameters.append("?string $idempotencyKey = null")
    names = [_name(name) for name in [*one.path_names, *(field.name for field in [*body, *query])]]
    if len(set(names)) < len(names):
        raise ValueError(f"two parameters of {one.id} have one name")
    result, read = _result(one)
    call = [f"'{one.id}'", f"'{one.method}'", f"'{one.path}'", f"'{one.accept}'"]
    if one.path_names:
        pairs = [f"'{name}' => ${_name(name)}" for name in one.path_names]
        call.append(f"path: [{', '.join(pairs)}]")
    if query:
        call.append(f"query: [{', '.join(_value(field, False) for field in query)}]")
    if one.body:
        sent = [field for field in body if not _is_file(field.type)]
        call.append(f"body: [{', '.join(_value(field, True) for field in sent)}]")
    if one.is_form:
        call.append("files: $attachments")
    if one.is_keyed:
        call.append("isKeyed: true, idempotencyKey: $idempotencyKey")
    lines = [
        one.description,
        *(f"@param {_param_doc(field, objects, True)}" for field in body),
        *(f"@param {_param_doc(field, objects, False)}" for field in query),
        *([f"@return {_return_doc(one)}"] if one.result in ("list", "page") else []),
    ]
    send = f"$this->transport->send(new Call({', '.join(call)}), {read})"
    code = (
        _doc(lines, 4) + f"    public function {_name(one.name)}({', '.join(parameters)}): {result}\n    {{\n"
        f"        {'' if result == 'void' else 'return '}{send};\n    }}\n"
    )
    return code + (_write_iterator(one, query, objects) if one.iterator else "")


def _write_iterator(one: Operation, query: list[Field], objects: dict[str, Object]) -> str:
    filters = [field for field in query if field.name not in POSITION]
    parameters = [f"string ${_name(name)}" for name in one.path_names]
    parameters += [code for _, code in sorted(map(_parameter, filters, [False] * len(filters)), key=_is_last)]
    parameters.append("int $perPage = 100")
    arguments = [f"${_name(name)}" for name in one.path_names]
    arguments += [f"{_name(field.name)}: ${_name(field.name)}" for field in filters]
    arguments += ["perPage: $perPage", "cursor: $cursor"]
    summary = one.description.split("\n\n")[0].rstrip(".")
    iterator = _name(one.iterator or "")
    lines = [
        f"{summary}, page after page.",
        *(f"@param {_param_doc(field, objects, False)}" for field in filters),
        f"@return \\Generator<int, {_model(one)}>",
    ]
    return (
        "\n"
        + _doc(lines, 4)
        + f"    public function {iterator}({', '.join(parameters)}): \\Generator\n    {{\n"
        f"        return Page::iterate(fn (string $cursor): Page => $this->{_name(one.name)}("
        f"{', '.join(arguments)}));\n    }}\n"
    )


def _is_last(parameter: tuple[bool, str]) -> bool:
    return not parameter[0]


def _parameter(field: Field, is_body: bool) -> tuple[bool, str]:
    """Returns whether a parameter must be given, and its code."""
    type_ = SENT.get(field.type.kind) or TYPES[field.type.kind]
    name = f"${_name(field.name)}"
    if _is_file(field.type):
        return False, f"array {name} = []"
    if field.type.kind == "list" and not is_body:
        type_ = "array|string"
    if field.constant:
        return False, f"{type_} {name} = '{field.constant}'"
    if field.is_required:
        return True, f"{type_} {name}"
    if field.type.kind == "amount" and is_body:
        return False, f"{type_}|Omitted {name} = Omitted::Value"
    if type_ == "mixed":
        return False, f"mixed {name} = null"
    return False, f"{type_}|null {name} = null" if "|" in type_ else f"?{type_} {name} = null"


def _value(field: Field, is_body: bool) -> str:
    value = f"${_name(field.name)}"
    if field.type.kind == "amount":
        value = f"Amount::{'orOmitted' if is_body else 'orNull'}({value})"
    elif field.type.kind == "day":
        value = f"Call::day({value})"
    elif field.type.kind in ("map", "object") and is_body:
        value = (
            f"{value} === null ? null : (object) {value}" if not field.is_required else f"(object) {value}"
        )
    return f"'{field.name}' => {value}"


def _param_doc(field: Field, objects: dict[str, Object], is_body: bool) -> str:
    of_one = {"amount": AMOUNT, "day": SENT["day"]}
    type_ = of_one.get(field.type.kind) or _sent_doc(field.type, objects)
    if field.type.kind == "list" and not is_body:
        type_ += "|string"
    if not field.is_required:
        type_ += "|Omitted" if field.type.kind == "amount" and is_body else "|null"
    known = f" {', '.join(field.type.values)}." if len(field.type.values) > 1 else ""
    return f"{type_} ${_name(field.name)} {field.description}{known}".rstrip()


def _sent_doc(type_: Type, objects: dict[str, Object]) -> str:
    if type_.kind == "file":
        return "File"
    if type_.kind == "list" and type_.item:
        return f"list<{_sent_doc(type_.item, objects)}>"
    if type_.kind == "map" and type_.item:
        return f"array<string, {_sent_doc(type_.item, objects)}>"
    if type_.kind == "object":
        fields = [
            f"{field.name}{'' if field.is_required else '?'}: {_sent_doc(field.type, objects)}"
            for field in objects[type_.name].fields
        ]
        return f"array{{{', '.join(fields)}}}"
    # Within an array, an amount that is a text is sent as a text, and a moment with its time.
    nested = {"amount": "Amount|int|float", "day": "string"}
    return nested.get(type_.kind) or SENT.get(type_.kind) or TYPES[type_.kind]


def _result(one: Operation) -> tuple[str, str]:
    model = f"{_model(one)}::class"
    return {
        "one": (_model(one), f"Read::one({model})"),
        "whole": (_model(one), f"Read::whole({model})"),
        "list": ("array", f"Read::list({model})"),
        "page": ("Page", f"Read::page({model})"),
        "nothing": ("void", "Read::nothing()"),
        "content": ("string", "Read::content()"),
    }[one.result]


def _return_doc(one: Operation) -> str:
    return f"{'list' if one.result == 'list' else 'Page'}<{_model(one)}>"


def _model(one: Operation) -> str:
    return "\\Trilho\\Event" if one.model == "Event" else f"Model\\{one.model}"


def _is_file(type_: Type) -> bool:
    return type_.item is not None and type_.item.kind == "file"


def _write_codes(codes: list[str]) -> str:
    lines = [f"    public const {code.upper()} = '{code}';\n" for code in codes]
    return f"namespace Trilho;\n\n/** Codes of the API's errors. */\nfinal class ErrorCode\n{{\n{''.join(lines)}}}\n"


def _name(name: str) -> str:
    """`provider_uuid` is providerUuid, `PIX` is PIX."""
    return name if name.isupper() else name[0] + camel(name)[1:]


def _doc(lines: list[str], indent: int) -> str:
    if not lines:
        return ""
    wrapped = []
    for number, line in enumerate(lines):
        if number == 1 and line.startswith("@"):
            wrapped.append("")
        for paragraph in line.replace("*/", "* /").split("\n"):
            wrapped += textwrap.wrap(paragraph, 108, break_long_words=False, break_on_hyphens=False) or [""]
    blank = " " * indent
    if len(wrapped) == 1:
        return f"{blank}/** {wrapped[0]} */\n"
    return (
        f"{blank}/**\n" + "".join(f"{blank} * {line}".rstrip() + "\n" for line in wrapped) + f"{blank} */\n"
    )
