"""The clients of the API."""

from __future__ import annotations

import os
import re
from types import TracebackType

import httpx

from ._async_resources import AsyncResources
from ._resources import Resources
from ._response_info import OnResponse
from ._retries import RetryPolicy
from ._transports import AsyncTransport, Settings, SyncTransport

#: Of a request that moves money the API waits for a provider; after this time without a byte an attempt has failed.
DEFAULT_TIMEOUT_S = 30.0


class Trilho(Resources):
    """The sync client. Safe to share between threads; close it, or use it in a ``with``.

    Args:
        token: An access token of the account; from ``TRILHO_TOKEN`` where absent.
        base_url: The address of the API, with or without ``/api/v1``; from ``TRILHO_BASE_URL`` where absent.
        timeout_s: Seconds that one attempt waits for the next bytes.
        retries: Limits of the attempts of a call, and of the call as a whole.
        http_client: A client of your own, for example with a proxy; you close it.
        on_response: A plain function that receives what the headers of each response say: request id, rate limit,
            replay. Called once for each response of each attempt, before the call returns or fails. What it raises
            is only logged.
    """

    def __init__(
        self,
        token: str | None = None,
        *,
        base_url: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: RetryPolicy | None = None,
        http_client: httpx.Client | None = None,
        on_response: OnResponse | None = None,
    ) -> None:
        self._transport = SyncTransport(
            _read_settings(token, base_url, timeout_s, retries, on_response), http_client
        )
        super().__init__(self._transport)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> Trilho:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Trilho(base_url={self._transport.settings.base_url!r})"


class AsyncTrilho(AsyncResources):
    """The async client, for asyncio and trio. Close it, or use it in an ``async with``.

    Args:
        token: An access token of the account; from ``TRILHO_TOKEN`` where absent.
        base_url: The address of the API, with or without ``/api/v1``; from ``TRILHO_BASE_URL`` where absent.
        timeout_s: Seconds that one attempt waits for the next bytes.
        retries: Limits of the attempts of a call, and of the call as a whole.
        http_client: A client of your own, for example with a proxy; you close it.
        on_response: A plain function that receives what the headers of each response say: request id, rate limit,
            replay. Called once for each response of each attempt, before the call returns or fails. What it raises
            is only logged.
    """

    def __init__(
        self,
        token: str | None = None,
        *,
        base_url: str | None = None,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        retries: RetryPolicy | None = None,
        http_client: httpx.AsyncClient | None = None,
        on_response: OnResponse | None = None,
    ) -> None:
        self._transport = AsyncTransport(
            _read_settings(token, base_url, timeout_s, retries, on_response), http_client
        )
        super().__init__(self._transport)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncTrilho:
        return self

    async def __aexit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncTrilho(base_url={self._transport.settings.base_url!r})"


def _read_settings(
    token: str | None,
    base_url: str | None,
    timeout_s: float,
    retries: RetryPolicy | None,
    on_response: OnResponse | None,
) -> Settings:
    token = os.environ.get("TRILHO_TOKEN") if token is None else token
    base_url = os.environ.get("TRILHO_BASE_URL") if base_url is None else base_url
    if not token or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise ValueError(
            "token, or TRILHO_TOKEN, must be an access token: printable characters without blanks"
        )
    if not base_url or not re.match(r"https?://[^/]", base_url):
        raise ValueError(
            "base_url, or TRILHO_BASE_URL, must be the address of the API, for example https://pix.example.com"
        )
    if timeout_s <= 0:
        raise ValueError("timeout_s must be positive")
    address = base_url.rstrip("/").removesuffix("/api/v1")
    return Settings(
        token=token,
        base_url=address,
        timeout_s=timeout_s,
        retries=retries or RetryPolicy(),
        on_response=on_response,
    )
