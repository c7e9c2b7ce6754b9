"""Verification of webhook deliveries: Standard Webhooks, as docs/webhooks.md of Trilho describes it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from collections.abc import Mapping, Sequence

from ._amounts import load_json
from .errors import InvalidEventError, WebhookVerificationError
from .events import Event, parse_event

#: Seconds that a timestamp may be away from the clock of the receiver.
TOLERANCE_S = 5 * 60


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_s: float = TOLERANCE_S,
    now: float | None = None,
) -> Event:
    """Returns the event of a delivery whose signature and timestamp are right.

    Args:
        body: The body exactly as it arrived, before any parsing.
        headers: The headers of the delivery, in any case.
        secret: The signing secret of the endpoint; several while your own configuration changes.
        tolerance_s: Seconds that the timestamp may be away from the clock, in both directions.
        now: The clock in Unix seconds, for tests.

    Raises:
        WebhookVerificationError: Answer 400: the delivery is not from Trilho, or is a replay.
        InvalidEventError: It is from Trilho, and its body is not an event that this version can read.
    """
    raw = body.encode() if isinstance(body, str) else bytes(body)
    by_name = {name.lower(): value for name, value in headers.items()}
    event_id = by_name.get("webhook-id", "")
    timestamp = by_name.get("webhook-timestamp", "")
    if not event_id or not re.fullmatch(r"[0-9]{1,15}", timestamp):
        raise WebhookVerificationError("the delivery has no webhook-id, or no webhook-timestamp")
    # A tolerance that is no number accepts nothing.
    if not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance_s:
        raise WebhookVerificationError("the timestamp is too old or too new")
    signed = f"{event_id}.{timestamp}.".encode() + raw
    secrets = [secret] if isinstance(secret, str) else list(secret)
    ours = [_sign(_read_key(one), signed) for one in secrets]
    if not _is_any_signature(ours, by_name.get("webhook-signature", "")):
        raise WebhookVerificationError("no signature matches")
    try:
        return parse_event(load_json(raw))
    except ValueError as error:
        raise InvalidEventError("the body of a signed delivery is not a known event") from error


def _read_key(secret: str) -> bytes:
    """The key of ``whsec_…`` is its base64; a secret of your own is the key itself."""
    if not secret:
        raise ValueError("the signing secret is empty")
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        raise ValueError("the signing secret is not whsec_ and base64") from None


def _sign(key: bytes, signed: bytes) -> bytes:
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _is_any_signature(ours: list[bytes], header: str) -> bool:
    theirs = [
        value.encode()
        for version, _, value in (signature.partition(",") for signature in header.split())
        if version == "v1"
    ]
    return any(hmac.compare_digest(one, expected) for one in theirs for expected in ours)
