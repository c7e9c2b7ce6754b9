import { WithStartWorkflowOperation, type WorkflowClient } from '@temporalio/client'
import { type SearchAttributePair, type UpdateDefinition, WorkflowNotFoundError } from '@temporalio/common'
import { type ProviderNotice, providerNotice } from '../../src/workflows/messages.ts'

/** A life's door. The stories knock at it by the same messages and policies as src/engine does. */
export type Door = { client: WorkflowClient; taskQueue: string; workflowId: string }

/** A kind of life, the input it begins with, and what its start shows an operator. */
export type Life = { type: string; input: unknown; shown?: SearchAttributePair[] }

const WAIT_MS = 60_000

/** Starts a life. */
export async function begin({ client, ...door }: Door, { type, input, shown }: Life): Promise<void> {
  await client.start(type, { ...door, args: [input], typedSearchAttributes: shown ?? [] })
}

/** Starts a life that was never there, or joins it, and asks it for something. */
export function beginAndAsk<Answer>(door: Door, life: Life, ask: Asking<Answer>): Promise<Answer> {
  return startAndAsk(door, { life, ask, reuse: 'REJECT_DUPLICATE' })
}

/** Asks a life for something and wakes it for that, with this input, where it has ended. */
export function wakeAndAsk<Answer>(door: Door, life: Life, ask: Asking<Answer>): Promise<Answer> {
  return startAndAsk(door, { life, ask, reuse: 'ALLOW_DUPLICATE' })
}

/** Asks a life that runs for something, and comes back when it has heard it. */
export function startToAsk<Answer>(
  { client, workflowId }: Door,
  { update, updateId }: Asking<Answer>,
): Promise<{ result(): Promise<Answer> }> {
  return inTime(client, () =>
    client.getHandle(workflowId).startUpdate(update, { updateId, waitForStage: 'ACCEPTED' }),
  )
}

/** Signals a life and wakes it for that, with this input, where it has ended. */
export async function wake({ client, ...door }: Door, life: Life, notice: ProviderNotice): Promise<void> {
  await client.signalWithStart(life.type, {
    ...door,
    args: [life.input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: providerNotice,
    signalArgs: [notice],
  })
}

/** Signals a life that runs; false where there is none. */
export async function tell({ client, workflowId }: Door, notice: ProviderNotice): Promise<boolean> {
  try {
    await client.getHandle(workflowId).signal(providerNotice, notice)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Asks a life that runs for something. */
export function askRunning<Answer>(
  { client, workflowId }: Door,
  { update, updateId }: Asking<Answer>,
): Promise<Answer> {
  return inTime(client, () => client.getHandle(workflowId).executeUpdate(update, { updateId }))
}

export type Asking<Answer> = { update: UpdateDefinition<Answer, []>; updateId: string; args?: unknown[] }
type Knock<Answer> = { life: Life; ask: Asking<Answer>; reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE' }

function startAndAsk<Answer>(
  { client, ...door }: Door,
  { life, ask, reuse }: Knock<Answer>,
): Promise<Answer> {
  const startWorkflowOperation = new WithStartWorkflowOperation(life.type, {
    ...door,
    args: [life.input],
    typedSearchAttributes: life.shown ?? [],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
  })
  const { update, updateId, args = [] } = ask
  return inTime(client, () =>
    client.executeUpdateWithStart(update, { updateId, args: args as [], startWorkflowOperation }),
  )
}

function inTime<Answer>(client: WorkflowClient, ask: () => Promise<Answer>): Promise<Answer> {
  return client.withDeadline(Date.now() + WAIT_MS, ask)
}
