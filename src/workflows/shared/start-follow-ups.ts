import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { type ChildWorkflowOptions, ParentClosePolicy, startChild } from '@temporalio/workflow'
import type { FollowUps } from '../contracts/orders.ts'
import type { OpenDelivery } from '../contracts/webhooks.ts'
import { WORKFLOWS, type WorkflowInputs } from '../contracts/workflows.ts'
import { attemptDeliveriesLocally } from './activity-proxies.ts'

/**
 * Starts the follow-ups of a transaction: makes the first attempts of its deliveries, and starts a workflow for each delivery
 * that is still open and for each return. Not for a workflow whose update handlers run
 * activities: two local activities that complete in one workflow task may be replayed in another order.
 */
export async function startFollowUps(
  { deliveries = [], returns = [] }: Partial<FollowUps>,
  timeScale: number,
): Promise<void> {
  const openDeliveries = deliveries.length === 0 ? [] : await attemptDeliveriesLocally(deliveries)
  await startFollowUpWorkflows({ deliveries: openDeliveries, returns }, timeScale)
}

/**
 * Starts the workflows of deliveries and returns, each as an independent child workflow. One that was started before is
 * recognised by its id and left alone.
 */
export async function startFollowUpWorkflows(
  { deliveries, returns = [] }: Partial<Pick<FollowUps, 'returns'>> & { deliveries: OpenDelivery[] },
  timeScale: number,
): Promise<void> {
  await Promise.all([
    ...deliveries.map(delivery =>
      startChildOnce('delivery', delivery.deliveryUuid, { ...delivery, timeScale }),
    ),
    // A return that is still to be sent has no running workflow; an earlier one of the same PIX may have completed.
    ...returns.map(order =>
      startChildOnce(
        'return',
        order.uuid,
        { ...order, timeScale },
        { workflowIdReusePolicy: 'ALLOW_DUPLICATE' },
      ),
    ),
  ])
}

/** The default of Temporal, which a child of a new charge or transfer does not inherit (src/temporal/start.ts). */
const FOLLOW_UP_PRIORITY = { priorityKey: 3 }

/** Starts an independent child workflow, unless it runs or, with REJECT_DUPLICATE, the default, has run already. */
export async function startChildOnce<Noun extends keyof WorkflowInputs>(
  noun: Noun,
  uuid: string,
  input: WorkflowInputs[Noun],
  options: ChildWorkflowOptions = {},
): Promise<void> {
  const { type, idOf } = WORKFLOWS[noun]
  try {
    await startChild<(input: WorkflowInputs[Noun]) => Promise<unknown>>(type, {
      workflowId: idOf(uuid),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      priority: FOLLOW_UP_PRIORITY,
      ...options,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}
