"""Read results from responses of success."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import httpx

from . import models
from ._amounts import load_json
from ._model import Model
from ._pages import Page
from .events import Event, parse_event

M = TypeVar("M", bound=Model)
T = TypeVar("T")


def read_one(model: type[M]) -> Callable[[httpx.Response], M]:
    """Reads `{"data": …}`."""
    return lambda response: model.model_validate(_data(response)["data"])


def read_whole(model: type[M]) -> Callable[[httpx.Response], M]:
    """Reads a body that is the resource itself."""
    return lambda response: model.model_validate(_data(response))


def read_list(model: type[M]) -> Callable[[httpx.Response], list[M]]:
    """Reads `{"data": […]}` of a list without pages."""

    def read(response: httpx.Response) -> list[M]:
        items = _data(response)["data"]
        if not isinstance(items, list):
            raise ValueError("data is not a list")
        return [model.model_validate(item) for item in items]

    return read


def read_page(model: type[M]) -> Callable[[httpx.Response], Page[M]]:
    """Reads `{"data": […], "meta": …}`."""
    return lambda response: _read_page_of(model.model_validate, response)


def read_event(response: httpx.Response) -> Event:
    """Reads `{"data": event}`."""
    return parse_event(_data(response)["data"])


def read_event_page(response: httpx.Response) -> Page[Event]:
    """Reads a page of events."""
    return _read_page_of(parse_event, response)


def read_nothing(response: httpx.Response) -> None:
    """Of operations that only confirm."""


def read_text(response: httpx.Response) -> str:
    return response.content.decode()


def read_content(response: httpx.Response) -> bytes:
    return response.content


def _read_page_of(parse: Callable[[Any], T], response: httpx.Response) -> Page[T]:
    body = _data(response)
    if not isinstance(body["data"], list):
        raise ValueError("data is not a list")
    meta = body.get("meta")
    is_by_number = isinstance(meta, dict) and "current_page" in meta
    of_meta = models.PageMeta if is_by_number else models.CursorPageMeta
    return Page(data=[parse(item) for item in body["data"]], meta=of_meta.model_validate(meta))


def _data(response: httpx.Response) -> dict[str, Any]:
    body = load_json(response.content)
    if not isinstance(body, dict) or ("data" in body and body["data"] is None):
        raise ValueError("the body is not an object")
    return {"data": None, **body}
