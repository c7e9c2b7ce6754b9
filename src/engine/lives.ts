import { type Client, WithStartWorkflowOperation } from '@temporalio/client'
import { WorkflowNotFoundError } from '@temporalio/common'
import type { Deposit } from '../activities/deposits.ts'
import type { chargeWorkflow } from '../workflows/charge.ts'
import type { depositWorkflow } from '../workflows/deposit.ts'
import { chargeId, depositId, orphanId, returnId } from '../workflows/ids.ts'
import {
  type CancelAnswer,
  type ChargeOrder,
  cancelCharge,
  type ProviderNotice,
  providerNotice,
  ready,
} from '../workflows/messages.ts'
import type { orphanWorkflow } from '../workflows/orphan.ts'
import type { returnWorkflow } from '../workflows/return.ts'
import { chargeLife, type Engine } from './start.ts'

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

/** Asks a running charge to cancel; `gone` where its life is over. */
export async function cancelRunningCharge(
  engine: Engine,
  uuid: string,
  request: { updateId: string; waitMs: number },
): Promise<CancelAnswer | { kind: 'gone' }> {
  const client = await engine.client()
  try {
    return await client.withDeadline(Date.now() + request.waitMs, () =>
      client.workflow.getHandle(chargeId(uuid)).executeUpdate(cancelCharge, { updateId: request.updateId }),
    )
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'gone' }
    throw error
  }
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
