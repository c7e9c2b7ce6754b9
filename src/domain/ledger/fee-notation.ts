import { centsFromReais, type Fee, textFromCents } from './money.ts'

const FEE_PATTERN = /^(\d+(?:\.\d+)?)?(?:(?:^|(?<=\d)\+)(\d+(?:\.\d+)?)%)?$/

/** Reads a fee as operators write it: `0.10` reais, `0.99%`, or both, `0.10+0.99%`; null for another text. */
export function feeFromText(text: string): Fee | null {
  const [, reais, percent] = FEE_PATTERN.exec(text) ?? []
  const fixedCents = centsFromReais(Number(reais ?? 0))
  const hundredthsOfPercent = centsFromReais(Number(percent ?? 0))
  const isWrong = reais === undefined && percent === undefined
  if (isWrong || fixedCents === null || hundredthsOfPercent === null || hundredthsOfPercent > 10_000)
    return null
  return { fixedCents, hundredthsOfPercent }
}

export function formatFee({ fixedCents, hundredthsOfPercent }: Fee): string {
  return `${textFromCents(fixedCents)}+${textFromCents(hundredthsOfPercent)}%`
}
