import {
  applyDecisionUpdate,
  batchChangedSignal,
  cancelBatchUpdate,
} from '../workflows/contracts/transfer-batches.ts'
import { WORKFLOWS, type WorkflowInputs } from '../workflows/contracts/workflows.ts'
import { executeUpdateWithStart, type UpdateRequest } from './start.ts'
import { buildReopenOptions, type TemporalContext } from './workflow-options.ts'

/** Client calls for the workflow of a batch. Each starts it from its rows where none runs, so that a lost start costs nothing. */

/** Starts the workflow of a batch; one that runs reads its rows again at once. Safe to repeat. */
export async function wakeBatchWorkflow(
  temporal: TemporalContext,
  { uuid, waitMs }: { uuid: string; waitMs: number },
): Promise<void> {
  const client = await temporal.client()
  const { type, idOf } = WORKFLOWS.transfer_batch
  await client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.signalWithStart<(input: WorkflowInputs['transfer_batch']) => Promise<unknown>>(type, {
      ...buildReopenOptions(temporal, idOf(uuid)),
      staticSummary: 'Batch of transfers',
      args: [{ uuid, timeScale: temporal.timeScale }],
      signal: batchChangedSignal,
    }),
  )
}

/** Waits until the workflow of a batch has applied what was decided about it. */
export function executeApplyDecisionUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: UpdateRequest,
): Promise<void> {
  const workflow = describeBatchWorkflow(temporal, uuid)
  return executeUpdateWithStart(temporal, workflow, applyDecisionUpdate, { ...request, args: [] })
}

/** Cancels a batch by update. False: it had ended otherwise. */
export function executeCancelBatchUpdate(
  temporal: TemporalContext,
  uuid: string,
  request: UpdateRequest,
): Promise<boolean> {
  const workflow = describeBatchWorkflow(temporal, uuid)
  return executeUpdateWithStart(temporal, workflow, cancelBatchUpdate, { ...request, args: [] })
}

function describeBatchWorkflow({ timeScale }: TemporalContext, uuid: string) {
  return { noun: 'transfer_batch', uuid, input: { uuid, timeScale } } as const
}
