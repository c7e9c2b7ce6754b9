"""A Trilho that runs, with a simulator of its providers: what the suite of the repository starts."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

import httpx
import pytest

NAMES = ("TRILHO_BASE_URL", "TRILHO_TOKEN", "SIMULATOR", "INBOX", "CA")

needs_stack = pytest.mark.skipif(
    any(name not in os.environ for name in NAMES),
    reason=f"needs a running Trilho: {', '.join(NAMES)} (test/api/python-sdk.test.ts)",
)

LIMIT_S = 60


class Simulator:
    """The payer's bank, and the receiver of webhook deliveries."""

    def __init__(self, inbox: str) -> None:
        self.inbox = f"{inbox}-{uuid4()}"
        self.inbox_url = f"{os.environ['INBOX']}/{self.inbox}"
        self._client = httpx.Client(
            base_url=os.environ["SIMULATOR"],
            verify=ssl.create_default_context(cafile=os.environ["CA"]),
            timeout=30,
        )

    def pay(self, payload: str) -> None:
        self._client.post("/control/pay", json={"payload": payload}).raise_for_status()

    def deliveries(self) -> list[dict[str, Any]]:
        answer = self._client.get(f"/control/inbox/{self.inbox}")
        found: list[dict[str, Any]] = answer.raise_for_status().json()["data"]
        return found

    def deliver(self, receive: Callable[[bytes, Mapping[str, str]], int]) -> None:
        """Hands the deliveries to a receiver, which accepts them as they are, and not changed."""
        wait_until(lambda: len(self.deliveries()) > 0)
        for delivery in self.deliveries():
            body = delivery["body"].encode()
            assert receive(body, delivery["headers"]) == 204
            assert receive(body + b" ", delivery["headers"]) == 400

    def close(self) -> None:
        self._client.close()


def wait_until(is_true: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT_S
    while not is_true():
        assert time.monotonic() < limit, "it does not happen"
        time.sleep(0.1)
