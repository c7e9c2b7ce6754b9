import type { Client, WorkflowExecutionInfo } from '@temporalio/client'
import { defaultPayloadConverter, WorkflowNotFoundError } from '@temporalio/common'
import { ATTRIBUTES } from '../workflows/ids.ts'

/** What Temporal knows of lives, whatever became of their rows: it forgets none within its retention. */

/** What was ordered, as far as every order says it. */
type Ordered = { uuid: string }

/** All that there is of one life. */
export type Past<Order extends Ordered> = {
  order: Order
  orderedAt: Date
  /** What its last run was begun with: the order, a rebuilt one, or only whose row to resume. */
  lastInput: Partial<Order>
  isRunning: boolean
  /** What the last run came to that ended by itself. */
  ended?: string
  /** The connection that carried it last, as far as it has told, and what it was ordered by. */
  connectionUuid?: string
  externalRef?: string
  /** Of all its runs that are remembered, the first one first. */
  runIds: string[]
}

/** Ids of lives, whether they run, and the status that they showed last. */
export type Lives = Map<string, { isRunning: boolean; shows?: string }>

/** The lives of these types that had begun before one moment and were not over at another. */
export function livesBetween(client: Client, types: string[], { since, before }: Between): Promise<Lives> {
  const [from, to] = [since.toISOString(), before.toISOString()]
  const which = `StartTime < '${to}' AND (ExecutionStatus = 'Running' OR CloseTime >= '${from}')`
  return livesOf(client, types, which)
}
type Between = { since: Date; before: Date }

/** The lives of these types that run. */
export function runningLives(client: Client, types: string[]): Promise<Lives> {
  return livesOf(client, types, `ExecutionStatus = 'Running'`)
}

/**
 * Returns which of these workflows run: one list, and one description of each that is not in it. A list of Temporal is late by
 * seconds, so a workflow that ended just now may still be among the answers; `isRunning` says it exactly, of one.
 */
export async function runningAmong(client: Client, workflowIds: string[]): Promise<Set<string>> {
  const query = `WorkflowId IN (${workflowIds.map(id => `'${id}'`).join(', ')}) AND ExecutionStatus = 'Running'`
  const running = new Set<string>()
  for await (const { workflowId } of client.workflow.list({ query })) running.add(workflowId)
  for (const id of workflowIds.filter(one => !running.has(one)))
    if (await isRunning(client, id)) running.add(id)
  return running
}

/** Returns whether a workflow runs, from its own description, which is never late. */
export async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe()
    return status.name === 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Null where the run that was ordered is forgotten. */
export async function pastOf<Order extends Ordered>(
  client: Client,
  workflowId: string,
  uuid: string,
): Promise<Past<Order> | null> {
  const runs = await runsOf(client, workflowId)
  const inputs = await Promise.all(runs.map(run => inputOf<Order>(client, run)))
  const first = inputs.findIndex(input => input.uuid === uuid)
  if (first < 0) return null
  const ended = await endOf(client, runs)
  const told = (name: 'provider' | 'externalRef') =>
    runs.map(run => run.typedSearchAttributes.get(ATTRIBUTES[name])).findLast(value => value !== undefined)
  const [connectionUuid, externalRef] = [told('provider'), told('externalRef')]
  return {
    order: inputs[first]!,
    orderedAt: runs[first]!.startTime,
    lastInput: inputs.at(-1)!,
    isRunning: runs.at(-1)!.status.name === 'RUNNING',
    runIds: runs.map(({ runId }) => runId),
    ...(ended !== undefined && { ended }),
    ...(connectionUuid !== undefined && { connectionUuid }),
    ...(externalRef !== undefined && { externalRef }),
  }
}

/** Whether there was, or is, such a life. */
export async function hasLived(client: Client, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).describe()
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Ends a life where it runs. */
export async function endLife(client: Client, workflowId: string, why: string): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId).terminate(why)
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error
  }
}

async function livesOf(client: Client, types: string[], which: string): Promise<Lives> {
  const lives: Lives = new Map()
  const query = `WorkflowType IN (${types.map(type => `'${type}'`).join(', ')}) AND ${which}`
  for await (const { workflowId, status, typedSearchAttributes } of client.workflow.list({ query })) {
    const known = lives.get(workflowId)
    const isRunning = status.name === 'RUNNING'
    // Of several runs the one that runs, or else the latest, which is listed first.
    const shows = isRunning || !known ? typedSearchAttributes.get(ATTRIBUTES.status) : known.shows
    lives.set(workflowId, {
      isRunning: isRunning || known?.isRunning === true,
      ...(shows !== undefined && { shows }),
    })
  }
  return lives
}

/** All runs of a life, the first one first: those after it were woken, or rebuilt. */
async function runsOf(client: Client, workflowId: string): Promise<WorkflowExecutionInfo[]> {
  const runs: WorkflowExecutionInfo[] = []
  for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(run)
  return runs.sort((a, b) => a.startTime.getTime() - b.startTime.getTime())
}

async function inputOf<T>(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<T> {
  const { workflowService, options } = client.workflow
  const { history } = await workflowService.getWorkflowExecutionHistory({
    namespace: options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  })
  const started = history!.events![0]!.workflowExecutionStartedEventAttributes!
  return defaultPayloadConverter.fromPayload(started.input!.payloads![0]!)
}

async function endOf(client: Client, runs: WorkflowExecutionInfo[]): Promise<string | undefined> {
  const run = runs.findLast(({ status }) => status.name === 'COMPLETED')
  return run && client.workflow.getHandle(run.workflowId, run.runId, { followRuns: false }).result()
}
