import { WithStartWorkflowOperation } from '@temporalio/client'
import type { Workflow, WorkflowIdReusePolicy } from '@temporalio/common'
import type { authCodeWorkflow } from '../workflows/auth-code.ts'
import { ATTRIBUTES, authCodeId, pixKeyId, pixKeyRemovalId } from '../workflows/ids.ts'
import type { AuthCodeOrder, PixKeyOrder } from '../workflows/key-messages.ts'
import { answered } from '../workflows/messages.ts'
import type { pixKeyRemovalWorkflow, pixKeyWorkflow } from '../workflows/pix-key.ts'
import type { Engine } from './start.ts'

/** The doors of keys; every one may be knocked at twice. Nothing that is seen of a life names a key or an address. */

/** Starts a key's life, or joins it, and resolves when it is made or cannot be. */
export function beginPixKey(engine: Engine, order: PixKeyOrder, waitMs: number): Promise<void> {
  return begin<typeof pixKeyWorkflow>(engine, 'pixKeyWorkflow', {
    ...order,
    workflowId: pixKeyId(order.uuid),
    summary: `PIX key, ${order.type}`,
    updateId: order.uuid,
    reuse: 'REJECT_DUPLICATE',
    args: [order],
    waitMs,
  })
}

export type Removal = { uuid: string; accountUuid: string; connectionUuid: string; requestId: string }

/** Starts a key's removal, or joins it, and resolves when it is gone or stays; one that stayed may be removed again. */
export function beginRemoval(
  engine: Engine,
  removal: Removal,
  { updateId, waitMs }: { updateId: string; waitMs: number },
): Promise<void> {
  return begin<typeof pixKeyRemovalWorkflow>(engine, 'pixKeyRemovalWorkflow', {
    ...removal,
    workflowId: pixKeyRemovalId(removal.uuid),
    summary: 'Removal of a PIX key',
    updateId,
    reuse: 'ALLOW_DUPLICATE',
    args: [{ uuid: removal.uuid, timeScale: engine.timeScale }],
    waitMs,
  })
}

/** Starts a code's life, or joins it, and resolves when it is stored; sending it goes on. */
export function beginAuthCode(engine: Engine, order: AuthCodeOrder, waitMs: number): Promise<void> {
  return begin<typeof authCodeWorkflow>(engine, 'authCodeWorkflow', {
    ...order,
    workflowId: authCodeId(order.uuid),
    summary: `Code for a key, ${order.type}`,
    updateId: order.uuid,
    reuse: 'REJECT_DUPLICATE',
    args: [order],
    waitMs,
  })
}

type Beginning<T extends Workflow> = {
  workflowId: string
  accountUuid: string
  connectionUuid?: string
  requestId: string
  summary: string
  updateId: string
  reuse: WorkflowIdReusePolicy
  args: Parameters<T>
  waitMs: number
}

async function begin<T extends Workflow>(
  engine: Engine,
  type: string,
  { workflowId, reuse, args, ...more }: Beginning<T>,
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
      { key: ATTRIBUTES.account, value: more.accountUuid },
      ...(more.connectionUuid ? [{ key: ATTRIBUTES.provider, value: more.connectionUuid }] : []),
    ],
    staticSummary: more.summary,
  } as never)
  await client.withDeadline(Date.now() + more.waitMs, () =>
    client.workflow.executeUpdateWithStart(answered, {
      updateId: more.updateId,
      startWorkflowOperation: start,
    }),
  )
}
