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
import type { WooviClient } from './client.ts'
import { chargeOf, isReceived, paymentOf, statusOf } from './mapping.ts'
import { pagesOf } from './pages.ts'
import { type Charge, chargeAnswer, deletion, newCharge, type Transaction, transaction } from './shapes.ts'

/** Charges. The correlationID is our reference and taken for good, so the same order sent twice is one charge. */
export function charges(
  client: WooviClient,
  now: () => number,
): Pick<Provider, 'issueCharge' | 'findCharge' | 'cancelCharge'> {
  const { everyPage } = pagesOf(client)

  return {
    async issueCharge(order) {
      if (order.totalCents === 0) return openAmount
      const request = { method: 'POST', path: '/api/v1/charge', json: chargeBody(order) } as const
      const outcome = await client.send(request, json => ordered(order, chargeIn(json)))
      const taken = outcome.kind === 'unknown' && outcome.code === 'duplicate_id'
      return taken ? takeOurs(order, outcome) : outcome
    },

    /** The charge does not list its payments, so those are asked for too: second and late ones are among them. */
    async findCharge(reference): Promise<FindChargeOutcome> {
      const found = await client.lookUp({ method: 'GET', path: pathOf(reference) }, json => {
        const charge = chargeIn(json)
        return charge?.correlationID === reference ? { charge } : undefined
      })
      if (found.kind === 'no_answer') return found
      const received = await paymentsOf(reference)
      if (received.kind === 'no_answer')
        return found.kind === 'not_found' && received.code === 'not_found' ? found : received
      const listed = received.items.map(paymentOf)
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
      const outcome = await client.lookUp({ method: 'DELETE', path: pathOf(reference) }, json =>
        deletion.safeParse(json).success ? {} : undefined,
      )
      if (outcome.kind === 'found') return { kind: 'cancelled' }
      const refused = outcome.kind === 'no_answer' && outcome.code === 'provider_rejected'
      return refused ? { ...outcome, kind: 'refused' } : outcome
    },
  }

  function paymentsOf(reference: string) {
    return everyPage(`/api/v1/transaction?charge=${encodeURIComponent(reference)}`, {
      field: 'transactions',
      item: transaction,
      fits: pix => isReceived(pix) && isOf(reference, pix),
    })
  }

  /** The id is taken: by this very order, whose answer got lost, or by something else, which is a no. */
  async function takeOurs(order: IssueOrder, taken: IssueOutcome): Promise<IssueOutcome> {
    const request = { method: 'GET', path: pathOf(order.reference) } as const
    const outcome = await client.lookUp(request, json => {
      const charge = chargeIn(json)
      return charge && { charge: ordered(order, charge)?.charge }
    })
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

function chargeIn(json: unknown): Charge | undefined {
  return chargeAnswer.safeParse(json).data?.charge
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

/** The filter is Woovi's; where an item names its charge, it is checked. */
function isOf(reference: string, { charge }: Transaction): boolean {
  return (charge?.correlationID ?? reference) === reference
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
const idTaken = cannotHere('reference_taken', 'The provider has another charge under this reference')
