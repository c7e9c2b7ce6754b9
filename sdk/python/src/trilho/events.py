"""Events, as webhooks bring them and ``trilho.events`` lists them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeAlias

from ._model import Model
from .models import (
    BatchEvent,
    MedEvent,
    PaymentEvent,
    PixTransactionEvent,
    RecurrenceEvent,
    RefundEvent,
    ReportEvent,
    TestEvent,
    TransferEvent,
)

__all__ = [
    "BatchEvent",
    "Event",
    "MedEvent",
    "PaymentEvent",
    "PixTransactionEvent",
    "RecurrenceEvent",
    "RefundEvent",
    "ReportEvent",
    "TestEvent",
    "TransferEvent",
    "UnknownEvent",
    "parse_event",
]


class UnknownEvent(Model):
    """An event of a type that this version does not know."""

    id: str
    type: str
    timestamp: datetime
    data: dict[str, Any]


#: ``isinstance`` decides what the data is. An event may come again, with the same ``id``; ``data.sequence`` counts the
#: events of a resource.
Event: TypeAlias = (
    PaymentEvent
    | TransferEvent
    | RefundEvent
    | MedEvent
    | PixTransactionEvent
    | BatchEvent
    | RecurrenceEvent
    | ReportEvent
    | TestEvent
    | UnknownEvent
)

MODELS: dict[str, type[Event]] = {
    "PAYMENT": PaymentEvent,
    "TRANSFER": TransferEvent,
    "REFUND": RefundEvent,
    "MED": MedEvent,
    "PIX_TRANSACTION": PixTransactionEvent,
    "BATCH": BatchEvent,
    "RECURRENCE": RecurrenceEvent,
    "REPORT": ReportEvent,
    "TEST": TestEvent,
}


def parse_event(value: object) -> Event:
    """Returns the event of a parsed body; raises ``ValueError`` where it is none."""
    kind = value.get("type") if isinstance(value, dict) else None
    return MODELS.get(str(kind), UnknownEvent).model_validate(value)
