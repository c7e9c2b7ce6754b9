import { z } from 'zod'
import type { ReadCharge } from '../../db/repositories/charges.ts'
import { chargeMachine } from '../../domain/charges/charge.ts'
import { computeAmountDue } from '../../domain/charges/due-amount.ts'
import {
  DAY_COUNTS,
  type DueDiscount,
  type DueTerms,
  type FixedOrPercentage,
  getAmountNumber,
  INTEREST_PERIODS,
} from '../../domain/charges/due-terms.ts'
import type { DebtorAddress } from '../../domain/providers/provider.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import { caseInsensitiveEnum, day, positiveNumber, reais, reaisOutput } from '../shared/fields.ts'

/** Charges with a due date (SPEC §2): the field `due` of requests and answers, the body of PATCH, the forecast and what was paid. */

const VALUE_TYPES = ['FIXED', 'PERCENTAGE'] as const

const valueType = caseInsensitiveEnum(VALUE_TYPES).meta({ description: 'An amount, or a share of the value' })
const amount = positiveNumber.meta({
  description: 'Reais where FIXED, percent where PERCENTAGE (2 is 2 %), at most 99.99',
})
const dayCount = caseInsensitiveEnum(DAY_COUNTS).meta({
  description: 'Which days count: all, or those on which banks settle',
})
const dueDay = day.meta({ description: 'A day in Brasília, `YYYY-MM-DD`', examples: ['2026-12-10'] })
const payableDays = z.int().min(0).max(365)

const MAX_DISCOUNT_DAYS = 3

const discount = z
  .strictObject({
    type: valueType,
    until: z
      .array(z.strictObject({ on: dueDay, value: amount }))
      .min(1)
      .max(MAX_DISCOUNT_DAYS)
      .optional()
      .meta({ description: 'For paying until a day' }),
    per_day: z
      .strictObject({ days: dayCount, value: amount })
      .optional()
      .meta({ description: 'For each day before the due day' }),
  })
  .superRefine(({ until, per_day }, context) => {
    if ((until === undefined) === (per_day === undefined))
      context.addIssue({ code: 'custom', path: ['until'], message: 'or per_day is required, not both' })
  })

/** When a charge is due, in a request. */
export const dueInput = z
  .strictObject({
    on: dueDay,
    payable_days_after: payableDays.default(30).meta({
      description: 'Days after the due day on which it can still be paid, from 0 to 365',
    }),
    fine: z.strictObject({ type: valueType, value: amount }).optional(),
    interest: z
      .strictObject({
        type: valueType,
        per: caseInsensitiveEnum(INTEREST_PERIODS),
        days: dayCount,
        value: amount,
      })
      .optional()
      .meta({ description: 'For each day after the due day; `value` is that of the period' }),
    abatement: z.strictObject({ type: valueType, value: amount }).optional(),
    discount: discount.optional(),
  })
  .meta({
    id: 'Due',
    description:
      'When the charge is to be paid, and what its provider adds or subtracts for the day of payment. Excludes `expires_in`',
  })

/** Longest message to the payer. */
const MAX_MESSAGE_LENGTH = 140
export const payerMessage = z
  .string()
  .trim()
  .min(1)
  .max(MAX_MESSAGE_LENGTH)
  .meta({ description: 'Text that the payer is shown', examples: ['Mensalidade de dezembro'] })

/** Postal address of a debtor, in a request and as it is shown. */
export const debtorAddress = z
  .strictObject({
    street: z.string().trim().min(1).max(200),
    number: z.string().trim().min(1).max(20).optional(),
    complement: z.string().trim().min(1).max(100).optional(),
    neighborhood: z.string().trim().min(1).max(100).optional(),
    city: z.string().trim().min(1).max(200),
    state: z
      .string()
      .regex(/^[A-Z]{2}$/, 'must be the two letters of a state')
      .meta({ examples: ['SP'] }),
    zip_code: z
      .string()
      .regex(/^\d{8}$/, 'must be eight digits')
      .meta({ description: 'CEP, without formatting', examples: ['01310100'] }),
  })
  .meta({ id: 'DebtorAddress', description: 'Needed by some providers for a charge with a due date' })

export const reviseChargeBody = z
  .strictObject({
    value: reais.optional().meta({ description: 'Reais that the charge asks from now on, without its fees' }),
    due: dueInput.optional().meta({ description: 'Replaces the due date with all that belongs to it' }),
    // No text says how a provider removes one: what a request leaves out stays, and Inter's document has no empty one.
    message: payerMessage
      .optional()
      .meta({ description: 'Text that the payer is shown from now on; it can be replaced, not removed' }),
  })
  .refine(({ value, due, message }) => (value ?? due ?? message) !== undefined, {
    message: 'must name value, due or message',
  })
export type ReviseChargeBody = z.output<typeof reviseChargeBody>

const shownAmount = z.object({ type: z.enum(VALUE_TYPES), value: reaisOutput }).meta({ id: 'DueAmount' })

export const dueSchema = z
  .object({
    on: z.iso.date(),
    payable_days_after: payableDays,
    fine: shownAmount.optional(),
    interest: z
      .object({
        type: z.enum(VALUE_TYPES),
        per: z.enum(INTEREST_PERIODS),
        days: z.enum(DAY_COUNTS),
        value: reaisOutput,
      })
      .meta({ id: 'DueInterest' })
      .optional(),
    abatement: shownAmount.optional(),
    discount: z
      .object({
        type: z.enum(VALUE_TYPES),
        until: z.array(z.object({ on: z.iso.date(), value: reaisOutput })).optional(),
        per_day: z.object({ days: z.enum(DAY_COUNTS), value: reaisOutput }).optional(),
      })
      .meta({ id: 'DueDiscount' })
      .optional(),
  })
  .meta({ id: 'DueShown' })

