import type { NoAnswerResult, StatementEntry } from '../../domain/providers/provider.ts'
import { type AnswerNotes, parseItems } from '../adapter/answer-parsing.ts'
import {
  createPeriodFilter,
  MAX_SETTLEMENT_DELAY_DAYS,
  RETURN_PERIOD_DAYS,
  subtractDays,
} from '../adapter/statement-period.ts'
import type { Provider } from '../port.ts'
import { toAccountEntry } from './account-entries.ts'
import type { WooviClient } from './client.ts'
import { getWooviReturnId, isReceivedPix, mapTransactionStatus } from './mapping.ts'
import { createWooviPagination, type WooviList } from './pagination.ts'
import {
  type WooviListedPayment,
  type WooviListedRefund,
  type WooviTransaction,
  wooviListedPaymentSchema,
  wooviListedRefundSchema,
  wooviReturnIdsSchema,
  wooviTransactionSchema,
} from './schemas.ts'

/**
 * Woovi's transactions say what moved, but not by which order of ours; its payments and refunds know the orders. So a
 * statement joins the three by the rail's ids.
 */
export function createWooviStatement(client: WooviClient): Pick<Provider, 'statement'> {
  const { readAllPages } = createWooviPagination(client)

  return {
    async statement(from, to) {
      const moved = await readAllPages(transactionList, { from, to })
      if (moved.kind === 'no_answer') return moved
      const ordered = await ordersSince(subtractDays(from, MAX_SETTLEMENT_DELAY_DAYS), to)
      if (ordered.kind === 'no_answer') return ordered
      const known = await returnsBehind(moved.items, { outgoing: ordered.outgoing, from })
      if (known.kind === 'no_answer') return known
      const isInPeriod = createPeriodFilter(from, to)
      const settled = moved.items.filter(
        pix => mapTransactionStatus(pix) === 'settled' && isInPeriod(pix.time),
      )
      const accountEntries = settled.map(toAccountEntry).filter(entry => entry !== null)
      const entries = settled.filter(isPixTransaction).map(pix => toStatementEntry(pix, known))
      return { kind: 'found', entries, ...(accountEntries.length > 0 && { accountEntries }) }
    },
  }

  /** What each return returns, and which way it went; one whose PIX is older is looked for further back, with our order. */
  async function returnsBehind(
    moved: WooviTransaction[],
    { outgoing, from }: { outgoing: OrderIdsByRailId; from: string },
  ): Promise<({ kind: 'found' } & OrdersAndReturns) | NoAnswerResult> {
    const near = indexReturns(moved)
    const unexplained = moved.some(
      ({ type, endToEndId }) => type === 'REFUND' && !outgoing.has(endToEndId) && !near.has(endToEndId),
    )
    if (!unexplained) return { kind: 'found', outgoing, returns: near }
    const earlier = { from: subtractDays(from, RETURN_PERIOD_DAYS), to: from }
    const before = await readAllPages(transactionList, earlier)
    if (before.kind === 'no_answer') return before
    const sent = await sentWithin(earlier)
    if (sent.kind === 'no_answer') return sent
    return {
      kind: 'found',
      outgoing: new Map([...sent.ids, ...outgoing]),
      returns: new Map([...indexReturns(before.items), ...near]),
    }
  }

  /** Our ids of what left the account, by the rail's. */
  async function ordersSince(from: string, to: string): Promise<FoundOrders | NoAnswerResult> {
    const sent = await sentWithin({ from, to })
    if (sent.kind === 'no_answer') return sent
    const refunds = await readAllPages(refundList, { from, to })
    if (refunds.kind === 'no_answer') return refunds
    const ids = refunds.items.map(it => [it.returnIdentification ?? it.endToEndId, it.correlationID] as const)
    return { kind: 'found', outgoing: new Map([...sent.ids, ...ids.filter(hasRailId)]) }
  }

  async function sentWithin(period: {
    from: string
    to: string
  }): Promise<{ kind: 'found'; ids: RailIdAndOrderId[] } | NoAnswerResult> {
    const payments = await readAllPages(paymentList, period)
    if (payments.kind === 'no_answer') return payments
    const ids = payments.items.map(it => [it.transaction?.endToEndId, it.payment.correlationID] as const)
    return { kind: 'found', ids: ids.filter(hasRailId) }
  }
}

