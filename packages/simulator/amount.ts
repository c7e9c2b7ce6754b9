/**
 * Amounts: integer centavos inside, reais as a number or a text at the APIs. Written apart from src/domain/ledger/money.ts, so
 * that an error there is not repeated by the provider that the adapters are tested against.
 */

/** The largest amount of the rail that the simulator takes, in centavos: 9 999 999 999.99 reais. */
export const MAX_CENTS = 999_999_999_999

/** Parses reais of a JSON number; null where they have more than two decimals, are negative, not finite or too large. */
export function centsFromReais(reais: number): number | null {
  const cents = Math.round(reais * 100)
  return reais >= 0 && cents <= MAX_CENTS && cents / 100 === reais ? cents : null
}

/** Parses reais of a text with two decimals, such as `12.34`; null where it is none. */
export function centsFromText(text: string): number | null {
  return /^\d{1,10}\.\d{2}$/.test(text) ? Number(text.replace('.', '')) : null
}

/** Returns reais for a JSON number. */
export function reaisFromCents(cents: number): number {
  return cents / 100
}

/** Formats reais with two decimals, such as `12.34`. */
export function textFromCents(cents: number): string {
  return (cents / 100).toFixed(2)
}
