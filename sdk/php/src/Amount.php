<?php

declare(strict_types=1);

namespace Trilho;

/**
 * An exact sum of money in reais, kept in integer centavos. It is written and read as the API writes it, without
 * arithmetic on floats. Percentages of the API have the same two decimals.
 */
final class Amount implements \JsonSerializable, \Stringable
{
    private function __construct(public readonly int $cents)
    {
    }

    /** Returns the amount of a number of centavos: `Amount::cents(15075)` is 150.75. */
    public static function cents(int $cents): self
    {
        return new self($cents);
    }

    /**
     * Reads reais: `'150.75'`, `150`, or a float that is the closest one to an amount with two decimals.
     *
     * @throws \InvalidArgumentException where it is no amount
     */
    public static function of(self|string|int|float $value): self
    {
        if ($value instanceof self) {
            return $value;
        }
        $text = (string) $value;
        if (is_float($value)) {
            $text = is_finite($value) ? number_format($value, 2, '.', '') : '';
            if ((float) $text !== $value) {
                throw new \InvalidArgumentException('The amount is not finite, or has more than two decimals.');
            }
        }
        if (!preg_match('/^(-?)([0-9]{1,16})(?:\.([0-9]{1,2})0*)?$/D', $text, $parts)) {
            throw new \InvalidArgumentException('The amount is not a decimal number with at most two decimals.');
        }
        $cents = (int) ($parts[2] . str_pad($parts[3] ?? '', 2, '0'));
        return new self($parts[1] === '-' ? -$cents : $cents);
    }

    /** @internal */
    public static function orNull(self|string|int|float|null $value): ?self
    {
        return $value === null ? null : self::of($value);
    }

    /** @internal */
    public static function orOmitted(self|string|int|float|Omitted $value): self|Omitted
    {
        return $value instanceof Omitted ? $value : self::of($value);
    }

    /** Returns reais with two decimals: 150.75. */
    public function __toString(): string
    {
        $cents = abs($this->cents);
        return sprintf('%s%d.%02d', $this->cents < 0 ? '-' : '', intdiv($cents, 100), $cents % 100);
    }

    /** Returns reais as a text, which is exact whatever the precision of this PHP's floats. */
    public function jsonSerialize(): string
    {
        return (string) $this;
    }
}