/**
 * A PIX is known by its direction, which its type tells, and its end-to-end id; what is no PIX by Woovi's own ids, as it
 * may be about a PIX.
 */
export function getTransactionKey(transaction: WooviTransaction): string {
  const { type, endToEndId, globalID, transactionID } = transaction
  const id =
    (isPixTransaction(transaction) && endToEndId) || globalID || transactionID || JSON.stringify(transaction)
  return `${type}/${id}`
}

/** A WITHDRAW without an end-to-end id is a withdrawal to a bank account, and so no PIX. */
function isPixTransaction(transaction: WooviTransaction): boolean {
  return PIX_TYPES.includes(transaction.type) && !toAccountEntry(transaction)
}
const PIX_TYPES: readonly WooviTransaction['type'][] = ['PAYMENT', 'DYNAMIC', 'STATIC', 'WITHDRAW', 'REFUND']

const transactionList: WooviList<WooviTransaction> = {
  call: 'statement',
  path: '/api/v1/transaction',
  field: 'transactions',
  item: wooviTransactionSchema,
  keyOf: getTransactionKey,
}
/** Payments and refunds are listed whatever their state: one that is not known yet must not hide the rest. */
const paymentList: WooviList<WooviListedPayment> = {
  call: 'statement',
  path: '/api/v1/payment',
  field: 'payments',
  item: wooviListedPaymentSchema,
  keyOf: ({ payment }) => payment.correlationID,
}
const refundList: WooviList<WooviListedRefund> = {
  call: 'statement',
  path: '/api/v1/refund',
  field: 'refunds',
  item: wooviListedRefundSchema,
  keyOf: ({ correlationID, returnIdentification, endToEndId }) =>
    [correlationID, returnIdentification ?? endToEndId].join('/'),
}

/** The rail's id and ours, once the rail has given it one. */
type RailIdAndOrderId = readonly [endToEnd: string, id: string]
function hasRailId(ids: readonly [string | null | undefined, string]): ids is RailIdAndOrderId {
  return Boolean(ids[0])
}

/** Our ids, by the rail's. */
type OrderIdsByRailId = ReadonlyMap<string, string>
type FoundOrders = { kind: 'found'; outgoing: OrderIdsByRailId }

/** By the rail's id of the return. It left where the PIX came in: by our order, or after a dispute by the provider's own. */
type ReturnsByRailId = ReadonlyMap<string, { returnOf: string; left: boolean }>

type OrdersAndReturns = { outgoing: OrderIdsByRailId; returns: ReturnsByRailId }

/** Whatever a PIX still says of how its returns stand: those among the movements have moved. */
function indexReturns(moved: WooviTransaction[]): ReturnsByRailId {
  return new Map(
    moved.flatMap(pix =>
      parseItems(wooviReturnIdsSchema, pix.refunds, DISCARDED_NOTES).flatMap(one => {
        const id = getWooviReturnId(one)
        return id ? [[id, { returnOf: pix.endToEndId, left: isReceivedPix(pix) }] as const] : []
      }),
    ),
  )
}

/** A return without a readable id moves nothing here: as a movement of its own it is a transaction. */
const DISCARDED_NOTES: AnswerNotes = { noteUnreadableItem: () => {}, noteUnlistedValue: () => {} }

/** What we ordered left, whatever Woovi calls it. A recipient's return is told by the transfer that it returns. */
function toStatementEntry(
  moved: WooviTransaction,
  { outgoing, returns: back }: OrdersAndReturns,
): StatementEntry {
  const { endToEndId: endToEnd, charge, value: cents, time: at } = moved
  const ours = outgoing.get(endToEnd)
  const given = back.get(endToEnd)
  const gaveBack = given?.left === true && !outgoing.has(given.returnOf)
  const left = ours !== undefined || gaveBack || moved.type === 'WITHDRAW'
  const reference = ours ?? outgoing.get(given?.returnOf ?? '') ?? charge?.correlationID ?? null
  const entry = { endToEnd, reference, direction: left ? 'OUT' : 'IN', cents, at } as const
  return given ? { ...entry, returnOf: given.returnOf } : entry
}
