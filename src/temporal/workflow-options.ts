import type { Client, WorkflowStartOptions } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import { WORKFLOWS, type WorkflowInputs } from '../workflows/contracts/workflows.ts'

/**
 * Temporal client with the task queue and time scale of its workflows. `client` may connect, and reject, at each call. `conflictPolicy`:
 * what a start does with a run that is in progress; absent where that run continues.
 */
export type TemporalContext = {
  client: () => Promise<Client>
  taskQueue: string
  timeScale: number
  conflictPolicy?: 'TERMINATE_EXISTING'
}

/** Builds start options that may start a new run of a completed workflow. */
export function buildReopenOptions({ taskQueue, conflictPolicy }: TemporalContext, workflowId: string) {
  return {
    workflowId,
    taskQueue,
    workflowIdConflictPolicy: conflictPolicy ?? 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const
}

/** Starts the workflow of a row, again if it has completed; one that runs continues unchanged. */
export async function startOrReopenWorkflow<Noun extends keyof WorkflowInputs>(
  temporal: TemporalContext,
  noun: Noun,
  uuid: string,
  input: WorkflowInputs[Noun],
  options: Omit<WorkflowStartOptions, 'args' | 'taskQueue' | 'workflowId'> = {},
): Promise<void> {
  const client = await temporal.client()
  const { type, idOf } = WORKFLOWS[noun]
  await client.workflow.start<(input: WorkflowInputs[Noun]) => Promise<unknown>>(type, {
    ...buildReopenOptions(temporal, idOf(uuid)),
    ...options,
    args: [input],
  })
}

/** Returns `otherwise` where the call's workflow does not exist or does not run. */
export async function catchWorkflowNotFound<Result, Otherwise>(
  call: Promise<Result>,
  otherwise: Otherwise,
): Promise<Result | Otherwise> {
  try {
    return await call
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return otherwise
    throw error
  }
}
