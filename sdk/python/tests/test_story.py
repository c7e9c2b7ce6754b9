"""The story of Trilho's README with the async client: a charge, its payment, its webhooks, a refund, a transfer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from decimal import Decimal
from uuid import uuid4

import anyio
import pytest

from tests.live_stack import LIMIT_S, Simulator, needs_stack
from trilho import AsyncTrilho, ConflictError, events, verify_webhook


async def until(is_true: Callable[[], Awaitable[bool]]) -> None:
    with anyio.fail_after(LIMIT_S):
        while not await is_true():  # noqa: ASYNC110
            await anyio.sleep(0.1)


@needs_stack
def test_a_merchants_day_with_the_async_client() -> None:
    anyio.run(_run_the_story)


async def _run_the_story() -> None:
    simulator = Simulator("python-sdk-story")
    async with AsyncTrilho() as trilho:
        assert (await trilho.health.get_readiness()).status == "ok"
        webhook = await trilho.webhooks.create(url=simulator.inbox_url)
        key = f"story-{uuid4()}"
        payment = await trilho.payments.create(value=12.5, idempotency_key=key)
        again = await trilho.payments.create(value=Decimal("12.50"), idempotency_key=key)
        assert again == payment
        assert payment.value == Decimal("12.5")
        assert (await trilho.payments.get_qr_png(payment.uuid)).startswith(b"\x89PNG")
        assert "<svg" in await trilho.payments.get_qr_svg(payment.uuid)

        simulator.pay(payment.payment.payload)

        async def is_paid() -> bool:
            return (await trilho.payments.get(payment.uuid)).status == "PAID"

        async def is_notified() -> bool:
            deliveries = await trilho.webhooks.list_deliveries(webhook.uuid, status="DELIVERED")
            return len(deliveries) >= 2

        await until(is_paid)
        await until(is_notified)
        received = [
            verify_webhook(delivery["body"], delivery["headers"], webhook.token)
            for delivery in simulator.deliveries()
        ]
        (paid,) = [event for event in received if isinstance(event, events.PaymentEvent)]
        assert (paid.data.uuid, paid.data.status, paid.data.value) == (payment.uuid, "PAID", Decimal("12.5"))
        assert any(isinstance(event, events.PixTransactionEvent) for event in received)
        listed = [event async for event in trilho.events.iterate(type="PAYMENT")]
        assert paid.id in [event.id for event in listed]

        refund = await trilho.payments.refund(payment.uuid, value=2)

        async def is_refunded() -> bool:
            return (await trilho.payments.get(payment.uuid)).status == "PARTIALLY_REFUNDED"

        await until(is_refunded)
        (read,) = await trilho.payments.list_refunds(payment.uuid)
        assert read.refund.uuid == refund.refund.uuid
        assert read.refund.value == 2
        with pytest.raises(ConflictError, match="charge_not_cancellable"):
            await trilho.payments.cancel(payment.uuid)

        transfer = await trilho.transfers.create(value="0.10", pix_key="joana@example.com")

        async def is_sent() -> bool:
            return (await trilho.transfers.get(transfer.uuid)).status == "PAID"

        await until(is_sent)
        # Pages of two lines: the iterator reads several.
        lines = [line async for line in trilho.ledger.iterate(per_page=2)]
        assert len(lines) >= 3
        assert len({line.uuid for line in lines}) >= 3
        provider, *_ = (await trilho.providers.get_defaults()).PIX
        assert provider.is_operational
    simulator.close()
