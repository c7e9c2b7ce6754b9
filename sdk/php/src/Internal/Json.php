<?php

declare(strict_types=1);

namespace Trilho\Internal;

use Trilho\Amount;
use Trilho\Omitted;

/** @internal JSON with exact numbers. */
final class Json
{
    /**
     * Parses JSON; a number with a fraction becomes a text, which keeps all its digits.
     *
     * @throws \JsonException
     */
    public static function decode(string $text): mixed
    {
        // A text, or a number with a fraction: whatever begins first.
        $pattern = '/"[^"\\\\]*+(?:\\\\.[^"\\\\]*+)*+"|-?[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?/s';
        $exact = preg_replace_callback(
            $pattern,
            static fn (array $found): string => $found[0][0] === '"' ? $found[0] : "\"{$found[0]}\"",
            $text,
        );
        return json_decode($exact ?? '', true, 512, JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }

    /**
     * Writes the fields of a body that are there.
     *
     * @param array<string, mixed> $body
     */
    public static function encodeBody(array $body): string
    {
        return self::encode((object) self::present($body));
    }

    /**
     * @param array<string, mixed> $values
     * @return array<string, mixed>
     */
    public static function present(array $values): array
    {
        return array_filter($values, static fn (mixed $value): bool => $value !== null && !$value instanceof Omitted);
    }

    /** Writes a value of a query or a form. */
    public static function text(mixed $value): string
    {
        return match (true) {
            is_bool($value) => $value ? 'true' : 'false',
            is_array($value) => implode(',', array_map(self::text(...), $value)),
            $value instanceof \DateTimeInterface => self::time($value),
            default => (string) $value,
        };
    }

    private static function encode(mixed $value): string
    {
        if ($value instanceof Amount || is_float($value)) {
            return (string) Amount::of($value);
        }
        if ($value instanceof \DateTimeInterface) {
            return self::encode(self::time($value));
        }
        if (is_array($value) && array_is_list($value)) {
            return '[' . implode(',', array_map(self::encode(...), $value)) . ']';
        }
        if (is_array($value) || $value instanceof \stdClass) {
            $fields = [];
            foreach ((array) $value as $name => $inner) {
                $fields[] = self::encode((string) $name) . ':' . self::encode($inner);
            }
            return '{' . implode(',', $fields) . '}';
        }
        return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    }

    /** Writes a moment with its offset; a day is a text. */
    private static function time(\DateTimeInterface $value): string
    {
        return $value->format('Y-m-d\TH:i:s.uP');
    }
}
