import { randomUUID } from 'node:crypto'
import { WorkflowNotFoundError } from '@temporalio/common'
import type { ReplayEventsInput } from '../activities/webhooks/replay-events.ts'
import { deliveryChangedSignal } from '../workflows/contracts/messages.ts'
import { deliveryWorkflowId } from '../workflows/contracts/workflow-ids.ts'
import { buildReopenOptions, type WorkflowClientContext } from './workflow-options.ts'

/** The doors of deliveries: rows are written first, and whatever is lost on the way here the sweep does. */

/** More than the clocks of two machines may differ by. */
const CLOCK_SKEW_MS = 60_000

/** Has a delivery's life look at its row now; one that is still to be delivered gets a life where it has none. */
export async function signalDelivery(
  engine: WorkflowClientContext,
  { uuid, status }: { uuid: string; status: string },
): Promise<void> {
  const client = await engine.client()
  const workflowId = deliveryWorkflowId(uuid)
  if (status === 'PENDING') {
    await client.workflow.signalWithStart('deliveryWorkflow', {
      ...buildReopenOptions(engine, workflowId),
      args: [{ deliveryUuid: uuid, timeScale: engine.timeScale }],
      signal: deliveryChangedSignal,
      signalArgs: [],
    })
    return
  }
  try {
    await client.workflow.getHandle(workflowId).signal(deliveryChangedSignal)
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error // It is over already.
  }
}

/** Has the deliveries woken that a request has changed, however many, before the next minute does. */
export async function startDeliverySweep(engine: WorkflowClientContext): Promise<void> {
  const client = await engine.client()
  await client.workflow.start('deliverySweepWorkflow', {
    workflowId: `delivery-sweep/${randomUUID()}`,
    taskQueue: engine.taskQueue,
    args: [],
    staticSummary: 'Wakes changed deliveries',
  })
}

/**
 * Begins to send again what an endpoint has missed since a moment in ISO 8601, until now; it goes on by itself. "Now" is
 * taken generously: the machine that has written the last event may be ahead of this one, and what is on its way for
 * the first time is left alone.
 */
export async function startEventReplay(
  engine: WorkflowClientContext,
  missed: Pick<ReplayEventsInput, 'webhookUuid' | 'since'>,
  waitMs: number,
): Promise<void> {
  const client = await engine.client()
  const order: ReplayEventsInput = { ...missed, until: new Date(Date.now() + CLOCK_SKEW_MS).toISOString() }
  await client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.start('eventReplayWorkflow', {
      workflowId: `recovery/${randomUUID()}`,
      taskQueue: engine.taskQueue,
      args: [order],
      staticSummary: `Events since ${order.since} to endpoint ${order.webhookUuid}`,
    }),
  )
}
