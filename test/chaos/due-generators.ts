import type {
  DueDiscount,
  DueInterest,
  DueModalities,
  FixedOrPercentage,
  ValueType,
} from '../../src/domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../src/domain/providers/capabilities.ts'
import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import { drawCents, drawRepetition } from './operation-generators.ts'
import type { Operation } from './operations.ts'
import type { Random } from './random.ts'

/** Generates the terms of charges with a due date: what a provider API computes, of amounts that leave something to be paid. */

/** The terms of a charge with a due date; its days are counted from the one on which it is created, and moved to business days. */
export type PlannedDue = {
  /** The API that computes all of this. */
  api: ProviderApi
  inDays: number
  payableDaysAfter: number
  fine: FixedOrPercentage | null
  interest: DueInterest | null
  abatement: FixedOrPercentage | null
  discount: PlannedDiscount | null
}
type PlannedDiscount =
  | { kind: 'until'; steps: (FixedOrPercentage & { inDays: number })[] }
  | Extract<DueDiscount, { kind: 'per_day' }>

const MAX_DAYS_UNTIL_DUE = 20
const MEMBER_PROBABILITY = 0.6
/** Days by which a day moves at most that is no business day, and one more. */
const LONGEST_WEEKEND_DAYS = 5

/** Interest in hundredths of a percent, by the period of its rate. */
const INTEREST_BASIS_POINTS = { DAY: 50, MONTH: 300, YEAR: 1_200 } as const

export function drawDue(random: Random, { api, cents }: { api: ProviderApi; cents: number }): PlannedDue {
  const modalities = PROVIDER_CAPABILITIES[api].dueCharges!
  const inDays = random.chance(0.2) ? 0 : random.between(1, MAX_DAYS_UNTIL_DUE)
  const drawMember = <Member>(draw: () => Member | null) =>
    random.chance(MEMBER_PROBABILITY) ? draw() : null
  return {
    api,
    inDays,
    payableDaysAfter: random.pick([0, 5, 30]),
    fine: drawMember(() => drawShare(random, modalities.fine, cents)),
    interest: drawMember(() => drawInterest(random, modalities.interest, cents)),
    abatement: drawMember(() => drawShare(random, modalities.abatement, cents)),
    discount: drawMember(() => drawDiscount(random, { api, modalities, cents, inDays })),
  }
}

/**
 * Draws a change of a charge: of its value, its terms or both. Stark Bank moves only the due day, and until when the charge can be paid
 * (docs/providers/stark.md).
 */
export function drawRevision(random: Random, charge: number, due: PlannedDue): Operation {
  const asking = drawRepetition(random)
  if (due.api === 'stark') {
    const inDays = due.inDays + random.between(1, 10)
    return { kind: 'revise', charge, cents: null, due: { ...due, inDays }, asking }
  }
  const cents = random.chance(0.7) ? drawCents(random) : null
  const changesTerms = cents === null || random.chance(0.5)
  // What the terms ask of a smaller value may leave nothing to be paid: the API refuses that.
  const terms = { api: due.api, cents: cents ?? drawCents(random) }
  return { kind: 'revise', charge, cents, due: changesTerms ? drawDue(random, terms) : null, asking }
}

/** Draws the day on which a payer pays, counted from the due day: early, on it or late. */
export function drawDaysAfterDue(random: Random, { payableDaysAfter }: PlannedDue): number {
  switch (random.pickWeighted({ early: 4, punctual: 2, late: 4 })) {
    case 'early':
      return -random.between(1, MAX_DAYS_UNTIL_DUE)
    case 'punctual':
      return 0
    case 'late':
      return random.between(1, Math.max(1, payableDaysAfter))
  }
}

/** A share of up to 5 %, or as much in centavos; null where the API computes none. */
function drawShare(random: Random, types: readonly ValueType[], cents: number): FixedOrPercentage | null {
  if (types.length === 0) return null
  return toAmount(random.pick(types), { basisPoints: random.between(1, 500), cents })
}

function drawInterest(random: Random, modes: DueModalities['interest'], cents: number): DueInterest | null {
  const [type, per, days] = random.pick(modes).split('_') as [
    ValueType,
    DueInterest['per'],
    DueInterest['days'],
  ]
  const basisPoints = random.between(1, INTEREST_BASIS_POINTS[per])
  return { ...toAmount(type, { basisPoints, cents }), per, days }
}

type DiscountInput = { api: ProviderApi; modalities: DueModalities; cents: number; inDays: number }

function drawDiscount(
  random: Random,
  { api, modalities, cents, inDays }: DiscountInput,
): PlannedDiscount | null {
  // Woovi's own calendar has a holiday more (docs/simulator.md), and it does not report what it computes.
  const modes = modalities.discount.filter(mode => api !== 'woovi' || !mode.endsWith('_BUSINESS'))
  const mode = random.pick(modes)
  const type: ValueType = mode.startsWith('FIXED') ? 'FIXED' : 'PERCENTAGE'
  if (!mode.endsWith('_UNTIL'))
    return {
      kind: 'per_day',
      rate: toAmount(type, { basisPoints: random.between(1, 50), cents }),
      days: mode.endsWith('_BUSINESS') ? 'BUSINESS' : 'CALENDAR',
    }
  // Days of one week may move to one business day: a step each week, the first one tomorrow at the earliest.
  // Woovi computes discounts until a day before the due day.
  const lastDay = api === 'woovi' ? inDays - LONGEST_WEEKEND_DAYS : inDays
  const days = [1, 8, 15].filter(day => day <= lastDay).slice(0, random.between(1, 3))
  if (days.length === 0) return null
  const basisPoints = random.between(1, 300)
  const steps = days.map((day, place) => {
    const share = days.length - place
    const amount = toAmount(type, { basisPoints, cents })
    return amount.type === 'FIXED'
      ? { ...amount, cents: amount.cents * share, inDays: day }
      : { ...amount, basisPoints: amount.basisPoints * share, inDays: day }
  })
  return { kind: 'until', steps }
}

function toAmount(
  type: ValueType,
  { basisPoints, cents }: { basisPoints: number; cents: number },
): FixedOrPercentage {
  return type === 'FIXED'
    ? { type, cents: Math.max(1, Math.floor((cents * basisPoints) / 10_000)) }
    : { type, basisPoints }
}
