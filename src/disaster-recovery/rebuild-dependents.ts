import type { Client } from '@temporalio/client'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { type DisputeState, disputeMachine } from '../domain/disputes/dispute.ts'
import { signalDispute } from '../temporal/signals.ts'
import { buildReopenOptions, type WorkflowClientContext } from '../temporal/workflow-options.ts'
import type { DisputeInput } from '../workflows/contracts/messages.ts'
import type { PixKeyInput } from '../workflows/contracts/pix-keys.ts'
import type { RebuildOutcome } from './rebuild.ts'
import { readWorkflowHistory, type WorkflowHistory } from './workflow-history.ts'

/** Disputes, keys and deliveries of a restored database (src/disaster-recovery/rebuild.ts). None of them carries money by itself. */

export type DependentContext = {
  engine: WorkflowClientContext
  client: Client
  em: EntityManager
  id: string
  isRunning: boolean
  statusAttribute?: string
}

/** Null where there is nothing to do. */
export function rebuildDependent(at: DependentContext): Promise<RebuildOutcome | null> {
  const [noun, , part] = at.id.split('/')
  if (noun === 'med') return rebuildDispute(at)
  if (noun === 'webhook') return restoreDelivery(at)
  return part === 'removal' ? restorePixKeyRemoval(at) : rebuildPixKey(at)
}

const uuidFromWorkflowId = ({ id }: DependentContext) => id.split('/')[1]!

/** A dispute whose row was lost, or had come further than it, looks at its provider, which opens it again. */
async function rebuildDispute(at: DependentContext): Promise<RebuildOutcome | null> {
  const { engine, client, em, id, isRunning, statusAttribute: shows } = at
  const uuid = uuidFromWorkflowId(at)
  const [row]: { state: DisputeState }[] = await em.execute('select state from med where uuid = ?', [uuid])
  if (
    row &&
    (disputeMachine.isFinal(row.state) || (isRunning && shows === disputeMachine.statusOf(row.state)))
  )
    return null
  const past = await readWorkflowHistory<DisputeInput>(client, id, uuid)
  if (!past) return HISTORY_EXPIRED
  if (past.result === 'foreign') return null
  const { hasPendingNotification: _, timeScale: __, ...order } = past.input
  const impossible = await refuseMissingConnection(em, order.connectionUuid)
  if (impossible) return impossible
  await signalDispute(engine, order, { notificationUuid: uuid, connectionUuid: order.connectionUuid })
  return row ? { outcome: 'asked' } : { outcome: 'rebuilt', row: 'missing' }
}

/**
 * A key is looked for at its provider, never made. A random one has no name before its provider has told it, so that a lost
 * one cannot be told from others.
 */
async function rebuildPixKey(at: DependentContext): Promise<RebuildOutcome | null> {
  const { client, em, id, isRunning, engine } = at
  const uuid = uuidFromWorkflowId(at)
  const [row] = await em.execute<{ state: string; type: string; begun: boolean }[]>(
    `select state, type, exists (select from attempt where operation = 'create_key' and subject_uuid = k.uuid) as begun
     from pix_key k where uuid = ?`,
    [uuid],
  )
  if (row && (row.state !== 'creating' || isRunning)) return null
  const past = await readWorkflowHistory<PixKeyInput>(client, id, uuid)
  if (!past) return HISTORY_EXPIRED
  if (past.lastInput.restored && past.isRunning) return { outcome: 'under_way' }
  if (past.input.type === 'RANDOM' && !row?.begun && past.result !== 'refused')
    return { outcome: 'impossible', why: 'a random key has no name of ours: look for it at the provider' }
  const impossible = await refuseMissingConnection(em, past.input.connectionUuid)
  if (impossible) return impossible
  await client.workflow.start('pixKeyWorkflow', {
    ...buildReopenOptions(engine, id),
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    args: [{ ...past.input, restored: { ended: past.result ?? null } }],
  })
  return { outcome: 'rebuilt', row: row ? 'behind' : 'missing' }
}

/** A removal that its provider had confirmed is done; one that broke off may be asked for again. */
async function restorePixKeyRemoval(at: DependentContext): Promise<RebuildOutcome | null> {
  const { client, em, id, isRunning, engine } = at
  const uuid = uuidFromWorkflowId(at)
  const [row]: { state: string }[] = await em.execute('select state from pix_key where uuid = ?', [uuid])
  if (!row || isRunning || (row.state !== 'active' && row.state !== 'removing')) return null
  const past = await readLatestResult(client, id)
  if (past === 'removed') {
    await em.execute(`update pix_key set state = 'removed', updated_at = now() where uuid = ?`, [uuid])
    return { outcome: 'restored' }
  }
  if (row.state !== 'removing') return null
  await client.workflow.start('pixKeyRemovalWorkflow', {
    ...buildReopenOptions(engine, id),
    args: [{ uuid, timeScale: engine.timeScale }],
  })
  return { outcome: 'asked' }
}

/** What an endpoint has taken is not sent again, and what was given up is not begun anew. */
async function restoreDelivery(at: DependentContext): Promise<RebuildOutcome | null> {
  const { client, em, id, isRunning } = at
  const uuid = uuidFromWorkflowId(at)
  if (isRunning) return null
  const [row] = await em.execute<object[]>(`select from delivery where uuid = ? and status = 'PENDING'`, [
    uuid,
  ])
  const ended = row && (await readLatestResult(client, id))
  if (ended !== 'DELIVERED' && ended !== 'FAILED' && ended !== 'CANCELLED') return null
  await em.execute(
    `update delivery set status = ?, next_try_at = null, wake_at = null, updated_at = now()
     where uuid = ? and status = 'PENDING'`,
    [ended, uuid],
  )
  return { outcome: 'restored' }
}

const HISTORY_EXPIRED: RebuildOutcome = {
  outcome: 'impossible',
  why: 'Temporal has forgotten what was ordered',
}

async function refuseMissingConnection(em: EntityManager, uuid: string): Promise<RebuildOutcome | null> {
  if ((await em.count(Connection, uuid)) > 0) return null
  return { outcome: 'impossible', why: `there is no connection ${uuid} any more` }
}

/** What its latest run came to, where that ended by itself. */
async function readLatestResult(
  client: Client,
  workflowId: string,
): Promise<WorkflowHistory<{ uuid: string }>['result']> {
  const handle = client.workflow.getHandle(workflowId)
  const { status, runId } = await handle.describe()
  if (status.name !== 'COMPLETED') return undefined
  return client.workflow.getHandle(workflowId, runId, { followRuns: false }).result()
}
