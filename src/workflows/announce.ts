import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { ParentClosePolicy, patched, startChild } from '@temporalio/workflow'
import type { LeftToDo } from '../activities/left-to-do.ts'
import { deliveryId, returnId } from './ids.ts'
import { returnWorkflow } from './return.ts'
import { deliveryWorkflow } from './webhook-delivery.ts'

/**
 * Starts what a transaction left to do, each as a life of its own that outlives this one. One that was started before
 * is known by its id and left alone.
 */
export async function startWhatIsLeft(left: LeftToDo, timeScale: number): Promise<void> {
  if (left.deliveries.length === 0 && left.returns.length === 0) return
  await Promise.all([
    ...left.deliveries.map(deliveryUuid =>
      startOnce(deliveryWorkflow, deliveryId(deliveryUuid), { deliveryUuid, timeScale }),
    ),
    // One that is held has no life, whatever an earlier one came to: its database was restored since.
    ...left.returns.map(order =>
      startOnce(returnWorkflow, returnId(order.uuid), { ...order, timeScale }, 'ALLOW_DUPLICATE'),
    ),
  ])
}

/** Starts the follow-ups of a poll that did not end the operation. Behind `patched`: earlier histories start nothing there. */
export async function startWhatIsLeftBeforeTheEnd(
  { deliveries, returns }: Partial<LeftToDo>,
  timeScale: number,
): Promise<void> {
  if (!deliveries?.length && !returns?.length) return
  if (!patched('what is left before the end')) return
  await startWhatIsLeft({ deliveries: deliveries ?? [], returns: returns ?? [] }, timeScale)
}

/** Starts an independent child, unless it runs or, where an ended one stays ended, ran already. */
export async function startOnce<Order>(
  life: (order: Order) => Promise<unknown>,
  workflowId: string,
  order: Order,
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' = 'REJECT_DUPLICATE',
): Promise<void> {
  try {
    await startChild(life, {
      workflowId,
      args: [order] as never,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: reuse,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
