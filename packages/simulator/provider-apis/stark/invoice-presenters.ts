import type { SimulatedCharge } from '../../charges.ts'
import { type DueParts, isDueCharge, sumDueParts } from '../../due-charges.ts'
import type { Receipt } from '../../receipts.ts'
import { computeReceiptRefundableCents, type SimulatedRefund } from '../../refunds.ts'
import type { SimulatorStore } from '../../store.ts'
import { starkDueArithmetic } from './due-terms.ts'
import { buildStarkId, buildStarkLogId, formatStarkTime, formatTaxId } from './ids.ts'
import {
  listReceiptLogs,
  listReceiptTransactionIds,
  presentPayer,
  readChangedAt,
  readChargeDetails,
  type StarkInvoiceDetails,
  type StarkReceiptLog,
} from './received-pix.ts'

/** A charge with a payer and a due time, with the number of its row, of which its id is made. */
export type StarkInvoice = SimulatedCharge & { number: number }

/** How an invoice was paid, as lists show it, and what was reversed of it since. */
export type InvoicePayment = { receipt: Receipt; refunds: SimulatedRefund[] }

type InvoiceView = { store: SimulatorStore; payment: InvoicePayment | null; now: Date }

/**
 * Presents an invoice. `amount` is what it asks for now, its fine, interest and discount included; after its payment what was paid, less
 * reversals.
 */
export function presentInvoice(invoice: StarkInvoice, { store, payment, now }: InvoiceView) {
  const details = readChargeDetails<StarkInvoiceDetails>(invoice)
  const { name, taxId, due, expiration, fine, interest, discounts, descriptions, rules, tags } = details
  const parts = payment ? readPaidParts(payment.receipt) : computeCurrentParts(invoice, now)
  return {
    id: buildStarkId('invoice', invoice.number),
    amount: payment
      ? computeReceiptRefundableCents(payment.receipt, payment.refunds)
      : parts
        ? sumDueParts(parts)
        : invoice.cents,
    nominalAmount: invoice.cents,
    name,
    taxId: formatTaxId(taxId),
    due: formatStarkTime(due),
    expiration,
    fine,
    interest,
    discounts: discounts.map(discount => ({ ...discount, due: formatStarkTime(discount.due) })),
    descriptions,
    rules,
    tags,
    splits: [],
    fineAmount: parts?.fineCents ?? 0,
    interestAmount: parts?.interestCents ?? 0,
    discountAmount: parts?.discountCents ?? 0,
    displayDescription: details.solicitacaoPagador ?? '',
    brcode: invoice.payload,
    link: `https://workspace.sandbox.starkbank.com/invoicelink/${invoice.txid}`,
    pdf: `https://sandbox.api.starkbank.com/v2/invoice/${invoice.txid}.pdf`,
    status: findInvoiceStatus(invoice, { isPaid: payment !== null, now }),
    fee: 0,
    transactionIds: payment ? listReceiptTransactionIds(store, payment.receipt) : [],
    created: formatStarkTime(invoice.createdAt),
    updated: formatStarkTime(payment ? readChangedAt(payment.receipt, payment.refunds) : invoice.createdAt),
  }
}

function computeCurrentParts(invoice: StarkInvoice, now: Date): DueParts | undefined {
  return isDueCharge(invoice) ? starkDueArithmetic.computeParts(invoice, now) : undefined
}

function readPaidParts({ parts }: Receipt): DueParts | undefined {
  return parts === null ? undefined : (JSON.parse(parts) as DueParts)
}

/** Finds the status of an invoice ("The Invoice Status" of the guide to Pix invoices). */
export function findInvoiceStatus(
  invoice: StarkInvoice,
  { isPaid, now }: { isPaid: boolean; now: Date },
): 'created' | 'paid' | 'canceled' | 'overdue' | 'expired' {
  if (isPaid) return 'paid'
  if (invoice.status === 'removed' || invoice.status === 'removed_by_provider') return 'canceled'
  const { due, expiration } = readChargeDetails<StarkInvoiceDetails>(invoice)
  const dueMs = Date.parse(due)
  if (now.getTime() > dueMs + expiration * 1000) return 'expired'
  return now.getTime() > dueMs ? 'overdue' : 'created'
}

/** Presents how an invoice was paid: the only answer of the API that has an end-to-end id. */
export function presentInvoicePayment(receipt: Receipt) {
  const { cents, endToEnd } = receipt
  return { amount: cents, ...presentPayer(receipt), endToEndId: endToEnd, method: 'pix' }
}

/** Lists the logs of an invoice, oldest first. */
export function listInvoiceLogs(
  invoice: StarkInvoice,
  { store, payment, now }: InvoiceView,
): StarkReceiptLog[] {
  const objectId = buildStarkId('invoice', invoice.number)
  const present = (shown: InvoicePayment | null) => presentInvoice(invoice, { store, payment: shown, now })
  if (payment) {
    const { receipt } = payment
    const view = (refunds: SimulatedRefund[]) => present({ receipt, refunds })
    return listReceiptLogs(payment, { objectId, firstTypes: ['created', 'paid', 'credited'], view })
  }
  const { status } = present(null)
  return ['created', ...(status === 'created' ? [] : [status])].map((type, index) => ({
    id: buildStarkLogId(objectId, index),
    createdAt: invoice.createdAt,
    type,
    errors: [],
    refundId: null,
    present: () => present(null),
  }))
}
