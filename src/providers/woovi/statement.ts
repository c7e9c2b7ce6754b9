import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import type { AccountEntry, AccountEntryKind } from '../../domain/reconciliation/account-entry.ts'
import { type AnswerNotes, parseItems } from '../adapter/answer-parsing.ts'
import {
  type ListResult,
  type ProviderList,
  type RequestBudget,
  TOO_MANY_PAGES,
} from '../adapter/list-reader.ts'
import {
  createPeriodFilter,
  MAX_SETTLEMENT_DELAY_DAYS,
  RETURN_PERIOD_DAYS,
  subtractDays,
} from '../adapter/statement-period.ts'
import type { Provider } from '../port.ts'
import { createRequestBudget, type WooviClient } from './client.ts'
import { getWooviReturnId, isReceivedPix, mapTransactionStatus } from './mapping.ts'
import {
  WOOVI_PIX_TYPES,
  type WooviListedPayment,
  type WooviListedRefund,
  type WooviTransaction,
  wooviListedPaymentSchema,
  wooviListedRefundSchema,
  wooviReturnIdsSchema,
  wooviTransactionSchema,
} from './schemas.ts'

/** Joins Woovi's transactions, which lack our ids, by the rail's ids with its lists of payments and refunds. */
export function createWooviStatement(client: WooviClient): Pick<Provider, 'statement'> {
  const { readAllPages } = client

  return {
    async statement(from, to) {
      const transactions = await readAllPages(transactionList, { from, to })
      if (transactions.kind === 'no_answer') return transactions
      const orderPeriod = { from: subtractDays(from, MAX_SETTLEMENT_DELAY_DAYS), to }
      const payments = await readAllPages(paymentList, orderPeriod)
      if (payments.kind === 'no_answer') return payments
      // Woovi documents no period for its list of refunds, so it is read only where a return is to be explained.
      const hasReturns = transactions.items.some(isReturn)
      const refunds = hasReturns ? await readAllPages(refundList, orderPeriod) : NO_REFUNDS
      if (refunds.kind === 'no_answer') return refunds
      const orders = indexOrders(payments.items, refunds.items)
      const index = await indexReturnsAndOrders(transactions.items, { outgoing: orders, from })
      if (index.kind === 'no_answer') return index
      const isInPeriod = createPeriodFilter(from, to)
      const settledTransactions = transactions.items.filter(
        pix => mapTransactionStatus(pix) === 'settled' && isInPeriod(pix.time),
      )
      const unexplainedReturns = settledTransactions.filter(pix => isUnexplainedReturn(pix, index))
      const accountEntries = [
        ...settledTransactions.map(toAccountEntry).filter(entry => entry !== null),
        ...unexplainedReturns.map(toUnlistedReturn),
      ]
      const entries = settledTransactions
        .filter(pix => isPixTransaction(pix) && !unexplainedReturns.includes(pix))
        .map(pix => toStatementEntry(pix, index))
      return { kind: 'found', entries, ...(accountEntries.length > 0 && { accountEntries }) }
    },
  }

  /**
   * Indexes the returned PIX of each return. Older PIX are searched in the return period before `from`, the newest first,
   * until each return is explained or the requests are used up: what then remains has an unknown direction.
   */
  async function indexReturnsAndOrders(
    transactions: WooviTransaction[],
    { outgoing, from }: { outgoing: OrderIdsByRailId; from: string },
  ): Promise<({ kind: 'found' } & OrdersAndReturns) | NoAnswerResult> {
    let index: OrdersAndReturns = { outgoing, returns: indexReturns(transactions) }
    const budget = createRequestBudget()
    for (const period of listSearchPeriods(from)) {
      const unexplained = transactions.filter(pix => isUnexplainedReturn(pix, index))
      if (unexplained.length === 0) break
      const earlierIndex = await indexEarlierReturns(period, { unexplained, budget })
      if (earlierIndex.kind === 'found')
        index = {
          outgoing: new Map([...earlierIndex.outgoing, ...index.outgoing]),
          returns: new Map([...earlierIndex.returns, ...index.returns]),
        }
      else if (earlierIndex.code === TOO_MANY_PAGES) break
      else return earlierIndex
    }
    return { kind: 'found', ...index }
  }

  /** Indexes the PIX of one earlier period that explain a return, and the orders that may have sent them. */
  async function indexEarlierReturns(
    period: { from: string; to: string },
    { unexplained, budget }: { unexplained: WooviTransaction[]; budget: RequestBudget },
  ): Promise<({ kind: 'found' } & OrdersAndReturns) | NoAnswerResult> {
    const transactions = await readAllPages(transactionList, period, budget)
    if (transactions.kind === 'no_answer') return transactions
    const returns = indexReturns(transactions.items)
    if (!unexplained.some(({ endToEndId }) => returns.has(endToEndId)))
      return { kind: 'found', outgoing: new Map(), returns }
    const orderPeriod = { from: subtractDays(period.from, MAX_SETTLEMENT_DELAY_DAYS), to: period.to }
    const payments = await readAllPages(paymentList, orderPeriod, budget)
    if (payments.kind === 'no_answer') return payments
    return { kind: 'found', outgoing: indexOrders(payments.items), returns }
  }
}

