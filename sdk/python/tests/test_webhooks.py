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
OWN_SECRET = "um token próprio, com acento"
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


def test_names_of_headers_have_any_case_and_a_body_may_be_text() -> None:
    headers = {name.lower(): value for name, value in signed(KEY).items()}
    assert verify_webhook(BODY.decode(), headers, SECRET).id == "evt_1"


def test_any_of_several_secrets_of_the_receiver_verifies() -> None:
    assert verify_webhook(BODY, signed(KEY), [OTHER_SECRET, SECRET]).id == "evt_1"


def test_a_secret_of_ones_own_is_the_key_itself() -> None:
    headers = signed(OWN_SECRET.encode())
    assert verify_webhook(BODY, headers, OWN_SECRET).id == "evt_1"
    with pytest.raises(WebhookVerificationError):
        verify_webhook(BODY, headers, SECRET)


def test_a_delivery_is_accepted_for_five_minutes() -> None:
    now = 1_800_000_000.0
    for minutes in (-4, 4):
        verify_webhook(BODY, signed(KEY, at=now + minutes * MINUTE), SECRET, now=now)
    for minutes in (-6, 6):
        with pytest.raises(WebhookVerificationError, match="timestamp"):
            verify_webhook(BODY, signed(KEY, at=now + minutes * MINUTE), SECRET, now=now)


def test_a_tolerance_is_the_receivers_and_one_that_is_no_number_accepts_nothing() -> None:
    headers = signed(KEY, at=time.time() - 6 * MINUTE)
    assert verify_webhook(BODY, headers, SECRET, tolerance_s=10 * MINUTE).id == "evt_1"
    for tolerance_s in (60, float("nan")):
        with pytest.raises(WebhookVerificationError, match="timestamp"):
            verify_webhook(BODY, headers, SECRET, tolerance_s=tolerance_s)


FORGED = {
    "a changed body": (BODY.replace(b"150.75", b"150.76"), signed(KEY)),
    "a body with a blank more": (BODY + b" ", signed(KEY)),
    "an old delivery with a new timestamp": (
        BODY,
        {**signed(KEY, at=0), "Webhook-Timestamp": str(int(time.time()))},
    ),
    "the id of another event": (BODY, {**signed(KEY), "Webhook-Id": "evt_2"}),
    "signatures of strangers alone": (BODY, signed(OTHER_KEY, OWN_SECRET.encode())),
    "no signature": (BODY, {**signed(KEY), "Webhook-Signature": ""}),
    "an empty signature": (BODY, {**signed(KEY), "Webhook-Signature": "v1,"}),
    "a signature that is not ASCII": (BODY, {**signed(KEY), "Webhook-Signature": "v1,é"}),
    "a signature of another version": (
        BODY,
        {**signed(KEY), "Webhook-Signature": signed(KEY)["Webhook-Signature"].replace("v1", "v2")},
    ),
    "no timestamp": (BODY, {**signed(KEY), "Webhook-Timestamp": ""}),
    "a timestamp that is no number": (BODY, {**signed(KEY), "Webhook-Timestamp": "now"}),
    "a timestamp in other digits": (BODY, {**signed(KEY), "Webhook-Timestamp": "١٧٠٠٠٠٠٠٠٠"}),
    "no headers": (BODY, {}),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_forged_delivery_is_refused(forged: tuple[bytes, dict[str, str]]) -> None:
    with pytest.raises(WebhookVerificationError) as caught:
        verify_webhook(*forged, SECRET)
    assert SECRET not in repr(caught.value)


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
