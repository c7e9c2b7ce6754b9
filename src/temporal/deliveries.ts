import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { DELIVERY_SWEEP_WORKFLOW } from '../workflows/contracts/maintenance.ts'
import {
  type AttemptDeliveryInput,
  deliveryChangedSignal,
  type ReplayEventsInput,
} from '../workflows/contracts/webhooks.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { buildReopenOptions, catchWorkflowNotFound, type TemporalContext } from './workflow-options.ts'

/** Client calls for webhook deliveries. Rows are written first; the sweep repeats any call that is lost. */

/** Upper bound of the clock difference between two machines. */
const CLOCK_SKEW_MS = 60_000

/** Signals a delivery's workflow that its row has changed; starts the workflow of a pending delivery if none runs. */
export async function signalDelivery(
  temporal: TemporalContext,
  { uuid, status }: { uuid: string; status: string },
): Promise<void> {
  const client = await temporal.client()
  const { type, idOf } = WORKFLOWS.delivery
  const workflowId = idOf(uuid)
  if (status === 'PENDING') {
    await client.workflow.signalWithStart<(input: AttemptDeliveryInput) => Promise<unknown>>(type, {
      ...buildReopenOptions(temporal, workflowId),
      args: [{ deliveryUuid: uuid, timeScale: temporal.timeScale }],
      signal: deliveryChangedSignal,
      signalArgs: [],
    })
    return
  }
  await catchWorkflowNotFound(client.workflow.getHandle(workflowId).signal(deliveryChangedSignal), null)
}

/**
 * Starts a sweep of the deliveries that a request of an account has changed, however many, before the next scheduled one. An
 * account has one at a time, so that its requests occupy one activity of the workers. One that runs may have passed the changed
 * rows already: the scheduled sweep finds them.
 */
export async function startDeliverySweep(temporal: TemporalContext, accountUuid: string): Promise<void> {
  const client = await temporal.client()
  await client.workflow.start(DELIVERY_SWEEP_WORKFLOW, {
    ...buildReopenOptions(temporal, `delivery-sweep/${accountUuid}`),
    args: [],
    staticSummary: 'Signal the workflows of changed deliveries',
  })
}

/**
 * Starts the workflow that sends an endpoint again what it has missed from `since` (ISO 8601) until now. The end is
 * extended by the clock difference, because the machine that wrote the last event may be ahead of this one.
 * Deliveries whose first attempt is due are left alone. An endpoint has one such workflow at a time: returns `already_running`
 * where one runs, which continues unchanged.
 */
export async function startEventReplay(
  temporal: TemporalContext,
  range: Pick<ReplayEventsInput, 'webhookUuid' | 'since'>,
  waitMs: number,
): Promise<'started' | 'already_running'> {
  const client = await temporal.client()
  const input: ReplayEventsInput = { ...range, until: new Date(Date.now() + CLOCK_SKEW_MS).toISOString() }
  const { type, idOf } = WORKFLOWS.event_replay
  const options = {
    ...buildReopenOptions(temporal, idOf(input.webhookUuid)),
    workflowIdConflictPolicy: 'FAIL',
    staticSummary: `Events since ${input.since} to endpoint ${input.webhookUuid}`,
    args: [input],
  } as const
  try {
    await client.withDeadline(Date.now() + waitMs, () => client.workflow.start(type, options))
    return 'started'
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'already_running'
    throw error
  }
}
