import type { DueTerms } from '../../domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import {
  type ChargeDebtor,
  type IssueChargeOutcome,
  isConnectFailure,
  type NoAnswerResult,
  type NotAcceptedResult,
  type ProviderChargeRequest,
  type ProviderRevision,
  type ReviseChargeOutcome,
} from '../../domain/providers/provider.ts'
import { dueTermsUnsupported, isTextOfDay, refuseUncomputedTerms } from '../adapter/due-days.ts'
import { rejectForThisProvider, toIssueOutcome } from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { StarkClient } from './client.ts'
import { chargePaid, findOwnInvoices, type SharedInvoiceFields, writeDescriptions } from './invoices.ts'
import { getNominalCents, hasTag, mapStarkInvoice } from './mapping.ts'
import {
  oneCreatedStarkEntity,
  oneStarkEntity,
  type StarkInvoice,
  starkDueInvoiceRequestSchema,
  starkInvoiceSchema,
  starkRescheduleRequestSchema,
} from './schemas.ts'

const DAY_S = 24 * 60 * 60

/** The least `expiration`: no text says that 0 is not the default of 59 days. */
const MIN_EXPIRATION_S = 1

/** Shares are in percent (SDK, Invoice): 2.5 is 250 hundredths of a percent. */
const toPercentage = (share: { type: string; basisPoints?: number } | null) => (share?.basisPoints ?? 0) / 100

/**
 * Issues a charge with a due date: an invoice with days in place of times, so that "discounts, fines and interest" are shown to its
 * payer. Fine and interest are always sent, where their defaults are 2 % and 1 %. Stark Bank takes no id of ours that makes a repeat
 * harmless, and such an invoice can be paid for months: one with our tag is looked up first.
 */
export async function issueDueInvoice(
  client: StarkClient,
  order: ProviderChargeRequest & { due: DueTerms },
  shared: SharedInvoiceFields,
): Promise<IssueChargeOutcome> {
  const { reference, totalCents, debtor, due, additionalInfo } = order
  const refusal = refuseUncomputedTerms(due, PROVIDER_CAPABILITIES.stark.dueCharges)
  if (refusal) return refusal
  if (!debtor) return dueTermsUnsupported('The provider needs the debtor of the charge')

  const own = await findOwnInvoices(client, { call: 'findCharge', reference })
  if (own.kind === 'no_answer') return toUnissued(own)
  if (own.kind === 'found') {
    const issued = own.invoices.find(invoice => isOrdered(order, invoice))
    return toIssueOutcome({ kind: 'found', charge: issued && mapStarkInvoice(issued) }, REFERENCE_IN_USE)
  }
  const json = starkDueInvoiceRequestSchema.parse({
    invoices: [
      {
        ...shared,
        amount: totalCents,
        ...toPayer(debtor),
        ...buildTerms(due),
        ...writeDescriptions(additionalInfo),
      },
    ],
  })
  const call = { call: 'issueInvoice', reference, method: 'POST', path: '/v2/invoice', json } as const
  return client.send(call, oneCreatedStarkEntity('invoices', starkInvoiceSchema), created =>
    isOrdered(order, created) ? { charge: mapStarkInvoice(created) } : undefined,
  )
}

export const REFERENCE_IN_USE = rejectForThisProvider(
  'reference_in_use',
  'The provider has another charge under this reference',
)

/** Converts a look-up without an answer before anything was issued. Only one that never left, or was refused, proves so much. */
export function toUnissued({ code, message, ...outcome }: NoAnswerResult): NotAcceptedResult {
  if (!outcome.isUnprocessed) return { kind: 'unknown', code, message }
  return isConnectFailure({ ...outcome, code })
    ? { kind: 'unreachable', code, message }
    : rejectForThisProvider(code, message)
}

function toPayer({ name, document }: ChargeDebtor) {
  return { name, taxId: document }
}

/** Builds the schedule of an invoice: its due day, and the seconds after that day in which it can still be paid. */
function buildSchedule({ on, payableDaysAfter }: DueTerms) {
  return { due: on, expiration: Math.max(MIN_EXPIRATION_S, payableDaysAfter * DAY_S) }
}

