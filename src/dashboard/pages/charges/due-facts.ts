import { toDueTerms } from '../../../contract/charges/due.ts'
import { findBusinessDay } from '../../../domain/charges/business-days.ts'
import { findDueEnd } from '../../../domain/charges/due-amount.ts'
import { findDueErrors } from '../../../domain/charges/due-errors.ts'
import { listDuePeriods, selectDuePeriods } from '../../../domain/charges/due-periods.ts'
import type {
  DayCount,
  DueDiscount,
  DueTerms,
  FixedOrPercentage,
  PaidParts,
} from '../../../domain/charges/due-terms.ts'
import { computeBrasiliaDay } from '../../../domain/shared/brasilia-day.ts'
import { fail } from '../../../http/api-error.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { ShownFact } from '../../http/shown-facts.ts'

/** Presents a due date in words: its terms, what the charge costs on which day, and what was paid. */

type Words = Pick<PageContext, 't' | 'f'>

/** What a payment consists of, as far as it is known. */
type KnownParts = Partial<Omit<PaidParts, 'originalCents'>>

/** Lists the terms of a due date. `name` is the key of a phrase, `value` a text. */
export function listDueFacts(words: Words, terms: DueTerms): ShownFact[] {
  const { t, f } = words
  const { fine, interest, abatement, discount } = terms
  const amountOf = (amount: FixedOrPercentage) => formatAmount(words, amount)
  return [
    { name: 'field.due_on', value: f.date(terms.on) },
    { name: 'due.payableUntil', value: f.date(findDueEnd(terms)) },
    ...(fine ? [{ name: 'due.fine', value: amountOf(fine) }] : []),
    ...(interest
      ? [
          {
            name: 'due.interest',
            value: t('due.interestOf', {
              amount: amountOf(interest),
              period: t(`due.per.${interest.per}`),
              days: t(`due.days.${interest.days}`),
            }),
          },
        ]
      : []),
    ...(abatement ? [{ name: 'due.abatement', value: amountOf(abatement) }] : []),
    ...(discount ? [{ name: 'due.discount', value: describeDiscount(words, discount) }] : []),
  ]
}

function describeDiscount(words: Words, discount: DueDiscount): string {
  const { t, f } = words
  if (discount.kind === 'per_day')
    return t('due.discountPerDay', {
      amount: formatAmount(words, discount.rate),
      days: t(`due.days.${discount.days satisfies DayCount}`),
    })
  const steps = discount.steps.toSorted((a, b) => (a.on < b.on ? -1 : 1))
  return steps
    .map(step => t('due.discountUntil', { amount: formatAmount(words, step), day: f.date(step.on) }))
    .join('; ')
}

function formatAmount({ f }: Words, amount: FixedOrPercentage): string {
  return amount.type === 'FIXED'
    ? f.money(amount.cents)
    : f.fee({ fixedCents: 0, hundredthsOfPercent: amount.basisPoints })
}

/** Rows of what a charge costs on which day; null where it cannot be paid any more. */
export type DueTable =
  | { days: string; amount: string; parts: string; gapBefore: boolean; isToday: boolean }[]
  | null

/** Presents what a charge costs on which day, from today on; the amounts are a forecast. */
export function presentDueTable(words: Words, terms: DueTerms, { cents }: { cents: number }): DueTable {
  const { t, f } = words
  const today = computeBrasiliaDay(new Date())
  const periods = listDuePeriods(cents, terms, today)
  const rows = selectDuePeriods(periods, terms).map(({ fromDay, toDay, amount, gapBefore }) => ({
    days: fromDay === toDay ? f.date(fromDay) : t('due.fromTo', { from: f.date(fromDay), to: f.date(toDay) }),
    amount: f.money(amount.totalCents),
    parts: listPartTexts(words, amount).join(' · '),
    gapBefore,
    isToday: fromDay <= today && today <= toDay,
  }))
  return rows.length > 0 ? rows : null
}

/** Presents what a charge of a form would cost on which day; fails with 422 where its due date has errors. */
export function presentDuePreview(
  words: Words,
  due: Parameters<typeof toDueTerms>[0],
  valueCents: number,
): DueTable {
  const today = computeBrasiliaDay(new Date())
  const terms = toDueTerms(due)
  const errors = findDueErrors({ terms, valueCents, today })
  if (errors.length > 0)
    fail('validation_failed', {
      errors: Object.fromEntries(errors.map(({ field, message }) => [field, [message]])),
    })
  return presentDueTable(words, terms, { cents: valueCents })
}

/** Lists the parts of an amount that are not zero, each with its sign and its name. */
export function listPartTexts({ t, f }: Words, parts: KnownParts): string[] {
  const { fineCents = 0, interestCents = 0, discountCents = 0, abatementCents = 0 } = parts
  return [
    { name: 'due.fine', cents: fineCents },
    { name: 'due.interest', cents: interestCents },
    { name: 'due.discount', cents: -discountCents },
    { name: 'due.abatement', cents: -abatementCents },
  ]
    .filter(({ cents }) => cents !== 0)
    .map(({ name, cents }) => `${t(name)}: ${cents > 0 ? '+' : ''}${f.money(cents)}`)
}

/** Tests whether a charge that waits for its payer is overdue on a day; a due day without banks moves to the next with them. */
export function isOverdue({ on }: Pick<DueTerms, 'on'>, today: string): boolean {
  return findBusinessDay(on) < today
}
