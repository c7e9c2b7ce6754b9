"""Pages of lists, and iterators over all of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from .models import PageMeta

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """One page of a list. Iterating over it yields its resources."""

    data: list[T]
    meta: PageMeta

    def __iter__(self) -> Iterator[T]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


def iterate_pages(read: Callable[[int], Page[T]]) -> Iterator[T]:
    """Yields the resources of all pages, by number."""
    number, last = 1, 1
    while number <= last:
        page = read(number)
        yield from page
        number, last = number + 1, page.meta.last_page


async def aiterate_pages(read: Callable[[int], Awaitable[Page[T]]]) -> AsyncIterator[T]:
    """Yields the resources of all pages, by number."""
    number, last = 1, 1
    while number <= last:
        page = await read(number)
        for item in page:
            yield item
        number, last = number + 1, page.meta.last_page
