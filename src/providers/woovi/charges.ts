import type {
  CancelOutcome,
  FindChargeOutcome,
  IncomingPix,
  IssuedCharge,
  IssueOrder,
  IssueOutcome,
} from '../../domain/provider.ts'
import { cannotHere, notListedYet } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import { type ReadNotes, readShape } from '../reading.ts'
import type { WooviClient } from './client.ts'
import { chargeOf, isReceived, paymentOf, statusOf } from './mapping.ts'
import { pagesOf } from './pages.ts'
import {
  type Charge,
  chargeAnswer,
  deletion,
  newCharge,
  SHORTEST_CHARGE_S,
  type Transaction,
  transaction,
} from './shapes.ts'
import { keyOfTransaction } from './statement.ts'

/** Charges. The correlationID is our reference and taken for good, so the same order sent twice is one charge. */
export function charges(
  client: WooviClient,
  now: () => number,
): Pick<Provider, 'issueCharge' | 'findCharge' | 'cancelCharge'> {
  const { everyPage } = pagesOf(client)

  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmount
      if (order.expiresInSeconds < SHORTEST_CHARGE_S) return expiryTooShort
      const call = { call: 'issueCharge', reference: order.reference, method: 'POST' } as const
      const request = { ...call, path: '/api/v1/charge', json: chargeBody(order) }
      const outcome = await client.send(request, (json, notes) => ordered(order, chargeIn(json, notes)))
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
      const listed = received.payments.map(paymentOf)
      const payments = listed.filter(isKnown)
      const isPaid = found.kind === 'found' && found.charge.status === 'COMPLETED'
      const isUnlisted = listed.some(one => !isKnown(one) && one.status !== 'failed')
      if ((isPaid || isUnlisted) && payments.every(one => one.status === 'failed'))
        return notListedYet('Woovi')
      if (found.kind === 'not_found') return payments.length ? removed(payments) : found

      const { charge } = found
      return { kind: 'found', status: statusOf(charge, payments, now()), charge: chargeOf(charge), payments }
    },

    async cancelCharge(reference): Promise<CancelOutcome> {
      const call = { call: 'cancelCharge', reference, method: 'DELETE', path: pathOf(reference) } as const
      const outcome = await client.lookUp(call, json => (deletion.safeParse(json).success ? {} : undefined))
      if (outcome.kind === 'found') return { kind: 'cancelled' }
      const refused = outcome.kind === 'no_answer' && outcome.code === 'charge_refused'
      return refused ? { ...outcome, kind: 'refused' } : outcome
    },
  }

  /** What came in for a charge. A transaction that does not name a charge is not taken for one of this charge. */
  async function paymentsOf(reference: string) {
    const listed = await everyPage({
      ...{ call: 'findCharge', reference, path: '/api/v1/transaction', filter: { charge: reference } },
      ...{ field: 'transactions', item: transaction, keyOf: keyOfTransaction },
    })
    if (listed.kind === 'no_answer') return listed
    const received = listed.items.filter(isReceived)
    for (const pix of received.filter(({ charge }) => !charge?.correlationID))
      await recordNameless(reference, pix)
    return {
      kind: 'found' as const,
      payments: received.filter(pix => pix.charge?.correlationID === reference),
    }
  }

  function recordNameless(reference: string, pix: Transaction): Promise<void> {
    return client.record({
      ...{ operation: 'findCharge', reference, kind: 'unreadable_item', status: 200 },
      ...{ name: 'transaction_without_charge', body: JSON.stringify(pix) },
    })
  }

  function lookUp<T extends object>(reference: string, read: (charge: Charge) => T | undefined) {
    const call = { call: 'findCharge', reference, method: 'GET', path: pathOf(reference) } as const
    return client.lookUp(call, (json, notes) => {
      const charge = chargeIn(json, notes)
      return charge && read(charge)
    })
  }

  /** The id is taken: by this very order, whose answer got lost, or by something else, which is a no. */
  async function takeOurs(order: IssueOrder, taken: IssueOutcome): Promise<IssueOutcome> {
    const outcome = await lookUp(order.reference, charge => ({ charge: ordered(order, charge)?.charge }))
    if (outcome.kind === 'not_found') return taken
    if (outcome.kind === 'no_answer') return { ...outcome, kind: 'unknown' }
    return outcome.charge ? { kind: 'accepted', charge: outcome.charge } : idTaken
  }

  /** A charge that is what was ordered and can be paid; anything else is no acceptance. */
  function ordered(order: IssueOrder, charge: Charge | undefined): { charge: IssuedCharge } | undefined {
    const fits =
      charge?.correlationID === order.reference &&
      charge.value === order.totalCents &&
      statusOf(charge, [], now()) === 'open'
    return fits ? { charge: chargeOf(charge) } : undefined
  }
}

function chargeIn(json: unknown, notes: ReadNotes): Charge | undefined {
  return readShape(chargeAnswer, json, notes)?.charge
}

function pathOf(reference: string): string {
  return `/api/v1/charge/${encodeURIComponent(reference)}`
}

function chargeBody(order: IssueOrder) {
  return newCharge.parse({
    correlationID: order.reference,
    value: order.totalCents,
    expiresIn: order.expiresInSeconds,
    comment: order.message?.slice(0, 140),
  })
}

/** A PIX is known by its end-to-end id alone: until it is told, it counts as not listed. */
function isKnown({ endToEnd }: IncomingPix): boolean {
  return endToEnd !== ''
}

/** A deleted charge is no longer shown, but what was paid to it is. */
function removed(payments: IncomingPix[]): FindChargeOutcome {
  const [{ txid, pixKey }] = payments as [IncomingPix]
  const nothing = chargeOf({ correlationID: '', value: 0, status: 'EXPIRED', expiresDate: payments[0]!.at })
  return { kind: 'found', status: 'removed', charge: { ...nothing, txid: txid ?? '', pixKey }, payments }
}

const openAmount = cannotHere('open_amount_unsupported', 'The provider issues no charge without an amount')
const expiryTooShort = cannotHere(
  'expiry_too_short',
  `The provider issues no charge that expires in less than ${SHORTEST_CHARGE_S} seconds`,
)
const idTaken = cannotHere('reference_taken', 'The provider has another charge under this reference')
