import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { ParentClosePolicy, startChild } from '@temporalio/workflow'
import type { FollowUps } from '../../activities/events/follow-ups.ts'
import { deliveryWorkflowId, returnWorkflowId } from '../contracts/workflow-ids.ts'
import { returnWorkflow } from '../unmatched/return.workflow.ts'
import { deliveryWorkflow } from '../webhooks/delivery.workflow.ts'

/**
 * Starts the follow-ups of a transaction (deliveries and returns), each as an independent child workflow. One that was started
 * before is recognised by its id and left alone.
 */
export async function startFollowUps(
  { deliveries = [], returns = [] }: Partial<FollowUps>,
  timeScale: number,
): Promise<void> {
  if (deliveries.length === 0 && returns.length === 0) return
  await Promise.all([
    ...deliveries.map(deliveryUuid =>
      startChildOnce(deliveryWorkflow, deliveryWorkflowId(deliveryUuid), { deliveryUuid, timeScale }),
    ),
    // A return that is still to be sent has no running workflow; an earlier one may have completed before a restore.
    ...returns.map(order =>
      startChildOnce(
        returnWorkflow,
        returnWorkflowId(order.uuid),
        { ...order, timeScale },
        'ALLOW_DUPLICATE',
      ),
    ),
  ])
}

/** Starts an independent child workflow, unless it runs or, with REJECT_DUPLICATE, has run already. */
export async function startChildOnce<Order>(
  workflow: (order: Order) => Promise<unknown>,
  workflowId: string,
  order: Order,
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' = 'REJECT_DUPLICATE',
): Promise<void> {
  try {
    await startChild(workflow, {
      workflowId,
      args: [order] as never,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: reuse,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
