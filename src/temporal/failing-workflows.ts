import type { Client } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { readRunInput } from './workflow-history.ts'
import { buildReopenOptions, catchWorkflowNotFound, type TemporalContext } from './workflow-options.ts'

/** Workflows that cannot continue, because their history does not replay. */

export type FailingWorkflow = { workflowId: string; runId: string; type: string }

/** Workflows that are described at once: about 1.5 ms of CPU each. */
const CONCURRENCY = 16
const EVENTS_PER_PAGE = 20
/** `WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR` of Temporal's API. */
const NON_DETERMINISTIC_ERROR = 24

/**
 * Lists the running workflows of a task queue whose workflow task has failed by nondeterminism before `failedBefore` and has not
 * completed since, unless an activity of theirs is in progress.
 */
export async function* listFailingWorkflows(
  client: Client,
  { taskQueue, failedBefore }: { taskQueue: string; failedBefore: Date },
): AsyncGenerator<FailingWorkflow> {
  const query = `ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}' AND StartTime < '${failedBefore.toISOString()}'`
  let page: FailingWorkflow[] = []
  for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
    page.push({ workflowId, runId, type })
    if (page.length < CONCURRENCY) continue
    yield* await selectFailing(client, page, failedBefore)
    page = []
  }
  yield* await selectFailing(client, page, failedBefore)
}

/**
 * Starts a workflow again with the input of its run, changed by `changes`, and with what Temporal shows of it. By the conflict policy of
 * the context, the run is terminated by the same call.
 */
export async function restartWorkflow(
  temporal: TemporalContext,
  { workflowId, runId, type }: FailingWorkflow,
  changes: object,
): Promise<void> {
  const client = await temporal.client()
  const description = await client.workflow.getHandle(workflowId, runId).describe()
  const staticSummary = await description.staticSummary()
  // Temporal's own attributes cannot be set.
  const typedSearchAttributes = description.typedSearchAttributes
    .getAll()
    .filter(({ key }) => Object.values(SEARCH_ATTRIBUTES).some(({ name }) => name === key.name))
  await client.workflow.start<(input: object) => Promise<unknown>>(type, {
    ...buildReopenOptions(temporal, workflowId),
    args: [{ ...(await readRunInput<object>(client, { workflowId, runId })), ...changes }],
    ...(description.memo && { memo: description.memo }),
    ...(staticSummary !== undefined && { staticSummary }),
    typedSearchAttributes,
  })
}

async function selectFailing(client: Client, workflows: FailingWorkflow[], failedBefore: Date) {
  const areFailing = await Promise.all(workflows.map(one => isFailing(client, one, failedBefore)))
  return workflows.filter((_, index) => areFailing[index])
}

async function isFailing(client: Client, workflow: FailingWorkflow, failedBefore: Date): Promise<boolean> {
  const { workflowId, runId } = workflow
  const description = await catchWorkflowNotFound(
    client.workflow.getHandle(workflowId, runId).describe(),
    null,
  )
  if (description?.status.name !== 'RUNNING') return false
  const { pendingWorkflowTask, pendingActivities } = description.raw
  // A first attempt may succeed, and an activity that is in progress may move money.
  if ((pendingWorkflowTask?.attempt ?? 0) < 2 || pendingActivities?.length) return false
  return hasNondeterministicTask(client, workflow, failedBefore)
}

/** Reads the history backwards to the last workflow task that completed. */
async function hasNondeterministicTask(
  client: Client,
  { workflowId, runId }: FailingWorkflow,
  failedBefore: Date,
): Promise<boolean> {
  const { workflowService, options } = client.workflow
  for (let nextPageToken: Uint8Array | undefined; ; ) {
    const page = await workflowService.getWorkflowExecutionHistoryReverse({
      namespace: options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: EVENTS_PER_PAGE,
      nextPageToken: nextPageToken ?? null,
    })
    for (const { eventTime, ...event } of page.history?.events ?? []) {
      if (event.workflowTaskCompletedEventAttributes) return false
      const { cause } = event.workflowTaskFailedEventAttributes ?? {}
      if (cause === NON_DETERMINISTIC_ERROR)
        return Number(eventTime!.seconds) * 1_000 < failedBefore.getTime()
    }
    nextPageToken = page.nextPageToken
    if (!nextPageToken?.length) return false
  }
}