/** Lists the parts of the return period before `from`, the newest first, each twice as long as the one after it. */
function* listSearchPeriods(from: string): Generator<{ from: string; to: string }> {
  for (let [start, days] = [0, 1]; start < RETURN_PERIOD_DAYS; days *= 2) {
    const end = Math.min(start + days, RETURN_PERIOD_DAYS)
    yield { from: subtractDays(from, end), to: subtractDays(from, start) }
    start = end
  }
}

/** Gets a unique key: of a PIX its type and end-to-end id; of any other Woovi's id, because it may share a PIX's id. */
export function getTransactionKey(transaction: WooviTransaction): string {
  const { type, endToEndId, globalID, transactionID } = transaction
  const id =
    (isPixTransaction(transaction) && endToEndId) || globalID || transactionID || JSON.stringify(transaction)
  return `${type}/${id}`
}

/** Tells whether a transaction is a PIX. A WITHDRAW without an end-to-end id is a withdrawal to a bank account. */
function isPixTransaction(transaction: WooviTransaction): boolean {
  return WOOVI_PIX_TYPES.includes(transaction.type) && !toAccountEntry(transaction)
}

const transactionList: ProviderList<'statement', WooviTransaction> = {
  call: 'statement',
  path: '/api/v1/transaction',
  field: 'transactions',
  row: wooviTransactionSchema,
  toItem: transaction => transaction,
  keyOf: getTransactionKey,
}
// Payments and refunds are listed with any status, so that one with a status that we do not know does not hide the rest.
const paymentList: ProviderList<'statement', WooviListedPayment> = {
  call: 'statement',
  path: '/api/v1/payment',
  field: 'payments',
  row: wooviListedPaymentSchema,
  toItem: payment => payment,
  keyOf: ({ payment }) => payment.correlationID,
}
const refundList: ProviderList<'statement', WooviListedRefund> = {
  call: 'statement',
  path: '/api/v1/refund',
  field: 'refunds',
  row: wooviListedRefundSchema,
  toItem: refund => refund,
  keyOf: ({ correlationID, returnIdentification, endToEndId }) =>
    [correlationID, returnIdentification ?? endToEndId].join('/'),
}

const NO_REFUNDS: ListResult<WooviListedRefund> = { kind: 'found', items: [], unreadableItems: [] }

/** Tells whether a transaction may be a return, by its type or the rail's id. */
function isReturn({ type, endToEndId }: WooviTransaction): boolean {
  return type === 'REFUND' || endToEndId.startsWith('D')
}

/** Our ids of the orders that moved money out of the account, by the rail's ids. */
type OrderIdsByRailId = ReadonlyMap<string, string>

function indexOrders(payments: WooviListedPayment[], refunds: WooviListedRefund[] = []): OrderIdsByRailId {
  const orders = [
    ...payments.map(payment => ({
      railId: payment.transaction?.endToEndId,
      id: payment.payment.correlationID,
    })),
    ...refunds.map(refund => ({ railId: getWooviReturnId(refund), id: refund.correlationID })),
  ]
  return new Map(orders.flatMap(({ railId, id }) => (railId ? [[railId, id]] : [])))
}

