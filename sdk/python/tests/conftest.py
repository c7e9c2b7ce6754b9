from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol, cast

import anyio
import pytest

from tests.scripted_server import ScriptedServer, serve
from trilho import AsyncTrilho, RetryPolicy, Trilho

TOKEN = "trl_test_secret"
QUICK = RetryPolicy(max_attempts=3, base_delay_s=0.01, max_delay_s=0.02, deadline_s=5)


class Ask(Protocol):
    """Calls a method of a client of the scripted server, and returns its result."""

    def __call__(self, operation: Callable[[Any], Any], retries: RetryPolicy = QUICK) -> Any: ...


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with serve() as scripted:
        yield scripted


@pytest.fixture(params=["sync", "asyncio"])
def ask(request: pytest.FixtureRequest, server: ScriptedServer) -> Ask:
    def ask_sync(operation: Callable[[Any], Any], retries: RetryPolicy = QUICK) -> Any:
        with Trilho(TOKEN, base_url=server.url, retries=retries) as client:
            return operation(client)

    def ask_async(operation: Callable[[Any], Any], retries: RetryPolicy = QUICK) -> Any:
        async def main() -> Any:
            async with AsyncTrilho(TOKEN, base_url=server.url, retries=retries) as client:
                return await cast(Awaitable[Any], operation(client))

        return anyio.run(main)

    return ask_sync if request.param == "sync" else ask_async