/** Members of a payment that only a charge with a due date has. */
export const duePaymentFields = {
  due: dueSchema.optional(),
  amount_due: z
    .object({ value: reaisOutput, on: z.iso.date(), is_forecast: z.literal(true) })
    .meta({ id: 'AmountDue' })
    .optional()
    .meta({
      description:
        'Of a charge with a due date that can be paid: a forecast of what it costs today, by the national bank holidays. The provider computes what is paid; a state or municipal holiday where the payer lives can move the due day',
    }),
  paid: z
    .object({
      value: reaisOutput,
      fine: reaisOutput.optional(),
      interest: reaisOutput.optional(),
      discount: reaisOutput.optional(),
      abatement: reaisOutput.optional(),
    })
    .meta({ id: 'PaidParts' })
    .optional()
    .meta({
      description:
        'Of a paid charge with a due date: what was paid, and what that consists of where its provider reports it',
    }),
}

type DueInput = z.output<typeof dueInput>
type AmountInput = { type: (typeof VALUE_TYPES)[number]; value: number }

/** Reads the terms of a due date. */
export function toDueTerms({
  on,
  payable_days_after,
  fine,
  interest,
  abatement,
  discount,
}: DueInput): DueTerms {
  return {
    on,
    payableDaysAfter: payable_days_after,
    fine: fine ? toAmount(fine) : null,
    interest: interest ? { ...toAmount(interest), per: interest.per, days: interest.days } : null,
    abatement: abatement ? toAmount(abatement) : null,
    discount: discount ? toDiscount(discount) : null,
  }
}

function toAmount({ type, value }: AmountInput): FixedOrPercentage {
  return type === 'FIXED' ? { type, cents: value } : { type, basisPoints: value }
}

function toDiscount({ type, until, per_day }: NonNullable<DueInput['discount']>): DueDiscount {
  if (per_day) return { kind: 'per_day', rate: toAmount({ type, value: per_day.value }), days: per_day.days }
  return {
    kind: 'until',
    steps: (until ?? []).map(({ on, value }) => ({ on, ...toAmount({ type, value }) })),
  }
}

const showAmount = (amount: FixedOrPercentage) => ({ type: amount.type, value: getAmountNumber(amount) })

/** Presents the terms of a due date. */
export function showDue({
  on,
  payableDaysAfter,
  fine,
  interest,
  abatement,
  discount,
}: DueTerms): z.output<typeof dueSchema> {
  return {
    on,
    payable_days_after: payableDaysAfter,
    ...(fine && { fine: showAmount(fine) }),
    ...(interest && { interest: { ...showAmount(interest), per: interest.per, days: interest.days } }),
    ...(abatement && { abatement: showAmount(abatement) }),
    ...(discount && { discount: showDiscount(discount) }),
  }
}

function showDiscount(discount: DueDiscount) {
  if (discount.kind === 'per_day')
    return {
      type: discount.rate.type,
      per_day: { days: discount.days, value: getAmountNumber(discount.rate) },
    }
  const { steps } = discount
  return {
    type: steps[0]?.type ?? 'FIXED',
    until: steps.map(step => ({ on: step.on, value: getAmountNumber(step) })),
  }
}

/** Restores what a charge asked before its first revision. */
export function restoreIssuedTerms(charge: ReadCharge): ReadCharge {
  if (!charge.issuedAs) return charge
  const { expiresAt, ...terms } = charge.issuedAs
  return { ...charge, ...terms, expiresAt: expiresAt === null ? null : new Date(expiresAt), revision: 0 }
}

/** Presents what only the payment of a charge with a due date has. */
export function showDueMembers(charge: ReadCharge, at: Date) {
  const amountDue = showAmountDue(charge, at)
  const paid = showPaid(charge)
  return {
    ...(charge.due && { due: showDue(charge.due) }),
    ...(charge.debitOn != null && { due: { on: charge.debitOn, payable_days_after: 0 } }),
    ...(amountDue && { amount_due: amountDue }),
    ...(paid && { paid }),
  }
}

/** Reads the address of a debtor. */
export function toAddress({ zip_code, ...address }: z.output<typeof debtorAddress>): DebtorAddress {
  const given = Object.fromEntries(Object.entries(address).filter(([, text]) => text !== undefined))
  return { ...(given as Omit<DebtorAddress, 'zipCode'>), zipCode: zip_code }
}

/** Presents the address of a debtor. */
export function showDebtorAddress({ zipCode, ...address }: DebtorAddress): z.output<typeof debtorAddress> {
  return { ...address, zip_code: zipCode }
}

/** What a charge with a due date costs on a day, while it can be paid. */
function showAmountDue(
  { due, totalCents, state }: Pick<ReadCharge, 'due' | 'totalCents' | 'state'>,
  at: Date,
) {
  if (!due || chargeMachine.isFinal(state)) return undefined
  const on = computeBrasiliaDay(at)
  return { value: computeAmountDue(totalCents, due, on).totalCents, on, is_forecast: true as const }
}

function showPaid({
  due,
  receivedCents,
  paidParts,
}: Pick<ReadCharge, 'due' | 'receivedCents' | 'paidParts'>) {
  if (!due || receivedCents === 0) return undefined
  return {
    value: receivedCents,
    ...(paidParts && {
      fine: paidParts.fineCents,
      interest: paidParts.interestCents,
      discount: paidParts.discountCents,
      abatement: paidParts.abatementCents,
    }),
  }
}
