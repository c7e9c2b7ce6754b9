import { addDays, countBusinessDays, countDays, findBusinessDay } from './business-days.ts'
import type {
  DayCount,
  DueDiscount,
  DueInterest,
  DueTerms,
  FixedOrPercentage,
  InterestPeriod,
  PaidParts,
} from './due-terms.ts'

/** Days of a period of interest: the Central Bank's n for calendar days and for business days. */
const DAYS_OF_PERIOD: Record<DayCount, Record<InterestPeriod, bigint>> = {
  CALENDAR: { DAY: 1n, MONTH: 30n, YEAR: 365n },
  BUSINESS: { DAY: 1n, MONTH: 21n, YEAR: 252n },
}

/** A whole in hundredths of a percent. */
const WHOLE = 10_000n

/**
 * Computes what a charge with a due date costs on a day, by the Central Bank's Manual de Padrões para Iniciação do Pix (value of a charge
 * with a due date) and the texts of CobDataDeVencimento in its pix-api. It is a forecast: the provider computes what is paid, and knows the
 * holidays of the payer's municipality.
 *
 * The abatement is taken off the original value first; shares of fine, interest and discount are of what remains. The due day, and the
 * days of a discount, move to the next business day where they are none, and everything counts from the moved day. Interest is simple. Each part
 * is rounded to centavos, half up, because the manual names no rule. A discount or an abatement never exceeds what there is to pay.
 */
export function computeAmountDue(
  originalCents: number,
  terms: DueTerms,
  day: string,
): PaidParts & { totalCents: number } {
  const dueDay = findBusinessDay(terms.on)
  const isLate = day > dueDay
  const abatementCents = Math.min(computeCents(terms.abatement, originalCents), originalCents)
  const baseCents = originalCents - abatementCents
  const discountCents = Math.min(computeDiscountCents(terms.discount, baseCents, dueDay, day), baseCents)
  const fineCents = isLate ? computeCents(terms.fine, baseCents) : 0
  const interestCents = isLate ? computeInterestCents(terms.interest, baseCents, dueDay, day) : 0
  const totalCents = baseCents - discountCents + fineCents + interestCents
  return { originalCents, fineCents, interestCents, discountCents, abatementCents, totalCents }
}

/**
 * Finds the last day on which a charge can be paid: the calendar days after the due day, counted from the business day that it moves to,
 * and moved to the next business day in turn.
 */
export function findDueEnd({ on, payableDaysAfter }: Pick<DueTerms, 'on' | 'payableDaysAfter'>): string {
  return findBusinessDay(addDays(findBusinessDay(on), payableDaysAfter))
}

function computeInterestCents(
  interest: DueInterest | null,
  baseCents: number,
  dueDay: string,
  day: string,
): number {
  if (!interest) return 0
  const { per, days } = interest
  return computeCents(interest, baseCents, countDaysAfter(days, dueDay, day), DAYS_OF_PERIOD[days][per])
}

function computeDiscountCents(
  discount: DueDiscount | null,
  baseCents: number,
  dueDay: string,
  day: string,
): number {
  switch (discount?.kind) {
    case undefined:
      return 0
    case 'until': {
      const steps = discount.steps.toSorted((a, b) => (a.on < b.on ? -1 : 1))
      return computeCents(steps.find(({ on }) => day <= findBusinessDay(on)) ?? null, baseCents)
    }
    case 'per_day':
      return computeCents(discount.rate, baseCents, countDaysAfter(discount.days, day, dueDay))
  }
}

function countDaysAfter(dayCount: DayCount, afterDay: string, untilDay: string): number {
  return dayCount === 'BUSINESS'
    ? countBusinessDays(afterDay, untilDay)
    : Math.max(countDays(afterDay, untilDay), 0)
}

/** Centavos of an amount, or of a share of the base, for a number of days of a period; rounded half up. */
function computeCents(
  amount: FixedOrPercentage | null,
  baseCents: number,
  days = 1,
  daysOfPeriod = 1n,
): number {
  if (!amount) return 0
  const perPeriod =
    amount.type === 'FIXED' ? BigInt(amount.cents) * WHOLE : BigInt(baseCents) * BigInt(amount.basisPoints)
  const divisor = WHOLE * daysOfPeriod
  return Number((2n * perPeriod * BigInt(days) + divisor) / (2n * divisor))
}
