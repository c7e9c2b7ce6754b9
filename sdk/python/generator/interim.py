"""Until openapi.json has pages by cursor: adds what the client already builds on."""

from __future__ import annotations

from typing import Any


def complete(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document["components"]["schemas"]
    meta = {"per_page": {"type": "integer"}, "next_cursor": {"type": ["string", "null"]}}
    schemas.setdefault("CursorPageMeta", {"type": "object", "properties": meta, "required": list(meta)})
    references = [{"$ref": f"#/components/schemas/{name}"} for name in ("PageMeta", "CursorPageMeta")]
    schemas["Event"] = {**schemas["Event"], "x-pages": references}
    return document
