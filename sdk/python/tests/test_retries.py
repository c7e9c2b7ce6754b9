"""What repeats have alone in Python; what all clients repeat is in test/sdk/conformance of the repository."""

from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from tests.conftest import Ask
from tests.samples import error, pix_key
from tests.scripted_server import Answer, ScriptedServer
from trilho import DeadlineExceededError, InvalidResponseError, RetryPolicy, ServerError
from trilho._response_info import parse_retry_after
from trilho._retries import Attempts

UUID = "6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21"


def test_the_data_of_a_failed_operation_is_in_its_error(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(503, error("no_provider_available", data={"uuid": UUID, "status": "FAILED"})))
    with pytest.raises(ServerError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert caught.value.data["status"] == "FAILED"


@pytest.mark.parametrize("fault", ["hang", "trickle"])
def test_the_deadline_limits_the_whole_call(ask: Ask, server: ScriptedServer, fault: str) -> None:
    server.script(Answer(200, {"data": pix_key("a" * 500)}, fault=fault))
    started = time.monotonic()
    with pytest.raises(DeadlineExceededError) as caught:
        ask(lambda trilho: trilho.pix_keys.create(type="RANDOM"), RetryPolicy(deadline_s=0.5))
    assert time.monotonic() - started < 3
    assert caught.value.idempotency_key == server.received[0].headers["idempotency-key"]


@pytest.mark.parametrize("body", [b"<html>", b'{"message": "Done."}'])
def test_a_success_that_cannot_be_read_is_not_repeated(ask: Ask, server: ScriptedServer, body: bytes) -> None:
    server.script(Answer(200, body))
    with pytest.raises(InvalidResponseError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 1
    assert caught.value.body == body
    assert caught.value.idempotency_key == server.received[0].headers["idempotency-key"]


def test_delays_double_up_to_their_limit_and_end_before_the_deadline() -> None:
    now = 0.0
    policy = RetryPolicy(max_attempts=10, base_delay_s=1, max_delay_s=4, deadline_s=20)
    attempts = Attempts(policy, is_repeatable=True, clock=lambda: now, jitter=lambda low, high: high)
    delays = []
    while (delay := attempts.next_delay_s()) is not None:
        delays.append(delay)
        now += delay
    assert delays == [1, 2, 4, 4, 4, 4]
    jittered = Attempts(policy, is_repeatable=True, jitter=lambda low, high: low)
    assert [jittered.next_delay_s(), jittered.next_delay_s(3)] == [0.5, 4]


@pytest.mark.parametrize(
    ("value", "seconds"), [(None, None), ("7", 7), (" 0 ", 0), ("soon", None), ("-1", None), ("٧", None)]
)
def test_retry_after_in_seconds(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value) == seconds


def test_retry_after_as_a_date() -> None:
    later = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=30), usegmt=True)
    assert 25 < (parse_retry_after(later) or 0) <= 30
    assert parse_retry_after("Fri, 21 Nov 2025 12:00:00 GMT") == 0


@pytest.mark.parametrize("options", [{"max_attempts": 0}, {"deadline_s": 0}, {"base_delay_s": -1}])
def test_a_policy_without_limits_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least one attempt"):
        RetryPolicy(**options)
