import type { ChargeOrder, RefundOrder, Restored, TransferOrder } from '../workflows/messages.ts'
import type { ReturnLife } from '../workflows/return.ts'
import type { Past } from './past-lives.ts'
import type { SendingHistory } from './sending-history.ts'
import { chargeLife, type Life, sendingLife } from './start.ts'

/** The orders by which workflows are begun anew after a restore. */

export type Order = ChargeOrder | TransferOrder | RefundOrder | ReturnLife
/** What a workflow that is begun anew is told of the one before it. */
export function restoredOf(
  { order, orderedAt, ended, connectionUuid, isRunning }: Past<Order>,
  { begun, failure }: SendingHistory,
): Restored {
  const goesOn = 'goesOn' in order && typeof order.goesOn === 'object' ? order.goesOn : undefined
  return {
    orderedAt: order.restored?.orderedAt ?? goesOn?.orderedAt ?? orderedAt.toISOString(),
    ...(ended !== undefined && { ended }),
    ...(ended === 'failed' && failure !== undefined && { failure }),
    ...(connectionUuid !== undefined && { connectionUuid }),
    ...(isRunning && 'scheduledFor' in order && order.scheduledFor && begun.length === 0 && { waits: true }),
  }
}

/** The connections that the runs before the first one remembered had begun to send through. */
export function doubtedBefore(order: Order): string[] {
  const isLong = 'goesOn' in order && order.goesOn !== undefined && 'valueCents' in order
  return isLong ? candidatesOf(order).slice(0, 1) : []
}

/** Every connection that its money may have gone through. */
export function candidatesOf(order: Order): string[] {
  return 'connectionUuid' in order ? [order.connectionUuid] : order.candidates
}

export function lifeOf(
  workflowId: string,
  order: Order,
  seen: { provider: string; externalRef?: string | undefined },
): Life {
  if (!('valueCents' in order)) return { workflowId, staticSummary: 'Return of an unmatched PIX' }
  return workflowId.startsWith('charge/') ? chargeLife(order, seen) : sendingLife(workflowId, order, seen)
}

/** What was ordered, whichever of its runs is remembered: one that went on knows who had been asked before. */
export function wholeOf(order: Order): Order {
  const { takeBefore: _, goesOn, ...whole } = { takeBefore: undefined, goesOn: undefined, ...order } as Whole
  const candidates = typeof goesOn === 'object' ? goesOn.candidates : undefined
  return { ...whole, ...(candidates && { candidates }) } as Order
}

type Whole = Order & { takeBefore?: string; goesOn?: string | { candidates?: string[] } }
