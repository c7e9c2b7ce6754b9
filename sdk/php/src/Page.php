<?php

declare(strict_types=1);

namespace Trilho;

use Trilho\Model\CursorPageMeta;
use Trilho\Model\PageMeta;

/**
 * One page of a list. Iterating over it yields its items.
 *
 * @template T
 * @implements \IteratorAggregate<int, T>
 */
final class Page implements \IteratorAggregate, \Countable
{
    /** @param list<T> $data */
    public function __construct(public readonly array $data, public readonly PageMeta|CursorPageMeta $meta)
    {
    }

    public function getIterator(): \ArrayIterator
    {
        return new \ArrayIterator($this->data);
    }

    public function count(): int
    {
        return count($this->data);
    }

    /**
     * Yields the items of all pages. Those that are added meanwhile neither repeat nor hide others.
     *
     * @internal
     * @param \Closure(string): Page<T> $read
     */
    public static function iterate(\Closure $read): \Generator
    {
        for ($cursor = ''; $cursor !== null; $cursor = $page->meta->nextCursor) {
            $page = $read($cursor);
            foreach ($page->data as $item) {
                yield $item;
            }
        }
    }
}
