import { formatBrazilianDay, getBrazilianDayStart } from '../../brazilian-day.ts'
import { isBankDay, listDaysAfter, moveToBankDay, shiftDay } from '../../business-days.ts'
import type { DueArithmetic, DueCharge, DueParts } from '../../due-charges.ts'
import type { BacenDueTerms } from './due-schemas.ts'

/**
 * The arithmetic of charges with a due date (Manual de Padrões para Iniciação do Pix, as the Central Bank explains it in pix-api 2.9.0,
 * CobDataDeVencimento, and in the issues 205, 347, 390 and 607 of its repository). `movesEnd`: the last payable day is counted from the
 * moved due day, and moved itself (pix-api 2.9.0); false: it is counted from the due day, and only a due day that is no business day is
 * honoured on the next (the texts of Sicoob's API PIX 2.0.23.28 and of Inter's OpenAPI 1.0.0).
 */
export function createBacenDueArithmetic({ movesEnd }: { movesEnd: boolean }): DueArithmetic {
  return {
    computeParts: (charge, at) =>
      computeBacenDueParts(charge.cents, readTerms(charge), formatBrazilianDay(at.toISOString())),
    findLastPayable: charge => {
      const { dataDeVencimento: due, validadeAposVencimento: days } = readTerms(charge).calendario
      const moved = moveToBankDay(due)
      const plainEnd = shiftDay(due, days)
      const end = movesEnd ? moveToBankDay(shiftDay(moved, days)) : plainEnd < moved ? moved : plainEnd
      return new Date(getBrazilianDayStart(shiftDay(end, 1)) - 1)
    },
  }
}

function readTerms({ due }: DueCharge): BacenDueTerms {
  return JSON.parse(due) as BacenDueTerms
}

/** Days of the period of a rate of interest, by its modality: 1, 30 or 365 calendar days; 1, 21 or 252 business days. */
const INTEREST_DAYS: Record<number, number> = { 2: 1, 3: 30, 4: 365, 6: 1, 7: 21, 8: 252 }
const FIRST_BUSINESS_INTEREST = 5

/** Computes what a charge costs on a day. Percentages are of the value without the abatement; each part is rounded to centavos. */
function computeBacenDueParts(cents: number, terms: BacenDueTerms, day: string): DueParts {
  const { calendario, multa, juros, abatimento, desconto } = terms
  const dueDay = moveToBankDay(calendario.dataDeVencimento)
  const isLate = day > dueDay
  const abatementCents = abatimento ? computeShare(abatimento, cents) : 0
  const base = cents - abatementCents
  return {
    originalCents: cents,
    fineCents: isLate && multa ? computeShare(multa, base) : 0,
    interestCents: isLate && juros ? computeInterest(juros, base, listDaysAfter(dueDay, day)) : 0,
    discountCents: desconto ? Math.min(base, computeDiscount(desconto, base, { day, dueDay })) : 0,
    abatementCents,
  }
}

type Share = { modalidade: number; valorPerc: number }

/** Modality 1 is an amount in centavos, 2 hundredths of a percent. */
function computeShare({ modalidade, valorPerc }: Share, base: number): number {
  return modalidade === 1 ? valorPerc : divide(base, valorPerc, 10_000)
}

function computeInterest({ modalidade, valorPerc }: Share, base: number, days: string[]): number {
  const counted = modalidade >= FIRST_BUSINESS_INTEREST ? days.filter(isBankDay).length : days.length
  const period = INTEREST_DAYS[modalidade]
  return period === undefined ? valorPerc * counted : divide(base, valorPerc * counted, 10_000 * period)
}

function computeDiscount(
  { modalidade, valorPerc, descontoDataFixa = [] }: NonNullable<BacenDueTerms['desconto']>,
  base: number,
  { day, dueDay }: { day: string; dueDay: string },
): number {
  if (modalidade <= 2) {
    const open = descontoDataFixa.filter(({ data }) => day <= moveToBankDay(data))
    const next = open.toSorted((a, b) => a.data.localeCompare(b.data))[0]
    return next ? computeShare({ modalidade, valorPerc: next.valorPerc }, base) : 0
  }
  const days = listDaysAfter(day, dueDay)
  const counted = modalidade % 2 === 0 ? days.filter(isBankDay).length : days.length
  const rate = valorPerc ?? 0
  return modalidade <= 4 ? rate * counted : divide(base, rate * counted, 10_000)
}

/** Computes a · b / divisor, rounded half up. */
function divide(a: number, b: number, divisor: number): number {
  return Number((BigInt(a) * BigInt(b) * 2n + BigInt(divisor)) / (BigInt(divisor) * 2n))
}
