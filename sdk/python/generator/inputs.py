"""Types of what a call sends: parameters, filters and bodies."""

from __future__ import annotations

from keyword import iskeyword
from typing import Any, TypeAlias

from .schemas import FLAG_MARK, camel, reference_of, title

Schema: TypeAlias = dict[str, Any]


class Inputs:
    """Collects the types with a name that parameters refer to."""

    def __init__(self, components: dict[str, Schema]) -> None:
        self.components = components
        self._definitions: dict[str, str] = {}

    def resolve(self, schema: Schema) -> Schema:
        name = reference_of(schema)
        return schema if name is None else self.components[name]

    def type_of(self, schema: Schema, name: str) -> str:
        """Returns the type of a value as Python code; `name` is that of a new type where it needs one."""
        name = reference_of(schema) or name
        schema = self.resolve(schema)
        choices = [
            self.type_of(choice, name) for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
        ]
        if choices and schema.get("type") != "string":
            return " | ".join(dict.fromkeys(choices))
        match schema.get("type"):
            case [*types]:
                return " | ".join(self.type_of({**schema, "type": one}, name) for one in types)
            case "array":
                items = schema.get("items", {})
                if "file" in items.get("properties", {}):
                    return "Iterable[File]"
                return f"Sequence[{self.type_of(items, title(name))}]"
            case "object" if "properties" in schema:
                return self._define_object(schema, name)
            case "string":
                return self._string_type(schema, name)
            case other:
                return {
                    "integer": "int",
                    "number": "Amount",
                    "boolean": "bool",
                    "null": "None",
                    "object": "Mapping[str, Any]",
                }.get(str(other), "Any")

    def module(self, header: str) -> str:
        """Returns the module with all types that have a name."""
        return f"""{header}
from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, Required, TypedDict

from ._amounts import Amount

{chr(10).join(self._definitions.values())}"""

    def _string_type(self, schema: Schema, name: str) -> str:
        values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
        if values:
            return self._define(name, f"{name}: TypeAlias = Literal[{', '.join(map(repr, values))}]\n")
        if FLAG_MARK in schema.get("pattern", ""):
            return "bool"
        return {"date": "date | str", "date-time": "datetime | str"}.get(schema.get("format", ""), "str")

    def _define_object(self, schema: Schema, name: str) -> str:
        required = schema.get("required", [])
        types = {
            field: f"{'Required' if field in required else 'NotRequired'}[{self.type_of(inner, name + camel(field))}]"
            for field, inner in schema["properties"].items()
        }
        if any(iskeyword(field) for field in types):
            items = ", ".join(f'"{field}": {type_}' for field, type_ in types.items())
            return self._define(name, f'{name} = TypedDict("{name}", {{{items}}})\n')
        fields = [f"    {field}: {type_}" for field, type_ in types.items()]
        return self._define(name, "\n".join([f"class {name}(TypedDict):", *fields, ""]))

    def _define(self, name: str, code: str) -> str:
        """Adds a type once; another one with the same name gets the next free name."""
        code = code.replace("inputs.", "")
        if self._definitions.setdefault(name, code) == code:
            return f"inputs.{name}"
        return self._define(f"{name}_", code.replace(name, f"{name}_", 1))
