import type { IncomingPix, NoAnswerResult } from '../../domain/providers/provider.ts'
import { reportPaymentNotListed, reportPaymentUnidentified } from '../adapter/outcomes.ts'
import type { ProviderCall } from '../adapter/provider-calls.ts'
import { encodePath } from '../http/client.ts'
import type { PaymentCalls } from '../port.ts'
import type { StarkCall } from './answers.ts'
import type { StarkClient } from './client.ts'
import { STARK_LISTS } from './lists.ts'
import {
  hasTag,
  isOfCode,
  mapStarkDeposit,
  mapStarkInvoicePayment,
  parseReceivedName,
  type ReceivedEntity,
  toDepositName,
} from './mapping.ts'
import {
  oneStarkEntity,
  type StarkDeposit,
  type StarkInvoice,
  type StarkInvoicePayment,
  type StarkTransaction,
  starkDepositSchema,
  starkInvoicePaymentSchema,
  starkInvoiceSchema,
} from './schemas.ts'

/** A call of an operation, without its request. */
export type StarkSubject = Pick<ProviderCall<StarkCall>, 'call' | 'reference'>

/** Creates the look-up of a received PIX, which is a deposit or the payment of an invoice. */
export function createStarkPayments(client: StarkClient): Pick<PaymentCalls, 'findPayment'> {
  return {
    async findPayment(endToEnd) {
      const entity = parseReceivedName(endToEnd)
      if (!entity) return noReceivedName
      const found = await findPayments(entity, endToEnd)
      if (found.kind !== 'found') return found
      const [payment] = found.payments
      return payment ? { kind: 'found', payment } : { kind: 'not_found' }
    },
  }

  async function findPayments({ kind, id }: ReceivedEntity, reference: string) {
    if (kind === 'invoice') {
      const subject = { call: 'findInvoice', reference } as const
      const path = encodePath`/v2/invoice/${id}`
      const schema = oneStarkEntity('invoice', starkInvoiceSchema)
      const outcome = await client.lookUp({ ...subject, path }, schema, invoice =>
        invoice.id === id ? { invoice } : undefined,
      )
      if (outcome.kind !== 'found') return outcome
      return mapInvoicePayments(client, subject, [outcome.invoice])
    }
    const subject = { call: 'findPayment', reference } as const
    const path = encodePath`/v2/deposit/${id}`
    const schema = oneStarkEntity('deposit', starkDepositSchema)
    const outcome = await client.lookUp({ ...subject, path }, schema, deposit =>
      deposit.id === id ? { deposit } : undefined,
    )
    if (outcome.kind !== 'found') return outcome
    const { deposit } = outcome
    return deposit.type === 'pix'
      ? mapStarkPayments(client, subject, [deposit])
      : { kind: 'not_found' as const }
  }
}

type FoundPayments = { kind: 'found'; payments: IncomingPix[] }

/**
 * Maps deposits to payments. A deposit's own amount falls with each refund, so that the value of a payment is that of its first
 * transaction; `no_answer` while Stark Bank does not list one that the deposit names. A deposit whose money another entity has
 * brought, as its first transaction says, is left out: that entity is the PIX.
 */
async function mapStarkPayments(
  client: StarkClient,
  subject: StarkSubject,
  deposits: StarkDeposit[],
): Promise<FoundPayments | NoAnswerResult> {
  const credits = await readCredits(client, subject, deposits)
  if (credits.kind === 'no_answer') return credits
  const payments = deposits
    .map(deposit => ({ deposit, credit: credits.byId.get(deposit.transactionIds[0] ?? '') }))
    .filter(({ deposit, credit }) => !credit || isSourceOf(toDepositName(deposit.id), credit))
    .map(({ deposit, credit }) => mapStarkDeposit(deposit, credit))
  return { kind: 'found', payments }
}

/**
 * Finds the deposits that have paid a code with our tag, as payments of its charge: the same that a notification and the statement name by
 * that tag, so that each is recorded. A deposit to a static code has no code's uuid.
 */
export async function findCodePayments(
  client: StarkClient,
  subject: StarkSubject & { reference: string },
): Promise<FoundPayments | NoAnswerResult> {
  const deposits = await client.readAllPages({
    ...subject,
    ...STARK_LISTS.deposits,
    filter: { tags: subject.reference },
  })
  if (deposits.kind === 'no_answer') return deposits
  if (deposits.unreadableItems.length > 0) return reportPaymentNotListed('Stark Bank')
  const paid = deposits.items.filter(deposit => hasTag(deposit, subject.reference) && isOfCode(deposit))
  return mapStarkPayments(client, subject, paid)
}

