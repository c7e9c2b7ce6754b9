import { InvalidArgumentError } from 'commander'
import { centsFromReais, type Fee, textFromCents } from '../domain/money.ts'

const FEE = /^(\d+(?:\.\d+)?)?(?:(?:^|(?<=\d)\+)(\d+(?:\.\d+)?)%)?$/

/** A fee as people write it: `0.10` reais, `0.99%`, or both, `0.10+0.99%`. */
export function feeOfText(text: string): Fee {
  const [, reais, percent] = FEE.exec(text) ?? []
  const fixedCents = centsFromReais(Number(reais ?? 0))
  const hundredthsOfPercent = centsFromReais(Number(percent ?? 0))
  const isWrong = reais === undefined && percent === undefined
  if (isWrong || fixedCents === null || hundredthsOfPercent === null || hundredthsOfPercent > 10_000)
    throw new InvalidArgumentError('Not a fee: 0.10, 0.99% or 0.10+0.99%, of two decimals at most.')
  return { fixedCents, hundredthsOfPercent }
}

export function textOfFee({ fixedCents, hundredthsOfPercent }: Fee): string {
  return `${textFromCents(fixedCents)}+${textFromCents(hundredthsOfPercent)}%`
}
