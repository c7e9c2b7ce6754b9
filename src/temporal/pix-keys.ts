import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Workflow, WorkflowIdReusePolicy } from '@temporalio/common'
import { awaitResultUpdate } from '../workflows/contracts/await-result.ts'
import {
  PIX_KEY_REMOVAL_WORKFLOW,
  PIX_KEY_WORKFLOW,
  type PixKeyInput,
  type PixKeyRemovalWorkflowSignature,
  type PixKeyWorkflowSignature,
  pixKeyRemovalWorkflowId,
  pixKeyWorkflowId,
  VERIFICATION_CODE_WORKFLOW,
  type VerificationCodeInput,
  type VerificationCodeWorkflowSignature,
  verificationCodeWorkflowId,
} from '../workflows/contracts/pix-keys.ts'
import { SEARCH_ATTRIBUTES } from '../workflows/contracts/search-attributes.ts'
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
  return startAndAwaitAnswer<PixKeyWorkflowSignature>(engine, PIX_KEY_WORKFLOW, {
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
  return startAndAwaitAnswer<PixKeyRemovalWorkflowSignature>(engine, PIX_KEY_REMOVAL_WORKFLOW, {
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
  return startAndAwaitAnswer<VerificationCodeWorkflowSignature>(engine, VERIFICATION_CODE_WORKFLOW, {
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
