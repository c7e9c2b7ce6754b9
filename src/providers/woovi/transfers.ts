import { detectDocumentKind } from '../../domain/pix/document.ts'
import { detectPixKeyType } from '../../domain/pix-keys/pix-key.ts'
import type {
  AwaitingApprovalResult,
  FindPayoutOutcome,
  ProviderPayout,
  ProviderTransferRequest,
  RejectedResult,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import { type AnswerNotes, parseAnswer } from '../adapter/answer-parsing.ts'
import { rejectFailedAcceptance, rejectForThisProvider } from '../adapter/outcomes.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { mapWooviReturns, mapWooviTransfer } from './mapping.ts'
import { getFailureFinality } from './payment-failures.ts'
import { wooviPaymentRequestSchema, wooviPaymentSchema, wooviTransactionResponseSchema } from './schemas.ts'

/**
 * Payments out. Ordering one and approving it are two things at Woovi: an order that waits for its approval has moved
 * nothing, and can be approved later, through the API or in Woovi's panel. An account that may approve with the order does
 * both in one call. Woovi has no call that removes an order; a person removes it in the panel ("Como Remover Solicitações
 * de Pagamentos?").
 */
export function createWooviTransfers(client: WooviClient): Pick<Provider, 'sendTransfer' | 'findTransfer'> {
  return {
    async sendTransfer(order) {
      if (order.document !== null) return documentCheckUnsupported
      const call = {
        call: 'sendTransfer',
        reference: order.id,
        method: 'POST',
        path: '/api/v1/payment',
      } as const
      const outcome = await client.send(
        { ...call, json: buildPaymentBody(order), hasOwnConnection: true },
        (json, notes) => parsePlacedPayment(order, json, notes),
      )
      switch (outcome.kind) {
        case 'accepted':
          return outcome.isAwaitingApproval ? approved(order) : toSendOutcome(outcome.sending)
        case 'rejected':
          return standing(order, outcome, outcome)
        case 'unreachable':
          return outcome
        case 'unknown': {
          // It may wait from an earlier sending that never got to its approval.
          if (outcome.code !== 'duplicate_id') return outcome
          const before = await lookUp(order)
          return before.kind === 'found' && before.isAwaitingApproval ? approved(order) : outcome
        }
      }
    },

    async findTransfer(id): Promise<FindPayoutOutcome> {
      const found = await lookUp({ id })
      if (found.kind !== 'found') return found
      if (found.isAwaitingApproval) return toAwaitingApproval(id)
      return { kind: 'found', payout: await withReturns(found.sending) }
    },
  }

  /** The approval sends the money. Once it was asked for, only Woovi's word on the payment is a no. */
  async function approved(order: ProviderTransferRequest): Promise<SendPayoutOutcome> {
    const json = { correlationID: order.id }
    const path = '/api/v1/payment/approve'
    const call = { call: 'approveTransfer', reference: order.id, method: 'POST', path } as const
    const outcome = await client.send({ ...call, json, hasOwnConnection: true }, (answer, notes) =>
      parsePlacedPayment(order, answer, notes),
    )
    switch (outcome.kind) {
      case 'accepted':
        return outcome.isAwaitingApproval ? toAwaitingApproval(order.id) : toSendOutcome(outcome.sending)
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
    order: ProviderTransferRequest,
    refusal: RejectedResult,
    absent: SendPayoutOutcome,
  ): Promise<SendPayoutOutcome> {
    if (refusal.code === 'provider_denied' && absent === refusal) return refusal
    const now = await lookUp(order)
    switch (now.kind) {
      case 'found':
        return now.isAwaitingApproval ? toAwaitingApproval(order.id, refusal) : toSendOutcome(now.sending)
      case 'not_found':
        return absent
      case 'no_answer':
        return { kind: 'unknown', code: refusal.code, message: refusal.message }
    }
  }

  function lookUp(order: PaymentLookup) {
    const call = {
      call: 'findTransfer',
      reference: order.id,
      method: 'GET',
      path: buildPaymentPath(order.id),
    } as const
    return client.lookUp(call, (json, notes) => parsePlacedPayment(order, json, notes))
  }

  /** The payment does not tell what its recipient gave back, its movement does; without an answer that is left unsaid, to be asked again. */
  async function withReturns(sending: ProviderPayout): Promise<ProviderPayout> {
    if (sending.status !== 'settled' || !sending.endToEnd) return sending
    const path = `/api/v1/transaction/${encodeURIComponent(sending.endToEnd)}`
    const call = { call: 'findPayment', reference: sending.endToEnd, method: 'GET', path } as const
    const found = await client.lookUp(call, (json, notes) => {
      const pix = parseAnswer(wooviTransactionResponseSchema, json, notes)?.transaction
      return pix && { returns: mapWooviReturns(pix, notes) }
    })
    if (found.kind === 'not_found') return { ...sending, returns: [] }
    return found.kind === 'found' && found.returns ? { ...sending, returns: found.returns } : sending
  }
}

type PaymentLookup = Pick<ProviderTransferRequest, 'id'> & Partial<Pick<ProviderTransferRequest, 'cents'>>
type PlacedPayment = { sending: ProviderPayout; isAwaitingApproval: boolean }

/**
 * A payment that is what was ordered. One that is CREATED and has a transaction is in process: only without one it waits.
 * One that is DENIED and has a transaction contradicts itself.
 */
function parsePlacedPayment(
  { id, cents }: PaymentLookup,
  json: unknown,
  notes: AnswerNotes,
): PlacedPayment | undefined {
  const read = parseAnswer(wooviPaymentSchema, json, notes)
  if (read?.payment.correlationID !== id || read.payment.value !== (cents ?? read.payment.value))
    return undefined
  const { payment, transaction } = read
  if (payment.status === 'DENIED' && transaction) {
    notes.noteUnlistedValue('DENIED_with_transaction')
    return undefined
  }
  return { sending: mapWooviTransfer(read), isAwaitingApproval: payment.status === 'CREATED' && !transaction }
}

function toSendOutcome(sending: ProviderPayout): SendPayoutOutcome {
  return rejectFailedAcceptance({ kind: 'accepted', payout: sending }, getFailureFinality)
}

/** The order stands: nothing has moved, and a person can still approve it. */
function toAwaitingApproval(id: string, rejected?: RejectedResult): AwaitingApprovalResult {
  const remove =
    `Payment ${id} waits for approval in Woovi's panel. Approve it there, or remove it: ` +
    'Saques/Pagamentos, Pagamentos, Remover Pagamentos.'
  if (!rejected) return { kind: 'awaiting_approval', code: 'awaiting_approval', message: remove }
  const { kind: _, ...refusal } = rejected
  const message = `${remove} Woovi refused it: ${refusal.message}`
  return { kind: 'awaiting_approval', code: 'awaiting_approval', message, refusal }
}

function buildPaymentPath(id: string): string {
  return `/api/v1/payment/${encodeURIComponent(id)}`
}

function buildPaymentBody({ id, cents, pixKey, message }: ProviderTransferRequest) {
  return wooviPaymentRequestSchema.parse({
    type: 'PIX_KEY',
    correlationID: id,
    value: cents,
    destinationAlias: pixKey,
    destinationAliasType: getAliasType(pixKey),
    comment: message?.slice(0, 140),
    autoApprove: true,
  })
}

function getAliasType(pixKey: string): string | null {
  const type = detectPixKeyType(pixKey)
  return type === 'DOCUMENT' ? detectDocumentKind(pixKey) : type
}

const documentCheckUnsupported = rejectForThisProvider(
  'document_unchecked',
  'The provider masks the owner of a key, so it cannot confirm a document',
)
