from __future__ import annotations

import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest

from tests.conftest import Ask
from tests.samples import error, pix_key, refund_result
from tests.scripted_server import Answer, ScriptedServer
from trilho import (
    ConnectionFailedError,
    DeadlineExceededError,
    InvalidResponseError,
    RateLimitError,
    RequestError,
    RetryPolicy,
    ServerError,
    Trilho,
)
from trilho._response_info import parse_retry_after
from trilho._retries import Attempts

UUID = "6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21"
REFUNDED = Answer(200, {"message": "", "data": refund_result(50)})
UNAVAILABLE = Answer(503, error("unavailable"))
BROKEN = Answer(fault="close")


@pytest.mark.parametrize(
    "failure",
    [
        BROKEN,
        *(Answer(status, error("x")) for status in (408, 429, 500, 502, 503, 504)),
        Answer(502, b"<html>"),
    ],
    ids=str,
)
def test_a_call_that_moves_money_is_repeated_unchanged(
    ask: Ask, server: ScriptedServer, failure: Answer
) -> None:
    server.script(failure, failure, REFUNDED)
    ask(lambda trilho: trilho.payments.refund(UUID, value="50.10"))
    first, *others = server.received
    assert len(others) == 2
    assert first.body == b'{"value":50.10}'
    assert len(first.headers["idempotency-key"]) == 36
    for other in others:
        assert other == first


def test_each_call_has_a_key_of_its_own_unless_it_is_given(ask: Ask, server: ScriptedServer) -> None:
    server.script(REFUNDED)
    for _ in range(2):
        ask(lambda trilho: trilho.payments.refund(UUID))
    ask(lambda trilho: trilho.payments.refund(UUID, idempotency_key="order-1"))
    first, second, given = [request.headers["idempotency-key"] for request in server.received]
    assert first != second
    assert given == "order-1"


def test_attempts_end_with_the_last_error_and_the_key_of_the_call(ask: Ask, server: ScriptedServer) -> None:
    server.script(UNAVAILABLE)
    with pytest.raises(ServerError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 3
    assert caught.value.code == "unavailable"
    assert caught.value.idempotency_key == server.received[0].headers["idempotency-key"]


@pytest.mark.parametrize("failure", [UNAVAILABLE, BROKEN, Answer(429, error("rate_limited"))], ids=str)
def test_a_post_without_a_key_is_sent_once(ask: Ask, server: ScriptedServer, failure: Answer) -> None:
    server.script(failure)
    with pytest.raises((ServerError, ConnectionFailedError, RateLimitError)):
        ask(lambda trilho: trilho.transfers.cancel(UUID))
    assert len(server.received) == 1


def test_a_change_of_a_webhook_is_sent_once(ask: Ask, server: ScriptedServer) -> None:
    server.script(UNAVAILABLE)
    with pytest.raises(ServerError):
        ask(lambda trilho: trilho.webhooks.update(UUID, token="another one"))
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_a_refusal_is_final(ask: Ask, server: ScriptedServer, status: int) -> None:
    server.script(Answer(status, error("refused")))
    with pytest.raises(Exception, match="refused"):
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 1


def test_a_failed_operation_is_final_for_its_key(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(503, error("no_provider_available", data={"uuid": UUID, "status": "FAILED"})))
    with pytest.raises(ServerError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 1
    assert caught.value.data["status"] == "FAILED"


def test_a_stored_response_is_final_for_its_key(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(503, error("no_provider_available"), {"idempotent-replayed": "true"}))
    with pytest.raises(ServerError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 1
    assert caught.value.is_replayed


@pytest.mark.parametrize(
    ("failure", "is_unknown"),
    [
        (BROKEN, True),
        (Answer(500, error("internal_error")), True),
        (Answer(503, error("not_confirmed")), True),
        (Answer(504, b"<html>"), True),
        (Answer(200, b"<html>"), True),
        (UNAVAILABLE, False),
        (Answer(429, error("rate_limited")), False),
        (Answer(400, error("provider_rejected")), False),
    ],
    ids=str,
)
def test_an_error_shows_whether_the_operation_may_have_been_executed(
    ask: Ask, server: ScriptedServer, failure: Answer, is_unknown: bool
) -> None:
    server.script(failure)
    once = RetryPolicy(max_attempts=1)
    with pytest.raises(RequestError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID), once)
    assert caught.value.is_outcome_unknown is is_unknown
    with pytest.raises(RequestError) as caught:
        ask(lambda trilho: trilho.payments.get(UUID), once)
    assert not caught.value.is_outcome_unknown


@pytest.mark.parametrize(
    ("last", "is_unknown"),
    [
        (Answer(429, error("rate_limited")), True),
        (UNAVAILABLE, True),
        (Answer(401, error("unauthenticated")), True),
        (Answer(404, b"<html>"), True),
        (Answer(400, error("provider_rejected")), False),
    ],
    ids=str,
)
def test_an_outcome_stays_unknown_until_the_api_answers_for_its_key(
    ask: Ask, server: ScriptedServer, last: Answer, is_unknown: bool
) -> None:
    server.script(BROKEN, last)
    with pytest.raises(RequestError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert caught.value.is_outcome_unknown is is_unknown


def test_an_operation_without_an_outcome_is_repeated(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(503, error("not_confirmed", data={"uuid": UUID})), REFUNDED)
    ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 2


def test_retry_after_is_waited_for(ask: Ask, server: ScriptedServer) -> None:
    server.script(
        Answer(429, error("rate_limited"), {"retry-after": "1"}), Answer(200, {"data": pix_key("a")})
    )
    started = time.monotonic()
    ask(lambda trilho: trilho.pix_keys.get("a"))
    assert time.monotonic() - started >= 1


def test_a_retry_after_beyond_the_deadline_is_not_waited_for(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(429, error("rate_limited"), {"retry-after": "60"}))
    with pytest.raises(RateLimitError) as caught:
        ask(lambda trilho: trilho.pix_keys.get("a"))
    assert len(server.received) == 1
    assert caught.value.retry_after_s == 60


@pytest.mark.parametrize("fault", ["hang", "trickle"])
def test_the_deadline_limits_the_whole_call(ask: Ask, server: ScriptedServer, fault: str) -> None:
    server.script(Answer(200, {"data": pix_key("a" * 500)}, fault=fault))
    started = time.monotonic()
    with pytest.raises(DeadlineExceededError) as caught:
        ask(lambda trilho: trilho.pix_keys.create(type="RANDOM"), RetryPolicy(deadline_s=0.5))
    assert time.monotonic() - started < 3
    assert caught.value.idempotency_key == server.received[0].headers["idempotency-key"]


def test_an_attempt_without_progress_is_repeated(server: ScriptedServer) -> None:
    server.script(Answer(fault="hang"), Answer(200, {"data": pix_key("a")}))
    with Trilho("t", base_url=server.url, timeout_s=0.2, retries=RetryPolicy(base_delay_s=0)) as trilho:
        assert trilho.pix_keys.get("a").key == "a"
    assert len(server.received) == 2


def test_a_success_that_cannot_be_read_is_not_repeated(ask: Ask, server: ScriptedServer) -> None:
    server.script(Answer(200, b"<html>"))
    with pytest.raises(InvalidResponseError) as caught:
        ask(lambda trilho: trilho.payments.refund(UUID))
    assert len(server.received) == 1
    assert caught.value.body == b"<html>"
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
