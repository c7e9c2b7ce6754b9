import type { Client } from '@temporalio/client'
import type { EntityManager } from '../db/client/orm.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { Dispute } from '../db/entities/dispute.ts'
import { PixKey } from '../db/entities/pix-key.ts'
import { Recurrence } from '../db/entities/recurrence.ts'
import { Delivery } from '../db/entities/webhook.ts'
import { restoreDeliveryOutcome } from '../db/repositories/deliveries.ts'
import { disputeMachine } from '../domain/disputes/dispute.ts'
import { signalDispute } from '../temporal/signals.ts'
import { readLastResult, readWorkflowHistory } from '../temporal/workflow-history.ts'
import { startOrReopenWorkflow, type TemporalContext } from '../temporal/workflow-options.ts'
import type { DisputeInput } from '../workflows/contracts/disputes.ts'
import type { PixKeyInput } from '../workflows/contracts/pix-keys.ts'
import type { RecurrenceInput } from '../workflows/contracts/recurrences.ts'
import {
  HISTORY_EXPIRED,
  isRebuilding,
  type RebuildOutcome,
  refuseMissingConnections,
  startRebuild,
  terminating,
} from './rebuild-inputs.ts'

/**
 * Disputes, recurrences, PIX keys and deliveries of a restored database (src/disaster-recovery/rebuild.ts). None of them carries
 * money by itself.
 */

type DependentContext = {
  temporal: TemporalContext
  client: Client
  em: EntityManager
  id: string
  isRunning: boolean
  statusAttribute?: string
}
type RowContext = DependentContext & { uuid: string }

/** Rebuilds or restores a dispute, recurrence, key or delivery; null if there is nothing to do. */
export async function rebuildDependent(dependent: DependentContext): Promise<RebuildOutcome | null> {
  const [noun, uuid, part] = dependent.id.split('/')
  const context = { ...dependent, uuid: uuid! }
  if (noun === 'med') return rebuildDispute(context)
  if (noun === 'webhook') return restoreDelivery(context)
  if (noun === 'recurrence') return rebuildRecurrence(context)
  if (noun !== 'pix-key') return null // A payout or charge that was being rebuilt.
  return part === 'removal' ? restorePixKeyRemoval(context) : rebuildPixKey(context)
}

/** Signals a dispute whose row is missing or behind; its workflow polls the provider, which reports it again. */
async function rebuildDispute(context: RowContext): Promise<RebuildOutcome | null> {
  const { temporal, client, em, id, uuid, isRunning, statusAttribute } = context
  const row = await em.findOne(Dispute, uuid)
  const isCurrent = row && isRunning && statusAttribute === disputeMachine.statusOf(row.state)
  if (isCurrent || (row && disputeMachine.isFinal(row.state))) return null
  const history = await readWorkflowHistory<DisputeInput>(client, id, uuid)
  if (!history) return HISTORY_EXPIRED
  if (history.result === 'foreign') return null
  const { hasPendingNotification: _, timeScale: __, ...input } = history.input
  const refusal = await refuseMissingConnections(em, [input.connectionUuid])
  if (refusal) return refusal
  await signalDispute(temporal, input, { notificationUuid: uuid, connectionUuid: input.connectionUuid })
  return row ? { outcome: 'asked' } : { outcome: 'rebuilt', row: 'missing' }
}

/**
 * Rebuilds a recurrence whose row is missing, or of before the end of its workflow. It is looked up at its candidates and never created. In any
 * other state its workflow polls the provider, or the sweep starts one that does.
 */
async function rebuildRecurrence(context: RowContext): Promise<RebuildOutcome | null> {
  const { client, em, id, uuid, isRunning, temporal } = context
  const row = await em.findOne(Recurrence, uuid)
  if (row && (row.state !== 'creating' || isRunning)) return null
  const history = await readWorkflowHistory<RecurrenceInput>(client, id, uuid)
  if (!history) return HISTORY_EXPIRED
  if (isRebuilding(history, false)) return { outcome: 'under_way' }
  const { input, startedAt, result } = history
  const refusal = await refuseMissingConnections(em, input.candidates)
  if (refusal) return refusal
  const restored = { orderedAt: startedAt.toISOString(), ended: result }
  await startRebuild(terminating(temporal), { noun: 'recurrence', order: input, restored })
  return { outcome: 'rebuilt', row: row ? 'behind' : 'missing' }
}

/**
 * Rebuilds a lost key, which is looked up at its provider and never created. A random key's value comes
 * from the provider, so a lost one without an attempt cannot be distinguished from others.
 */
async function rebuildPixKey(context: RowContext): Promise<RebuildOutcome | null> {
  const { client, em, id, uuid, isRunning, temporal } = context
  const row = await em.findOne(PixKey, uuid)
  const isAttempted = row && (await em.count(Attempt, { operation: 'create_key', subjectUuid: uuid })) > 0
  if (row && (row.state !== 'creating' || isRunning)) return null
  const history = await readWorkflowHistory<PixKeyInput>(client, id, uuid)
  if (!history) return HISTORY_EXPIRED
  if (isRebuilding(history, false) || (row && history.isRunning)) return { outcome: 'under_way' }
  if (history.input.type === 'RANDOM' && !isAttempted && history.result !== 'refused')
    return {
      outcome: 'impossible',
      why: 'a random key cannot be matched: find it in the panel of the provider',
    }
  const refusal = await refuseMissingConnections(em, [history.input.connectionUuid])
  if (refusal) return refusal
  const restored = { orderedAt: history.startedAt.toISOString(), ended: history.result }
  await startRebuild(terminating(temporal), { noun: 'pix_key', order: history.input, restored })
  return { outcome: 'rebuilt', row: row ? 'behind' : 'missing' }
}

/** Restores a removal that the provider had confirmed; one that was interrupted is started again. */
async function restorePixKeyRemoval(context: RowContext): Promise<RebuildOutcome | null> {
  const { client, em, id, uuid, isRunning, temporal } = context
  const row = await em.findOne(PixKey, uuid)
  if (!row || isRunning || (row.state !== 'active' && row.state !== 'removing')) return null
  const result = await readLatestResult(client, id)
  if (result === 'removed') {
    await em.nativeUpdate(PixKey, { uuid }, { state: 'removed', updatedAt: new Date() })
    return { outcome: 'restored' }
  }
  if (row.state !== 'removing') return null
  const { timeScale } = temporal
  await startOrReopenWorkflow(temporal, 'pix_key_removal', uuid, { uuid, timeScale })
  return { outcome: 'asked' }
}

/** Restores the final status of a delivery: what an endpoint has received or what was given up is not sent again. */
async function restoreDelivery({
  client,
  em,
  id,
  uuid,
  isRunning,
}: RowContext): Promise<RebuildOutcome | null> {
  if (isRunning) return null
  if ((await em.count(Delivery, { uuid, status: 'PENDING' })) === 0) return null
  const result = await readLatestResult(client, id)
  if (result !== 'DELIVERED' && result !== 'FAILED' && result !== 'CANCELLED') return null
  await restoreDeliveryOutcome(em, uuid, result)
  return { outcome: 'restored' }
}

async function readLatestResult(client: Client, workflowId: string): Promise<string | undefined> {
  return readLastResult(client, [await client.workflow.getHandle(workflowId).describe()])
}
