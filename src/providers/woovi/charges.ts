import type {
  CancelChargeOutcome,
  ChargeDebtor,
  FindChargeOutcome,
  IncomingPix,
  ProviderChargeRequest,
} from '../../domain/providers/provider.ts'
import { toKeyedTexts } from '../adapter/keyed-texts.ts'
import {
  isDuplicate,
  openAmountUnsupported,
  rejectForThisProvider,
  reportPaymentNotListed,
  reportPaymentUnidentified,
  toIssueOutcome,
} from '../adapter/outcomes.ts'
import { encodePath } from '../http/client.ts'
import type { ChargeCalls } from '../port.ts'
import type { WooviClient } from './client.ts'
import { createWooviDebits, debitNotCancellable } from './debits.ts'
import {
  buildDueFields,
  computeWooviDueExpiry,
  hasOrderedTerms,
  isWooviDueOrder,
  refuseDueOrder,
} from './due-charges.ts'
import {
  getWooviExpiry,
  isReceivedPix,
  mapWooviCharge,
  mapWooviChargeStatus,
  mapWooviPayment,
} from './mapping.ts'
import {
  MIN_CHARGE_EXPIRY_S,
  type WooviCharge,
  wooviChargeRequestSchema,
  wooviChargeResponseSchema,
  wooviDeletionResponseSchema,
  wooviDueChargeRequestSchema,
  wooviTransactionSchema,
} from './schemas.ts'
import { getTransactionKey } from './statement.ts'

/** Creates the calls about charges. The correlationID is our reference, never free again: issuing twice makes one. */
export function createWooviCharges(client: WooviClient, now: () => number): ChargeCalls {
  const debits = createWooviDebits(client)
  return {
    async issueCharge(order) {
      if (order.debit) return debits.adopt(order.debit)
      if (order.totalCents === 0) return openAmountUnsupported
      const refusal = isWooviDueOrder(order) ? refuseDueOrder(order, now()) : refuseShortExpiry(order)
      if (refusal) return refusal
      const call = { call: 'issueCharge', reference: order.reference, path: '/api/v1/charge' } as const
      const request = { ...call, method: 'POST', json: buildChargeBody(order, now()) } as const
      const outcome = await client.send(request, wooviChargeResponseSchema, ({ charge }) =>
        toIssuedCharge(order, charge),
      )
      if (!isDuplicate(outcome)) return outcome
      const existingCharge = await lookUp(order.reference, charge => ({
        charge: toIssuedCharge(order, charge)?.charge,
      }))
      return toIssueOutcome(existingCharge, outcome)
    },

    /** Looks up a charge and its payments, second and late ones included: the charge itself does not list them. */
    async findCharge(reference, kind): Promise<FindChargeOutcome> {
      if (kind?.debit) return debits.find(kind.debit)
      const outcome = await lookUp(reference, charge =>
        charge.correlationID === reference ? { charge } : undefined,
      )
      if (outcome.kind === 'no_answer') return outcome
      const list = await listPayments(reference)
      if (list.kind === 'no_answer')
        return outcome.kind === 'not_found' && list.code === 'not_found' ? outcome : list
      const allPayments = list.transactions.map(mapWooviPayment)
      const payments = allPayments.filter(hasEndToEndId)
      const isPaid = outcome.kind === 'found' && outcome.charge.status === 'COMPLETED'
      const isPaymentPending = allPayments.some(pix => !hasEndToEndId(pix) && pix.status !== 'failed')
      if (payments.every(pix => pix.status === 'failed')) {
        if (isPaymentPending) return reportPaymentUnidentified('Woovi')
        if (isPaid) return reportPaymentNotListed('Woovi')
      }
      if (outcome.kind === 'not_found') return payments.length ? toRemovedCharge(payments) : outcome

      const { charge } = outcome
      const isDue = charge.type === 'OVERDUE' || kind?.isDue === true
      return {
        kind: 'found',
        status: mapWooviChargeStatus(charge, { payments, now: now(), isDue }),
        charge: mapWooviCharge(charge, new Date(now()).toISOString()),
        payments,
      }
    },

    async cancelCharge(reference, kind): Promise<CancelChargeOutcome> {
      if (kind?.isDebit) return debitNotCancellable
      const call = { call: 'cancelCharge', reference, path: buildChargePath(reference) } as const
      const request = { ...call, method: 'DELETE' } as const
      const outcome = await client.lookUp(request, wooviDeletionResponseSchema, ({ status }) =>
        status === 'OK' ? {} : undefined,
      )
      if (outcome.kind === 'found') return { kind: 'cancelled' }
      const isRefused = outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
      return isRefused ? { ...outcome, kind: 'refused' } : outcome
    },
  }

  /** Lists the PIX received for a charge. A transaction that names no charge is recorded and does not count. */
  async function listPayments(reference: string) {
    const outcome = await client.readAllPages({
      call: 'findCharge',
      reference,
      path: '/api/v1/transaction',
      filter: { charge: reference },
      field: 'transactions',
      row: wooviTransactionSchema,
      toItem: transaction => transaction,
      keyOf: getTransactionKey,
    })
    if (outcome.kind === 'no_answer') return outcome
    const received = outcome.items.filter(isReceivedPix)
    for (const pix of received.filter(({ charge }) => !charge?.correlationID))
      await client.recordItem({ call: 'findCharge', reference }, pix, 'transaction_without_charge')
    const transactions = received.filter(pix => pix.charge?.correlationID === reference)
    return { kind: 'found' as const, transactions }
  }

  function lookUp<T extends object>(reference: string, read: (charge: WooviCharge) => T | undefined) {
    const call = { call: 'findCharge', reference, path: buildChargePath(reference) } as const
    return client.lookUp(call, wooviChargeResponseSchema, ({ charge }) => read(charge))
  }

  /**
   * Converts a charge that has the order's id, amount and terms and can be paid; undefined for any other. Its expiry is the
   * ordered one where Woovi reports none.
   */
  function toIssuedCharge(order: ProviderChargeRequest, charge: WooviCharge) {
    const isDue = isWooviDueOrder(order)
    const isOrdered =
      charge.correlationID === order.reference &&
      charge.value === order.totalCents &&
      charge.brCode &&
      (isDue ? hasOrderedTerms(order, charge) : charge.type !== 'OVERDUE') &&
      mapWooviChargeStatus(charge, { payments: [], now: now(), isDue }) === 'open'
    if (!isOrdered) return undefined
    const orderedExpiry = isDue
      ? computeWooviDueExpiry(order, getWooviExpiry(charge) ?? null)
      : new Date(now() + order.expiresInSeconds * 1000).toISOString()
    const issued = mapWooviCharge(charge, orderedExpiry)
    return { charge: isDue ? { ...issued, expiresAt: orderedExpiry } : issued }
  }
}

