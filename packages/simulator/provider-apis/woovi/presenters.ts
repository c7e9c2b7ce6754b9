import { getBrazilianDayStart } from '../../brazilian-day.ts'
import { computeExpiry, type SimulatedCharge } from '../../charges.ts'
import type { PanelMovement, RailMovement } from '../../rail.ts'
import type { Receipt } from '../../receipts.ts'
import type { SimulatedRefund } from '../../refunds.ts'
import type { SimulatedReturn } from '../../returns.ts'
import type { SimulatedTransfer } from '../../transfers.ts'
import { readWooviDue, type WooviDueTerms } from './due-terms.ts'

// Presenters of Woovi's API: amounts in centavos, names in English.

/**
 * Fields of Woovi's API that are stored with a charge. `solicitacaoPagador` is in the payload's document; `allowedDocuments`: the tax id
 * that it is locked to.
 */
export type WooviChargeDetails = {
  correlationID: string
  solicitacaoPagador?: string
  additionalInfo?: { key: string; value: string }[]
  customer?: {
    name: string
    taxID?: string | undefined
    email?: string | undefined
    phone?: string | undefined
    address?: object | undefined
  }
  allowedDocuments?: string[]
}

/** Reads the tax id of a charge's customer; undefined where it has none. */
export function readCustomerTaxId(charge: SimulatedCharge): string | undefined {
  return (JSON.parse(charge.details) as WooviChargeDetails).customer?.taxID
}

function readCorrelationId(charge: SimulatedCharge): string {
  return (JSON.parse(charge.details) as WooviChargeDetails).correlationID
}