/** Tells whether a transaction was made by the entity of a name, or by what happened to it. */
function isSourceOf(name: string, { source }: StarkTransaction): boolean {
  return source === name || source.startsWith(`${name}/`)
}

/**
 * Maps invoices to their payments, of which each that is paid has one. `no_answer` while Stark Bank does not show an invoice as paid,
 * how it was paid, or the first transaction that it names.
 */
export async function mapInvoicePayments(
  client: StarkClient,
  subject: StarkSubject,
  invoices: StarkInvoice[],
): Promise<FoundPayments | NoAnswerResult> {
  if (invoices.some(({ status }) => status !== 'paid')) return reportPaymentNotListed('Stark Bank')
  const details = await readInvoicePayments(client, subject, invoices)
  if (details.kind === 'no_answer') return details
  const credits = await readCredits(client, subject, invoices)
  if (credits.kind === 'no_answer') return credits
  const payments: IncomingPix[] = []
  for (const invoice of invoices) {
    const payment = details.byId.get(invoice.id)!
    const { endToEndId } = payment
    // The id is part of the payment's name, which never changes.
    if (!endToEndId) return reportPaymentUnidentified('Stark Bank')
    const credit = credits.byId.get(invoice.transactionIds[0] ?? '')
    payments.push(mapStarkInvoicePayment({ invoice, payment: { ...payment, endToEndId }, credit }))
  }
  return { kind: 'found', payments }
}

/** Requests at a time, where each invoice of a list needs one. */
const PARALLEL_REQUESTS = 8

/** Reads how invoices were paid, which only a request for each says. */
export async function readInvoicePayments(
  client: StarkClient,
  { reference }: Pick<StarkSubject, 'reference'>,
  invoices: StarkInvoice[],
): Promise<{ kind: 'found'; byId: ReadonlyMap<string, StarkInvoicePayment> } | NoAnswerResult> {
  const byId = new Map<string, StarkInvoicePayment>()
  const schema = oneStarkEntity('payment', starkInvoicePaymentSchema)
  for (let start = 0; start < invoices.length; start += PARALLEL_REQUESTS) {
    const outcomes = await Promise.all(
      invoices.slice(start, start + PARALLEL_REQUESTS).map(({ id }) => {
        const path = encodePath`/v2/invoice/${id}/payment`
        const call = { call: 'findInvoicePayment', reference, path } as const
        return client.lookUpExisting(call, schema, payment => ({ id, payment }))
      }),
    )
    for (const outcome of outcomes) {
      if (outcome.kind === 'no_answer') return outcome
      byId.set(outcome.id, outcome.payment)
    }
  }
  return { kind: 'found', byId }
}

/** Reads the first transactions of received PIX; `no_answer` while one that is named is not listed. */
async function readCredits(
  client: StarkClient,
  subject: StarkSubject,
  received: { transactionIds: string[] }[],
): Promise<Awaited<ReturnType<typeof readTransactions>>> {
  const creditIds = received.flatMap(({ transactionIds }) => transactionIds.slice(0, 1))
  const credits = await readTransactions(client, subject, creditIds)
  if (credits.kind === 'no_answer') return credits
  const isListed = (id: string) => (credits.byId.get(id)?.amount ?? 0) > 0
  return creditIds.every(isListed) ? credits : reportPaymentNotListed('Stark Bank')
}

/** Reads transactions by their ids; those that are not listed are absent. */
export async function readTransactions(client: StarkClient, subject: StarkSubject, ids: string[]) {
  const list = {
    call: subject.call,
    ...(subject.reference !== undefined && { reference: subject.reference }),
    ...STARK_LISTS.transactions,
  }
  const outcome = await client.readByIds(list, ids)
  if (outcome.kind === 'no_answer') return outcome
  return { kind: 'found' as const, byId: new Map(outcome.items.map(one => [one.id, one])) }
}

const noReceivedName: NoAnswerResult = {
  kind: 'no_answer',
  code: 'not_found',
  message: 'Stark Bank looks payments up by the id of their deposit or invoice only',
}
