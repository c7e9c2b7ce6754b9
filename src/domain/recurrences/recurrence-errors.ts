import type { DueFieldError } from '../charges/due-errors.ts'
import type { ProviderCapabilities } from '../providers/capabilities.ts'
import { computeBrasiliaDay } from '../shared/brasilia-day.ts'
import { computeDueDay, findCycleOfDay, findDueDays } from './cycles.ts'
import type { RecurrenceTerms } from './recurrence.ts'

/** Longest contract and subject: pix-api 2.9.0, RecBase. It names no set of characters. */
const MAX_TEXT_LENGTH = 35

/** Days before the due day at which the worker may create a charge: one day within the period that banks accept. */
const LEAST_DAYS_BEFORE = 3
const MOST_DAYS_BEFORE = 9

/** An order of a recurrence, as far as its fields depend on one another. */
export type RecurrenceOrder = {
  terms: RecurrenceTerms
  requestExpiresAt: Date | null
  hasPayerAccount: boolean
  firstCharge: { hasDue: boolean } | null
}

/** Finds what is wrong with an order of a recurrence, whichever provider creates it. */
export function findRecurrenceErrors(order: RecurrenceOrder, now: Date): DueFieldError[] {
  const { terms } = order
  return [
    ...findValueErrors(terms),
    ...findDayErrors(terms, computeBrasiliaDay(now)),
    ...findTextErrors('contract', terms.contract),
    ...(terms.subject === null ? [] : findTextErrors('subject', terms.subject)),
    ...findRequestErrors(order, now),
    ...findFirstChargeErrors(order),
  ]
}

/** Finds what a provider does not offer of an order that is right in itself; nothing where it is a candidate. */
export function findUnofferedTerms(
  { terms, hasAddress }: { terms: RecurrenceTerms; hasAddress: boolean },
  { journeys, ownDebits }: Pick<ProviderCapabilities, 'journeys' | 'ownDebits'>,
): DueFieldError[] {
  const errors: DueFieldError[] = []
  if (!journeys.includes(terms.journey))
    errors.push({ field: 'journey', message: 'is not offered by the providers of this recurrence' })
  if (!ownDebits) return errors
  if (terms.valueCents === null)
    errors.push({ field: 'value', message: 'is needed by the providers of this recurrence' })
  if (terms.generate === 'MANUAL')
    errors.push({
      field: 'generate',
      message: 'must be AUTOMATIC where the provider creates each charge itself',
    })
  if (terms.daysBefore > ownDebits.daysBefore)
    errors.push({
      field: 'days_before',
      message: 'must not exceed the days before at which the provider creates each charge itself',
    })
  if (ownDebits.needsAddress && !hasAddress)
    errors.push({ field: 'debtor.address', message: 'is needed by the providers of this recurrence' })
  return errors
}

/**
 * Finds what is wrong with a charge that the merchant orders for a recurrence. The minimum binds the payer's limit, not the charge (pix-api
 * 2.9.0, RecBase), so that a charge of less is allowed.
 */
export function findCycleChargeErrors(
  terms: RecurrenceTerms,
  { dueOn, valueCents, today }: { dueOn: string; valueCents: number; today: string },
): DueFieldError[] {
  const errors: DueFieldError[] = []
  if (valueCents === 0) errors.push({ field: 'value', message: 'must be above 0' })
  else if (terms.valueCents !== null && valueCents !== terms.valueCents)
    errors.push({ field: 'value', message: 'must be the value of the recurrence' })
  const { firstDay, lastDay } = findDueDays(today)
  if (dueOn < firstDay || dueOn > lastDay)
    errors.push({ field: 'due_on', message: 'must be 2 to 10 days after today in Brasília' })
  else if (!findCycleOfDay(terms, dueOn))
    errors.push({ field: 'due_on', message: 'must be within the recurrence' })
  return errors
}

function findValueErrors({ valueCents, minimumCents, generate }: RecurrenceTerms): DueFieldError[] {
  const errors: DueFieldError[] = []
  if (valueCents === 0) errors.push({ field: 'value', message: 'must be above 0' })
  if (minimumCents === 0) errors.push({ field: 'minimum_value', message: 'must be above 0' })
  if (valueCents !== null && minimumCents !== null)
    errors.push({ field: 'minimum_value', message: 'must not be sent with value' })
  if (valueCents === null && generate === 'AUTOMATIC')
    errors.push({ field: 'generate', message: 'must be MANUAL where the recurrence has no fixed value' })
  return errors
}

function findDayErrors({ startsOn, endsOn, daysBefore }: RecurrenceTerms, today: string): DueFieldError[] {
  const errors: DueFieldError[] = []
  if (startsOn < today) errors.push({ field: 'starts_on', message: 'must not be before today in Brasília' })
  if (startsOn > computeDueDay({ frequency: 'ANNUAL', startsOn: today }, 2))
    errors.push({ field: 'starts_on', message: 'must be within a year' })
  if (endsOn !== null && endsOn < startsOn)
    errors.push({ field: 'ends_on', message: 'must not be before starts_on' })
  if (daysBefore < LEAST_DAYS_BEFORE || daysBefore > MOST_DAYS_BEFORE)
    errors.push({ field: 'days_before', message: 'must be from 3 to 9' })
  return errors
}

function findTextErrors(field: 'contract' | 'subject', text: string): DueFieldError[] {
  if (text.trim() === '') return [{ field, message: 'must not be empty' }]
  if ([...text].length > MAX_TEXT_LENGTH) return [{ field, message: 'must be at most 35 characters' }]
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)
    ? [{ field, message: 'must be one line, without control characters' }]
    : []
}

function findRequestErrors(
  { terms, requestExpiresAt, hasPayerAccount }: RecurrenceOrder,
  now: Date,
): DueFieldError[] {
  const isRequest = terms.journey === 'REQUEST'
  const errors: DueFieldError[] = []
  if (isRequest && !hasPayerAccount)
    errors.push({ field: 'payer_account', message: 'is needed by the journey REQUEST' })
  if (!isRequest && hasPayerAccount)
    errors.push({ field: 'payer_account', message: 'must not be sent without the journey REQUEST' })
  if (requestExpiresAt === null) return errors
  if (!isRequest)
    errors.push({ field: 'request_expires_at', message: 'must not be sent without the journey REQUEST' })
  else if (requestExpiresAt <= now)
    errors.push({ field: 'request_expires_at', message: 'must be in the future' })
  return errors
}

function findFirstChargeErrors({ terms: { journey }, firstCharge }: RecurrenceOrder): DueFieldError[] {
  const isPaidFirst = journey === 'QR_WITH_PAYMENT' || journey === 'PAYMENT_THEN_OFFER'
  if (!isPaidFirst)
    return firstCharge
      ? [{ field: 'first_charge', message: `must not be sent with the journey ${journey}` }]
      : []
  if (!firstCharge) return [{ field: 'first_charge', message: `is needed by the journey ${journey}` }]
  const needsDue = journey === 'PAYMENT_THEN_OFFER'
  if (needsDue === firstCharge.hasDue) return []
  const message = needsDue
    ? 'is needed by the journey PAYMENT_THEN_OFFER'
    : 'must not be sent with the journey QR_WITH_PAYMENT'
  return [{ field: 'first_charge.due', message }]
}
