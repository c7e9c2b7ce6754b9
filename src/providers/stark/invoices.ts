import type {
  AdditionalInfo,
  CancelChargeOutcome,
  ChargeDebtor,
  FindChargeOutcome,
  FoundCharge,
  IssueChargeOutcome,
  ProviderChargeRequest,
} from '../../domain/providers/provider.ts'
import { toKeyedTexts } from '../adapter/keyed-texts.ts'
import { encodePath } from '../http/client.ts'
import type { StarkClient } from './client.ts'
import { STARK_LISTS } from './lists.ts'
import { hasTag, mapStarkInvoice } from './mapping.ts'
import { findCodePayments, mapInvoicePayments, type StarkSubject } from './payments.ts'
import {
  MAX_STARK_DESCRIPTIONS,
  oneCreatedStarkEntity,
  oneStarkEntity,
  type StarkInvoice,
  starkCancellationRequestSchema,
  starkInvoiceRequestSchema,
  starkInvoiceSchema,
} from './schemas.ts'

/**
 * How long an invoice can be paid after its due time, in seconds. Its fine and interest are none, so that both times are one to a
 * payer; 0 is avoided because no text says that it is not the default of 59 days.
 */
const EXPIRATION_S = 1

/** The fields that an invoice and a dynamic BR code share. */
export type SharedInvoiceFields = {
  tags: string[]
  displayDescription?: string | undefined
  rules?: object[]
}

/** Issues a charge to a payer. An invoice alone lets anybody pay; only its rules do not. */
export async function issueStarkInvoice(
  client: StarkClient,
  { reference, totalCents, expiresInSeconds, additionalInfo }: ProviderChargeRequest,
  { debtor, shared, now }: { debtor: ChargeDebtor; shared: SharedInvoiceFields; now: () => number },
): Promise<IssueChargeOutcome> {
  const dueInSeconds = Math.max(EXPIRATION_S, expiresInSeconds - EXPIRATION_S)
  const invoice = {
    ...shared,
    amount: totalCents,
    name: debtor.name,
    taxId: debtor.document,
    due: new Date(now() + dueInSeconds * 1_000).toISOString(),
    expiration: EXPIRATION_S,
    fine: 0,
    interest: 0,
    ...writeDescriptions(additionalInfo),
  }
  const json = starkInvoiceRequestSchema.parse({ invoices: [invoice] })
  const call = { call: 'issueInvoice', reference, method: 'POST', path: '/v2/invoice', json } as const
  return client.send(call, oneCreatedStarkEntity('invoices', starkInvoiceSchema), created => {
    const isOrdered =
      created.amount === totalCents && created.status === 'created' && hasTag(created, reference)
    return isOrdered ? { charge: mapStarkInvoice(created) } : undefined
  })
}

/** Writes the texts that a payer is shown besides the message, as far as an invoice has room for them; a dynamic BR code has none. */
export function writeDescriptions(texts: AdditionalInfo[] = []) {
  const descriptions = toKeyedTexts(texts.slice(0, MAX_STARK_DESCRIPTIONS))
  return descriptions.length > 0 ? { descriptions } : {}
}

/** An invoice with our tag. Issuing twice may make two, of which each can be paid once. */
type OwnInvoices = { kind: 'found'; invoices: [StarkInvoice, ...StarkInvoice[]] }

/** Finds the invoices with our tag, oldest first. */
export async function findOwnInvoices(
  client: StarkClient,
  subject: StarkSubject & { reference: string },
): Promise<OwnInvoices | Exclude<FindChargeOutcome, FoundCharge>> {
  const list = await client.readAllPages({
    ...subject,
    ...STARK_LISTS.invoices,
    filter: { tags: subject.reference },
  })
  if (list.kind === 'no_answer') return list
  if (list.unreadableItems.length > 0) return invoiceUnreadable
  const [oldest, ...younger] = list.items
    .filter(invoice => hasTag(invoice, subject.reference))
    .toSorted((a, b) => a.created.localeCompare(b.created))
  return oldest ? { kind: 'found', invoices: [oldest, ...younger] } : { kind: 'not_found' }
}

/** Finds the charge that the invoices with our tag are, with the payment of each that is paid. */
export async function findInvoiceCharge(
  client: StarkClient,
  subject: StarkSubject & { reference: string },
): Promise<FindChargeOutcome> {
  const own = await findOwnInvoices(client, subject)
  if (own.kind !== 'found') return own
  const paid = own.invoices.filter(({ status }) => status === 'paid')
  const outcome = await mapInvoicePayments(client, subject, paid)
  if (outcome.kind === 'no_answer') return outcome
  // An invoice "can only be paid once": what is paid by its code after that is a deposit, if it arrives.
  const later = paid.length > 0 ? await findCodePayments(client, subject) : NO_PAYMENTS
  if (later.kind === 'no_answer') return later
  const payments = [...outcome.payments, ...later.payments]
  const charge = mapStarkInvoice(own.invoices[0])
  return { kind: 'found', status: computeChargeStatus(own.invoices), charge, payments }
}

const NO_PAYMENTS = { kind: 'found', payments: [] } as const

/** A charge can be paid while one of its invoices can. An invoice that is overdue can, until it expires. */
function computeChargeStatus(invoices: StarkInvoice[]): FoundCharge['status'] {
  const has = (...statuses: StarkInvoice['status'][]) =>
    invoices.some(({ status }) => statuses.includes(status))
  if (has('paid')) return 'completed'
  if (has('created', 'overdue')) return 'open'
  return has('canceled') ? 'removed' : 'expired'
}

/** Cancels each invoice with our tag that can still be paid: "not possible if it has been paid already". */
export async function cancelOwnInvoices(
  client: StarkClient,
  subject: StarkSubject & { reference: string },
): Promise<CancelChargeOutcome> {
  const own = await findOwnInvoices(client, subject)
  if (own.kind !== 'found') return own
  if (own.invoices.some(({ status }) => status === 'paid')) return chargePaid
  const schema = oneStarkEntity('invoice', starkInvoiceSchema)
  const json = starkCancellationRequestSchema.parse({ status: 'canceled' })
  for (const { id, status } of own.invoices) {
    if (status === 'canceled' || status === 'expired') continue
    const request = { ...subject, method: 'PATCH', path: encodePath`/v2/invoice/${id}`, json } as const
    const outcome = await client.lookUpExisting(request, schema, changed =>
      changed.id === id && changed.status === 'canceled' ? {} : undefined,
    )
    if (outcome.kind === 'no_answer') return outcome
  }
  return { kind: 'cancelled' }
}

export const chargePaid = {
  kind: 'refused',
  code: 'charge_refused',
  message: 'The charge is paid',
} as const
const invoiceUnreadable = {
  kind: 'no_answer',
  code: 'unreadable_answer',
  message: 'Stark Bank lists an invoice of the charge, but it is unreadable',
} as const
