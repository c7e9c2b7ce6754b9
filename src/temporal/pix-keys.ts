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

/** The doors of keys; every one may be knocked at twice. Nothing that is seen of a life names a key or an address. */

/** Starts a key's life, or joins it, and resolves when it is made or cannot be. */
export function startPixKeyWorkflow(
  engine: WorkflowClientContext,
  order: PixKeyInput,
  waitMs: number,
): Promise<void> {
  return startAndAwaitAnswer<typeof pixKeyWorkflow>(engine, 'pixKeyWorkflow', {
    ...order,
    workflowId: pixKeyWorkflowId(order.uuid),
    summary: `PIX key, ${order.type}`,
    updateId: order.uuid,
    reusePolicy: 'REJECT_DUPLICATE',
    args: [order],
    waitMs,
  })
}

export type PixKeyRemovalRequest = {
  uuid: string
  accountUuid: string
  connectionUuid: string
  requestId: string
}

/** Starts a key's removal, or joins it, and resolves when it is gone or stays; one that stayed may be removed again. */
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

/** Starts a code's life, or joins it, and resolves when it is stored; sending it goes on. */
export function startVerificationCodeWorkflow(
  engine: WorkflowClientContext,
  order: VerificationCodeInput,
  waitMs: number,
): Promise<void> {
  return startAndAwaitAnswer<typeof verificationCodeWorkflow>(engine, 'verificationCodeWorkflow', {
    ...order,
    workflowId: verificationCodeWorkflowId(order.uuid),
    summary: `Code for a key, ${order.type}`,
    updateId: order.uuid,
    reusePolicy: 'REJECT_DUPLICATE',
    args: [order],
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
  { workflowId, reusePolicy: reuse, args, ...more }: KeyStartRequest<T>,
): Promise<void> {
  const client = await engine.client()
  const start = new WithStartWorkflowOperation<T>(type, {
    workflowId,
    args,
    taskQueue: engine.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: reuse,
    memo: { requestId: more.requestId },
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.account, value: more.accountUuid },
      ...(more.connectionUuid ? [{ key: SEARCH_ATTRIBUTES.provider, value: more.connectionUuid }] : []),
    ],
    staticSummary: more.summary,
  } as never)
  await client.withDeadline(Date.now() + more.waitMs, () =>
    client.workflow.executeUpdateWithStart(awaitResultUpdate, {
      updateId: more.updateId,
      startWorkflowOperation: start,
    }),
  )
}
