import type { PixKeyType } from '../../domain/pix-keys/pix-key.ts'
import type {
  IncomingPix,
  IssuedCharge,
  PayoutReturn,
  ProviderPayout,
} from '../../domain/providers/provider.ts'
import { type AnswerNotes, parseItems, pickWithinTotal } from '../adapter/answer-parsing.ts'
import { toParty } from '../adapter/party.ts'
import { toWooviRejection } from './payment-failures.ts'
import {
  type WooviCharge,
  type WooviPayment,
  type WooviPixKey,
  type WooviRefund,
  type WooviReturn,
  type WooviReturnIds,
  type WooviTransaction,
  wooviReturnSchema,
} from './schemas.ts'

/**
 * Maps a charge; absent texts are `''`. The txid is Woovi's: our reference is not sent to the rail. `expiresAt`: the expiry
 * where Woovi reports none, ISO 8601 UTC.
 */
export function mapWooviCharge(charge: WooviCharge, expiresAt: string): IssuedCharge {
  return {
    totalCents: charge.value,
    txid: charge.paymentMethods?.pix?.txId ?? charge.transactionID ?? charge.identifier ?? '',
    payload: charge.brCode ?? '',
    expiresAt: getWooviExpiry(charge) ?? expiresAt,
    pixKey: charge.pixKey ?? '',
    receiver: toParty({}),
  }
}

/** What the status of a charge depends on beside itself; `isDue`: it has a due date. */
type ChargeContext = { payments: IncomingPix[]; now: number; isDue: boolean }

/**
 * Maps the status of a charge at `now` (ms): Woovi marks a charge as expired some time after its expiry. One with a due date is expired
 * where Woovi says so only: its `expiresDate` is the end of the due day in one published example, and later in another.
 */
export function mapWooviChargeStatus(charge: WooviCharge, { payments, now, isDue }: ChargeContext) {
  switch (charge.status) {
    case 'ACTIVE': {
      if (isDue) return 'open'
      const expiresAt = getWooviExpiry(charge)
      const isExpired = expiresAt !== undefined && Date.parse(expiresAt) <= now
      return isExpired && payments.length === 0 ? 'expired' : 'open'
    }
    case 'COMPLETED':
      return 'completed'
    case 'EXPIRED':
      return 'expired'
  }
}

/** A REFUNDED or PARTIAL_REFUND transaction was received and then returned, so it has settled. */
const PAYMENT_STATUSES = {
  CREATED: 'in_process',
  IN_PROCESSING: 'in_process',
  CONFIRMED: 'settled',
  PARTIAL_REFUND: 'settled',
  REFUNDED: 'settled',
  REJECTED: 'failed',
} as const satisfies Record<NonNullable<WooviTransaction['status']>, IncomingPix['status']>

/** Maps a status; a transaction without one has settled: "Uma Transação representa um pagamento recebido". */
export function mapTransactionStatus({ status }: WooviTransaction): IncomingPix['status'] {
  return PAYMENT_STATUSES[status ?? 'CONFIRMED']
}

/** Tells whether a transaction is a received PIX, and not a return or another movement. */
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

/** Maps a refund that we sent; its end-to-end id is the rail's return id. One without a status is in process. */
export function mapWooviRefund(refund: WooviRefund): ProviderPayout {
  const status = REFUND_STATUSES[refund.status ?? 'IN_PROCESSING']
  return {
    status,
    cents: refund.value,
    endToEnd: getWooviReturnId(refund) ?? '',
    at: refund.time ?? null,
    ...(status === 'rejected' ? toWooviRejection({ reason: refund.providerRejectedReason }) : {}),
  }
}

const TRANSFER_STATUSES = {
  CREATED: 'in_process',
  APPROVED: 'in_process',
  PROCESSING: 'in_process',
  CONFIRMED: 'settled',
  FAILED: 'rejected',
  REJECTED: 'rejected',
  DENIED: 'rejected',
} as const

export function mapWooviTransfer({ payment, transaction, destination, error }: WooviPayment): ProviderPayout {
  const status = TRANSFER_STATUSES[payment.status]
  return {
    status,
    cents: payment.value,
    // Of a code, the order names no key.
    pixKey: payment.destinationAlias ?? destination?.pixKey,
    endToEnd: transaction?.endToEndId ?? '',
    at: transaction?.time ?? null,
    ...(status === 'rejected'
      ? toWooviRejection({
          railCode: transaction?.providerErrorCode,
          reason: transaction?.providerRejectedReason ?? (error && 'reason' in error ? error.reason : null),
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
 * Maps settled returns. One that is unreadable, and one above what is left of the PIX, is left out and noted: it is a
 * transaction of its own in the statement, if it moved. One without the rail's id could count twice and is left out.
 */
export function mapWooviReturns(pix: WooviTransaction, notes: AnswerNotes): PayoutReturn[] {
  const refunds = parseItems(wooviReturnSchema, pix.refunds, notes)
  const getReturnedCents = (refund: WooviReturn) => mapSettledReturn(refund)[0]?.cents ?? 0
  return pickWithinTotal(refunds, pix.value, getReturnedCents, notes, 'return_above_value').flatMap(
    mapSettledReturn,
  )
}

function mapSettledReturn({
  endToEndId,
  returnIdentification,
  value,
  status,
  time,
}: WooviReturn): PayoutReturn[] {
  const id = endToEndId ?? returnIdentification
  if (!id || !time || REFUND_STATUSES[status] !== 'settled') return []
  return [{ id, endToEnd: returnIdentification ?? id, cents: value, at: time }]
}

export function getWooviReturnId({ returnIdentification, endToEndId }: WooviReturnIds): string | undefined {
  return returnIdentification ?? endToEndId ?? undefined
}

/** Our kind of a key by Woovi's. */
export const WOOVI_KEY_TYPES: Record<WooviPixKey['type'], PixKeyType> = {
  CPF: 'DOCUMENT',
  CNPJ: 'DOCUMENT',
  EVP: 'RANDOM',
  RANDOM: 'RANDOM',
  EMAIL: 'EMAIL',
  PHONE: 'PHONE',
}

export function getWooviExpiry({ expiresDate, createdAt, expiresIn }: WooviCharge): string | undefined {
  if (expiresDate) return expiresDate
  return createdAt && expiresIn ? new Date(Date.parse(createdAt) + expiresIn * 1000).toISOString() : undefined
}
