import { patched, workflowInfo } from '@temporalio/workflow'
import type { GoesOn, Restored } from './messages.ts'

/**
 * A life that waits for months, because its provider cannot tell, goes on as new before Temporal ends it at 51,200 events.
 * It begins with what it was ordered by, so that a restore finds that whichever of its runs are forgotten.
 */

/** Whether its history has grown so long that it had better go on as new. */
export function isLong(): boolean {
  return workflowInfo().continueAsNewSuggested && patched('a long life goes on as new')
}

/** Its order, for the run after this one. */
export function onwards<Order extends { restored?: Restored; goesOn?: GoesOn }>(
  order: Order,
  connectionUuid: string,
): Order {
  const began = workflowInfo().startTime.toISOString()
  const orderedAt = order.goesOn?.orderedAt ?? order.restored?.orderedAt ?? began
  return { ...order, goesOn: { connectionUuid, orderedAt } }
}
