"""Events, as webhooks bring them and ``trilho.events`` lists them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from . import models
from ._model import Model


class _Event(Model):
    id: str
    """The ``webhook-id`` of every delivery: ignore an event whose id was already processed."""
    timestamp: datetime


class PaymentData(models.Charge):
    sequence: int
    """Counts the events of the charge: ignore one that is not above the last one processed."""


class PaymentEvent(_Event):
    """A charge is PAID, FAILED, CANCELLED, EXPIRED, PARTIALLY_REFUNDED or REFUNDED."""

    type: Literal["PAYMENT"]
    data: PaymentData


class TransferData(models.Transfer):
    sequence: int
    """Counts the events of the transfer: ignore one that is not above the last one processed."""


class TransferEvent(_Event):
    """A transfer is PAID, FAILED, CANCELLED or EXPIRED, or its receiver returned money."""

    type: Literal["TRANSFER"]
    data: TransferData


class RefundData(models.RefundResult):
    sequence: int
    """Counts the events of the refund: ignore one that is not above the last one processed."""


class RefundEvent(_Event):
    """A refund has settled or failed."""

    type: Literal["REFUND"]
    data: RefundData


class MedData(models.Dispute):
    sequence: int
    """Counts the events of the dispute: ignore one that is not above the last one processed."""


class MedEvent(_Event):
    """A dispute opens, approaches its deadline, or is decided."""

    type: Literal["MED"]
    data: MedData


class PixTransactionData(models.Movement):
    sequence: int
    """Counts the events of the movement: ignore one that is not above the last one processed."""


class PixTransactionEvent(_Event):
    """A PIX has settled, also one that belongs to no charge."""

    type: Literal["PIX_TRANSACTION"]
    data: PixTransactionData


class TestData(models.Webhook):
    sequence: int
    """Counts the events of the webhook."""


class TestEvent(_Event):
    """A test event was requested: ``webhooks.test``."""

    type: Literal["TEST"]
    data: TestData


class UnknownEvent(_Event):
    """An event of a type that this version does not know."""

    type: str
    data: dict[str, Any]


Event: TypeAlias = (
    PaymentEvent | TransferEvent | RefundEvent | MedEvent | PixTransactionEvent | TestEvent | UnknownEvent
)

_MODELS: dict[str, type[Event]] = {
    "PAYMENT": PaymentEvent,
    "TRANSFER": TransferEvent,
    "REFUND": RefundEvent,
    "MED": MedEvent,
    "PIX_TRANSACTION": PixTransactionEvent,
    "TEST": TestEvent,
}


def parse_event(value: object) -> Event:
    """Returns the event of a parsed body; raises ``ValueError`` where it is none."""
    kind = value.get("type") if isinstance(value, dict) else None
    return _MODELS.get(str(kind), UnknownEvent).model_validate(value)
