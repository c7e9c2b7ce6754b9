import type {
  CancelChargeOutcome,
  FindChargeOutcome,
  IncomingPix,
  IssueChargeOutcome,
  IssuedCharge,
  ProviderChargeRequest,
} from '../../domain/providers/provider.ts'
import { type AnswerNotes, parseAnswer } from '../adapter/answer-parsing.ts'
import { rejectForThisProvider, reportPaymentNotListed } from '../adapter/outcomes.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { isReceivedPix, mapWooviCharge, mapWooviChargeStatus, mapWooviPayment } from './mapping.ts'
import { createWooviPagination } from './pagination.ts'
import {
  MIN_CHARGE_EXPIRY_S,
  type WooviCharge,
  type WooviTransaction,
  wooviChargeRequestSchema,
  wooviChargeResponseSchema,
  wooviDeletionResponseSchema,
  wooviTransactionSchema,
} from './schemas.ts'
import { getTransactionKey } from './statement.ts'

/** Charges. The correlationID is our reference and taken for good, so the same order sent twice is one charge. */
export function createWooviCharges(
  client: WooviClient,
  now: () => number,
): Pick<Provider, 'issueCharge' | 'findCharge' | 'cancelCharge'> {
  const { readAllPages } = createWooviPagination(client)

  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmountUnsupported
      if (order.expiresInSeconds < MIN_CHARGE_EXPIRY_S) return expiryTooShort
      const call = { call: 'issueCharge', reference: order.reference, method: 'POST' } as const
      const request = { ...call, path: '/api/v1/charge', json: buildChargeBody(order) }
      const outcome = await client.send(request, (json, notes) => ordered(order, parseCharge(json, notes)))
      const taken = outcome.kind === 'unknown' && outcome.code === 'duplicate_id'
      return taken ? takeOurs(order, outcome) : outcome
    },

    /** The charge does not list its payments, so those are asked for too: second and late ones are among them. */
    async findCharge(reference): Promise<FindChargeOutcome> {
      const found = await lookUp(reference, charge =>
        charge.correlationID === reference ? { charge } : undefined,
      )
      if (found.kind === 'no_answer') return found
      const received = await paymentsOf(reference)
      if (received.kind === 'no_answer')
        return found.kind === 'not_found' && received.code === 'not_found' ? found : received
      const listed = received.payments.map(mapWooviPayment)
      const payments = listed.filter(hasEndToEndId)
      const isPaid = found.kind === 'found' && found.charge.status === 'COMPLETED'
      const isUnlisted = listed.some(one => !hasEndToEndId(one) && one.status !== 'failed')
      if ((isPaid || isUnlisted) && payments.every(one => one.status === 'failed'))
        return reportPaymentNotListed('Woovi')
      if (found.kind === 'not_found') return payments.length ? toRemovedCharge(payments) : found

      const { charge } = found
      return {
        kind: 'found',
        status: mapWooviChargeStatus(charge, payments, now()),
        charge: mapWooviCharge(charge),
        payments,
      }
    },

    async cancelCharge(reference): Promise<CancelChargeOutcome> {
      const call = {
        call: 'cancelCharge',
        reference,
        method: 'DELETE',
        path: buildChargePath(reference),
      } as const
      const outcome = await client.lookUp(call, json =>
        wooviDeletionResponseSchema.safeParse(json).success ? {} : undefined,
      )
      if (outcome.kind === 'found') return { kind: 'cancelled' }
      const refused = outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
      return refused ? { ...outcome, kind: 'refused' } : outcome
    },
  }

  /** What came in for a charge. A transaction that does not name a charge is not taken for one of this charge. */
  async function paymentsOf(reference: string) {
    const listed = await readAllPages({
      ...{ call: 'findCharge', reference, path: '/api/v1/transaction', filter: { charge: reference } },
      ...{ field: 'transactions', item: wooviTransactionSchema, keyOf: getTransactionKey },
    })
    if (listed.kind === 'no_answer') return listed
    const received = listed.items.filter(isReceivedPix)
    for (const pix of received.filter(({ charge }) => !charge?.correlationID))
      await recordNameless(reference, pix)
    return {
      kind: 'found' as const,
      payments: received.filter(pix => pix.charge?.correlationID === reference),
    }
  }

  function recordNameless(reference: string, pix: WooviTransaction): Promise<void> {
    return client.record({
      ...{ operation: 'findCharge', reference, kind: 'unreadable_item', status: 200 },
      ...{ name: 'transaction_without_charge', body: JSON.stringify(pix) },
    })
  }

  function lookUp<T extends object>(reference: string, read: (charge: WooviCharge) => T | undefined) {
    const call = { call: 'findCharge', reference, method: 'GET', path: buildChargePath(reference) } as const
    return client.lookUp(call, (json, notes) => {
      const charge = parseCharge(json, notes)
      return charge && read(charge)
    })
  }

  /** The id is taken: by this very order, whose answer got lost, or by something else, which is a no. */
  async function takeOurs(
    order: ProviderChargeRequest,
    taken: IssueChargeOutcome,
  ): Promise<IssueChargeOutcome> {
    const outcome = await lookUp(order.reference, charge => ({ charge: ordered(order, charge)?.charge }))
    if (outcome.kind === 'not_found') return taken
    if (outcome.kind === 'no_answer') return { ...outcome, kind: 'unknown' }
    return outcome.charge ? { kind: 'accepted', charge: outcome.charge } : referenceTaken
  }

  /** A charge that is what was ordered and can be paid; anything else is no acceptance. */
  function ordered(
    order: ProviderChargeRequest,
    charge: WooviCharge | undefined,
  ): { charge: IssuedCharge } | undefined {
    const fits =
      charge?.correlationID === order.reference &&
      charge.value === order.totalCents &&
      mapWooviChargeStatus(charge, [], now()) === 'open'
    return fits ? { charge: mapWooviCharge(charge) } : undefined
  }
}

function parseCharge(json: unknown, notes: AnswerNotes): WooviCharge | undefined {
  return parseAnswer(wooviChargeResponseSchema, json, notes)?.charge
}

function buildChargePath(reference: string): string {
  return `/api/v1/charge/${encodeURIComponent(reference)}`
}

function buildChargeBody(order: ProviderChargeRequest) {
  return wooviChargeRequestSchema.parse({
    correlationID: order.reference,
    value: order.totalCents,
    expiresIn: order.expiresInSeconds,
    comment: order.message?.slice(0, 140),
  })
}

/** A PIX is known by its end-to-end id alone: until it is told, it counts as not listed. */
function hasEndToEndId({ endToEnd }: IncomingPix): boolean {
  return endToEnd !== ''
}

/** A deleted charge is no longer shown, but what was paid to it is. */
function toRemovedCharge(payments: IncomingPix[]): FindChargeOutcome {
  const [{ txid, pixKey }] = payments as [IncomingPix]
  const nothing = mapWooviCharge({
    correlationID: '',
    value: 0,
    status: 'EXPIRED',
    expiresDate: payments[0]!.at,
  })
  return { kind: 'found', status: 'removed', charge: { ...nothing, txid: txid ?? '', pixKey }, payments }
}

const openAmountUnsupported = rejectForThisProvider(
  'open_amount_unsupported',
  'The provider issues no charge without an amount',
)
const expiryTooShort = rejectForThisProvider(
  'expiry_too_short',
  `The provider issues no charge that expires in less than ${MIN_CHARGE_EXPIRY_S} seconds`,
)
const referenceTaken = rejectForThisProvider(
  'reference_taken',
  'The provider has another charge under this reference',
)
