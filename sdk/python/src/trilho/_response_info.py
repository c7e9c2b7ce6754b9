"""What the headers of a response say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TypeAlias


@dataclass(frozen=True)
class RateLimit:
    """The limit of the access token."""

    #: Requests that are allowed in the window.
    quota: int
    window_s: int
    #: Requests that are left.
    remaining: int
    #: Seconds until the whole quota is left again.
    reset_s: int


@dataclass(frozen=True)
class ResponseInfo:
    """What the headers of a response say: request id, rate limit, and whether it is a stored response."""

    #: The operation of the OpenAPI document, for example ``createPayment``.
    operation: str
    #: The number of the attempt, from 1.
    attempt: int
    status: int
    #: ``X-Request-Id``.
    request_id: str | None
    #: The key of the call; ``None`` where the operation takes none.
    idempotency_key: str | None
    #: ``Idempotent-Replayed``: the response is the stored one of an earlier request with the same key.
    is_replayed: bool
    #: ``Retry-After``.
    retry_after_s: float | None
    #: ``RateLimit`` and ``RateLimit-Policy``; ``None`` where the operation has no limit.
    rate_limit: RateLimit | None


#: Receives what each response says, before the call repeats its request or returns.
OnResponse: TypeAlias = Callable[[ResponseInfo], object]


def read_response_info(
    status: int,
    headers: Mapping[str, str],
    *,
    operation: str,
    attempt: int,
    idempotency_key: str | None,
) -> ResponseInfo:
    return ResponseInfo(
        operation=operation,
        attempt=attempt,
        status=status,
        request_id=headers.get("x-request-id"),
        idempotency_key=idempotency_key,
        is_replayed=headers.get("idempotent-replayed") == "true",
        retry_after_s=parse_retry_after(headers.get("retry-after")),
        rate_limit=_parse_rate_limit(headers),
    )


def parse_retry_after(value: str | None) -> float | None:
    """Reads ``Retry-After``: seconds, or an HTTP date."""
    if value is None:
        return None
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())


def _parse_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    policy = _read_parameters(headers.get("ratelimit-policy"))
    state = _read_parameters(headers.get("ratelimit"))
    try:
        return RateLimit(quota=policy["q"], window_s=policy["w"], remaining=state["r"], reset_s=state["t"])
    except KeyError:
        return None


def _read_parameters(header: str | None) -> dict[str, int]:
    """Reads the numbers of a header as the API writes it: ``"token";q=200;w=2``."""
    return {name: int(value) for name, value in re.findall(r";(\w)=([0-9]+)", header or "")}
