import { documentKind } from '../../domain/document.ts'
import { pixKeyType } from '../../domain/pix-key.ts'
import type {
  AwaitingApproval,
  FindSendingOutcome,
  Rejected,
  Sending,
  SendOutcome,
  TransferOrder,
} from '../../domain/provider.ts'
import { cannotHere, refusedAtOnce } from '../outcomes.ts'
import type { Provider } from '../port.ts'
import { type ReadNotes, readShape } from '../reading.ts'
import type { WooviClient } from './client.ts'
import { finalityOfFailure } from './failures.ts'
import { returnsOf, transferOf } from './mapping.ts'
import { newPayment, payment as paymentShape, transactionAnswer } from './shapes.ts'

/**
 * Payments out. Ordering one and approving it are two things at Woovi: an order that waits for its approval has moved
 * nothing, and can be approved later, through the API or in Woovi's panel. An account that may approve with the order does
 * both in one call. Woovi has no call that removes an order; a person removes it in the panel ("Como Remover Solicitações
 * de Pagamentos?").
 */
export function transfers(client: WooviClient): Pick<Provider, 'sendTransfer' | 'findTransfer'> {
  return {
    async sendTransfer(order) {
      if (order.document !== null) return documentUnchecked
      const call = {
        call: 'sendTransfer',
        reference: order.id,
        method: 'POST',
        path: '/api/v1/payment',
      } as const
      const outcome = await client.send({ ...call, json: bodyOf(order), fresh: true }, (json, notes) =>
        placed(order, json, notes),
      )
      switch (outcome.kind) {
        case 'accepted':
          return outcome.waits ? approved(order) : sent(outcome.sending)
        case 'rejected':
          return standing(order, outcome, outcome)
        case 'unreachable':
          return outcome
        case 'unknown': {
          // It may wait from an earlier sending that never got to its approval.
          if (outcome.code !== 'duplicate_id') return outcome
          const before = await lookUp(order)
          return before.kind === 'found' && before.waits ? approved(order) : outcome
        }
      }
    },

    async findTransfer(id): Promise<FindSendingOutcome> {
      const found = await lookUp({ id })
      if (found.kind !== 'found') return found
      if (found.waits) return awaitingApproval(id)
      return { kind: 'found', sending: await withReturns(found.sending) }
    },
  }

  /** The approval sends the money. Once it was asked for, only Woovi's word on the payment is a no. */
  async function approved(order: TransferOrder): Promise<SendOutcome> {
    const json = { correlationID: order.id }
    const path = '/api/v1/payment/approve'
    const call = { call: 'approveTransfer', reference: order.id, method: 'POST', path } as const
    const outcome = await client.send({ ...call, json, fresh: true }, (answer, notes) =>
      placed(order, answer, notes),
    )
    switch (outcome.kind) {
      case 'accepted':
        return outcome.waits ? awaitingApproval(order.id) : sent(outcome.sending)
      case 'rejected': // Woovi has told of the order: that it is not found a moment later is no proof that it is gone.
        return standing(order, outcome, { kind: 'unknown', code: outcome.code, message: outcome.message })
      case 'unreachable': // Woovi holds the order: no other provider may get it before this is known.
        return { ...outcome, kind: 'unknown' }
      case 'unknown':
        return outcome
    }
  }

  /**
   * What a refusal comes to: an order that was refused may stand at Woovi and be approved there later, so it is looked up
   * before the refusal counts. `absent`: what it comes to where Woovi has no such order. A refusal of our AppID made none.
   */
  async function standing(
    order: TransferOrder,
    refusal: Rejected,
    absent: SendOutcome,
  ): Promise<SendOutcome> {
    if (refusal.code === 'provider_denied' && absent === refusal) return refusal
    const now = await lookUp(order)
    switch (now.kind) {
      case 'found':
        return now.waits ? awaitingApproval(order.id, refusal) : sent(now.sending)
      case 'not_found':
        return absent
      case 'no_answer':
        return { kind: 'unknown', code: refusal.code, message: refusal.message }
    }
  }

  function lookUp(order: Placing) {
    const call = { call: 'findTransfer', reference: order.id, method: 'GET', path: pathOf(order.id) } as const
    return client.lookUp(call, (json, notes) => placed(order, json, notes))
  }

  /** The payment does not tell what its recipient gave back, its movement does; without an answer that is left unsaid, to be asked again. */
  async function withReturns(sending: Sending): Promise<Sending> {
    if (sending.status !== 'settled' || !sending.endToEnd) return sending
    const path = `/api/v1/transaction/${encodeURIComponent(sending.endToEnd)}`
    const call = { call: 'findPayment', reference: sending.endToEnd, method: 'GET', path } as const
    const found = await client.lookUp(call, (json, notes) => {
      const pix = readShape(transactionAnswer, json, notes)?.transaction
      return pix && { returns: returnsOf(pix, notes) }
    })
    if (found.kind === 'not_found') return { ...sending, returns: [] }
    return found.kind === 'found' && found.returns ? { ...sending, returns: found.returns } : sending
  }
}

type Placing = Pick<TransferOrder, 'id'> & Partial<Pick<TransferOrder, 'cents'>>
type Placed = { sending: Sending; waits: boolean }

/**
 * A payment that is what was ordered. One that is CREATED and has a transaction is in process: only without one it waits.
 * One that is DENIED and has a transaction contradicts itself.
 */
function placed({ id, cents }: Placing, json: unknown, notes: ReadNotes): Placed | undefined {
  const read = readShape(paymentShape, json, notes)
  if (read?.payment.correlationID !== id || read.payment.value !== (cents ?? read.payment.value))
    return undefined
  const { payment, transaction } = read
  if (payment.status === 'DENIED' && transaction) {
    notes.unlisted('DENIED_with_transaction')
    return undefined
  }
  return { sending: transferOf(read), waits: payment.status === 'CREATED' && !transaction }
}

function sent(sending: Sending): SendOutcome {
  return refusedAtOnce({ kind: 'accepted', sending }, finalityOfFailure)
}

/** The order stands: nothing has moved, and a person can still approve it. */
function awaitingApproval(id: string, rejected?: Rejected): AwaitingApproval {
  const remove =
    `Payment ${id} waits for approval in Woovi's panel. Approve it there, or remove it: ` +
    'Saques/Pagamentos, Pagamentos, Remover Pagamentos.'
  if (!rejected) return { kind: 'awaiting_approval', code: 'awaiting_approval', message: remove }
  const { kind: _, ...refusal } = rejected
  const message = `${remove} Woovi refused it: ${refusal.message}`
  return { kind: 'awaiting_approval', code: 'awaiting_approval', message, refusal }
}

function pathOf(id: string): string {
  return `/api/v1/payment/${encodeURIComponent(id)}`
}

function bodyOf({ id, cents, pixKey, message }: TransferOrder) {
  return newPayment.parse({
    type: 'PIX_KEY',
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
