import type { Client, WorkflowExecutionInfo } from '@temporalio/client'
import { defaultPayloadConverter, WorkflowNotFoundError } from '@temporalio/common'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/workflow-ids.ts'

/** What Temporal knows of lives, whatever became of their rows: it forgets none within its retention. */

/** What was ordered, as far as every order says it. */
type IdentifiedInput = { uuid: string }

/** All that there is of one life. */
export type WorkflowHistory<Order extends IdentifiedInput> = {
  input: Order
  startedAt: Date
  /** What its last run was begun with: the order, a rebuilt one, or only whose row to resume. */
  lastInput: Partial<Order>
  isRunning: boolean
  /** What the last run came to that ended by itself. */
  result?: string
  /** The connection that carried it last, as far as it has told, and what it was ordered by. */
  connectionUuid?: string
  externalRef?: string
  /** Of all its runs that are remembered, the first one first. */
  runIds: string[]
}

/** Ids of lives, whether they run, and the status that they showed last. */
export type WorkflowStates = Map<string, { isRunning: boolean; statusAttribute?: string }>

/** The lives of these types that had begun before one moment and were not over at another. */
export function listWorkflowsBetween(
  client: Client,
  types: string[],
  { since, before }: TimeRange,
): Promise<WorkflowStates> {
  const [from, to] = [since.toISOString(), before.toISOString()]
  const which = `StartTime < '${to}' AND (ExecutionStatus = 'Running' OR CloseTime >= '${from}')`
  return listWorkflows(client, types, which)
}
type TimeRange = { since: Date; before: Date }

/** The lives of these types that run. */
export function listRunningWorkflows(client: Client, types: string[]): Promise<WorkflowStates> {
  return listWorkflows(client, types, `ExecutionStatus = 'Running'`)
}

/**
 * Returns which of these workflows run: one list, and one description of each that is not in it. A list of Temporal is late by
 * seconds, so a workflow that ended just now may still be among the answers; `isRunning` says it exactly, of one.
 */
export async function findRunningWorkflows(client: Client, workflowIds: string[]): Promise<Set<string>> {
  const query = `WorkflowId IN (${workflowIds.map(id => `'${id}'`).join(', ')}) AND ExecutionStatus = 'Running'`
  const running = new Set<string>()
  for await (const { workflowId } of client.workflow.list({ query })) running.add(workflowId)
  for (const id of workflowIds.filter(one => !running.has(one)))
    if (await isWorkflowRunning(client, id)) running.add(id)
  return running
}

/** Returns whether a workflow runs, from its own description, which is never late. */
export async function isWorkflowRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe()
    return status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Null where the run that was ordered is forgotten. */
export async function readWorkflowHistory<Order extends IdentifiedInput>(
  client: Client,
  workflowId: string,
  uuid: string,
): Promise<WorkflowHistory<Order> | null> {
  const runs = await listRuns(client, workflowId)
  const inputs = await Promise.all(runs.map(run => readRunInput<Order>(client, run)))
  const first = inputs.findIndex(input => input.uuid === uuid)
  if (first < 0) return null
  const ended = await readLastResult(client, runs)
  const told = (name: 'provider' | 'externalRef') =>
    runs
      .map(run => run.typedSearchAttributes.get(SEARCH_ATTRIBUTES[name]))
      .findLast(value => value !== undefined)
  const [connectionUuid, externalRef] = [told('provider'), told('externalRef')]
  return {
    input: inputs[first]!,
    startedAt: runs[first]!.startTime,
    lastInput: inputs.at(-1)!,
    isRunning: runs.at(-1)!.status.name === 'RUNNING',
    runIds: runs.map(({ runId }) => runId),
    ...(ended !== undefined && { result: ended }),
    ...(connectionUuid !== undefined && { connectionUuid }),
    ...(externalRef !== undefined && { externalRef }),
  }
}

/** Whether there was, or is, such a life. */
export async function hasWorkflow(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).describe()
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Ends a life where it runs. */
export async function terminateWorkflow(client: Client, workflowId: string, why: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate(why)
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

async function listWorkflows(client: Client, types: string[], which: string): Promise<WorkflowStates> {
  const lives: WorkflowStates = new Map()
  const query = `WorkflowType IN (${types.map(type => `'${type}'`).join(', ')}) AND ${which}`
  for await (const { workflowId, status, typedSearchAttributes } of client.workflow.list({ query })) {
    const known = lives.get(workflowId)
    const isRunning = status.name === 'RUNNING'
    // Of several runs the one that runs, or else the latest, which is listed first.
    const shows =
      isRunning || !known ? typedSearchAttributes.get(SEARCH_ATTRIBUTES.status) : known.statusAttribute
    lives.set(workflowId, {
      isRunning: isRunning || known?.isRunning === true,
      ...(shows !== undefined && { statusAttribute: shows }),
    })
  }
  return lives
}

/** All runs of a life, the first one first: those after it were woken, or rebuilt. */
async function listRuns(client: Client, workflowId: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = []
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run)
  return runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime())
}

async function readRunInput<T>(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<T> {
  const { workflowService, options } = client.workflow
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  })
  const started = history!.events![0]!.workflowExecutionStartedEventAttributes!
  return defaultPayloadConverter.fromPayload(started.input!.payloads![0]!)
}

async function readLastResult(client: Client, runs: WorkflowExecutionInfo[]): Promise<string | undefined> {
  const run = runs.findLast(({ status }) => status.name === 'COMPLETED')
  return run && client.workflow.getHandle(run.workflowId, run.runId, { followRuns: false }).result()
}