/** Presents a charge; one that the provider removed is EXPIRED. */
export function presentWooviCharge(charge: SimulatedCharge, now: Date) {
  const { solicitacaoPagador, additionalInfo, customer, allowedDocuments } = JSON.parse(
    charge.details,
  ) as WooviChargeDetails
  const due = readWooviDue(charge)
  const isExpired = charge.status === 'removed_by_provider' || now > computeExpiry(charge)
  const status = charge.status === 'completed' ? 'COMPLETED' : isExpired ? 'EXPIRED' : 'ACTIVE'
  return {
    customer: customer
      ? { ...customer, ...(customer.taxID ? { taxID: presentTaxId(customer.taxID) } : {}) }
      : null,
    ensureSameTaxID: allowedDocuments !== undefined,
    value: charge.cents,
    comment: solicitacaoPagador ?? '',
    identifier: charge.txid,
    correlationID: readCorrelationId(charge),
    paymentLinkID: charge.token,
    transactionID: charge.txid,
    status,
    additionalInfo: additionalInfo ?? [],
    discount: 0,
    valueWithDiscount: charge.cents,
    expiresDate: computeExpiry(charge).toISOString(),
    ...(due ? presentDueTerms(due) : { type: 'DYNAMIC' }),
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

/**
 * Presents the terms of a charge with a due date, as far as examples and schema have them. `expiresDate` is the end of the due day, as in
 * "Como usar a API para criar uma cobrança com vencimento, multa e juros", and no limit of its payment.
 */
function presentDueTerms({ dueOn, fines, interests, discount }: WooviDueTerms) {
  const dueDate = new Date(getBrazilianDayStart(dueOn) + 86_400_000 - 1).toISOString()
  return {
    type: 'OVERDUE',
    dueDate,
    expiresDate: dueDate,
    interestsSettings: { fines, interests },
    ...(discount && { discountSettings: presentDiscount(discount) }),
  }
}

/** Presents a discount; `data`: "the field returned by the GET endpoint". */
function presentDiscount(discount: NonNullable<WooviDueTerms['discount']>): object {
  if (!('steps' in discount)) return discount
  const { modality, steps } = discount
  return { modality, discountFixedDate: steps.map(({ on, value }) => ({ data: on, value })) }
}

type ReceivedPixContext = {
  charge: object | null
  refunds: SimulatedRefund[]
  /** The static code that the PIX paid. */
  pixQrCode?: object | undefined
}

/** Presents a received PIX, equally in look-ups and notifications. */
export function presentReceivedTransaction(
  receipt: Receipt,
  { charge, refunds, pixQrCode }: ReceivedPixContext,
) {
  const payer = { name: receipt.payerName, taxID: presentTaxId(receipt.payerDocument) }
  return {
    customer: null,
    payer,
    charge,
    ...(pixQrCode ? { pixQrCode } : {}),
    value: receipt.cents,
    time: receipt.at,
    endToEndId: receipt.endToEnd,
    transactionID: receipt.txid ?? receipt.endToEnd,
    infoPagador: receipt.message ?? '',
    status: 'CONFIRMED',
    type: pixQrCode ? 'STATIC' : 'PAYMENT',
    debitParty: { psp: { id: receipt.payerIspb }, holder: payer },
    creditParty: { pixKey: { pixKey: receipt.key } },
    createdAt: receipt.at,
    refunds: refunds.map(presentWooviRefund),
  }
}

/** Presents a sent PIX as a transaction with its returns. */
export function presentSentTransaction(transfer: SimulatedTransfer, returns: SimulatedReturn[]) {
  return {
    value: transfer.cents,
    time: transfer.settledAt ?? transfer.requestedAt,
    endToEndId: transfer.endToEnd,
    status: 'CONFIRMED',
    type: 'WITHDRAW',
    refunds: returns.map(presentReturnTransaction),
  }
}

/**
 * Presents a movement other than a PIX by the types that `GET /api/v1/transaction` publishes (woovi.yml). It has an
 * end-to-end id only if it is about a PIX. A credit is one from another account of the company.
 */
export function presentEntryTransaction({ id, kind, cents, at, originalEndToEnd }: RailMovement) {
  return {
    value: cents,
    time: at,
    status: 'CONFIRMED',
    type: ENTRY_TYPES[kind as PanelMovement],
    transactionID: id,
    globalID: id,
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

export function presentReturnTransaction({ returnId, cents, at }: SimulatedReturn) {
  return { value: cents, time: at, endToEndId: returnId, status: 'CONFIRMED', type: 'REFUND' }
}

const REFUND_STATUS = {
  in_process: 'IN_PROCESSING',
  settled: 'REFUNDED',
  rejected: 'NOT_ACCOMPLISHED',
} as const satisfies Record<SimulatedRefund['status'], string>

export function presentWooviRefund(refund: SimulatedRefund) {
  return {
    status: REFUND_STATUS[refund.status],
    value: refund.cents,
    correlationID: refund.id,
    refundId: refund.returnId,
    returnIdentification: refund.returnId,
    time: refund.settledAt ?? refund.requestedAt,
    comment: refund.description ?? '',
    ...(refund.status === 'rejected' && refund.reason ? { providerRejectedReason: refund.reason } : {}),
  }
}

const RETURN_STATUS = {
  in_process: 'IN_PROCESSING',
  settled: 'CONFIRMED',
  rejected: 'REJECTED',
} as const satisfies Record<SimulatedRefund['status'], string>

/** Presents a refund in the list of its charge, whose schema has other statuses and fields. */
export function presentChargeRefund(refund: SimulatedRefund) {
  const { value, correlationID, time, comment } = presentWooviRefund(refund)
  const status = RETURN_STATUS[refund.status]
  return { status, value, correlationID, endToEndId: refund.returnId, time, comment }
}

/** Presents a refund as a transaction of its own, in notifications and look-ups. */
export function presentRefundTransaction(refund: SimulatedRefund, receipt: Receipt) {
  return {
    value: refund.cents,
    time: refund.settledAt ?? refund.requestedAt,
    endToEndId: refund.returnId,
    status: RETURN_STATUS[refund.status],
    type: 'REFUND',
    partial: refund.cents < receipt.cents,
  }
}

export function presentTaxId(document: string) {
  return { taxID: document, type: document.length === 11 ? 'BR:CPF' : 'BR:CNPJ' }
}
