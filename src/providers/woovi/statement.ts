import type { NoAnswer, StatementEntry } from '../../domain/provider.ts'
import { daysBefore, isWithin, LONGEST_ORDER_DAYS, RETURNABLE_DAYS } from '../period.ts'
import type { Provider } from '../port.ts'
import { type ReadNotes, readItems } from '../reading.ts'
import { accountEntryOf } from './account-entries.ts'
import type { WooviClient } from './client.ts'
import { isReceived, returnIdOf, transactionStatus } from './mapping.ts'
import { type List, pagesOf } from './pages.ts'
import {
  type ListedPayment,
  type ListedRefund,
  listedPayment,
  listedRefund,
  returnedIds,
  type Transaction,
  transaction,
} from './shapes.ts'

/**
 * Woovi's transactions say what moved, but not by which order of ours; its payments and refunds know the orders. So a
 * statement joins the three by the rail's ids.
 */
export function statement(client: WooviClient): Pick<Provider, 'statement'> {
  const { everyPage } = pagesOf(client)

  return {
    async statement(from, to) {
      const moved = await everyPage(transactionList, { from, to })
      if (moved.kind === 'no_answer') return moved
      const ordered = await ordersSince(daysBefore(from, LONGEST_ORDER_DAYS), to)
      if (ordered.kind === 'no_answer') return ordered
      const known = await returnsBehind(moved.items, { outgoing: ordered.outgoing, from })
      if (known.kind === 'no_answer') return known
      const isInPeriod = isWithin(from, to)
      const settled = moved.items.filter(pix => transactionStatus(pix) === 'settled' && isInPeriod(pix.time))
      const accountEntries = settled.map(accountEntryOf).filter(entry => entry !== null)
      const entries = settled.filter(isPix).map(pix => entryOf(pix, known))
      return { kind: 'found', entries, ...(accountEntries.length > 0 && { accountEntries }) }
    },
  }

  /** What each return returns, and which way it went; one whose PIX is older is looked for further back, with our order. */
  async function returnsBehind(
    moved: Transaction[],
    { outgoing, from }: { outgoing: Ids; from: string },
  ): Promise<({ kind: 'found' } & Known) | NoAnswer> {
    const near = returnsOn(moved)
    const unexplained = moved.some(
      ({ type, endToEndId }) => type === 'REFUND' && !outgoing.has(endToEndId) && !near.has(endToEndId),
    )
    if (!unexplained) return { kind: 'found', outgoing, back: near }
    const earlier = { from: daysBefore(from, RETURNABLE_DAYS), to: from }
    const before = await everyPage(transactionList, earlier)
    if (before.kind === 'no_answer') return before
    const sent = await sentWithin(earlier)
    if (sent.kind === 'no_answer') return sent
    return {
      kind: 'found',
      outgoing: new Map([...sent.ids, ...outgoing]),
      back: new Map([...returnsOn(before.items), ...near]),
    }
  }

  /** Our ids of what left the account, by the rail's. */
  async function ordersSince(from: string, to: string): Promise<Ordered | NoAnswer> {
    const sent = await sentWithin({ from, to })
    if (sent.kind === 'no_answer') return sent
    const refunds = await everyPage(refundList, { from, to })
    if (refunds.kind === 'no_answer') return refunds
    const ids = refunds.items.map(it => [it.returnIdentification ?? it.endToEndId, it.correlationID] as const)
    return { kind: 'found', outgoing: new Map([...sent.ids, ...ids.filter(isNamed)]) }
  }

  async function sentWithin(period: {
    from: string
    to: string
  }): Promise<{ kind: 'found'; ids: Named[] } | NoAnswer> {
    const payments = await everyPage(paymentList, period)
    if (payments.kind === 'no_answer') return payments
    const ids = payments.items.map(it => [it.transaction?.endToEndId, it.payment.correlationID] as const)
    return { kind: 'found', ids: ids.filter(isNamed) }
  }
}

/**
 * A PIX is known by its direction, which its type tells, and its end-to-end id; what is no PIX by Woovi's own ids, as it
 * may be about a PIX.
 */
export function keyOfTransaction(transaction: Transaction): string {
  const { type, endToEndId, globalID, transactionID } = transaction
  const id = (isPix(transaction) && endToEndId) || globalID || transactionID || JSON.stringify(transaction)
  return `${type}/${id}`
}

/** A WITHDRAW without an end-to-end id is a withdrawal to a bank account, and so no PIX. */
function isPix(transaction: Transaction): boolean {
  return PIX_TYPES.includes(transaction.type) && !accountEntryOf(transaction)
}
const PIX_TYPES: readonly Transaction['type'][] = ['PAYMENT', 'DYNAMIC', 'STATIC', 'WITHDRAW', 'REFUND']

const transactionList: List<Transaction> = {
  call: 'statement',
  path: '/api/v1/transaction',
  field: 'transactions',
  item: transaction,
  keyOf: keyOfTransaction,
}
/** Payments and refunds are listed whatever their state: one that is not known yet must not hide the rest. */
const paymentList: List<ListedPayment> = {
  call: 'statement',
  path: '/api/v1/payment',
  field: 'payments',
  item: listedPayment,
  keyOf: ({ payment }) => payment.correlationID,
}
const refundList: List<ListedRefund> = {
  call: 'statement',
  path: '/api/v1/refund',
  field: 'refunds',
  item: listedRefund,
  keyOf: ({ correlationID, returnIdentification, endToEndId }) =>
    [correlationID, returnIdentification ?? endToEndId].join('/'),
}

/** The rail's id and ours, once the rail has given it one. */
type Named = readonly [endToEnd: string, id: string]
function isNamed(ids: readonly [string | null | undefined, string]): ids is Named {
  return Boolean(ids[0])
}

/** Our ids, by the rail's. */
type Ids = ReadonlyMap<string, string>
type Ordered = { kind: 'found'; outgoing: Ids }

/** By the rail's id of the return. It left where the PIX came in: by our order, or after a dispute by the provider's own. */
type Returns = ReadonlyMap<string, { returnOf: string; left: boolean }>

type Known = { outgoing: Ids; back: Returns }

/** Whatever a PIX still says of how its returns stand: those among the movements have moved. */
function returnsOn(moved: Transaction[]): Returns {
  return new Map(
    moved.flatMap(pix =>
      readItems(returnedIds, pix.refunds, UNRECORDED).flatMap(one => {
        const id = returnIdOf(one)
        return id ? [[id, { returnOf: pix.endToEndId, left: isReceived(pix) }] as const] : []
      }),
    ),
  )
}

/** A return without a readable id moves nothing here: as a movement of its own it is a transaction. */
const UNRECORDED: ReadNotes = { leaveOut: () => {}, unlisted: () => {} }

/** What we ordered left, whatever Woovi calls it. A recipient's return is told by the transfer that it returns. */
function entryOf(moved: Transaction, { outgoing, back }: Known): StatementEntry {
  const { endToEndId: endToEnd, charge, value: cents, time: at } = moved
  const ours = outgoing.get(endToEnd)
  const given = back.get(endToEnd)
  const gaveBack = given?.left === true && !outgoing.has(given.returnOf)
  const left = ours !== undefined || gaveBack || moved.type === 'WITHDRAW'
  const reference = ours ?? outgoing.get(given?.returnOf ?? '') ?? charge?.correlationID ?? null
  const entry = { endToEnd, reference, direction: left ? 'OUT' : 'IN', cents, at } as const
  return given ? { ...entry, returnOf: given.returnOf } : entry
}
