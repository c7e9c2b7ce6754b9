"""Send calls over httpx, sync and async: the same attempts with the same limits."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import TypeVar

import anyio
import httpx

from ._calls import Call, PreparedCall, is_worth_a_retry
from ._response_info import OnResponse, ResponseInfo
from ._retries import Attempts, RetryPolicy
from .errors import APIError, ConnectionFailedError, DeadlineExceededError, RequestError

T = TypeVar("T")

log = logging.getLogger("trilho")


@dataclass(frozen=True)
class Settings:
    """Where calls go, and their limits."""

    token: str = field(repr=False)
    base_url: str
    #: Seconds of one attempt without progress.
    timeout_s: float
    retries: RetryPolicy
    on_response: OnResponse | None = None


class _Transport:
    """What both transports share: the request, and what follows an attempt that failed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def _prepare(self, call: Call[T]) -> tuple[PreparedCall[T], Attempts]:
        prepared = call.prepare(self.settings.base_url, {"Authorization": f"Bearer {self.settings.token}"})
        return prepared, Attempts(self.settings.retries, is_repeatable=prepared.is_repeatable)

    def _begin(self, prepared: PreparedCall[T], attempts: Attempts) -> httpx.Request:
        """Returns the request of the next attempt, whose waits end at the deadline of the call."""
        timeout = httpx.Timeout(max(0.001, min(self.settings.timeout_s, attempts.remaining_s())))
        prepared.request.extensions["timeout"] = timeout.as_dict()
        return prepared.request

    def _complete(
        self, prepared: PreparedCall[T], attempts: Attempts, stream: httpx.Response, chunks: list[bytes]
    ) -> httpx.Response:
        """Returns a response of success with its whole body; raises the error of any other."""
        response = httpx.Response(
            stream.status_code, headers=stream.headers, content=b"".join(chunks), request=prepared.request
        )
        info = prepared.describe(response, attempts.count + 1)
        self._report(info)
        if not response.is_success:
            raise prepared.build_error(response, info)
        return response

    def _report(self, info: ResponseInfo) -> None:
        """Calls the caller's function. What it raises is logged: the operation may have moved money."""
        if self.settings.on_response is None:
            return
        try:
            self.settings.on_response(info)
        except Exception:
            log.exception("on_response failed for %s", info.operation)

    def _delay_after(self, error: RequestError, prepared: PreparedCall[T], attempts: Attempts) -> float:
        """Returns the seconds until the next attempt, or raises the error."""
        # The outcome of an earlier attempt stays unknown until the API answers for its key.
        if attempts.is_outcome_unknown and not _is_answer(error):
            error.is_outcome_unknown = True
        attempts.is_outcome_unknown = error.is_outcome_unknown
        retry_after_s = error.retry_after_s if isinstance(error, APIError) else None
        delay = attempts.next_delay_s(retry_after_s)
        if delay is None or (isinstance(error, APIError) and not is_worth_a_retry(error)):
            raise error
        log.debug("%s again in %.2f s: %s", prepared.operation, delay, error)
        return delay


class SyncTransport(_Transport):
    """Sends calls with an ``httpx.Client``."""

    def __init__(self, settings: Settings, client: httpx.Client | None) -> None:
        super().__init__(settings)
        self._client = client or httpx.Client()
        self._owns_client = client is None

    def send(self, call: Call[T]) -> T:
        """Sends a call until it has a result, an error, or no attempt left."""
        prepared, attempts = self._prepare(call)
        while True:
            try:
                response = self._attempt(prepared, attempts)
            except RequestError as error:
                time.sleep(self._delay_after(error, prepared, attempts))
            else:
                return prepared.read(response)

    def close(self) -> None:
        if self._owns_client:
            self._client.close()

    def _attempt(self, prepared: PreparedCall[T], attempts: Attempts) -> httpx.Response:
        chunks: list[bytes] = []
        try:
            stream = self._client.send(self._begin(prepared, attempts), stream=True)
            try:
                for chunk in stream.iter_raw():
                    chunks.append(chunk)
                    if attempts.remaining_s() <= 0:
                        raise _deadline_error(prepared)
            finally:
                stream.close()
        except httpx.TransportError as error:
            raise _connection_error(prepared, attempts, error) from error
        return self._complete(prepared, attempts, stream, chunks)


class AsyncTransport(_Transport):
    """Sends calls with an ``httpx.AsyncClient``, on asyncio or trio."""

    def __init__(self, settings: Settings, client: httpx.AsyncClient | None) -> None:
        super().__init__(settings)
        self._client = client or httpx.AsyncClient()
        self._owns_client = client is None

    async def send(self, call: Call[T]) -> T:
        """Sends a call until it has a result, an error, or no attempt left."""
        prepared, attempts = self._prepare(call)
        while True:
            try:
                response = await self._attempt(prepared, attempts)
            except RequestError as error:
                await anyio.sleep(self._delay_after(error, prepared, attempts))
            else:
                return prepared.read(response)

    async def close(self) -> None:
        if self._owns_client:
            await self._client.aclose()

    async def _attempt(self, prepared: PreparedCall[T], attempts: Attempts) -> httpx.Response:
        chunks: list[bytes] = []
        try:
            with anyio.fail_after(max(0.001, attempts.remaining_s())):
                stream = await self._client.send(self._begin(prepared, attempts), stream=True)
                try:
                    async for chunk in stream.aiter_raw():
                        chunks.append(chunk)
                finally:
                    await stream.aclose()
        except TimeoutError:
            raise _deadline_error(prepared) from None
        except httpx.TransportError as error:
            raise _connection_error(prepared, attempts, error) from error
        return self._complete(prepared, attempts, stream, chunks)


def _is_answer(error: RequestError) -> bool:
    """Whether an error says what has become of the attempts before it, which had the same key."""
    return (
        isinstance(error, APIError)
        and error.code is not None
        and error.status not in (401, 403)
        and not is_worth_a_retry(error)
    )


def _connection_error(
    prepared: PreparedCall[T], attempts: Attempts, error: httpx.TransportError
) -> RequestError:
    if attempts.remaining_s() <= 0:
        return _deadline_error(prepared)
    # Not the text of the error: a library below could quote a header in it.
    return ConnectionFailedError(
        f"{prepared.operation} received no response ({type(error).__name__})",
        is_outcome_unknown=prepared.has_effect,
        idempotency_key=prepared.idempotency_key,
    )


def _deadline_error(prepared: PreparedCall[T]) -> DeadlineExceededError:
    return DeadlineExceededError(
        f"{prepared.operation} received no response before the deadline",
        is_outcome_unknown=prepared.has_effect,
        idempotency_key=prepared.idempotency_key,
    )
