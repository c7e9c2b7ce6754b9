import { detectDocumentKind } from '../../domain/pix/document.ts'
import { detectPixKeyType } from '../../domain/pix-keys/key-format.ts'
import type {
  AwaitingApprovalResult,
  FindPayoutOutcome,
  ProviderPayout,
  ProviderTransferRequest,
  RejectedResult,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import type { TransferDestination } from '../../domain/transfers/transfer-destination.ts'
import type { AnswerNotes } from '../adapter/answer-parsing.ts'
import {
  isDuplicate,
  rejectFailedAcceptance,
  rejectForThisProvider,
  toUnprovenRefusal,
} from '../adapter/outcomes.ts'
import type { ProviderCall } from '../adapter/provider-calls.ts'
import { encodePath } from '../http/client.ts'
import type { TransferCalls } from '../port.ts'
import type { IdentifyWooviAccount } from './account.ts'
import type { WooviCall } from './answers.ts'
import type { WooviClient } from './client.ts'
import { mapWooviReturns, mapWooviTransfer } from './mapping.ts'
import { getFailureFinality } from './payment-failures.ts'
import { findWooviTransaction } from './payments.ts'
import { type WooviPayment, wooviPaymentRequestSchema, wooviPaymentSchema } from './schemas.ts'

/**
 * Creates the calls about outgoing payments. At Woovi a payment is ordered and then approved. An order that waits for
 * approval has moved no money, and can be approved later, by the API or in Woovi's panel. An account with that
 * permission orders and approves in one call. No call removes an order: a person does it in the panel ("Como Remover
 * Solicitações de Pagamentos?").
 */
export function createWooviTransfers(
  client: WooviClient,
  identifyAccount: IdentifyWooviAccount,
): TransferCalls {
  return {
    async sendTransfer(order) {
      const { destination } = order
      if (destination.kind === 'key' && destination.document !== null) return documentCheckUnsupported
      const source = await identifyAccount()
      if (source.kind === 'no_answer')
        return { kind: 'unreachable', code: source.code, message: source.message }
      const json = buildPaymentBody(order, source.id)
      const outcome = await placePayment(order, { call: 'sendTransfer', path: '/api/v1/payment', json })
      switch (outcome.kind) {
        case 'accepted':
          return outcome.isAwaitingApproval ? approvePayment(order) : toSendOutcome(outcome.payout)
        case 'rejected':
          // An unknown AppID made no order.
          return outcome.code === 'provider_denied' ? outcome : confirmRefusal(order, outcome)
        case 'unreachable':
          return outcome
        case 'unknown': {
          // An earlier call may have ordered the payment and not approved it.
          if (!isDuplicate(outcome)) return outcome
          const existingPayment = await lookUp(order)
          return existingPayment.kind === 'found' && existingPayment.isAwaitingApproval
            ? approvePayment(order)
            : outcome
        }
      }
    },

    async findTransfer({ id }): Promise<FindPayoutOutcome> {
      const outcome = await lookUp({ id })
      if (outcome.kind !== 'found') return outcome
      if (outcome.isAwaitingApproval) return toAwaitingApproval(id)
      return { kind: 'found', payout: await addReturns(outcome.payout) }
    },
  }

  function placePayment(
    order: ProviderTransferRequest,
    call: Pick<ProviderCall<WooviCall>, 'call' | 'path' | 'json'>,
  ) {
    const request = { ...call, reference: order.id, method: 'POST', hasOwnConnection: true } as const
    return client.send(request, wooviPaymentSchema, (payment, notes) => readPayment(order, payment, notes))
  }

  /** Approves an order, which sends the money. From then on only the status of the payment proves that it failed. */
  async function approvePayment(order: ProviderTransferRequest): Promise<SendPayoutOutcome> {
    const outcome = await placePayment(order, {
      call: 'approveTransfer',
      path: '/api/v1/payment/approve',
      json: { correlationID: order.id },
    })
    switch (outcome.kind) {
      case 'accepted':
        return outcome.isAwaitingApproval ? toAwaitingApproval(order.id) : toSendOutcome(outcome.payout)
      case 'rejected':
        return confirmRefusal(order, outcome)
      case 'unreachable': // The order exists at Woovi: no other provider may get it before its status is known.
        return { ...outcome, kind: 'unknown' }
      case 'unknown':
        return outcome
    }
  }

  /**
   * Looks up a refused order before the refusal counts: Woovi may keep the order, and a person may approve it later. A
   * look-up right after the refusal may lag behind the order, so its "not found" proves nothing: the outcome is unknown,
   * and the refusal counts once the absence of the order is proved.
   */
  async function confirmRefusal(
    order: ProviderTransferRequest,
    refusal: RejectedResult,
  ): Promise<SendPayoutOutcome> {
    const outcome = await lookUp(order)
    if (outcome.kind !== 'found') return toUnprovenRefusal(refusal)
    return outcome.isAwaitingApproval ? toAwaitingApproval(order.id, refusal) : toSendOutcome(outcome.payout)
  }

  function lookUp(order: PaymentLookup) {
    const path = encodePath`/api/v1/payment/${order.id}`
    const call = { call: 'findTransfer', reference: order.id, path } as const
    return client.lookUp(call, wooviPaymentSchema, (payment, notes) => readPayment(order, payment, notes))
  }

  /** Adds the recipient's returns, which Woovi lists with the transaction; without an answer the caller polls again. */
  async function addReturns(payout: ProviderPayout): Promise<ProviderPayout> {
    if (payout.status !== 'settled' || !payout.endToEnd) return payout
    const outcome = await findWooviTransaction(client, payout.endToEnd, (pix, notes) => ({
      returns: mapWooviReturns(pix, notes),
    }))
    if (outcome.kind === 'no_answer') return payout
    return { ...payout, returns: outcome.kind === 'found' ? outcome.returns : [] }
  }
}

type PaymentLookup = Pick<ProviderTransferRequest, 'id'> & Partial<Pick<ProviderTransferRequest, 'cents'>>

/**
 * Reads a payment that has the order's id and amount; undefined for any other. A CREATED payment waits for approval,
 * but one with a transaction is in process. A DENIED payment with a transaction contradicts itself and is unreadable.
 */
function readPayment({ id, cents }: PaymentLookup, answer: WooviPayment, notes: AnswerNotes) {
  const { payment, transaction } = answer
  if (payment.correlationID !== id || payment.value !== (cents ?? payment.value)) return undefined
  if (payment.status === 'DENIED' && transaction) {
    notes.noteUnlistedValue('DENIED_with_transaction')
    return undefined
  }
  return {
    payout: mapWooviTransfer(answer),
    isAwaitingApproval: payment.status === 'CREATED' && !transaction,
  }
}

function toSendOutcome(payout: ProviderPayout): SendPayoutOutcome {
  return rejectFailedAcceptance({ kind: 'accepted', payout }, getFailureFinality)
}

/** Builds the outcome of an order that exists and has moved no money: a person can still approve it. */
function toAwaitingApproval(id: string, rejection?: RejectedResult): AwaitingApprovalResult {
  const instruction =
    `Payment ${id} waits for approval in Woovi's panel. Approve it there, or remove it: ` +
    'Saques/Pagamentos, Pagamentos, Remover Pagamentos.'
  if (!rejection) return { kind: 'awaiting_approval', code: 'awaiting_approval', message: instruction }
  const { kind: _, ...refusal } = rejection
  const message = `${instruction} Woovi refused it: ${refusal.message}`
  return { kind: 'awaiting_approval', code: 'awaiting_approval', message, refusal }
}

function buildPaymentBody(
  { id, cents, destination, message, lookUpEndToEnd }: ProviderTransferRequest,
  sourceAccountId: string,
) {
  return wooviPaymentRequestSchema.parse({
    ...buildDestination(destination),
    correlationID: id,
    value: cents,
    sourceAccountId,
    // The payment of a code takes none.
    ...(lookUpEndToEnd && destination.kind !== 'code' && { pixKeyEndToEndId: lookUpEndToEnd }),
    comment: message?.slice(0, 140),
    autoApprove: true,
  })
}

/** Builds where a payment goes. The documents of Woovi differ on `psp`: a text in its OpenAPI, which is sent, an object in a guide. */
function buildDestination(destination: TransferDestination) {
  switch (destination.kind) {
    case 'key': {
      const { pixKey } = destination
      return { type: 'PIX_KEY', destinationAlias: pixKey, destinationAliasType: getAliasType(pixKey) }
    }
    case 'code':
      // `value` is always sent: "Use this to override the value extracted from the QR Code".
      return { type: 'QR_CODE', qrCode: destination.code.payload }
    case 'account': {
      const { name, document, bank, account_number, account_agency, account_type } = destination.account
      return {
        type: 'MANUAL',
        psp: bank.ispb,
        holder: { name, taxID: { type: `BR:${detectDocumentKind(document)}`, taxID: document } },
        account: {
          account: account_number,
          branch: account_agency,
          accountType: WOOVI_ACCOUNT_TYPES[account_type],
        },
      }
    }
  }
}

/** "Tipos de Conta (accountType)" of "Como validar Dados bancários Usando agência e conta": the rail's codes. */
const WOOVI_ACCOUNT_TYPES = { CHECKING: 'CACC', PAYMENT: 'TRAN', SAVINGS: 'SVGS', SALARY: 'SLRY' } as const

function getAliasType(pixKey: string): string | null {
  const type = detectPixKeyType(pixKey)
  return type === 'DOCUMENT' ? detectDocumentKind(pixKey) : type
}

const documentCheckUnsupported = rejectForThisProvider(
  'document_unchecked',
  'The provider takes no document with a payment: the owner of the key is compared before',
)
