<?php

declare(strict_types=1);

namespace Trilho\Internal;

use Trilho\Amount;
use Trilho\Model\CursorPageMeta;
use Trilho\Model\PageMeta;
use Trilho\Page;

/** @internal Reads values of JSON; one that is not of its type is an UnexpectedValueException. */
final class Read
{
    public static function text(mixed $value): string
    {
        return is_string($value) ? $value : self::refuse('a text');
    }

    public static function integer(mixed $value): int
    {
        return is_int($value) ? $value : self::refuse('an integer');
    }

    public static function flag(mixed $value): bool
    {
        return is_bool($value) ? $value : self::refuse('a flag');
    }

    public static function number(mixed $value): float
    {
        return is_numeric($value) ? (float) $value : self::refuse('a number');
    }

    public static function amount(mixed $value): Amount
    {
        try {
            return is_int($value) || is_string($value) ? Amount::of($value) : self::refuse('an amount');
        } catch (\InvalidArgumentException) {
            self::refuse('an amount');
        }
    }

    public static function time(mixed $value): \DateTimeImmutable
    {
        try {
            return new \DateTimeImmutable(self::text($value));
        } catch (\UnexpectedValueException $error) {
            throw $error;
        } catch (\Exception) {
            self::refuse('a time');
        }
    }

    /** @return array<string, mixed> */
    public static function object(mixed $value): array
    {
        // An empty object is an empty array, too.
        return is_array($value) && (!array_is_list($value) || $value === []) ? $value : self::refuse('an object');
    }

    /** @return list<mixed> */
    public static function items(mixed $value, \Closure $read): array
    {
        return is_array($value) && array_is_list($value) ? array_map($read, $value) : self::refuse('a list');
    }

    /** Reads `{"data": …}`. */
    public static function one(string $class): \Closure
    {
        return static fn (string $body): object => new $class(self::object(self::body($body)['data'] ?? null));
    }

    /** Reads a body that is the object itself. */
    public static function whole(string $class): \Closure
    {
        return static fn (string $body): object => new $class(self::body($body));
    }

    /** Reads `{"data": […]}` of a list without pages. */
    public static function list(string $class): \Closure
    {
        return static fn (string $body): array => self::itemsOf($class, self::body($body));
    }

    /** Reads `{"data": […], "meta": …}`. */
    public static function page(string $class): \Closure
    {
        return static function (string $body) use ($class): Page {
            $page = self::body($body);
            $meta = self::object($page['meta'] ?? null);
            $data = self::itemsOf($class, $page);
            return new Page($data, isset($meta['current_page']) ? new PageMeta($meta) : new CursorPageMeta($meta));
        };
    }

    /** Of operations that only confirm. */
    public static function nothing(): \Closure
    {
        return static function (string $body): void {
            self::body($body);
        };
    }

    /** Of files. */
    public static function content(): \Closure
    {
        return static fn (string $body): string => $body;
    }

    /** @return list<object> */
    private static function itemsOf(string $class, array $body): array
    {
        return self::items($body['data'] ?? null, static fn (mixed $item): object => new $class(self::object($item)));
    }

    private static function body(string $text): array
    {
        try {
            return self::object(Json::decode($text));
        } catch (\JsonException) {
            self::refuse('JSON');
        }
    }

    private static function refuse(string $type): never
    {
        throw new \UnexpectedValueException("The response does not hold {$type} where one belongs.");
    }
}
