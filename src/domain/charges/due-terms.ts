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
  /** What of an issued charge it changes: `schedule` is the due day, and until when the charge can be paid. */
  revisable: 'all' | 'schedule' | 'nothing'
}

/** Members of a due date that a provider may not compute. */
export const DUE_MEMBERS = ['fine', 'interest', 'abatement', 'discount'] as const
export type DueMember = (typeof DUE_MEMBERS)[number]

/** Lists the members of the terms that a provider with these modalities does not compute. */
export function listUnsupportedDueMembers(terms: DueTerms, modalities: DueModalities): DueMember[] {
  const { fine, interest, abatement, discount } = terms
  const isComputed: Record<DueMember, boolean> = {
    fine: !fine || modalities.fine.includes(fine.type),
    interest: !interest || modalities.interest.includes(`${interest.type}_${interest.per}_${interest.days}`),
    abatement: !abatement || modalities.abatement.includes(abatement.type),
    discount: !discount || isDiscountComputed(discount, modalities),
  }
  return DUE_MEMBERS.filter(member => !isComputed[member])
}

function isDiscountComputed(discount: DueDiscount, { discount: modes, maxDiscountSteps }: DueModalities) {
  if (discount.kind === 'per_day') return modes.includes(`${discount.rate.type}_PER_DAY_${discount.days}`)
  const { steps } = discount
  return steps.length <= maxDiscountSteps && steps.every(({ type }) => modes.includes(`${type}_UNTIL`))
}
