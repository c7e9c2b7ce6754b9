/** An amount in centavos, or a share of the charge's value in hundredths of a percent (200 is 2 %). */
export type FixedOrPercentage = { type: 'FIXED'; cents: number } | { type: 'PERCENTAGE'; basisPoints: number }
export type ValueType = FixedOrPercentage['type']

/** Returns the number of an amount: centavos, or hundredths of a percent. */
export function getAmountNumber(amount: FixedOrPercentage): number {
  return amount.type === 'FIXED' ? amount.cents : amount.basisPoints
}

export const INTEREST_PERIODS = ['DAY', 'MONTH', 'YEAR'] as const
export type InterestPeriod = (typeof INTEREST_PERIODS)[number]

/** Which days count: all of them, or those on which banks settle. */
export const DAY_COUNTS = ['CALENDAR', 'BUSINESS'] as const
export type DayCount = (typeof DAY_COUNTS)[number]

/** Interest for each day after the due day; the rate is that of the period. */
export type DueInterest = FixedOrPercentage & { per: InterestPeriod; days: DayCount }

/** A discount for paying early: until each of up to three days, or for each day before the due day. */
export type DueDiscount =
  | { kind: 'until'; steps: (FixedOrPercentage & { on: string })[] }
  | { kind: 'per_day'; rate: FixedOrPercentage; days: DayCount }

/**
 * When a charge with a due date is to be paid, and what its provider adds or subtracts for the day of payment. Days are `YYYY-MM-DD` of
 * Brasília.
 */
export type DueTerms = {
  on: string
  /** Days after the due day on which it can still be paid; from 0 to 365. */
  payableDaysAfter: number
  fine: FixedOrPercentage | null
  interest: DueInterest | null
  abatement: FixedOrPercentage | null
  discount: DueDiscount | null
}

/** What a payment of a charge with a due date consists of, in centavos, as its provider computed it. */
export type PaidParts = {
  originalCents: number
  fineCents: number
  interestCents: number
  discountCents: number
  abatementCents: number
}

type InterestMode = `${ValueType}_${InterestPeriod}_${DayCount}`
type DiscountMode = `${ValueType}_UNTIL` | `${ValueType}_PER_DAY_${DayCount}`

/** The modalities of charges with a due date that a provider computes. */
export type DueModalities = {
  fine: readonly ValueType[]
  interest: readonly InterestMode[]
  abatement: readonly ValueType[]
  discount: readonly DiscountMode[]
  /** Most days of a discount until a day. */
  maxDiscountSteps: number
  /** It issues none without the debtor's address. */
  needsAddress: boolean
  canRevise: boolean
}

/** Members of a due date that a provider may not compute. */
export type DueMember = 'fine' | 'interest' | 'abatement' | 'discount'

/** Finds the first member of the terms that a provider with these modalities does not compute; null where it computes all. */
export function findUnsupportedDueMember(terms: DueTerms, modalities: DueModalities): DueMember | null {
  const { fine, interest, abatement, discount } = terms
  if (fine && !modalities.fine.includes(fine.type)) return 'fine'
  if (interest && !modalities.interest.includes(`${interest.type}_${interest.per}_${interest.days}`))
    return 'interest'
  if (abatement && !modalities.abatement.includes(abatement.type)) return 'abatement'
  if (discount?.kind === 'per_day') {
    const mode = `${discount.rate.type}_PER_DAY_${discount.days}` as const
    if (!modalities.discount.includes(mode)) return 'discount'
  }
  if (discount?.kind === 'until') {
    const { steps } = discount
    const isKnown = steps.every(step => modalities.discount.includes(`${step.type}_UNTIL`))
    if (!isKnown || steps.length > modalities.maxDiscountSteps) return 'discount'
  }
  return null
}