/** Maps due terms to Stark Bank's fields: the one table of both. Those that it does not compute were refused. */
function buildTerms(due: DueTerms) {
  const discounts =
    due.discount?.kind === 'until'
      ? due.discount.steps.map(step => ({ percentage: toPercentage(step), due: step.on }))
      : []
  return {
    ...buildSchedule(due),
    fine: toPercentage(due.fine),
    interest: toPercentage(due.interest),
    ...(discounts.length > 0 && { discounts }),
  }
}

/** Tells whether an invoice is that of an order and can be paid. */
function isOrdered(
  { reference, totalCents, due }: ProviderChargeRequest & { due: DueTerms },
  invoice: StarkInvoice,
): boolean {
  return (
    getNominalCents(invoice) === totalCents &&
    isPayable(invoice) &&
    hasTag(invoice, reference) &&
    hasSchedule(due, invoice) &&
    hasRates(due, invoice)
  )
}

function isPayable({ status }: StarkInvoice): boolean {
  return status === 'created' || status === 'overdue'
}

function hasSchedule(due: DueTerms, invoice: StarkInvoice): boolean {
  const schedule = buildSchedule(due)
  return isTextOfDay(invoice.due, schedule.due) && invoice.expiration === schedule.expiration
}

/** Tells whether an invoice has the fine, the interest and the discounts of terms. */
function hasRates(due: DueTerms, { fine, interest, discounts }: StarkInvoice): boolean {
  const ordered = buildTerms(due)
  const steps = ordered.discounts ?? []
  return (
    fine === ordered.fine &&
    interest === ordered.interest &&
    (discounts ?? []).length === steps.length &&
    steps.every(step =>
      discounts?.some(
        ({ percentage, due: day }) => percentage === step.percentage && isTextOfDay(day, step.due),
      ),
    )
  )
}

/**
 * Moves the due day of a charge, and until when it can be paid. Nothing else is changed: `PATCH` has neither rates nor a text, and a
 * changed `amount` of an invoice that is paid in the same moment would be a reversal ("only the amount can be decreased, which will
 * result in a payment reversal"), money that nobody ordered back. Each repeat sends the change again, whatever an earlier one came to.
 */
export async function reviseDueInvoices(
  client: StarkClient,
  { reference, totalCents, due, message }: ProviderRevision,
): Promise<ReviseChargeOutcome> {
  const subject = { call: 'reviseCharge', reference } as const
  const own = await findOwnInvoices(client, subject)
  if (own.kind !== 'found') return own
  if (own.invoices.some(({ status }) => status === 'paid')) return chargePaid
  const [first, ...others] = own.invoices.filter(isPayable)
  if (!first) return chargeEnded
  const keepsRest = (invoice: StarkInvoice) =>
    (totalCents === undefined || getNominalCents(invoice) === totalCents) &&
    (!due || (due.abatement === null && hasRates(due, invoice)))
  if (message !== undefined || ![first, ...others].every(keepsRest)) return revisionUnsupported
  if (!due) return { kind: 'revised', charge: mapStarkInvoice(first) }

  const schema = oneStarkEntity('invoice', starkInvoiceSchema)
  const json = starkRescheduleRequestSchema.parse(buildSchedule(due))
  const changed: StarkInvoice[] = []
  for (const { id } of [first, ...others]) {
    const request = { ...subject, method: 'PATCH', path: encodePath`/v2/invoice/${id}`, json } as const
    const outcome = await client.lookUpExisting(request, schema, invoice =>
      invoice.id === id && isPayable(invoice) && hasSchedule(due, invoice) ? { invoice } : undefined,
    )
    if (outcome.kind === 'no_answer') return outcome
    changed.push(outcome.invoice)
  }
  return { kind: 'revised', charge: mapStarkInvoice(changed[0]!) }
}

export const chargeEnded = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'The charge cannot be paid any more',
} as const
const revisionUnsupported = {
  kind: 'refused',
  code: 'revision_unsupported',
  message: 'Stark Bank changes the due day and until when the charge can be paid, and nothing else',
} as const