function buildChargePath(reference: string): string {
  return encodePath`/api/v1/charge/${reference}`
}

function buildChargeBody(order: ProviderChargeRequest, now: number) {
  const shared = {
    correlationID: order.reference,
    value: order.totalCents,
    comment: order.message?.slice(0, 140),
    ...(order.additionalInfo?.length && { additionalInfo: toKeyedTexts(order.additionalInfo) }),
    // It compares whole documents, so that a restriction to the root of a CNPJ or to a kind is no lock here.
    ...(isLockedToDebtor(order) && { ensureSameTaxID: true }),
  }
  if (isWooviDueOrder(order))
    return wooviDueChargeRequestSchema.parse({ ...shared, ...buildDueFields(order, now) })
  return wooviChargeRequestSchema.parse({
    ...shared,
    expiresIn: order.expiresInSeconds,
    ...(order.debtor && { customer: toCustomer(order.debtor) }),
  })
}

function refuseShortExpiry({ expiresInSeconds }: ProviderChargeRequest) {
  return expiresInSeconds < MIN_CHARGE_EXPIRY_S ? expiryTooShort : undefined
}

function toCustomer({ name, document, email }: ChargeDebtor) {
  return { name, taxID: document, ...(email !== undefined && { email }) }
}

function isLockedToDebtor({ debtor, restriction }: ProviderChargeRequest): boolean {
  return Boolean(debtor && restriction?.match === 'FULL' && restriction.document === debtor.document)
}

/** Tells whether Woovi reports the end-to-end id already; until then a PIX cannot be identified. */
function hasEndToEndId({ endToEnd }: IncomingPix): boolean {
  return endToEnd !== ''
}

/** Builds the outcome of a deleted charge that was paid: Woovi does not show the charge, but its payments. */
function toRemovedCharge(payments: IncomingPix[]): FindChargeOutcome {
  const [{ txid, pixKey, at }] = payments as [IncomingPix]
  const { totalCents: _, ...emptyCharge } = mapWooviCharge(
    { correlationID: '', value: 0, status: 'EXPIRED', brCode: null },
    at,
  )
  return { kind: 'found', status: 'removed', charge: { ...emptyCharge, txid: txid ?? '', pixKey }, payments }
}

const expiryTooShort = rejectForThisProvider(
  'expiry_too_short',
  `The provider issues no charge that expires in less than ${MIN_CHARGE_EXPIRY_S} seconds`,
)
