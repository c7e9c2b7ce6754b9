import { InvalidArgumentError } from 'commander'
import { type Fee, feeFromText } from '../domain/ledger/money.ts'

/** Parses a fee: `0.10` reais, `0.99%`, or both, `0.10+0.99%`. */
export function parseFee(text: string): Fee {
  const fee = feeFromText(text)
  if (!fee)
    throw new InvalidArgumentError('Not a fee: give 0.10, 0.99% or 0.10+0.99%, with at most two decimals.')
  return fee
}
