"""Until openapi.json has the bodies of events and pages by cursor: adds what the client already builds on."""

from __future__ import annotations

from typing import Any

RESOURCES = {
    "Payment": "Charge",
    "Transfer": "Transfer",
    "Refund": "RefundResult",
    "Med": "Dispute",
    "PixTransaction": "Movement",
    "Test": "Webhook",
}


def complete(document: dict[str, Any]) -> dict[str, Any]:
    schemas = document["components"]["schemas"]
    meta = {"per_page": {"type": "integer"}, "next_cursor": {"type": ["string", "null"]}}
    cursor_meta = {"type": "object", "properties": meta, "required": list(meta)}
    for name, resource in RESOURCES.items():
        schemas.setdefault(f"{name}Event", _event(name, resource))
    schemas.setdefault("CursorPageMeta", cursor_meta)
    references = [{"$ref": f"#/components/schemas/{name}"} for name in ("PageMeta", "CursorPageMeta")]
    document["webhooks"] = document.get("webhooks") or {
        name: {
            "post": {
                "description": f"An event: {name}.",
                "requestBody": {
                    "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}Event"}}}
                },
            }
        }
        for name in RESOURCES
    }
    if schemas["Event"].get("oneOf") is None:
        schemas["Event"] = {"oneOf": [{"$ref": f"#/components/schemas/{name}Event"} for name in RESOURCES]}
    schemas["Event"] = {**schemas["Event"], "x-pages": references}
    return document


def _event(name: str, resource: str) -> dict[str, Any]:
    sequence = {"type": "object", "properties": {"sequence": {"type": "integer"}}, "required": ["sequence"]}
    data = {"title": f"{name}EventData", "allOf": [{"$ref": f"#/components/schemas/{resource}"}, sequence]}
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {
            "id": text,
            "type": text,
            "timestamp": {"type": "string", "format": "date-time"},
            "data": data,
        },
        "required": ["id", "type", "timestamp", "data"],
    }
