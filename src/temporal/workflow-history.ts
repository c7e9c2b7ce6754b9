import type { Client, WorkflowExecutionInfo } from '@temporalio/client'
import { defaultPayloadConverter } from '@temporalio/common'
import type { RebuildInput } from '../workflows/contracts/rebuild.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
import { catchWorkflowNotFound } from './workflow-options.ts'

/** Reads of workflows in Temporal, independent of their rows; Temporal has every workflow within its retention. */

type IdentifiedInput = { uuid: string }

/** History of one workflow over all its runs. */
export type WorkflowHistory<Order extends IdentifiedInput> = {
  input: Order
  startedAt: Date
  /** Input of its last run: the order, or what continues it. */
  lastInput: Partial<Order>
  isRunning: boolean
  /** Result of the last completed run. */
  result: string | undefined
  /** Last values of the search attributes: connection and external reference. */
  connectionUuid: string | undefined
  externalRef: string | undefined
  /** Runs within the retention, the first one first. */
  runIds: string[]
}

/** Workflow ids with whether they run and the latest status attribute. */
export type WorkflowStates = Map<string, { isRunning: boolean; statusAttribute?: string }>

/** Lists workflows of these types that had started before one moment and had not closed at another. */
export function listWorkflowsBetween(
  client: Client,
  types: string[],
  { since, before }: TimeRange,
): Promise<WorkflowStates> {
  const [from, to] = [since.toISOString(), before.toISOString()]
  const condition = `StartTime < '${to}' AND (ExecutionStatus = 'Running' OR CloseTime >= '${from}')`
  return listWorkflows(client, types, condition)
}
type TimeRange = { since: Date; before: Date }

export function listRunningWorkflows(client: Client, types: string[]): Promise<WorkflowStates> {
  return listWorkflows(client, types, `ExecutionStatus = 'Running'`)
}

/**
 * Returns which of these workflows run: one list, and one description of each that is not in it. Temporal's list is
 * seconds late, so a workflow that has just closed may still be returned; `isWorkflowRunning` is exact, for one.
 */
export async function findRunningWorkflows(client: Client, workflowIds: string[]): Promise<Set<string>> {
  const query = `WorkflowId IN (${workflowIds.map(id => `'${id}'`).join(', ')}) AND ExecutionStatus = 'Running'`
  const runningIds = new Set<string>()
  for await (const { workflowId } of client.workflow.list({ query })) runningIds.add(workflowId)
  for (const id of workflowIds.filter(one => !runningIds.has(one)))
    if (await isWorkflowRunning(client, id)) runningIds.add(id)
  return runningIds
}

/** Returns whether a workflow runs, from its description, which is never late. */
export async function isWorkflowRunning(client: Client, workflowId: string): Promise<boolean> {
  const description = await catchWorkflowNotFound(client.workflow.getHandle(workflowId).describe(), null)
  return description?.status.name === 'RUNNING'
}

/** Reads a workflow's history; null if no run within the retention has its order. */
export async function readWorkflowHistory<Order extends IdentifiedInput>(
  client: Client,
  workflowId: string,
  uuid: string,
): Promise<WorkflowHistory<Order> | null> {
  const runs = await listRuns(client, workflowId)
  const inputs = await Promise.all(runs.map(run => readRunInput<Order>(client, run)))
  const first = inputs.findIndex(input => orderOf(input).uuid === uuid)
  if (first < 0) return null
  const { rebuild } = inputs[first] as Partial<RebuildInput>
  const findAttribute = (name: 'provider' | 'externalRef') =>
    runs
      .map(run => run.typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]))
      .findLast(value => value !== undefined)
  return {
    input: orderOf(inputs[first]!),
    startedAt: rebuild ? new Date(rebuild.restored.orderedAt) : runs[first]!.startTime,
    lastInput: inputs.at(-1)!,
    isRunning: runs.at(-1)!.status.name === 'RUNNING',
    runIds: runs.map(({ runId }) => runId),
    result: await readLastResult(client, runs),
    connectionUuid: findAttribute('provider'),
    externalRef: findAttribute('externalRef'),
  }
}

/** Returns the order of a run that rebuilds an operation, whose first run may be beyond the retention; any other input as it is. */
function orderOf<Order extends IdentifiedInput>(input: Order): Order {
  const { rebuild } = input as Partial<RebuildInput>
  return rebuild ? (rebuild.order as IdentifiedInput as Order) : input
}

/** Returns whether the workflow exists, running or closed. */
export async function hasWorkflow(client: Client, workflowId: string): Promise<boolean> {
  return (await catchWorkflowNotFound(client.workflow.getHandle(workflowId).describe(), null)) !== null
}

/** Terminates a workflow if it runs. */
export async function terminateWorkflow(client: Client, workflowId: string, why: string): Promise<void> {
  await catchWorkflowNotFound(client.workflow.getHandle(workflowId).terminate(why), null)
}

async function listWorkflows(client: Client, types: string[], condition: string): Promise<WorkflowStates> {
  const states: WorkflowStates = new Map()
  const query = `WorkflowType IN (${types.map(type => `'${type}'`).join(', ')}) AND ${condition}`
  for await (const { workflowId, status, typedSearchAttributes } of client.workflow.list({ query })) {
    const previous = states.get(workflowId)
    const isRunning = status.name === 'RUNNING'
    // Of several runs: the running one, or else the latest, which is listed first.
    const statusAttribute =
      isRunning || !previous ? typedSearchAttributes.get(SEARCH_ATTRIBUTES.status) : previous.statusAttribute
    states.set(workflowId, {
      isRunning: isRunning || previous?.isRunning === true,
      ...(statusAttribute !== undefined && { statusAttribute }),
    })
  }
  return states
}

/** Lists all runs of a workflow, the first one first; later ones continue it. */
async function listRuns(client: Client, workflowId: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = []
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run)
  return runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime())
}

/** Reads the input of one run of a workflow, which the first event of its history holds. */
export async function readRunInput<T>(
  client: Client,
  { workflowId, runId }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId'>,
): Promise<T> {
  const { workflowService, options } = client.workflow
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  })
  const started = history!.events![0]!.workflowExecutionStartedEventAttributes!
  return defaultPayloadConverter.fromPayload(started.input!.payloads![0]!)
}

/** Reads the result of the last of these runs that completed. */
export async function readLastResult(
  client: Client,
  runs: Pick<WorkflowExecutionInfo, 'status' | 'workflowId' | 'runId'>[],
): Promise<string | undefined> {
  const run = runs.findLast(({ status }) => status.name === 'COMPLETED')
  return run && client.workflow.getHandle(run.workflowId, run.runId, { followRuns: false }).result()
}
