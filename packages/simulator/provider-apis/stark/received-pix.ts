import { readAccountOptions } from '../../account-options.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import type { SimulatedCharge } from '../../charges.ts'
import type { StatementMovement } from '../../rail.ts'
import type { Receipt } from '../../receipts.ts'
import { computeReceiptRefundableCents, type SimulatedRefund } from '../../refunds.ts'
import type { SimulatorStore } from '../../store.ts'
import { addFailedReversals } from './failed-reversals.ts'
import { buildStarkId, buildStarkLogId, formatStarkTime, formatTaxId, parseStarkId } from './ids.ts'

/** A received PIX with the number of its row, of which its deposit's id is made. */
export type NumberedReceipt = Receipt & {
  number: number
  /** 1: it pays an invoice. An invoice is paid once, and what comes after that is a deposit. */
  paysInvoice: 0 | 1
}

const NUMBERED_RECEIPT = `
SELECT receipt.rowid AS number, receipt.*,
  CASE WHEN json_extract(charge.details, '$.product') = 'invoice' AND receipt.rowid =
      (SELECT min(rowid) FROM receipt AS other WHERE other.accountId = charge.accountId AND other.txid = charge.txid)
    THEN 1 ELSE 0 END AS paysInvoice
FROM receipt LEFT JOIN charge ON charge.accountId = receipt.accountId AND charge.txid = receipt.txid
WHERE receipt.accountId = ?`

/** What a charge of Stark's API has in `SimulatedCharge.details`. */
export type StarkChargeDetails = {
  product: 'brcode' | 'invoice'
  tags: string[]
  rules: object[]
  allowedDocuments: string[]
  /** Text for the payer, under the name that the document at the payload's URL has for it. */
  solicitacaoPagador?: string | undefined
  expiration: number
}

/** What an invoice has there. */
export type StarkInvoiceDetails = StarkChargeDetails & {
  product: 'invoice'
  name: string
  taxId: string
  /** ISO 8601 UTC; the end of a day in Brasília where it was created with one. */
  due: string
  /** It has a day in place of a due time. */
  isScheduled: boolean
  /** In percent, the interest a month. */
  fine: number
  interest: number
  discounts: { percentage: number; due: string }[]
  descriptions: object[]
}

export function readChargeDetails<Details extends StarkChargeDetails>({ details }: SimulatedCharge): Details {
  return JSON.parse(details) as Details
}

/**
 * Lists the received PIX of an account, oldest first, also those that no list shows yet. `tag`, as in JSON: only those that may have it,
 * because a list of all would be read for each look-up of one.
 */
