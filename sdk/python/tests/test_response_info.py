"""What a client reports of each response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from tests.conftest import QUICK, TOKEN
from tests.samples import refund_result
from tests.scripted_server import Answer, ScriptedServer
from trilho import AsyncTrilho, ResponseInfo, Trilho

UUID = "6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21"
REPLAYED = {"x-request-id": "r-2", "idempotent-replayed": "true"}
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
