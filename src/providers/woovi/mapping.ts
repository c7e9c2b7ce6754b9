import type { PixKeyType } from '../../domain/pix-keys/pix-key.ts'
import type {
  FoundCharge,
  IncomingPix,
  IssuedCharge,
  PayoutReturn,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { type AnswerNotes, countItems, parseItems } from '../adapter/answer-parsing.ts'
import { toParty } from '../adapter/party.ts'
import { toWooviRejection } from './payment-failures.ts'
import {
  type WooviCharge,
  type WooviPayment,
  type WooviPixKey,
  type WooviRefund,
  type WooviReturnIds,
  type WooviTransaction,
  wooviReturnSchema,
} from './schemas.ts'

/** Woovi's objects in the words of the domain. What Woovi leaves unsaid is `''`. */

/** Its txid is Woovi's own: our reference is the correlationID, which the rail never sees. */
export function mapWooviCharge(charge: WooviCharge): IssuedCharge {
  return {
    txid: charge.paymentMethods?.pix?.txId ?? charge.transactionID ?? charge.identifier ?? '',
    payload: charge.brCode ?? '',
    expiresAt: getExpiresAt(charge),
    pixKey: charge.pixKey ?? '',
    receiver: toParty({}),
  }
}

/** Woovi marks a charge expired some time after it is. */
export function mapWooviChargeStatus(
  charge: WooviCharge,
  payments: IncomingPix[],
  now: number,
): FoundCharge['status'] {
  switch (charge.status) {
    case 'ACTIVE':
      return payments.length === 0 && Date.parse(getExpiresAt(charge)) <= now ? 'expired' : 'open'
    case 'COMPLETED':
      return 'completed'
    case 'EXPIRED':
      return 'expired'
  }
}

/** REFUNDED and PARTIAL_REFUND: what came in and has been given back since. */
const PAYMENT_STATUSES = {
  CREATED: 'in_process',
  IN_PROCESSING: 'in_process',
  CONFIRMED: 'settled',
  PARTIAL_REFUND: 'settled',
  REFUNDED: 'settled',
  REJECTED: 'failed',
} as const satisfies Record<NonNullable<WooviTransaction['status']>, IncomingPix['status']>

/** "Uma Transação representa um pagamento recebido": one without a status, as in Woovi's examples, has settled. */
export function mapTransactionStatus({ status }: WooviTransaction): IncomingPix['status'] {
  return PAYMENT_STATUSES[status ?? 'CONFIRMED']
}

/** Whether it came in as a PIX of its own: the only types of a transaction that are money in for a charge or a deposit. */
export function isReceivedPix({ type }: Pick<WooviTransaction, 'type'>): boolean {
  return RECEIVED_TYPES.includes(type)
}
const RECEIVED_TYPES: readonly WooviTransaction['type'][] = ['PAYMENT', 'DYNAMIC', 'STATIC']

export function mapWooviPayment(pix: WooviTransaction): IncomingPix {
  const { holder, account, psp } = pix.debitParty ?? {}
  const payer = pix.payer ?? holder
  return {
    endToEnd: pix.endToEndId,
    txid: pix.transactionID ?? null,
    reference: pix.charge?.correlationID ?? null,
    cents: pix.value,
    status: mapTransactionStatus(pix),
    at: pix.time,
    payer: payer
      ? toParty({
          name: payer.name,
          document: payer.taxID,
          account: account?.account,
          agency: account?.branch,
          ispb: psp?.id,
          bankName: psp?.name,
        })
      : null,
    pixKey: pix.creditParty?.pixKey?.pixKey ?? pix.charge?.pixKey ?? '',
  }
}

const REFUND_STATUSES = {
  IN_PROCESSING: 'in_process',
  CONFIRMED: 'settled',
  REFUNDED: 'settled',
  REJECTED: 'rejected',
  NOT_ACCOMPLISHED: 'rejected',
} as const

/** A devolução on its way back; its end-to-end id is the rail's return id. */
export function mapWooviRefund(refund: WooviRefund): ProviderPayout {
  const status = REFUND_STATUSES[refund.status]
  return {
    status,
    endToEnd: refund.returnIdentification ?? refund.endToEndId ?? '',
    at: refund.time ?? null,
    ...(status === 'rejected' ? toWooviRejection({ reason: refund.providerRejectedReason }) : {}),
  }
}

const TRANSFER_STATUSES = {
  CREATED: 'in_process',
  APPROVED: 'in_process',
  CONFIRMED: 'settled',
  FAILED: 'rejected',
  REJECTED: 'rejected',
  DENIED: 'rejected',
} as const

export function mapWooviTransfer({ payment, transaction, destination, error }: WooviPayment): ProviderPayout {
  const status = TRANSFER_STATUSES[payment.status]
  return {
    status,
    endToEnd: transaction?.endToEndId ?? '',
    at: transaction?.time ?? null,
    ...(status === 'rejected'
      ? toWooviRejection({
          railCode: transaction?.providerErrorCode,
          reason: transaction?.providerRejectedReason,
          name: error?.code,
          description: error?.description,
        })
      : {}),
    receiver: destination
      ? toParty({
          name: destination.name,
          document: destination.taxID,
          account: destination.account,
          agency: destination.branch,
          ispb: destination.ispb,
          bankName: destination.bankName ?? destination.bank,
        })
      : null,
  }
}

/**
 * What settled of the returns of one PIX; one without its own id could be counted twice, and is left out. Undefined where
 * one of them cannot be read: what came back is then not known.
 */
export function mapWooviReturns(pix: WooviTransaction, notes: AnswerNotes): PayoutReturn[] | undefined {
  const given = parseItems(wooviReturnSchema, pix.refunds, notes)
  if (given.length < countItems(pix.refunds)) return undefined
  return given.flatMap(one => {
    const own = one.endToEndId === pix.endToEndId ? null : one.endToEndId
    const id = own || one.returnIdentification
    if (!id || !one.time || REFUND_STATUSES[one.status] !== 'settled') return []
    return [{ id, endToEnd: one.returnIdentification || id, cents: one.value, at: one.time }]
  })
}

/** The rail's id of a return. */
export function getWooviReturnId(one: WooviReturnIds): string | undefined {
  return one.returnIdentification ?? one.endToEndId ?? undefined
}

/** Its EVP is the contract's RANDOM, its CPF and CNPJ the contract's DOCUMENT. */
export function mapWooviKeyType(type: WooviPixKey['type']): PixKeyType {
  switch (type) {
    case 'CPF':
    case 'CNPJ':
      return 'DOCUMENT'
    case 'EVP':
    case 'RANDOM':
      return 'RANDOM'
    case 'EMAIL':
    case 'PHONE':
      return type
  }
}

function getExpiresAt({ expiresDate, createdAt, expiresIn }: WooviCharge): string {
  return expiresDate ?? new Date(Date.parse(createdAt!) + expiresIn! * 1000).toISOString()
}
