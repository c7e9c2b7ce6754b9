import { type Client, WithStartWorkflowOperation } from '@temporalio/client'
import { type Workflow, WorkflowNotFoundError } from '@temporalio/common'
import type { Deposit } from '../activities/deposits.ts'
import type { chargeWorkflow } from '../workflows/charge.ts'
import type { depositWorkflow } from '../workflows/deposit.ts'
import { chargeId, depositId, orphanId, refundId, returnId, transferId } from '../workflows/ids.ts'
import {
  answered,
  type CancelAnswer,
  type ChargeOrder,
  cancelCharge,
  cancelTransfer,
  type ProviderNotice,
  providerNotice,
  type RefundOrder,
  ready,
  type TransferOrder,
} from '../workflows/messages.ts'
import type { orphanWorkflow } from '../workflows/orphan.ts'
import type { refundWorkflow } from '../workflows/refund.ts'
import type { returnWorkflow } from '../workflows/return.ts'
import type { transferWorkflow } from '../workflows/transfer.ts'
import { chargeLife, type Engine, type Life, sendingLife } from './start.ts'

/**
 * The doors to the lives. Create is the only one that may issue; resume wakes an ended life from its row; a notice that
 * finds neither waits in the inbox. Every door may be knocked at twice.
 */

/** Starts a charge's life, or joins it, and resolves when it is issued or cannot be. */
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

/** Starts a refund's life, or joins it, and resolves when it is accepted or cannot be. */
export function beginRefund(engine: Engine, order: RefundOrder, waitMs: number): Promise<void> {
  return beginSending<typeof refundWorkflow>(engine, 'refundWorkflow', {
    ...sendingLife(refundId(order.uuid), order, { provider: order.connectionUuid }),
    args: [order],
    waitMs,
    updateId: order.uuid,
  })
}

/** Starts a transfer's life, or joins it, and resolves when a provider has accepted or all have refused. */
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

/** Asks a transfer that waits for its time to cancel; false where it has been sent, `gone` where its life is over. */
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

/** Asks a charge to cancel, waking its life from its row where none runs. */
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

/** Signals a charge whose row exists, waking its life where it has ended. */
export async function tellCharge(engine: Engine, uuid: string, notice: ProviderNotice): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<typeof chargeWorkflow, [ProviderNotice]>('chargeWorkflow', {
    ...again(engine, chargeId(uuid)),
    args: [{ resume: uuid, timeScale: engine.timeScale }],
    signal: providerNotice,
    signalArgs: [notice],
  })
}

/** Signals a life that must be running already; false where there is none. */
export async function tellRunning(
  engine: Engine,
  workflowId: string,
  notice: ProviderNotice,
): Promise<boolean> {
  const client = await engine.client()
  return takenUnlessMissing(client, workflowId, notice)
}

export async function tellOrphan(engine: Engine, attemptUuid: string, notice: ProviderNotice): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<typeof orphanWorkflow, [ProviderNotice]>('orphanWorkflow', {
    ...again(engine, orphanId(attemptUuid)),
    args: [{ attemptUuid, timeScale: engine.timeScale }],
    signal: providerNotice,
    signalArgs: [notice],
  })
}

export async function tellReturn(
  engine: Engine,
  order: { uuid: string; connectionUuid: string },
  notice: ProviderNotice,
): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<typeof returnWorkflow, [ProviderNotice]>('returnWorkflow', {
    ...again(engine, returnId(order.uuid)),
    args: [{ ...order, timeScale: engine.timeScale }],
    signal: providerNotice,
    signalArgs: [notice],
  })
}

/** Signals a transfer whose row exists, waking its life where it has ended. */
export async function tellTransfer(engine: Engine, uuid: string, notice: ProviderNotice): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<typeof transferWorkflow, [ProviderNotice]>('transferWorkflow', {
    ...again(engine, transferId(uuid)),
    args: [{ resume: uuid, timeScale: engine.timeScale }],
    signal: providerNotice,
    signalArgs: [notice],
  })
}

/** Signals a refund whose row exists, waking its life where it has ended. */
export async function tellRefund(engine: Engine, uuid: string, notice: ProviderNotice): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<typeof refundWorkflow, [ProviderNotice]>('refundWorkflow', {
    ...again(engine, refundId(uuid)),
    args: [{ resume: uuid, timeScale: engine.timeScale }],
    signal: providerNotice,
    signalArgs: [notice],
  })
}

/** Begins the life of a PIX that no charge expects, or wakes it: a repeat finds the movement recorded. */
export async function tellDeposit(engine: Engine, deposit: Deposit, notice: ProviderNotice): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<typeof depositWorkflow, [ProviderNotice]>('depositWorkflow', {
    ...again(engine, depositId(deposit.connectionUuid, deposit.endToEnd)),
    args: [deposit],
    signal: providerNotice,
    signalArgs: [notice],
  })
}

/** The resume door: it may start a life that has ended. */
function again(engine: Engine, workflowId: string) {
  return {
    workflowId,
    taskQueue: engine.taskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  } as const
}

async function takenUnlessMissing(
  client: Client,
  workflowId: string,
  notice: ProviderNotice,
): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).signal(providerNotice, notice)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}