export function listNumberedReceipts(
  store: SimulatorStore,
  accountId: string,
  { tag = '' }: { tag?: string } = {},
): NumberedReceipt[] {
  return store.all<NumberedReceipt>(
    `${NUMBERED_RECEIPT}
       AND instr(lower(coalesce(receipt.txid, '') || receipt.endToEnd || coalesce(charge.details, '')), ?) > 0
     ORDER BY receipt.at, receipt.rowid`,
    accountId,
    tag.replace(/^dynamic-brcode\//, ''),
  )
}

export function findReceiptByNumber(
  store: SimulatorStore,
  accountId: string,
  id: string,
): NumberedReceipt | undefined {
  return store.first<NumberedReceipt>(
    `${NUMBERED_RECEIPT} AND receipt.rowid = ?`,
    accountId,
    parseStarkId('deposit', id),
  )
}

export function findNumberedReceipt(
  store: SimulatorStore,
  { accountId, endToEnd }: Pick<Receipt, 'accountId' | 'endToEnd'>,
): NumberedReceipt {
  return store.first<NumberedReceipt>(`${NUMBERED_RECEIPT} AND receipt.endToEnd = ?`, accountId, endToEnd)!
}

/** Finds the first PIX of a charge, also one that no list shows yet. */
export function findFirstReceipt(
  store: SimulatorStore,
  { accountId, txid }: Pick<SimulatedCharge, 'accountId' | 'txid'>,
): NumberedReceipt | undefined {
  return store.first<NumberedReceipt>(
    `${NUMBERED_RECEIPT} AND receipt.txid = ? ORDER BY receipt.rowid`,
    accountId,
    txid,
  )
}

function findReceiptCharge(
  store: SimulatorStore,
  { accountId, txid }: Pick<Receipt, 'accountId' | 'txid'>,
): (SimulatedCharge & { number: number }) | undefined {
  return store.first<SimulatedCharge & { number: number }>(
    'SELECT rowid AS number, * FROM charge WHERE accountId = ? AND txid = ?',
    accountId,
    txid,
  )
}

/** Finds the invoice that a PIX pays. */
export function findPaidInvoice(
  store: SimulatorStore,
  receipt: NumberedReceipt,
): (SimulatedCharge & { number: number }) | undefined {
  return receipt.paysInvoice ? findReceiptCharge(store, receipt) : undefined
}

/**
 * Lists the ids of the ledger's transactions of a received PIX: "if there are more than one, all but the first are reversals or failed
 * reversal chargebacks". A reversal in process has none yet.
 */
export function listReceiptTransactionIds(store: SimulatorStore, { accountId, endToEnd }: Receipt): string[] {
  const movements = store.all<StatementMovement>(
    `SELECT * FROM movement
     WHERE accountId = ? AND ((direction = 'in' AND endToEnd = ?) OR (kind = 'refund' AND originalEndToEnd = ?))
     ORDER BY sequence`,
    accountId,
    endToEnd,
    endToEnd,
  )
  return addFailedReversals(store, accountId, movements)
    .filter(one => one.kind !== 'refund' || one.originalEndToEnd === endToEnd)
    .map(({ sequence }) => buildStarkId('transaction', sequence))
}

/** Lists the tags of a deposit: those of the dynamic code that it paid and the code's uuid, or else the txid of a static code. */
export function listDepositTags(
  store: SimulatorStore,
  account: SimulatedAccount,
  receipt: Receipt,
): string[] {
  const charge = findReceiptCharge(store, receipt)
  const chargeTags = charge
    ? [`dynamic-brcode/${charge.txid}`, ...readChargeDetails(charge).tags]
    : [receipt.txid?.toLowerCase() ?? []].flat()
  return readAccountOptions(account).end_to_end_tags
    ? [receipt.endToEnd.toLowerCase(), ...chargeTags]
    : chargeTags
}

/** The payer of a PIX, as deposits and payments of invoices show it. */
export function presentPayer({ payerName, payerDocument, payerIspb }: Receipt) {
  return {
    name: payerName,
    taxId: formatTaxId(payerDocument),
    bankCode: payerIspb,
    branchCode: '0001',
    accountNumber: '1234567',
    accountType: 'payment',
  }
}

/** A received PIX as a deposit, without an end-to-end id; `amount` is what its reversals leave. */
export function presentDeposit(
  store: SimulatorStore,
  {
    account,
    receipt,
    refunds,
  }: { account: SimulatedAccount; receipt: NumberedReceipt; refunds: SimulatedRefund[] },
) {
  return {
    id: buildStarkId('deposit', receipt.number),
    ...presentPayer(receipt),
    amount: computeReceiptRefundableCents(receipt, refunds),
    type: 'pix',
    status: 'created',
    displayDescription: receipt.message ?? '',
    reversalDisplayDescription: refunds.at(-1)?.description ?? '',
    tags: listDepositTags(store, account, receipt),
    fee: 0,
    transactionIds: listReceiptTransactionIds(store, receipt),
    created: formatStarkTime(receipt.at),
    updated: formatStarkTime(readChangedAt(receipt, refunds)),
  }
}

/** The time of the last change of a received PIX by its reversals. */
export function readChangedAt(receipt: Receipt, refunds: SimulatedRefund[]): string {
  const last = refunds.at(-1)
  return last?.settledAt ?? last?.requestedAt ?? receipt.at
}

/** One log of a deposit or invoice, with the object as it was then. */
export type StarkReceiptLog = {
  id: string
  createdAt: string
  type: string
  errors: string[]
  /** The reversal that the log is about. */
  refundId: string | null
  /** Presents the object, which only a log that is shown needs. */
  present(): object
}

/**
 * Lists the logs of a received PIX, oldest first. `view` presents the object after the given reversals. Published types are `created`,
 * `paid`, `credited` and `reversed` (SDK; an event that a user has published).
 */
export function listReceiptLogs(
  { receipt, refunds }: { receipt: Receipt; refunds: SimulatedRefund[] },
  {
    objectId,
    firstTypes,
    view,
  }: { objectId: string; firstTypes: string[]; view(refunds: SimulatedRefund[]): object },
): StarkReceiptLog[] {
  const first = firstTypes.map(type => ({
    type,
    at: receipt.at,
    errors: [],
    refundId: null,
    present: () => view([]),
  }))
  const reversals = refunds.flatMap((refund, index) => {
    const log = { refundId: refund.id, present: () => view(refunds.slice(0, index + 1)) }
    const started = { ...log, type: 'reversing', at: refund.requestedAt, errors: [] as string[] }
    if (refund.status === 'in_process') return [started]
    const ended =
      refund.status === 'settled'
        ? { ...log, type: 'reversed', at: refund.settledAt!, errors: [] }
        : { ...log, type: 'failed', at: refund.requestedAt, errors: [refund.reason ?? ''] }
    return [started, ended]
  })
  return [...first, ...reversals].map(({ at, ...log }, index) => ({
    ...log,
    createdAt: at,
    id: buildStarkLogId(objectId, index),
  }))
}

/** Presents a log; `name` is the field of its object. */
export function presentReceiptLog(name: 'deposit' | 'invoice', log: StarkReceiptLog) {
  const { id, createdAt, type, errors } = log
  return { id, created: formatStarkTime(createdAt), type, errors, [name]: log.present() }
}
