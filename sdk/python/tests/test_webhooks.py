from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest

from tests.samples import AT, movement
from trilho import InvalidEventError, WebhookVerificationError, events, verify_webhook

KEY = b"k" * 32
SECRET = "whsec_" + base64.b64encode(KEY).decode()
OTHER_KEY = b"o" * 32
OTHER_SECRET = "whsec_" + base64.b64encode(OTHER_KEY).decode()
MINUTE = 60


def event_body(kind: str, data: object) -> bytes:
    return json.dumps({"id": "evt_1", "type": kind, "timestamp": AT, "data": data}).encode()


BODY = event_body("PIX_TRANSACTION", {**movement(), "sequence": 1})


def signed(
    *keys: bytes, body: bytes = BODY, at: float | None = None, event_id: str = "evt_1"
) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    content = f"{event_id}.{timestamp}.".encode() + body
    signatures = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode() for key in keys]
    return {
        "Webhook-Id": event_id,
        "Webhook-Timestamp": timestamp,
        "Webhook-Signature": " ".join(f"v1,{signature}" for signature in signatures),
    }


@pytest.mark.parametrize(
    "keys", [(KEY,), (OTHER_KEY, KEY), (KEY, OTHER_KEY)], ids=["one", "the old one too", "the new one too"]
)
def test_a_signed_delivery_is_a_typed_event(keys: tuple[bytes, ...]) -> None:
    event = verify_webhook(BODY, signed(*keys), SECRET)
    assert isinstance(event, events.PixTransactionEvent)
    assert str(event.data.value) == "150.75"
    assert event.data.sequence == 1


def test_any_of_several_secrets_of_the_receiver_verifies_a_body_as_text() -> None:
    assert verify_webhook(BODY.decode(), signed(KEY), [OTHER_SECRET, SECRET]).id == "evt_1"


def test_a_tolerance_is_the_receivers_and_one_that_is_no_number_accepts_nothing() -> None:
    headers = signed(KEY, at=time.time() - 6 * MINUTE)
    assert verify_webhook(BODY, headers, SECRET, tolerance_s=10 * MINUTE).id == "evt_1"
    for tolerance_s in (60, float("nan")):
        with pytest.raises(WebhookVerificationError, match="timestamp"):
            verify_webhook(BODY, headers, SECRET, tolerance_s=tolerance_s)


def test_an_event_of_a_type_that_came_later_is_unknown() -> None:
    body = event_body("SOMETHING_NEW", {"message": "a test"})
    event = verify_webhook(body, signed(KEY, body=body), SECRET)
    assert isinstance(event, events.UnknownEvent)
    assert (event.type, event.data) == ("SOMETHING_NEW", {"message": "a test"})


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", event_body("PAYMENT", {"uuid": "x"})])
def test_a_signed_body_that_is_no_event_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(InvalidEventError):
        verify_webhook(body, signed(KEY, body=body), SECRET)


@pytest.mark.parametrize("secret", ["", "whsec_no base64"])
def test_a_secret_that_is_none_is_a_mistake_of_the_receiver(secret: str) -> None:
    with pytest.raises(ValueError, match="signing secret"):
        verify_webhook(BODY, signed(KEY), secret)
