import { z } from 'zod'
import type { NoAnswer, StatementEntry } from '../../domain/provider.ts'
import type { Provider } from '../port.ts'
import type { WooviClient } from './client.ts'
import { returnsOf } from './mapping.ts'
import { pagesOf } from './pages.ts'
import { payment, refund, type Transaction, transaction } from './shapes.ts'

/**
 * Woovi's transactions say what moved, but not by which order of ours; its payments and refunds know the orders. So a
 * statement joins the three by the rail's ids.
 */
export function statement(client: WooviClient): Pick<Provider, 'statement'> {
  const { everyPage } = pagesOf(client)

  return {
    async statement(from, to) {
      const range = new URLSearchParams({ start: from, end: to })
      const moved = await everyPage(`/api/v1/transaction?${range}`, {
        field: 'transactions',
        item: transaction,
      })
      if (moved.kind === 'no_answer') return moved
      const ordered = await ordersSince(daysBefore(from, LONGEST_ORDER_DAYS), to)
      if (ordered.kind === 'no_answer') return ordered
      const { outgoing } = ordered
      const known = { outgoing, returned: returnsOfOurs(moved.items, outgoing) }
      const entries = moved.items.filter(isSettledWithin(from, to)).map(pix => entryOf(pix, known))
      return { kind: 'found', entries }
    },
  }

  /** Our ids of what left the account, by the rail's. */
  async function ordersSince(start: string, end: string): Promise<Ordered | NoAnswer> {
    const range = new URLSearchParams({ start, end })
    const payments = await everyPage(`/api/v1/payment?${range}`, { field: 'payments', item: sentPayment })
    if (payments.kind === 'no_answer') return payments
    const refunds = await everyPage(`/api/v1/refund?${range}`, { field: 'refunds', item: refund })
    if (refunds.kind === 'no_answer') return refunds
    const ids = [
      ...payments.items.map(it => [it.transaction?.endToEndId ?? '', it.payment.correlationID] as const),
      ...refunds.items.map(it => [it.returnIdentification ?? it.endToEndId ?? '', it.correlationID] as const),
    ]
    return { kind: 'found', outgoing: new Map(ids.filter(([endToEnd]) => endToEnd !== '')) }
  }
}

/** What is listed by the time it was ordered may have settled later. */
const LONGEST_ORDER_DAYS = 2

/** Our ids, by the rail's. */
type Ids = ReadonlyMap<string, string>
type Ordered = { kind: 'found'; outgoing: Ids }

/** Listed whatever its state: one that is not known yet must not hide the rest. */
const sentPayment = payment.extend({ payment: z.object({ correlationID: z.string() }) })

/** A recipient's return carries no id of ours: it is told by the transfer that it returns, where that lists it. */
function returnsOfOurs(moved: Transaction[], outgoing: Ids): Ids {
  const returns = moved.flatMap(pix => {
    const ours = outgoing.get(pix.endToEndId)
    return ours === undefined ? [] : returnsOf(pix).map(({ id }) => [id, ours] as const)
  })
  return new Map(returns)
}

/** What we ordered left, whatever Woovi calls it; of the rest only its withdrawals and fees did. */
function entryOf(
  moved: Transaction,
  { outgoing, returned }: Record<'outgoing' | 'returned', Ids>,
): StatementEntry {
  const { endToEndId: endToEnd, charge, value: cents, time: at } = moved
  const ours = outgoing.get(endToEnd)
  const left = ours !== undefined || ['WITHDRAW', 'FEE'].includes(moved.type ?? '')
  const reference = ours ?? returned.get(endToEnd) ?? charge?.correlationID ?? null
  return { endToEnd, reference, direction: left ? 'OUT' : 'IN', cents, at }
}

function isSettledWithin(from: string, to: string) {
  return ({ status, time }: Transaction) =>
    !UNSETTLED.includes(status ?? '') &&
    Date.parse(time) >= Date.parse(from) &&
    Date.parse(time) <= Date.parse(to)
}
const UNSETTLED = ['CREATED', 'IN_PROCESSING', 'REJECTED']

function daysBefore(instant: string, days: number): string {
  return new Date(Date.parse(instant) - days * 86_400_000).toISOString()
}
