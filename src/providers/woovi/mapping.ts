import type { PixKeyType } from '../../domain/pix-key.ts'
import type { FoundCharge, IncomingPix, IssuedCharge, Sending, SendingReturn } from '../../domain/provider.ts'
import { party } from '../party.ts'
import { lengthOf, type ReadNotes, readItems } from '../reading.ts'
import { rejectionOf } from './failures.ts'
import {
  type Charge,
  type Payment,
  type PixKey,
  type Refund,
  type ReturnedIds,
  returned,
  type Transaction,
} from './shapes.ts'

/** Woovi's objects in the words of the domain. What Woovi leaves unsaid is `''`. */

/** Its txid is Woovi's own: our reference is the correlationID, which the rail never sees. */
export function chargeOf(charge: Charge): IssuedCharge {
  return {
    txid: charge.paymentMethods?.pix?.txId ?? charge.transactionID ?? charge.identifier ?? '',
    payload: charge.brCode ?? '',
    expiresAt: expiresAt(charge),
    pixKey: charge.pixKey ?? '',
    receiver: party({}),
  }
}

/** Woovi marks a charge expired some time after it is. */
export function statusOf(charge: Charge, payments: IncomingPix[], now: number): FoundCharge['status'] {
  switch (charge.status) {
    case 'ACTIVE':
      return payments.length === 0 && Date.parse(expiresAt(charge)) <= now ? 'expired' : 'open'
    case 'COMPLETED':
      return 'completed'
    case 'EXPIRED':
      return 'expired'
  }
}

/** REFUNDED and PARTIAL_REFUND: what came in and has been given back since. */
const paymentStatus = {
  CREATED: 'in_process',
  IN_PROCESSING: 'in_process',
  CONFIRMED: 'settled',
  PARTIAL_REFUND: 'settled',
  REFUNDED: 'settled',
  REJECTED: 'failed',
} as const satisfies Record<NonNullable<Transaction['status']>, IncomingPix['status']>

/** "Uma Transação representa um pagamento recebido": one without a status, as in Woovi's examples, has settled. */
export function transactionStatus({ status }: Transaction): IncomingPix['status'] {
  return paymentStatus[status ?? 'CONFIRMED']
}

/** Whether it came in as a PIX of its own: the only types of a transaction that are money in for a charge or a deposit. */
export function isReceived({ type }: Pick<Transaction, 'type'>): boolean {
  return RECEIVED.includes(type)
}
const RECEIVED: readonly Transaction['type'][] = ['PAYMENT', 'DYNAMIC', 'STATIC']

export function paymentOf(pix: Transaction): IncomingPix {
  const { holder, account, psp } = pix.debitParty ?? {}
  const payer = pix.payer ?? holder
  return {
    endToEnd: pix.endToEndId,
    txid: pix.transactionID ?? null,
    reference: pix.charge?.correlationID ?? null,
    cents: pix.value,
    status: transactionStatus(pix),
    at: pix.time,
    payer: payer
      ? party({
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

const refundStatus = {
  IN_PROCESSING: 'in_process',
  CONFIRMED: 'settled',
  REFUNDED: 'settled',
  REJECTED: 'rejected',
  NOT_ACCOMPLISHED: 'rejected',
} as const

/** A devolução on its way back; its end-to-end id is the rail's return id. */
export function refundOf(refund: Refund): Sending {
  const status = refundStatus[refund.status]
  return {
    status,
    endToEnd: refund.returnIdentification ?? refund.endToEndId ?? '',
    at: refund.time ?? null,
    ...(status === 'rejected' ? rejectionOf({ reason: refund.providerRejectedReason }) : {}),
  }
}

const sendingStatus = {
  CREATED: 'in_process',
  APPROVED: 'in_process',
  CONFIRMED: 'settled',
  FAILED: 'rejected',
  REJECTED: 'rejected',
  DENIED: 'rejected',
} as const

export function transferOf({ payment, transaction, destination, error }: Payment): Sending {
  const status = sendingStatus[payment.status]
  return {
    status,
    endToEnd: transaction?.endToEndId ?? '',
    at: transaction?.time ?? null,
    ...(status === 'rejected'
      ? rejectionOf({
          railCode: transaction?.providerErrorCode,
          reason: transaction?.providerRejectedReason,
          name: error?.code,
          description: error?.description,
        })
      : {}),
    receiver: destination
      ? party({
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
export function returnsOf(pix: Transaction, notes: ReadNotes): SendingReturn[] | undefined {
  const given = readItems(returned, pix.refunds, notes)
  if (given.length < lengthOf(pix.refunds)) return undefined
  return given.flatMap(one => {
    const own = one.endToEndId === pix.endToEndId ? null : one.endToEndId
    const id = own || one.returnIdentification
    if (!id || !one.time || refundStatus[one.status] !== 'settled') return []
    return [{ id, endToEnd: one.returnIdentification || id, cents: one.value, at: one.time }]
  })
}

/** The rail's id of a return. */
export function returnIdOf(one: ReturnedIds): string | undefined {
  return one.returnIdentification ?? one.endToEndId ?? undefined
}

/** Its EVP is the contract's RANDOM, its CPF and CNPJ the contract's DOCUMENT. */
export function keyTypeOf(type: PixKey['type']): PixKeyType {
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

function expiresAt({ expiresDate, createdAt, expiresIn }: Charge): string {
  return expiresDate ?? new Date(Date.parse(createdAt!) + expiresIn! * 1000).toISOString()
}
