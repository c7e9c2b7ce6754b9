import { addDays } from './business-days.ts'
import { computeAmountDue } from './due-amount.ts'
import {
  type DueMember,
  type DueModalities,
  type DueTerms,
  type FixedOrPercentage,
  getAmountNumber,
  listUnsupportedDueMembers,
} from './due-terms.ts'

/** Highest percentage of a member of a due date, in hundredths of a percent: pix-api of the Central Bank, violations of `PUT /cobv/{txid}`. */
const MAX_BASIS_POINTS = 9_999

/** Last due day after today: a mistyped year is further off. */
const MAX_DAYS_AHEAD = 3_660

/** The error of one field of a request, by its path in the body. */
export type DueFieldError = { field: string; message: string }

type DueOrder = {
  terms: DueTerms
  /** What the merchant asks; undefined where it could not be read. */
  valueCents: number | undefined
  /** The day in Brasília, `YYYY-MM-DD`. */
  today: string
}

/** Finds what is wrong with the terms of a due date, whichever provider issues the charge. */
export function findDueErrors({ terms, valueCents, today }: DueOrder): DueFieldError[] {
  const errors: DueFieldError[] = []
  if (terms.on < today) errors.push({ field: 'due.on', message: 'must not be before today in Brasília' })
  if (terms.on > addDays(today, MAX_DAYS_AHEAD))
    errors.push({ field: 'due.on', message: 'must be within ten years' })
  for (const { field, amount } of listAmounts(terms))
    if (amount.type === 'PERCENTAGE' && amount.basisPoints > MAX_BASIS_POINTS)
      errors.push({ field, message: 'must be at most 99.99 percent' })
  errors.push(...findDiscountErrors(terms))
  if (valueCents === undefined) return errors
  if (valueCents === 0)
    errors.push({ field: 'value', message: 'must be above 0 where the charge has a due date' })
  else if (errors.length === 0) errors.push(...findValueErrors(terms, { valueCents, today }))
  return errors
}

/** Lists the amounts of the terms with the fields that give them. */
function listAmounts({ fine, interest, abatement, discount }: DueTerms) {
  const amounts: { field: string; amount: FixedOrPercentage }[] = []
  if (fine) amounts.push({ field: 'due.fine.value', amount: fine })
  if (interest) amounts.push({ field: 'due.interest.value', amount: interest })
  if (abatement) amounts.push({ field: 'due.abatement.value', amount: abatement })
  if (discount?.kind === 'per_day')
    amounts.push({ field: 'due.discount.per_day.value', amount: discount.rate })
  if (discount?.kind === 'until')
    discount.steps.forEach((amount, index) => {
      amounts.push({ field: `due.discount.until.${index}.value`, amount })
    })
  return amounts
}

/** Finds what is wrong with the days and the sizes of discounts until a day. */
export function findDiscountErrors(terms: DueTerms): DueFieldError[] {
  return [...findDiscountDayErrors(terms), ...findRisingDiscountErrors(terms)]
}

function findDiscountDayErrors({ on: dueDay, discount }: DueTerms): DueFieldError[] {
  if (discount?.kind !== 'until') return []
  return discount.steps.flatMap(({ on }, index) => {
    const field = `due.discount.until.${index}.on`
    if (on > dueDay) return [{ field, message: 'must not be after the due day' }]
    const isRepeated = discount.steps.slice(0, index).some(earlier => earlier.on === on)
    return isRepeated ? [{ field, message: 'must not name a day twice' }] : []
  })
}

/** Finds discounts that do not fall: no published text of a provider says which counts where a later one is as large. */
function findRisingDiscountErrors({ discount }: DueTerms): DueFieldError[] {
  if (discount?.kind !== 'until') return []
  const { steps } = discount
  return steps.flatMap((step, index) => {
    const isRising = steps.some(
      earlier => earlier.on < step.on && getAmountNumber(earlier) <= getAmountNumber(step),
    )
    const field = `due.discount.until.${index}.value`
    return isRising ? [{ field, message: 'must be less than that of each earlier day' }] : []
  })
}

/** Finds the errors of what is taken off: on each day something remains to be paid. */
function findValueErrors(
  terms: DueTerms,
  { valueCents, today }: { valueCents: number; today: string },
): DueFieldError[] {
  const { abatement, discount } = terms
  if (abatement?.type === 'FIXED' && abatement.cents >= valueCents)
    return [{ field: 'due.abatement.value', message: 'must be less than the value of the charge' }]
  const discountDays = discount?.kind === 'until' ? discount.steps.map(({ on }) => on) : []
  const days = [today, ...discountDays.filter(day => day > today)]
  if (days.every(day => computeAmountDue(valueCents, terms, day).totalCents > 0)) return []
  const field = discount ? 'due.discount' : 'due.abatement'
  return [{ field, message: 'must leave something to be paid' }]
}

const MEMBER_NOUNS: Record<DueMember, string> = {
  fine: 'this fine',
  interest: 'this interest',
  abatement: 'this abatement',
  discount: 'this discount',
}

/** What a candidate lacks for a charge: a member that it does not compute, or the debtor's address. */
type Lack = DueMember | 'address'

/**
 * Selects the candidates that issue a charge with these terms. Where none is left, `errors` name what all of them lack; where each lacks
 * something else, what the one lacks that lacks least.
 */
export function selectDueCandidates<Candidate>(
  candidates: Candidate[],
  terms: DueTerms,
  {
    modalitiesOf,
    hasAddress,
  }: { modalitiesOf: (candidate: Candidate) => DueModalities | null; hasAddress: boolean },
): { capable: Candidate[]; errors: DueFieldError[] } {
  const judged = candidates.flatMap(candidate => {
    const modalities = modalitiesOf(candidate)
    return modalities ? [{ candidate, lacks: listLacks(terms, modalities, hasAddress) }] : []
  })
  const capable = judged.filter(({ lacks }) => lacks.length === 0).map(({ candidate }) => candidate)
  if (capable.length > 0) return { capable, errors: [] }
  const [least] = judged.map(({ lacks }) => lacks).toSorted((a, b) => a.length - b.length)
  if (!least)
    return {
      capable,
      errors: [{ field: 'due', message: 'no provider of this charge issues charges with a due date' }],
    }
  const lackedByAll = least.filter(lack => judged.every(({ lacks }) => lacks.includes(lack)))
  const errors =
    lackedByAll.length > 0
      ? lackedByAll.map(lack => describeLack(lack))
      : least.map(lack => describeLack(lack, ' together with the rest'))
  return { capable, errors }
}

function listLacks(terms: DueTerms, modalities: DueModalities, hasAddress: boolean): Lack[] {
  const members = listUnsupportedDueMembers(terms, modalities)
  return modalities.needsAddress && !hasAddress ? [...members, 'address'] : members
}

function describeLack(lack: Lack, condition = ''): DueFieldError {
  return lack === 'address'
    ? {
        field: 'debtor.address',
        message: `is needed by every provider of this charge${condition && ' that computes the rest'}`,
      }
    : {
        field: `due.${lack}`,
        message: `no provider of this charge computes ${MEMBER_NOUNS[lack]}${condition}`,
      }
}
