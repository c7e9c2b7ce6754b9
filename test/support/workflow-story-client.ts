import { WithStartWorkflowOperation, type WorkflowClient } from '@temporalio/client'
import { type SearchAttributePair, type UpdateDefinition, WorkflowNotFoundError } from '@temporalio/common'
import {
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../../src/workflows/contracts/provider-notifications.ts'

/** A client for one workflow. It uses the same messages and policies as src/temporal does. */
export type WorkflowTarget = { client: WorkflowClient; taskQueue: string; workflowId: string }

/** A workflow type, its input, and the search attributes of its start. */
export type WorkflowStart = { type: string; input: unknown; searchAttributes?: SearchAttributePair[] }

const UPDATE_TIMEOUT_MS = 60_000

/** Starts a workflow. */
export async function startWorkflow(
  { client, ...target }: WorkflowTarget,
  { type, input, searchAttributes = [] }: WorkflowStart,
): Promise<void> {
  await client.start(type, { ...target, args: [input], typedSearchAttributes: searchAttributes })
}

/** Starts a workflow, or joins the running one, and sends it an update. */
export function startAndUpdate<Answer>(
  target: WorkflowTarget,
  workflowStart: WorkflowStart,
  request: UpdateRequest<Answer>,
): Promise<Answer> {
  return updateWithStart(target, { start: workflowStart, request, reuse: 'REJECT_DUPLICATE' })
}

/** Sends an update, and reopens the workflow for it with this input where it has ended. */
export function reopenAndUpdate<Answer>(
  target: WorkflowTarget,
  workflowStart: WorkflowStart,
  request: UpdateRequest<Answer>,
): Promise<Answer> {
  return updateWithStart(target, { start: workflowStart, request, reuse: 'ALLOW_DUPLICATE' })
}

/** Sends an update to a running workflow, and resolves when it is accepted. */
export function startUpdate<Answer>(
  { client, workflowId }: WorkflowTarget,
  { update, updateId, args = [] }: UpdateRequest<Answer>,
): Promise<{ result(): Promise<Answer> }> {
  return withUpdateTimeout(client, () =>
    client
      .getHandle(workflowId)
      .startUpdate(update, { updateId, args: args as [], waitForStage: 'ACCEPTED' }),
  )
}

/** Signals a workflow, and reopens it with this input where it has ended. */
export async function reopenAndSignal(
  { client, ...target }: WorkflowTarget,
  workflowStart: WorkflowStart,
  notification: ProviderNotificationSignal,
): Promise<void> {
  await client.signalWithStart(workflowStart.type, {
    ...target,
    args: [workflowStart.input],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    signal: providerNotificationSignal,
    signalArgs: [notification],
  })
}

/** Signals a running workflow; false where there is none. */
export async function signalIfRunning(
  { client, workflowId }: WorkflowTarget,
  notification: ProviderNotificationSignal,
): Promise<boolean> {
  try {
    await client.getHandle(workflowId).signal(providerNotificationSignal, notification)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Sends an update to a running workflow. */
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
  { client, ...target }: WorkflowTarget,
  { start: workflowStart, request, reuse }: StartAndUpdateInput<Answer>,
): Promise<Answer> {
  const startWorkflowOperation = new WithStartWorkflowOperation(workflowStart.type, {
    ...target,
    args: [workflowStart.input],
    typedSearchAttributes: workflowStart.searchAttributes ?? [],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
  })
  const { update, updateId, args = [] } = request
  return withUpdateTimeout(client, () =>
    client.executeUpdateWithStart(update, { updateId, args: args as [], startWorkflowOperation }),
  )
}

function withUpdateTimeout<Answer>(
  client: WorkflowClient,
  operation: () => Promise<Answer>,
): Promise<Answer> {
  return client.withDeadline(Date.now() + UPDATE_TIMEOUT_MS, operation)
}
