"""What a client reports of each response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from tests.conftest import QUICK, TOKEN
from tests.samples import error, refund_result
from tests.scripted_server import Answer, ScriptedServer
from trilho import AsyncTrilho, ConflictError, RateLimit, ResponseInfo, Trilho

UUID = "6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21"
LIMITED = Answer(
    429,
    error("rate_limited"),
    {
        "x-request-id": "r-1",
        "retry-after": "0",
        "ratelimit": '"token";r=0;t=2',
        "ratelimit-policy": '"token";q=200;w=2',
    },
)
REPLAYED = {"x-request-id": "r-2", "idempotent-replayed": "true", "ratelimit": "of a proxy"}
REFUNDED = Answer(200, {"message": "", "data": refund_result(50)}, REPLAYED)

Refund = Callable[[ScriptedServer, Callable[[ResponseInfo], object]], Any]


def refund_sync(server: ScriptedServer, on_response: Callable[[ResponseInfo], object]) -> Any:
    with Trilho(TOKEN, base_url=server.url, retries=QUICK, on_response=on_response) as client:
        return client.payments.refund(UUID, idempotency_key="order-1")


def refund_async(server: ScriptedServer, on_response: Callable[[ResponseInfo], object]) -> Any:
    async def main() -> Any:
        async with AsyncTrilho(TOKEN, base_url=server.url, retries=QUICK, on_response=on_response) as client:
            return await client.payments.refund(UUID, idempotency_key="order-1")

    return anyio.run(main)


@pytest.fixture(params=[refund_sync, refund_async])
def refund(request: pytest.FixtureRequest) -> Refund:
    found: Refund = request.param
    return found


def test_every_response_is_reported_in_the_order_of_the_attempts(
    refund: Refund, server: ScriptedServer
) -> None:
    received: list[ResponseInfo] = []
    server.script(Answer(fault="close"), LIMITED, REFUNDED)
    refund(server, received.append)
    assert received == [
        ResponseInfo(
            operation="refundPayment",
            attempt=2,
            status=429,
            request_id="r-1",
            idempotency_key="order-1",
            is_replayed=False,
            retry_after_s=0,
            rate_limit=RateLimit(quota=200, window_s=2, remaining=0, reset_s=2),
        ),
        ResponseInfo(
            operation="refundPayment",
            attempt=3,
            status=200,
            request_id="r-2",
            idempotency_key="order-1",
            is_replayed=True,
            retry_after_s=None,
            rate_limit=None,
        ),
    ]


def test_a_fault_of_the_function_changes_nothing_of_the_call(
    refund: Refund, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: ResponseInfo) -> None:
        raise RuntimeError("a fault of the caller")

    server.script(REFUNDED)
    assert refund(server, fail).refund.value == 50
    assert len(server.received) == 1
    assert "a fault of the caller" in caplog.text
    assert TOKEN not in caplog.text


def test_an_error_has_the_facts_of_its_response(refund: Refund, server: ScriptedServer) -> None:
    server.script(Answer(409, error("insufficient_balance"), {**REPLAYED, "retry-after": "7"}))
    with pytest.raises(ConflictError) as caught:
        refund(server, lambda _: None)
    assert (caught.value.is_replayed, caught.value.retry_after_s) == (True, 7)
