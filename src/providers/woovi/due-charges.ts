import { addDays, countDays } from '../../domain/charges/business-days.ts'
import { type DueModalities, type DueTerms, getAmountNumber } from '../../domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type { ChargeDebtor, ProviderChargeRequest, RejectedResult } from '../../domain/providers/provider.ts'
import { computeBrasiliaDay } from '../../domain/shared/brasilia-day.ts'
import {
  computeLastInstantOfDay,
  dueTermsUnsupported,
  isTextOfDay,
  refuseUncomputedTerms,
} from '../adapter/due-days.ts'
import type { WooviCharge, WooviDueChargeFields } from './schemas.ts'

/** Woovi's modality of each discount (OpenAPI, ChargePayload, `discountSettings`); values are cents or basis points. */
const DISCOUNT_MODALITIES = {
  FIXED_UNTIL: 'FIXED_VALUE_UNTIL_SPECIFIED_DATE',
  PERCENTAGE_UNTIL: 'PERCENTAGE_UNTIL_SPECIFIED_DATE',
  FIXED_PER_DAY_CALENDAR: 'VALUE_PER_RUNNING_DAY_ADVANCE',
  FIXED_PER_DAY_BUSINESS: 'VALUE_PER_BUSINESS_DAY_ADVANCE',
  PERCENTAGE_PER_DAY_CALENDAR: 'PERCENTAGE_PER_RUNNING_DAY_ADVANCE',
  PERCENTAGE_PER_DAY_BUSINESS: 'PERCENTAGE_PER_BUSINESS_DAY_ADVANCE',
} as const satisfies Record<DueModalities['discount'][number], string>

/** A charge with a due date, and who is to pay it. */
export type WooviDueOrder = ProviderChargeRequest & { due: DueTerms }

export function isWooviDueOrder(order: ProviderChargeRequest): order is WooviDueOrder {
  return order.due !== undefined
}

/**
 * Builds the refusal, without a call, of a charge with a due date that Woovi cannot issue: it has no discount on the due day ("Discount
 * only applies to payments before the due date") nor one that ends on the day of creation (`daysActive` is at least 1).
 */
export function refuseDueOrder({ due, debtor }: WooviDueOrder, now: number): RejectedResult | undefined {
  const refusal = refuseUncomputedTerms(due, PROVIDER_CAPABILITIES.woovi.dueCharges)
  if (refusal) return refusal
  if (!debtor?.address) return dueTermsUnsupported('The provider needs the address of the debtor')
  if (due.discount?.kind !== 'until') return undefined
  const today = computeBrasiliaDay(new Date(now))
  const isComputed = due.discount.steps.every(({ on }) => today < on && on < due.on)
  return isComputed
    ? undefined
    : dueTermsUnsupported('The provider computes discounts between the day of issuing and the due day only')
}

/** Writes a day as noon of it in Brasília, which is of the same day in UTC: no text says in which of the two Woovi reads it. */
export function toWooviDay(day: string): string {
  return `${day}T15:00:00.000Z`
}

/**
 * Builds the fields of a charge with a due date. Fine and interest are always sent: the answer of the published example has some that
 * its request has not.
 */
export function buildDueFields(
  { due, debtor }: WooviDueOrder,
  now: number,
): WooviDueChargeFields & { customer: object } {
  const discountSettings = buildDiscountSettings(due, now)
  return {
    type: 'OVERDUE',
    dueDate: toWooviDay(due.on),
    daysAfterDueDate: due.payableDaysAfter,
    fines: toTypedValue(due.fine),
    interests: { type: 'PERCENTAGE', value: toTypedValue(due.interest).value },
    ...(discountSettings && { discountSettings }),
    customer: toCustomerWithAddress(debtor!),
  }
}

/** Tells whether a charge has the due day, fine, interest and discount days of an order, as far as Woovi reports them. */
export function hasOrderedTerms({ due }: WooviDueOrder, charge: WooviCharge): boolean {
  const { fines, interests } = charge.interestsSettings ?? {}
  const isOfOrder = (reported: { value: number } | null | undefined, ordered: { value: number }) =>
    !reported || reported.value === ordered.value
  const days = charge.discountSettings?.discountFixedDate?.flatMap(({ data }) => data ?? []) ?? []
  const steps = due.discount?.kind === 'until' ? due.discount.steps : []
  return (
    (charge.type ?? 'OVERDUE') === 'OVERDUE' &&
    (!charge.dueDate || isTextOfDay(charge.dueDate, due.on)) &&
    isOfOrder(fines, toTypedValue(due.fine)) &&
    isOfOrder(interests, toTypedValue(due.interest)) &&
    days.every(day => steps.some(({ on }) => on === day))
  )
}

/** Returns until when a charge can be paid: the end of its last day, or what Woovi reports where that is later. */
export function computeWooviDueExpiry({ due }: WooviDueOrder, reportedExpiry: string | null): string {
  const lastMoment = computeLastInstantOfDay(addDays(due.on, due.payableDaysAfter))
  return reportedExpiry !== null && reportedExpiry > lastMoment ? reportedExpiry : lastMoment
}

/** Centavos, or hundredths of a percent; 0 where there is none. */
function toTypedValue(amount: DueTerms['fine']) {
  if (!amount) return { type: 'FIXED' as const, value: 0 }
  return { type: amount.type, value: getAmountNumber(amount) }
}

function buildDiscountSettings(
  { discount }: DueTerms,
  now: number,
): WooviDueChargeFields['discountSettings'] {
  if (!discount) return undefined
  if (discount.kind === 'per_day') {
    const { rate, days } = discount
    const modality = DISCOUNT_MODALITIES[`${rate.type}_PER_DAY_${days}` as const]
    return { modality, value: toTypedValue(rate).value }
  }
  const today = computeBrasiliaDay(new Date(now))
  return {
    modality: DISCOUNT_MODALITIES[`${discount.steps[0]!.type}_UNTIL` as const],
    discountFixedDate: discount.steps.map(step => ({
      daysActive: countDays(today, step.on),
      value: toTypedValue(step).value,
    })),
  }
}

/** Builds the customer of a debtor whose address is known. */
export function toCustomerWithAddress({ name, document, email, address }: ChargeDebtor) {
  const { zipCode, ...rest } = address!
  return {
    name,
    taxID: document,
    ...(email !== undefined && { email }),
    address: { ...rest, zipcode: zipCode, country: 'BR' as const },
  }
}
