import { WorkflowNotFoundError } from '@temporalio/common'
import type { Deposit } from '../activities/deposits.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import { chargeId, depositId, medId, orphanId, refundId, returnId, transferId } from '../workflows/ids.ts'
import { type MedOrder, type ProviderNotice, providerNotice } from '../workflows/messages.ts'
import { again, type Engine } from './start.ts'

/**
 * Signals provider notifications, with signalWithStart. If the workflow has completed, a new run starts from the row; it only
 * polls the provider and never issues or sends. Safe to call twice.
 */

export function tellCharge(engine: Engine, uuid: string, notice: ProviderNotice): Promise<void> {
  return wake(engine, notice, { type: 'chargeWorkflow', workflowId: chargeId(uuid), order: { resume: uuid } })
}

export function tellTransfer(engine: Engine, uuid: string, notice: ProviderNotice): Promise<void> {
  return wake(engine, notice, {
    type: 'transferWorkflow',
    workflowId: transferId(uuid),
    order: { resume: uuid },
  })
}

export function tellRefund(engine: Engine, uuid: string, notice: ProviderNotice): Promise<void> {
  return wake(engine, notice, { type: 'refundWorkflow', workflowId: refundId(uuid), order: { resume: uuid } })
}

export function tellOrphan(engine: Engine, attemptUuid: string, notice: ProviderNotice): Promise<void> {
  return wake(engine, notice, {
    type: 'orphanWorkflow',
    workflowId: orphanId(attemptUuid),
    order: { attemptUuid },
  })
}

/**
 * Signals the workflow of the attempt whose payload a PIX names: the charge, or the orphan. `none`: its provider issued no payload;
 * `issuing`: that is not known yet.
 */
export async function tellIssued(
  engine: Engine,
  { uuid, subjectUuid, state }: Attempt,
  notice: ProviderNotice,
): Promise<'told' | 'issuing' | 'none'> {
  switch (state) {
    case 'rejected':
    case 'unreachable':
      return 'none'
    case 'calling':
      return 'issuing'
    case 'orphan':
    case 'closed':
      await tellOrphan(engine, uuid, notice)
      return 'told'
    default:
      await tellCharge(engine, subjectUuid, notice)
      return 'told'
  }
}

/** Signals the return of an unmatched PIX. Its workflow finds the attempt, and sends only where none was made. */
export function tellReturn(
  engine: Engine,
  order: { uuid: string; connectionUuid: string },
  notice: ProviderNotice,
): Promise<void> {
  return wake(engine, notice, { type: 'returnWorkflow', workflowId: returnId(order.uuid), order })
}

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export function tellDeposit(
  engine: Engine,
  deposit: Omit<Deposit, 'timeScale'>,
  notice: ProviderNotice,
): Promise<void> {
  const workflowId = depositId(deposit.connectionUuid, deposit.endToEnd)
  return wake(engine, notice, { type: 'depositWorkflow', workflowId, order: deposit })
}

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export function tellMed(
  engine: Engine,
  order: Omit<MedOrder, 'timeScale'>,
  notice: ProviderNotice,
): Promise<void> {
  const staticSummary = `Dispute ${order.providerMedId} of a provider`
  const workflowId = medId(order.uuid)
  return wake(engine, notice, { type: 'medWorkflow', workflowId, order, staticSummary })
}

/** Signals a running workflow; false where none runs. */
export async function tellRunning(
  engine: Engine,
  workflowId: string,
  notice: ProviderNotice,
): Promise<boolean> {
  const client = await engine.client()
  try {
    await client.workflow.getHandle(workflowId).signal(providerNotice, notice)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Workflow types that the worker registers; src/workflows/index.ts exports them. */
type Life = keyof typeof import('../workflows/index.ts')

type Waking = { type: Life; workflowId: string; order: object; staticSummary?: string }

async function wake(
  engine: Engine,
  notice: ProviderNotice,
  { type, workflowId, order, staticSummary }: Waking,
): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart(type, {
    ...again(engine, workflowId),
    ...(staticSummary !== undefined && { staticSummary }),
    args: [{ ...order, timeScale: engine.timeScale }],
    signal: providerNotice,
    signalArgs: [notice],
  })
}
