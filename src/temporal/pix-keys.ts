import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Workflow, WorkflowIdReusePolicy } from '@temporalio/common'
import { awaitResultUpdate } from '../workflows/contracts/messages.ts'
import type { PixKeyInput, VerificationCodeInput } from '../workflows/contracts/pix-keys.ts'
import {
  pixKeyRemovalWorkflowId,
  pixKeyWorkflowId,
  SEARCH_ATTRIBUTES,
  verificationCodeWorkflowId,
} from '../workflows/contracts/workflow-ids.ts'
import type { pixKeyRemovalWorkflow, pixKeyWorkflow } from '../workflows/pix-keys/pix-key.workflows.ts'
import type { verificationCodeWorkflow } from '../workflows/pix-keys/verification-code.workflow.ts'
import type { WorkflowClientContext } from './workflow-options.ts'

/**
 * Client calls that start workflows of PIX keys, or join the running ones; safe to repeat. Ids, summaries and search
 * attributes contain no key and no address.
 */

/** Starts or joins the workflow that creates a PIX key; resolves when the key is created or cannot be. */
export function startPixKeyWorkflow(
  engine: WorkflowClientContext,
  input: PixKeyInput,
  waitMs: number,
): Promise<void> {
  return startAndAwaitAnswer<typeof pixKeyWorkflow>(engine, 'pixKeyWorkflow', {
    ...input,
    workflowId: pixKeyWorkflowId(input.uuid),
    summary: `PIX key, ${input.type}`,
    updateId: input.uuid,
    reusePolicy: 'REJECT_DUPLICATE',
    args: [input],
    waitMs,
  })
}

export type PixKeyRemovalRequest = {
  uuid: string
  accountUuid: string
  connectionUuid: string
  requestId: string
}

/**
 * Starts or joins the workflow that removes a PIX key; resolves when the key is removed or stays. A failed removal
 * may be requested again.
 */
export function startPixKeyRemovalWorkflow(
  engine: WorkflowClientContext,
  removal: PixKeyRemovalRequest,
  { updateId, waitMs }: { updateId: string; waitMs: number },
): Promise<void> {
  return startAndAwaitAnswer<typeof pixKeyRemovalWorkflow>(engine, 'pixKeyRemovalWorkflow', {
    ...removal,
    workflowId: pixKeyRemovalWorkflowId(removal.uuid),
    summary: 'Removal of a PIX key',
    updateId,
    reusePolicy: 'ALLOW_DUPLICATE',
    args: [{ uuid: removal.uuid, timeScale: engine.timeScale }],
    waitMs,
  })
}

/**
 * Starts or joins the workflow of a verification code; resolves when the code is stored. Sending continues in the
 * workflow.
 */
export function startVerificationCodeWorkflow(
  engine: WorkflowClientContext,
  input: VerificationCodeInput,
  waitMs: number,
): Promise<void> {
  return startAndAwaitAnswer<typeof verificationCodeWorkflow>(engine, 'verificationCodeWorkflow', {
    ...input,
    workflowId: verificationCodeWorkflowId(input.uuid),
    summary: `Code for a key, ${input.type}`,
    updateId: input.uuid,
    reusePolicy: 'REJECT_DUPLICATE',
    args: [input],
    waitMs,
  })
}

type KeyStartRequest<T extends Workflow> = {
  workflowId: string
  accountUuid: string
  connectionUuid?: string
  requestId: string
  summary: string
  updateId: string
  reusePolicy: WorkflowIdReusePolicy
  args: Parameters<T>
  waitMs: number
}

async function startAndAwaitAnswer<T extends Workflow>(
  engine: WorkflowClientContext,
  type: string,
  { workflowId, reusePolicy, args, ...request }: KeyStartRequest<T>,
): Promise<void> {
  const client = await engine.client()
  const start = new WithStartWorkflowOperation<T>(type, {
    workflowId,
    args,
    taskQueue: engine.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reusePolicy,
    memo: { requestId: request.requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: request.accountUuid },
      ...(request.connectionUuid ? [{ key: SEARCH_ATTRIBUTES.provider, value: request.connectionUuid }] : []),
    ],
    staticSummary: request.summary,
  } as never)
  await client.withDeadline(Date.now() + request.waitMs, () =>
    client.workflow.executeUpdateWithStart(awaitResultUpdate, {
      updateId: request.updateId,
      startWorkflowOperation: start,
    }),
  )
}
