"""Pages of lists, and iterators over all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from .models import CursorPageMeta, PageMeta

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list. Iterating over it yields its resources."""

    data: list[T]
    meta: PageMeta | CursorPageMeta

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page; ``None`` on the last one."""
        return self.meta.next_cursor

    @property
    def total(self) -> int | None:
        """The resources of all pages; ``None`` on a page that was read by cursor."""
        return self.meta.total if isinstance(self.meta, PageMeta) else None

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


def iterate_pages(read: Callable[[str], Page[T]]) -> Iterator[T]:
    """Yields the resources of all pages. Those that are added meanwhile neither repeat nor hide others."""
    cursor: str | None = ""
    while cursor is not None:
        page = read(cursor)
        yield from page
        cursor = page.next_cursor


async def aiterate_pages(read: Callable[[str], Awaitable[Page[T]]]) -> AsyncIterator[T]:
    """Yields the resources of all pages. Those that are added meanwhile neither repeat nor hide others."""
    cursor: str | None = ""
    while cursor is not None:
        page = await read(cursor)
        for item in page:
            yield item
        cursor = page.next_cursor
