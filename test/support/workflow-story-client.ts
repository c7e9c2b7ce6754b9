import { WithStartWorkflowOperation, type WorkflowClient } from '@temporalio/client'
import { type SearchAttributePair, type UpdateDefinition, WorkflowNotFoundError } from '@temporalio/common'
import {
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../../src/workflows/contracts/provider-notifications.ts'

/** A life's door. The stories knock at it by the same messages and policies as src/engine does. */
export type WorkflowTarget = { client: WorkflowClient; taskQueue: string; workflowId: string }

/** A kind of life, the input it begins with, and what its start shows an operator. */
export type WorkflowStart = { type: string; input: unknown; searchAttributes?: SearchAttributePair[] }

const UPDATE_TIMEOUT_MS = 60_000

/** Starts a life. */
export async function startWorkflow(
  { client, ...door }: WorkflowTarget,
  { type, input, searchAttributes: shown }: WorkflowStart,
): Promise<void> {
  await client.start(type, { ...door, args: [input], typedSearchAttributes: shown ?? [] })
}

/** Starts a life that was never there, or joins it, and asks it for something. */
export function startAndUpdate<Answer>(
  door: WorkflowTarget,
  life: WorkflowStart,
  ask: UpdateRequest<Answer>,
): Promise<Answer> {
  return updateWithStart(door, { start: life, request: ask, reuse: 'REJECT_DUPLICATE' })
}

/** Asks a life for something and wakes it for that, with this input, where it has ended. */
export function reopenAndUpdate<Answer>(
  door: WorkflowTarget,
  life: WorkflowStart,
  ask: UpdateRequest<Answer>,
): Promise<Answer> {
  return updateWithStart(door, { start: life, request: ask, reuse: 'ALLOW_DUPLICATE' })
}

/** Asks a life that runs for something, and comes back when it has heard it. */
export function startUpdate<Answer>(
  { client, workflowId }: WorkflowTarget,
  { update, updateId }: UpdateRequest<Answer>,
): Promise<{ result(): Promise<Answer> }> {
  return withUpdateTimeout(client, () =>
    client.getHandle(workflowId).startUpdate(update, { updateId, waitForStage: 'ACCEPTED' }),
  )
}

/** Signals a life and wakes it for that, with this input, where it has ended. */
export async function reopenAndSignal(
  { client, ...door }: WorkflowTarget,
  life: WorkflowStart,
  notice: ProviderNotificationSignal,
): Promise<void> {
  await client.signalWithStart(life.type, {
    ...door,
    args: [life.input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: providerNotificationSignal,
    signalArgs: [notice],
  })
}

/** Signals a life that runs; false where there is none. */
export async function signalIfRunning(
  { client, workflowId }: WorkflowTarget,
  notice: ProviderNotificationSignal,
): Promise<boolean> {
  try {
    await client.getHandle(workflowId).signal(providerNotificationSignal, notice)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Asks a life that runs for something. */
export function updateRunning<Answer>(
  { client, workflowId }: WorkflowTarget,
  { update, updateId }: UpdateRequest<Answer>,
): Promise<Answer> {
  return withUpdateTimeout(client, () => client.getHandle(workflowId).executeUpdate(update, { updateId }))
}

export type UpdateRequest<Answer> = {
  update: UpdateDefinition<Answer, []>
  updateId: string
  args?: unknown[]
}
type StartAndUpdateInput<Answer> = {
  start: WorkflowStart
  request: UpdateRequest<Answer>
  reuse: 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE'
}

function updateWithStart<Answer>(
  { client, ...door }: WorkflowTarget,
  { start: life, request: ask, reuse }: StartAndUpdateInput<Answer>,
): Promise<Answer> {
  const startWorkflowOperation = new WithStartWorkflowOperation(life.type, {
    ...door,
    args: [life.input],
    typedSearchAttributes: life.searchAttributes ?? [],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
  })
  const { update, updateId, args = [] } = ask
  return withUpdateTimeout(client, () =>
    client.executeUpdateWithStart(update, { updateId, args: args as [], startWorkflowOperation }),
  )
}

function withUpdateTimeout<Answer>(client: WorkflowClient, ask: () => Promise<Answer>): Promise<Answer> {
  return client.withDeadline(Date.now() + UPDATE_TIMEOUT_MS, ask)
}
