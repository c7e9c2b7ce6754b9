import { documentKind } from '../../domain/document.ts'
import { pixKeyType } from '../../domain/pix-key.ts'
import type { FindSendingOutcome, Sending, SendOutcome, TransferOrder } from '../../domain/provider.ts'
import { cannotHere, refusedAtOnce } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { finalityOfFailure } from './errors.ts'
import { returnsOf, transferOf } from './mapping.ts'
import { newPayment, payment as paymentShape, transactionAnswer } from './shapes.ts'

/**
 * Payments out. Ordering one and approving it are two things at Woovi: what waits for its approval moves nothing, so
 * only an approved payment counts as sent. An account that may approve with the order does both in one call.
 */
export function transfers(client: WooviClient): Pick<Provider, 'sendTransfer' | 'findTransfer'> {
  return {
    async sendTransfer(order) {
      if (order.document !== null) return documentUnchecked
      const request = { method: 'POST', path: '/api/v1/payment', json: bodyOf(order), fresh: true } as const
      const outcome = await client.send(request, json => placed(order, json))
      if (outcome.kind === 'accepted') return outcome.waits ? approved(order) : sent(outcome.sending)
      // It may wait from an earlier try that never got to its approval.
      if (outcome.kind === 'unknown' && outcome.code === 'duplicate_id') {
        const before = await lookUp(order)
        if (before.kind === 'found' && before.waits) return approved(order)
      }
      return outcome
    },

    async findTransfer(id): Promise<FindSendingOutcome> {
      const found = await client.lookUp({ method: 'GET', path: pathOf(id) }, json => placed({ id }, json))
      if (found.kind !== 'found') return found
      if (found.waits) return { kind: 'not_found' }
      return { kind: 'found', sending: await withReturns(found.sending) }
    },
  }

  /** The approval sends the money. Once it was asked for, only Woovi's word on the payment is a no. */
  async function approved(order: TransferOrder): Promise<SendOutcome> {
    const json = { correlationID: order.id }
    const request = { method: 'POST', path: '/api/v1/payment/approve', json, fresh: true } as const
    const outcome = await client.send(request, answer => {
      const it = placed(order, answer)
      return it?.waits ? undefined : it
    })
    switch (outcome.kind) {
      case 'accepted':
        return sent(outcome.sending)
      case 'rejected': {
        const now = await lookUp(order)
        if (now.kind === 'found') return now.waits ? outcome : sent(now.sending)
        return { kind: 'unknown', code: outcome.code, message: outcome.message }
      }
      case 'unreachable': // Woovi holds the order: nobody else may get it before this is known.
        return { ...outcome, kind: 'unknown' }
      case 'unknown':
        return outcome
    }
  }

  function lookUp(order: TransferOrder) {
    return client.lookUp({ method: 'GET', path: pathOf(order.id) }, json => placed(order, json))
  }

  /** The payment does not tell what its recipient gave back, its movement does; without an answer that is left unsaid, to be asked again. */
  async function withReturns(sending: Sending): Promise<Sending> {
    if (sending.status !== 'settled' || !sending.endToEnd) return sending
    const path = `/api/v1/transaction/${encodeURIComponent(sending.endToEnd)}`
    const found = await client.lookUp({ method: 'GET', path }, json => {
      const pix = transactionAnswer.safeParse(json).data?.transaction
      return pix && { returns: returnsOf(pix) }
    })
    if (found.kind === 'no_answer') return sending
    return { ...sending, returns: found.kind === 'found' ? found.returns : [] }
  }
}

type Placed = { sending: Sending; waits: boolean }

/** A payment that is what was ordered. */
function placed({ id, cents }: { id: string; cents?: number }, json: unknown): Placed | undefined {
  const read = paymentShape.safeParse(json).data
  if (read?.payment.correlationID !== id || read.payment.value !== (cents ?? read.payment.value))
    return undefined
  return { sending: transferOf(read), waits: read.payment.status === 'CREATED' }
}

function sent(sending: Sending): SendOutcome {
  return refusedAtOnce({ kind: 'accepted', sending }, finalityOfFailure)
}

function pathOf(id: string): string {
  return `/api/v1/payment/${encodeURIComponent(id)}`
}

function bodyOf({ id, cents, pixKey, message }: TransferOrder) {
  return newPayment.parse({
    correlationID: id,
    value: cents,
    destinationAlias: pixKey,
    destinationAliasType: aliasType(pixKey),
    comment: message?.slice(0, 140),
    autoApprove: true,
  })
}

function aliasType(pixKey: string): string | null {
  const type = pixKeyType(pixKey)
  return type === 'DOCUMENT' ? documentKind(pixKey) : type
}

const documentUnchecked = cannotHere(
  'document_unchecked',
  'The provider masks the owner of a key, so it cannot confirm a document',
)
