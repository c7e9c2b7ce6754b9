import { WithStartWorkflowOperation } from '@temporalio/client'
import { type Workflow, WorkflowNotFoundError } from '@temporalio/common'
import type { chargeWorkflow } from '../workflows/charge.ts'
import { chargeId, pixKeyId, refundId, transferId } from '../workflows/ids.ts'
import {
  answered,
  type CancelAnswer,
  type ChargeOrder,
  cancelCharge,
  cancelTransfer,
  type RefundOrder,
  ready,
  type TransferOrder,
} from '../workflows/messages.ts'
import type { refundWorkflow } from '../workflows/refund.ts'
import type { transferWorkflow } from '../workflows/transfer.ts'
import { again, chargeLife, type Engine, type Life, sendingLife } from './start.ts'

/**
 * Starts and updates workflows on behalf of HTTP requests. Idempotent by workflow id. Only creating may issue or send; all other
 * calls read or cancel.
 */

/** Starts a charge's workflow, or joins the running one; resolves when the charge is issued or has failed. */
export async function openCharge(
  engine: Engine,
  order: ChargeOrder,
  seen: { externalRef?: string; provider: string; waitMs: number },
): Promise<void> {
  const client = await engine.client()
  const start = new WithStartWorkflowOperation<typeof chargeWorkflow>('chargeWorkflow', {
    ...chargeLife(order, seen),
    taskQueue: engine.taskQueue,
    args: [order],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  })
  await client.withDeadline(Date.now() + seen.waitMs, () =>
    client.workflow.executeUpdateWithStart(ready, { updateId: order.uuid, startWorkflowOperation: start }),
  )
}

/** Starts a refund's workflow, or joins the running one; resolves when the refund is accepted or has failed. */
export function beginRefund(engine: Engine, order: RefundOrder, waitMs: number): Promise<void> {
  return beginSending<typeof refundWorkflow>(engine, 'refundWorkflow', {
    ...sendingLife(refundId(order.uuid), order, { provider: order.connectionUuid }),
    args: [order],
    waitMs,
    updateId: order.uuid,
  })
}

/** Starts a transfer's workflow, or joins the running one; resolves when a provider has accepted or all have refused. */
export function beginTransfer(
  engine: Engine,
  order: TransferOrder,
  seen: { externalRef: string | undefined; waitMs: number },
): Promise<void> {
  return beginSending<typeof transferWorkflow>(engine, 'transferWorkflow', {
    ...sendingLife(transferId(order.uuid), order, { ...seen, provider: order.candidates[0]! }),
    args: [order],
    waitMs: seen.waitMs,
    updateId: order.uuid,
  })
}

type Beginning<T extends Workflow> = Life & { args: Parameters<T>; waitMs: number; updateId: string }

async function beginSending<T extends Workflow>(
  engine: Engine,
  type: string,
  { args, waitMs, updateId, ...life }: Beginning<T>,
): Promise<void> {
  const client = await engine.client()
  const start = new WithStartWorkflowOperation<T>(type, {
    ...life,
    taskQueue: engine.taskQueue,
    args,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  } as never)
  await client.withDeadline(Date.now() + waitMs, () =>
    client.workflow.executeUpdateWithStart(answered, { updateId, startWorkflowOperation: start }),
  )
}

/** The workflow id of each noun, and the update that its creator waits for. */
const BEGUN = {
  charge: { idOf: chargeId, waited: ready.name },
  transfer: { idOf: transferId, waited: answered.name },
  refund: { idOf: refundId, waited: answered.name },
  pix_key: { idOf: pixKeyId, waited: answered.name },
} as const

/** Waits for the update that a parallel request started. Returns on any interruption: the caller reads the row. */
export async function joinBegun(
  engine: Engine,
  { kind, uuid, waitMs }: { kind: keyof typeof BEGUN; uuid: string; waitMs: number },
): Promise<void> {
  const { idOf, waited } = BEGUN[kind]
  const join = async () => {
    const client = await engine.client()
    const life = client.workflow.getHandle(idOf(uuid))
    const deadline = Date.now() + waitMs
    await client.withDeadline(deadline, () => life.executeUpdate(waited, { updateId: uuid }))
  }
  await join().catch(() => undefined)
}

/** Cancels a scheduled transfer by update. False: it was sent already. `gone`: its workflow has completed. */
export async function cancelWaitingTransfer(
  engine: Engine,
  uuid: string,
  request: { updateId: string; waitMs: number },
): Promise<boolean | 'gone'> {
  const client = await engine.client()
  try {
    return await client.withDeadline(Date.now() + request.waitMs, () =>
      client.workflow
        .getHandle(transferId(uuid))
        .executeUpdate(cancelTransfer, { updateId: request.updateId }),
    )
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'gone'
    throw error
  }
}

/** Cancels a charge by update; starts its workflow from its row where none runs. */
export async function cancelStoredCharge(
  engine: Engine,
  uuid: string,
  request: { updateId: string; waitMs: number },
): Promise<CancelAnswer> {
  const client = await engine.client()
  const start = new WithStartWorkflowOperation<typeof chargeWorkflow>('chargeWorkflow', {
    ...again(engine, chargeId(uuid)),
    args: [{ resume: uuid, timeScale: engine.timeScale }],
  })
  return client.withDeadline(Date.now() + request.waitMs, () =>
    client.workflow.executeUpdateWithStart(cancelCharge, {
      updateId: request.updateId,
      startWorkflowOperation: start,
    }),
  )
}