/**
 * Returns by the rail's id of them. `returnOf`: end-to-end id of the returned PIX. `isOutgoing`: that PIX was
 * received, so the return left the account, ordered by us or, after a dispute, made by Woovi.
 */
type ReturnsByRailId = ReadonlyMap<string, { returnOf: string; isOutgoing: boolean }>

type OrdersAndReturns = { outgoing: OrderIdsByRailId; returns: ReturnsByRailId }

/** Indexes the returns that PIX list. Their statuses do not count: a return that is a transaction too has moved. */
function indexReturns(transactions: WooviTransaction[]): ReturnsByRailId {
  return new Map(
    transactions.flatMap(pix =>
      parseItems(wooviReturnIdsSchema, pix.refunds, DISCARDED_NOTES).flatMap(ids => {
        const id = getWooviReturnId(ids)
        return id ? [[id, { returnOf: pix.endToEndId, isOutgoing: isReceivedPix(pix) }] as const] : []
      }),
    ),
  )
}

/**
 * Tells whether a return is named by no order of ours and by no PIX, so that nothing says which way it moved money. One
 * without an id stays a PIX, which is never booked.
 */
function isUnexplainedReturn({ type, endToEndId }: WooviTransaction, index: OrdersAndReturns): boolean {
  const isExplained = index.outgoing.has(endToEndId) || index.returns.has(endToEndId)
  return type === 'REFUND' && endToEndId !== '' && !isExplained
}

/** An unreadable return in the list of its PIX needs no record: if it moved, it is a transaction of its own. */
const DISCARDED_NOTES: AnswerNotes = { noteUnreadableItem: () => {}, noteUnlistedValue: () => {} }

/** Converts a PIX. Every order of ours is outgoing, whatever its type; a recipient's return refers to the transfer. */
function toStatementEntry(transaction: WooviTransaction, { outgoing, returns }: OrdersAndReturns) {
  const { endToEndId: endToEnd, charge, value: cents, time: at } = transaction
  const orderId = outgoing.get(endToEnd)
  const pixReturn = returns.get(endToEnd)
  const isReturnByUs = pixReturn?.isOutgoing === true && !outgoing.has(pixReturn.returnOf)
  const isOutgoing = orderId !== undefined || isReturnByUs || transaction.type === 'WITHDRAW'
  const reference = orderId ?? outgoing.get(pixReturn?.returnOf ?? '') ?? charge?.correlationID ?? null
  const entry = { endToEnd, reference, direction: isOutgoing ? 'OUT' : 'IN', cents, at } as const
  return pixReturn ? { ...entry, returnOf: pixReturn.returnOf } : entry
}

/**
 * Kinds of transactions other than PIX, by the types that `GET /api/v1/transaction` publishes for its filter
 * (`woovi.yml` of Open-Pix/openpix-developers). No page documents which way an INTERNAL_TRANSFER or a REVERSAL moves
 * money.
 */
const ENTRY_KINDS: Readonly<Record<string, AccountEntryKind>> = {
  FEE: 'tariff',
  BALANCE_BLOCK: 'block',
  BALANCE_UNBLOCK: 'unblock',
  INTERNAL_TRANSFER: 'unlisted',
  REVERSAL: 'unlisted',
}

/** Converts a transaction other than a PIX; null for a PIX. A WITHDRAW without an end-to-end id is a withdrawal. */
function toAccountEntry(transaction: WooviTransaction): AccountEntry | null {
  const { value: cents, time: at, endToEndId: endToEnd, globalID, transactionID } = transaction
  const type = transaction.type ?? ''
  const kind = type === 'WITHDRAW' && endToEnd === '' ? 'withdrawal' : ENTRY_KINDS[type]
  const id = globalID || transactionID || endToEnd
  if (kind === undefined || !id || cents === 0) return null
  return { id, kind, type, cents, at, ...(endToEnd && { endToEnd }) }
}

/** Converts an unexplained return. Its id is that of the rail, by which a later movement of ours explains it. */
function toUnlistedReturn({ type, endToEndId, value: cents, time: at }: WooviTransaction): AccountEntry {
  return { id: endToEndId, kind: 'unlisted', type, cents, at, endToEnd: endToEndId }
}
