import { type Charge, expiryOf } from '../../charges.ts'
import type { Movement, PanelMovement } from '../../rail.ts'
import type { Receipt } from '../../receipts.ts'
import type { Refund } from '../../refunds.ts'
import type { Returned } from '../../returns.ts'
import type { Sending } from '../../sendings.ts'

/** How Woovi writes what the rail holds: money in centavos, names in English. */

/** What the dialect keeps with a charge; `solicitacaoPagador` is what the payer's bank reads. */
export type ChargeDetails = { correlationID: string; solicitacaoPagador?: string }

function correlationIdOf(charge: Charge): string {
  return (JSON.parse(charge.details) as ChargeDetails).correlationID
}

/** One the provider took back looks expired; one that was deleted is not shown at all. */
export function chargeOf(charge: Charge, now: Date) {
  const { solicitacaoPagador } = JSON.parse(charge.details) as ChargeDetails
  const expired = charge.status === 'removed_by_provider' || now > expiryOf(charge)
  const status = charge.status === 'completed' ? 'COMPLETED' : expired ? 'EXPIRED' : 'ACTIVE'
  return {
    customer: null,
    value: charge.cents,
    comment: solicitacaoPagador ?? '',
    identifier: charge.txid,
    correlationID: correlationIdOf(charge),
    paymentLinkID: charge.token,
    transactionID: charge.txid,
    status,
    additionalInfo: [],
    discount: 0,
    valueWithDiscount: charge.cents,
    expiresDate: expiryOf(charge).toISOString(),
    type: 'DYNAMIC',
    createdAt: charge.createdAt,
    updatedAt: charge.createdAt,
    expiresIn: charge.expiresInSeconds,
    pixKey: charge.key,
    brCode: charge.payload,
    globalID: charge.token,
    paymentMethods: {
      pix: {
        method: 'PIX_COB',
        txId: charge.txid,
        value: charge.cents,
        status,
        brCode: charge.payload,
        transactionID: charge.txid,
        identifier: charge.txid,
      },
    },
  }
}

type Of = { charge: object | null; refunds: Refund[] }

/** A received PIX, in look-ups and notices alike. */
export function receivedOf(receipt: Receipt, { charge, refunds }: Of) {
  const payer = { name: receipt.payerName, taxID: taxIdOf(receipt.payerDocument) }
  return {
    customer: null,
    payer,
    charge,
    value: receipt.cents,
    time: receipt.at,
    endToEndId: receipt.endToEnd,
    transactionID: receipt.txid ?? receipt.endToEnd,
    infoPagador: receipt.message ?? '',
    status: 'CONFIRMED',
    type: 'PAYMENT',
    debitParty: { psp: { id: receipt.payerIspb }, holder: payer },
    creditParty: { pixKey: { pixKey: receipt.key } },
    createdAt: receipt.at,
    refunds: refunds.map(refundOf),
  }
}

/** A sent PIX as a movement, with what came back of it. */
export function movedOf(sending: Sending, returned: Returned[]) {
  return {
    value: sending.cents,
    time: sending.settledAt ?? sending.requestedAt,
    endToEndId: sending.endToEnd,
    status: 'CONFIRMED',
    type: 'WITHDRAW',
    refunds: returned.map(returnedOf),
  }
}

/**
 * A movement that is no PIX, by the types that `GET /api/v1/transaction` publishes (woovi.yml): it has no end-to-end id,
 * unless it is about a PIX. A credit that is no PIX is one from another account of the company.
 */
export function entryOf({ id, kind, cents, at, originalEndToEnd }: Movement) {
  return {
    ...{ value: cents, time: at, status: 'CONFIRMED', type: ENTRY_TYPES[kind as PanelMovement] },
    ...{ transactionID: id, globalID: id },
    ...(originalEndToEnd ? { endToEndId: originalEndToEnd } : {}),
  }
}
const ENTRY_TYPES = {
  tariff: 'FEE',
  withdrawal: 'WITHDRAW',
  credit: 'INTERNAL_TRANSFER',
  block: 'BALANCE_BLOCK',
  unblock: 'BALANCE_UNBLOCK',
} as const satisfies Record<PanelMovement, string>

export function returnedOf({ returnId, cents, at }: Returned) {
  return { value: cents, time: at, endToEndId: returnId, status: 'CONFIRMED', type: 'REFUND' }
}

const REFUND_STATUS = {
  in_process: 'IN_PROCESSING',
  settled: 'REFUNDED',
  rejected: 'NOT_ACCOMPLISHED',
} as const satisfies Record<Refund['status'], string>

export function refundOf(refund: Refund) {
  return {
    status: REFUND_STATUS[refund.status],
    value: refund.cents,
    correlationID: refund.id,
    refundId: refund.returnId,
    returnIdentification: refund.returnId,
    time: refund.settledAt ?? refund.requestedAt,
    comment: '',
    ...(refund.status === 'rejected' && refund.reason ? { providerRejectedReason: refund.reason } : {}),
  }
}

const CHARGE_REFUND_STATUS = {
  in_process: 'IN_PROCESSING',
  settled: 'CONFIRMED',
  rejected: 'REJECTED',
} as const satisfies Record<Refund['status'], string>

/** The same under a charge, which has other words for it. */
export function chargeRefundOf(refund: Refund) {
  const { value, correlationID, time, comment } = refundOf(refund)
  const status = CHARGE_REFUND_STATUS[refund.status]
  return { status, value, correlationID, endToEndId: refund.returnId, time, comment }
}

/** The rail's notice of a refund, whatever it came to. */
export function refundTransactionOf(refund: Refund, receipt: Receipt) {
  return {
    value: refund.cents,
    time: refund.settledAt ?? refund.requestedAt,
    endToEndId: refund.returnId,
    status: refund.status === 'settled' ? 'CONFIRMED' : 'REJECTED',
    type: 'REFUND',
    partial: refund.cents < receipt.cents,
  }
}

/** A document with its kind. */
export function taxIdOf(document: string) {
  return { taxID: document, type: document.length === 11 ? 'BR:CPF' : 'BR:CNPJ' }
}
