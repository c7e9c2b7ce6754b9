"""Carries out orders with the SDK for Python: a line of JSON for each, answered by one with its outcome."""

from __future__ import annotations

import json
import re
import sys
import traceback
from typing import Any

import anyio

from trilho import (
    APIError,
    AsyncTrilho,
    DeadlineExceededError,
    InvalidResponseError,
    Page,
    RequestError,
    ResponseInfo,
    RetryPolicy,
    Trilho,
    WebhookVerificationError,
    verify_webhook,
)

IS_ASYNC = "async" in sys.argv


def snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def plain(value: Any) -> Any:
    """Returns a result as JSON."""
    if isinstance(value, Page):
        return {"data": plain(value.data), "meta": plain(value.meta)}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value.model_dump(mode="json", by_alias=True) if hasattr(value, "model_dump") else value


def settings_of(client: dict[str, Any], responses: list[Any]) -> dict[str, Any]:
    retries = client["retries"]
    return {
        "token": client["token"],
        "base_url": client["baseUrl"],
        "timeout_s": client["timeoutMs"] / 1000,
        "retries": RetryPolicy(
            max_attempts=retries["maxAttempts"],
            base_delay_s=retries["baseDelayMs"] / 1000,
            max_delay_s=retries["maxDelayMs"] / 1000,
            deadline_s=retries["deadlineMs"] / 1000,
        ),
        "on_response": lambda info: responses.append(describe_response(info)),
    }


def bind(trilho: Any, call: dict[str, Any]) -> Any:
    """Calls a method: what a call awaits, iterates over or returns."""
    name = snake_case(call["method"])
    if call.get("isIterated"):
        name = name.replace("list", "iterate", 1)
    named = {**call.get("body", {}), **call.get("query", {})}
    if "idempotencyKey" in call:
        named["idempotency_key"] = call["idempotencyKey"]
    if "files" in call:
        named["attachments"] = [(file["name"], file["text"].encode()) for file in call["files"]]
    return getattr(getattr(trilho, snake_case(call["resource"])), name)(*call["path"], **named)


def run_sync(settings: dict[str, Any], call: dict[str, Any], texts: list[str]) -> Any:
    with Trilho(**settings) as trilho:
        texts += [repr(trilho), str(trilho)]
        result = bind(trilho, call)
        return list(result) if call.get("isIterated") else result


async def run_async(settings: dict[str, Any], call: dict[str, Any], texts: list[str]) -> Any:
    async with AsyncTrilho(**settings) as trilho:
        texts += [repr(trilho), str(trilho)]
        result = bind(trilho, call)
        return [item async for item in result] if call.get("isIterated") else await result


def execute(order: dict[str, Any], responses: list[Any], texts: list[str]) -> Any:
    if "verify" in order:
        verify = order["verify"]
        tolerance = {"tolerance_s": verify["toleranceS"]} if "toleranceS" in verify else {}
        return verify_webhook(verify["body"].encode(), verify["headers"], verify["secrets"], **tolerance)
    settings = settings_of(order["client"], responses)
    if IS_ASYNC:
        return anyio.run(run_async, settings, order["call"], texts)
    return run_sync(settings, order["call"], texts)


def describe_error(error: RequestError) -> dict[str, Any]:
    of_api = error if isinstance(error, APIError) else None
    of_client = "timeout" if isinstance(error, DeadlineExceededError) else "connection_failed"
    if of_api or isinstance(error, InvalidResponseError):
        of_client = "unexpected_response"
    return {
        "code": (of_api and of_api.code) or of_client,
        "status": getattr(error, "status", None),
        "requestId": getattr(error, "request_id", None),
        "errors": (of_api and of_api.errors) or None,
        "data": of_api and of_api.data,
        "retryAfterS": of_api and of_api.retry_after_s,
        "isReplayed": bool(of_api and of_api.is_replayed),
        "idempotencyKey": error.idempotency_key,
        "isOutcomeUnknown": error.is_outcome_unknown,
    }


def describe_response(info: ResponseInfo) -> dict[str, Any]:
    limit = info.rate_limit
    return {
        "operation": info.operation,
        "attempt": info.attempt,
        "status": info.status,
        "requestId": info.request_id,
        "idempotencyKey": info.idempotency_key,
        "isReplayed": info.is_replayed,
        "retryAfterS": info.retry_after_s,
        "rateLimit": limit
        and {
            "quota": limit.quota,
            "windowS": limit.window_s,
            "remaining": limit.remaining,
            "resetS": limit.reset_s,
        },
    }


def answer(order: dict[str, Any]) -> dict[str, Any]:
    responses: list[Any] = []
    texts: list[str] = []
    outcome: dict[str, Any]
    try:
        outcome = {"result": plain(execute(order, responses, texts))}
    except WebhookVerificationError as error:
        outcome = {"forged": str(error)}
    except RequestError as error:
        texts += [repr(error), "".join(traceback.format_exception(error))]
        outcome = {"error": describe_error(error)}
    except (ValueError, TypeError) as error:
        outcome = {"refused": str(error)}
    return {**outcome, "responses": responses, "texts": texts}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line)), default=float), flush=True)
