<?php

declare(strict_types=1);

namespace TrilhoPix;

/** Amounts of BRL as integer centavos. */
final class Amount
{
    /**
     * Returns the centavos of a sum in reais, such as "150.75".
     *
     * WooCommerce gives totals as texts or floats: a float is read as the text that PHP shows for it, and nothing is computed with it.
     *
     * @throws \UnexpectedValueException The value is no amount with two decimals.
     */
    public static function parse(string|int|float $reais): int
    {
        if (!preg_match('/^(\d{1,12})(?:\.(\d{1,2})0*)?$/D', (string) $reais, $parts)) {
            throw new \UnexpectedValueException('Not an amount with two decimals.');
        }
        return (int) $parts[1] * 100 + (int) str_pad($parts[2] ?? '', 2, '0');
    }

    /** Returns reais as the API reads them: 15075 is 150.75. */
    public static function format(int $cents): string
    {
        return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
    }

    /** Returns reais as people in Brazil read them. */
    public static function show(int $cents): string
    {
        return 'R$ ' . number_format(intdiv($cents, 100), 0, '', '.') . sprintf(',%02d', $cents % 100);
    }
}
