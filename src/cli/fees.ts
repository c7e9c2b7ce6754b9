import { InvalidArgumentError } from 'commander'
import { centsFromReais, type Fee, textFromCents } from '../domain/ledger/money.ts'

const FEE_PATTERN = /^(\d+(?:\.\d+)?)?(?:(?:^|(?<=\d)\+)(\d+(?:\.\d+)?)%)?$/

/** Parses a fee: `0.10` reais, `0.99%`, or both, `0.10+0.99%`. */
export function parseFee(text: string): Fee {
  const [, reais, percent] = FEE_PATTERN.exec(text) ?? []
  const fixedCents = centsFromReais(Number(reais ?? 0))
  const hundredthsOfPercent = centsFromReais(Number(percent ?? 0))
  const isWrong = reais === undefined && percent === undefined
  if (isWrong || fixedCents === null || hundredthsOfPercent === null || hundredthsOfPercent > 10_000)
    throw new InvalidArgumentError('Not a fee: give 0.10, 0.99% or 0.10+0.99%, with at most two decimals.')
  return { fixedCents, hundredthsOfPercent }
}

export function formatFee({ fixedCents, hundredthsOfPercent }: Fee): string {
  return `${textFromCents(fixedCents)}+${textFromCents(hundredthsOfPercent)}%`
}
