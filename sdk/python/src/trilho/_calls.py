"""Requests and responses of the API, independent of how they are sent."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar
from urllib.parse import quote

import httpx

from ._amounts import OMITTED, dump_json, iso_timestamp, load_json, to_decimal
from ._response_info import ResponseInfo, read_response_info
from ._retries import RETRIED_STATUSES
from ._version import __version__
from .errors import APIError, InvalidResponseError, error_class

T = TypeVar("T")

#: Codes after which the operation may be executed, or is being executed.
UNKNOWN_OUTCOMES = frozenset(
    {"not_confirmed", "issuing", "pix_key_unknown", "cancellation_unknown", "revision_unknown"}
)

JSON = "application/json"

#: A file: its path, or its name and content.
File: TypeAlias = str | PathLike[str] | tuple[str, bytes]


@dataclass(frozen=True)
class Call(Generic[T]):
    """One call of an operation: what is sent, and how its response is read."""

    operation: str
    method: str
    path: str
    parse: Callable[[httpx.Response], T]
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = None
    files: Mapping[str, Iterable[File]] | None = None
    #: Whether the operation takes an Idempotency-Key.
    is_keyed: bool = False
    idempotency_key: str | None = None
    #: The media type of a success; an error is JSON.
    accept: str = JSON

    def prepare(self, base_url: str, headers: Mapping[str, str]) -> PreparedCall[T]:
        """Encodes everything once, with one Idempotency-Key, so that every attempt sends the same request."""
        key = _key_of(self.idempotency_key) if self.is_keyed else None
        body = _encode_body(self.body, self.files)
        request = httpx.Request(
            self.method,
            base_url + self.path,
            params=_encode_query(self.query),
            headers={
                **headers,
                "Accept": self.accept if self.accept == JSON else f"{self.accept}, {JSON}",
                "User-Agent": f"trilho-python/{__version__}",
                **({} if key is None else {"Idempotency-Key": key}),
                **({"Content-Type": JSON} if "content" in body else {}),
            },
            **body,
        )
        request.read()
        return PreparedCall(
            operation=self.operation,
            request=request,
            idempotency_key=key,
            is_repeatable=key is not None or self.method in ("GET", "PUT", "DELETE"),
            parse=self.parse,
        )


@dataclass(frozen=True)
class PreparedCall(Generic[T]):
    """A call as every attempt sends it."""

    operation: str
    request: httpx.Request
    idempotency_key: str | None
    #: Whether a second request cannot have a second effect.
    is_repeatable: bool
    parse: Callable[[httpx.Response], T]

    @property
    def has_effect(self) -> bool:
        return self.request.method != "GET"

    def read(self, response: httpx.Response) -> T:
        """Returns the result of a response of success."""
        try:
            return self.parse(response)
        except ValueError as error:
            raise InvalidResponseError(
                f"the response to {self.operation} is not the documented one",
                status=response.status_code,
                body=response.content,
                request_id=response.headers.get("x-request-id"),
                is_outcome_unknown=self.has_effect,
                idempotency_key=self.idempotency_key,
            ) from error

    def describe(self, response: httpx.Response, attempt: int) -> ResponseInfo:
        """Reads what the headers of a response say."""
        return read_response_info(
            response.status_code,
            response.headers,
            operation=self.operation,
            attempt=attempt,
            idempotency_key=self.idempotency_key,
        )

    def build_error(self, response: httpx.Response, info: ResponseInfo) -> APIError:
        """Builds the error of any other response, also of one that a proxy sent."""
        status = info.status
        body = _read_error_body(response)
        code = _text(body.get("code"))
        is_unknown = code in UNKNOWN_OUTCOMES or status == 500 or (code is None and status > 500)
        return error_class(status)(
            _text(body.get("message")) or f"HTTP {status} without a body of the API",
            status=status,
            code=code,
            request_id=_text(body.get("request_id")) or info.request_id,
            errors=body["errors"] if isinstance(body.get("errors"), dict) else None,
            data=body.get("data"),
            retry_after_s=info.retry_after_s,
            is_replayed=info.is_replayed,
            is_outcome_unknown=self.has_effect and is_unknown,
            idempotency_key=self.idempotency_key,
        )


def is_worth_a_retry(error: APIError) -> bool:
    """Whether a repeat can have another outcome: a stored response and a FAILED operation are final for their key."""
    is_failed = isinstance(error.data, dict) and error.data.get("status") == "FAILED"
    return error.status in RETRIED_STATUSES and not error.is_replayed and not is_failed


def path_of(template: str, **parameters: str) -> str:
    """Fills in the parameters of a path, encoded."""
    for name, value in parameters.items():
        if not isinstance(value, str) or value in ("", ".", ".."):
            raise ValueError(f"{name} must be a text that identifies a resource, not {value!r}")
    return template.format_map({name: quote(value, safe="") for name, value in parameters.items()})


def amount_of(name: str, value: object) -> object:
    """Reads an amount of a request; one that is left out stays so."""
    return value if value is OMITTED else to_decimal(value, name)


def optional_amount_of(name: str, value: object) -> object:
    """Reads an amount of a filter, for which ``None`` is none."""
    return None if value is None else to_decimal(value, name)


def _key_of(own: str | None) -> str:
    """Returns the caller's key, or makes one. A header of another form would fail in the HTTP client."""
    key = str(uuid.uuid4()) if own is None else own
    if not re.fullmatch(r"[\x20-\x7e]{1,255}", key):
        raise ValueError("idempotency_key must be 1 to 255 printable ASCII characters")
    return key


def _encode_query(query: Mapping[str, object]) -> dict[str, str]:
    return {name: _query_text(value) for name, value in query.items() if value is not None}


def _query_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return iso_timestamp(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(map(_query_text, value))
    return str(value)


def _encode_body(
    body: Mapping[str, object] | None, files: Mapping[str, Iterable[File]] | None
) -> dict[str, Any]:
    if body is None:
        return {}
    present = {name: value for name, value in body.items() if value is not None and value is not OMITTED}
    if files is None:
        return {"content": dump_json(present).encode()}
    parts = [(name, (None, _query_text(value).encode())) for name, value in present.items()]
    uploads = [
        (f"{name}[{index}][file]", _read_file(file))
        for name, of_name in files.items()
        for index, file in enumerate(of_name)
    ]
    # Only files make httpx write a form with parts, so texts are parts without a file name.
    return {"files": [*parts, *uploads]}


def _read_file(file: File) -> tuple[str, bytes]:
    if isinstance(file, tuple):
        return file
    path = Path(file)
    return path.name, path.read_bytes()


def _read_error_body(response: httpx.Response) -> dict[str, Any]:
    try:
        body = load_json(response.content)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
