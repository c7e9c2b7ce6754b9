"""Errors of the client. Every one is a ``TrilhoError``; none contains the access token."""

from __future__ import annotations

from typing import Any


class TrilhoError(Exception):
    """Any error of this package."""


class WebhookVerificationError(TrilhoError):
    """A delivery is not signed with the signing secret, or its timestamp is too old or too new."""


class InvalidEventError(TrilhoError):
    """A delivery is signed by Trilho, and its body is not an event that this version can read."""


class RequestError(TrilhoError):
    """A call that failed, after all its attempts.

    Where it moves money, repeat it with ``idempotency_key``: the API then answers with the result of the first
    request, and the money moves once.
    """

    def __init__(self, message: str, *, is_outcome_unknown: bool, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        #: The operation may have been executed. Never send it again under another key.
        self.is_outcome_unknown = is_outcome_unknown
        self.idempotency_key = idempotency_key


class ConnectionFailedError(RequestError):
    """No response arrived: the connection failed or broke in every attempt."""


class DeadlineExceededError(ConnectionFailedError):
    """No response arrived before the deadline of the call."""


class InvalidResponseError(RequestError):
    """A response of success whose body is not the documented one."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        body: bytes,
        request_id: str | None,
        is_outcome_unknown: bool,
        idempotency_key: str | None,
    ) -> None:
        super().__init__(message, is_outcome_unknown=is_outcome_unknown, idempotency_key=idempotency_key)
        self.status = status
        self.body = body
        self.request_id = request_id


class APIError(RequestError):
    """An error response of the API. Build on ``code``, which is stable; the message is for people."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str | None = None,
        request_id: str | None = None,
        errors: dict[str, list[str]] | None = None,
        data: Any = None,
        retry_after_s: float | None = None,
        is_replayed: bool = False,
        is_outcome_unknown: bool = False,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message, is_outcome_unknown=is_outcome_unknown, idempotency_key=idempotency_key)
        #: The HTTP status.
        self.status = status
        #: The stable name from the catalogue; ``None`` where the response is not one of the API.
        self.code = code
        #: Give it to the operator of the service with a question.
        self.request_id = request_id
        #: Messages by the path of each invalid field.
        self.errors = errors or {}
        #: The stored resource, or its ``uuid``, where the operation is stored; amounts are ``Decimal``.
        self.data = data
        #: Seconds to wait before a repeat, where the API names them.
        self.retry_after_s = retry_after_s
        #: The response is the stored one of an earlier request with the same Idempotency-Key.
        self.is_replayed = is_replayed

    def __str__(self) -> str:
        parts = [f"{self.status} {self.code or 'error'}: {self.args[0]}"]
        parts += [f"{field} {text}" for field, texts in self.errors.items() for text in texts]
        if self.request_id:
            parts.append(f"request_id {self.request_id}")
        return "; ".join(parts)


class BadRequestError(APIError):
    """400: the request is malformed, or every provider has rejected the operation (``provider_rejected``)."""


class AuthenticationError(APIError):
    """401: the access token is missing, unknown, revoked or expired."""


class PermissionDeniedError(APIError):
    """403: the token may not do this."""


class NotFoundError(APIError):
    """404: the resource does not exist, or the token has no access to it."""


class ConflictError(APIError):
    """409: the state of the resource does not permit the operation."""


class ValidationError(APIError):
    """422: fields are invalid (``errors``), or the Idempotency-Key belongs to another request."""


class RateLimitError(APIError):
    """429: too many requests, after all retries."""


class ServerError(APIError):
    """5xx: the service did not complete the request, after all retries."""


_BY_STATUS: dict[int, type[APIError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: ValidationError,
    429: RateLimitError,
}


def error_class(status: int) -> type[APIError]:
    """Returns the class of an error status."""
    return ServerError if status >= 500 else _BY_STATUS.get(status, APIError)
