"""Amounts: reais as ``Decimal``, in JSON numbers, without arithmetic on floats."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

#: An amount in reais. A float is read by its shortest decimal text: ``12.5`` is ``Decimal("12.5")``.
Amount: TypeAlias = Decimal | int | float | str


class _Omitted(Enum):
    OMITTED = "OMITTED"

    def __repr__(self) -> str:
        return "OMITTED"


#: The default of optional amounts. ``None`` is refused in its place: a lost amount must not mean "everything".
Omitted: TypeAlias = Literal[_Omitted.OMITTED]
OMITTED: Final = _Omitted.OMITTED


def to_decimal(value: object, name: str = "the amount") -> Decimal:
    """Reads an amount exactly as it is written; raises ``TypeError`` or ``ValueError`` where it is none."""
    if isinstance(value, bool) or not isinstance(value, (Decimal, int, float, str)):
        raise TypeError(f"{name} must be a Decimal, int, float or str, not {type(value).__name__}")
    try:
        amount = value if isinstance(value, Decimal) else Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{name} is not a decimal number: {value!r}") from None
    if not amount.is_finite():
        raise ValueError(f"{name} must be finite")
    return amount


def load_json(text: bytes | str) -> Any:
    """Parses JSON with its fractional numbers as ``Decimal``."""
    return json.loads(text, parse_float=Decimal)


def dump_json(value: object) -> str:
    """Writes JSON with ``Decimal`` as exact numbers, and dates and times as ISO 8601."""
    if isinstance(value, Mapping):
        return (
            "{" + ",".join(f"{json.dumps(str(key))}:{dump_json(item)}" for key, item in value.items()) + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(dump_json, value)) + "]"
    if isinstance(value, Decimal):
        return format(to_decimal(value), "f")
    if isinstance(value, datetime):
        return json.dumps(iso_timestamp(value))
    if isinstance(value, date):
        return json.dumps(value.isoformat())
    return json.dumps(value, allow_nan=False)


def iso_timestamp(value: datetime) -> str:
    """Writes a time with its offset; refuses one without a time zone, which would name another moment elsewhere."""
    if value.tzinfo is None:
        raise ValueError("a datetime needs a time zone, for example datetime.now(timezone.utc)")
    return value.isoformat()
