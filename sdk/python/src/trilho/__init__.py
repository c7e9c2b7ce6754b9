"""The Python client of Trilho, a PIX payments engine."""

from . import errors, events, inputs, models
from ._amounts import Amount
from ._client import AsyncTrilho, Trilho
from ._pages import Page
from ._response_info import OnResponse, RateLimit, ResponseInfo
from ._retries import RetryPolicy
from ._version import __version__
from .errors import (
    APIError,
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionFailedError,
    DeadlineExceededError,
    InvalidEventError,
    InvalidResponseError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
    RequestError,
    ServerError,
    TrilhoError,
    ValidationError,
    WebhookVerificationError,
)
from .events import Event
from .webhooks import verify_webhook

__all__ = [
    "APIError",
    "Amount",
    "AsyncTrilho",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionFailedError",
    "DeadlineExceededError",
    "Event",
    "InvalidEventError",
    "InvalidResponseError",
    "NotFoundError",
    "OnResponse",
    "Page",
    "PermissionDeniedError",
    "RateLimit",
    "RateLimitError",
    "RequestError",
    "ResponseInfo",
    "RetryPolicy",
    "ServerError",
    "Trilho",
    "TrilhoError",
    "ValidationError",
    "WebhookVerificationError",
    "__version__",
    "errors",
    "events",
    "inputs",
    "models",
    "verify_webhook",
]
