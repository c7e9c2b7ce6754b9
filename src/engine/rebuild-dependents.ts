import type { Client } from '@temporalio/client'
import { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { type MedState, med } from '../domain/med.ts'
import type { PixKeyOrder } from '../workflows/key-messages.ts'
import type { MedOrder } from '../workflows/messages.ts'
import { type Past, pastOf } from './past-lives.ts'
import type { Rebuilt } from './rebuild.ts'
import { again, type Engine } from './start.ts'
import { tellMed } from './tell.ts'

/** Disputes, keys and deliveries of a restored database (src/engine/rebuild.ts). None of them carries money by itself. */

export type Dependent = {
  engine: Engine
  client: Client
  em: EntityManager
  id: string
  isRunning: boolean
  shows?: string
}

/** Null where there is nothing to do. */
export function rebuildDependent(at: Dependent): Promise<Rebuilt | null> {
  const [noun, , part] = at.id.split('/')
  if (noun === 'med') return rebuildMed(at)
  if (noun === 'webhook') return restoreDelivery(at)
  return part === 'removal' ? restoreRemoval(at) : rebuildPixKey(at)
}

const uuidIn = ({ id }: Dependent) => id.split('/')[1]!

/** A dispute whose row was lost, or had come further than it, looks at its provider, which opens it again. */
async function rebuildMed(at: Dependent): Promise<Rebuilt | null> {
  const { engine, client, em, id, isRunning, shows } = at
  const uuid = uuidIn(at)
  const [row]: { state: MedState }[] = await em.execute('select state from med where uuid = ?', [uuid])
  if (row && (med.isOver(row.state) || (isRunning && shows === med.shows(row.state)))) return null
  const past = await pastOf<MedOrder>(client, id, uuid)
  if (!past) return FORGOTTEN
  if (past.ended === 'foreign') return null
  const { told: _, timeScale: __, ...order } = past.order
  const impossible = await withoutConnection(em, order.connectionUuid)
  if (impossible) return impossible
  await tellMed(engine, order, { noticeUuid: uuid, connectionUuid: order.connectionUuid })
  return row ? { outcome: 'asked' } : { outcome: 'rebuilt', row: 'missing' }
}

/**
 * A key is looked for at its provider, never made. A random one has no name before its provider has told it, so that a lost
 * one cannot be told from others.
 */
async function rebuildPixKey(at: Dependent): Promise<Rebuilt | null> {
  const { client, em, id, isRunning, engine } = at
  const uuid = uuidIn(at)
  const [row] = await em.execute<{ state: string; type: string; begun: boolean }[]>(
    `select state, type, exists (select from attempt where operation = 'create_key' and subject_uuid = k.uuid) as begun
     from pix_key k where uuid = ?`,
    [uuid],
  )
  if (row && (row.state !== 'creating' || isRunning)) return null
  const past = await pastOf<PixKeyOrder>(client, id, uuid)
  if (!past) return FORGOTTEN
  if (past.lastInput.restored && past.isRunning) return { outcome: 'under_way' }
  if (past.order.type === 'RANDOM' && !row?.begun && past.ended !== 'refused')
    return { outcome: 'impossible', why: 'a random key has no name of ours: look for it at the provider' }
  const impossible = await withoutConnection(em, past.order.connectionUuid)
  if (impossible) return impossible
  await client.workflow.start('pixKeyWorkflow', {
    ...again(engine, id),
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    args: [{ ...past.order, restored: { ended: past.ended ?? null } }],
  })
  return { outcome: 'rebuilt', row: row ? 'behind' : 'missing' }
}

/** A removal that its provider had confirmed is done; one that broke off may be asked for again. */
async function restoreRemoval(at: Dependent): Promise<Rebuilt | null> {
  const { client, em, id, isRunning, engine } = at
  const uuid = uuidIn(at)
  const [row]: { state: string }[] = await em.execute('select state from pix_key where uuid = ?', [uuid])
  if (!row || isRunning || (row.state !== 'active' && row.state !== 'removing')) return null
  const past = await lastRun(client, id)
  if (past === 'removed') {
    await em.execute(`update pix_key set state = 'removed', updated_at = now() where uuid = ?`, [uuid])
    return { outcome: 'restored' }
  }
  if (row.state !== 'removing') return null
  await client.workflow.start('pixKeyRemovalWorkflow', {
    ...again(engine, id),
    args: [{ uuid, timeScale: engine.timeScale }],
  })
  return { outcome: 'asked' }
}

/** What an endpoint has taken is not sent again, and what was given up is not begun anew. */
async function restoreDelivery(at: Dependent): Promise<Rebuilt | null> {
  const { client, em, id, isRunning } = at
  const uuid = uuidIn(at)
  if (isRunning) return null
  const [row] = await em.execute<object[]>(`select from delivery where uuid = ? and status = 'PENDING'`, [
    uuid,
  ])
  const ended = row && (await lastRun(client, id))
  if (ended !== 'DELIVERED' && ended !== 'FAILED' && ended !== 'CANCELLED') return null
  await em.execute(
    `update delivery set status = ?, next_try_at = null, wake_at = null, updated_at = now()
     where uuid = ? and status = 'PENDING'`,
    [ended, uuid],
  )
  return { outcome: 'restored' }
}

const FORGOTTEN: Rebuilt = { outcome: 'impossible', why: 'Temporal has forgotten what was ordered' }

async function withoutConnection(em: EntityManager, uuid: string): Promise<Rebuilt | null> {
  if ((await em.count(Connection, uuid)) > 0) return null
  return { outcome: 'impossible', why: `there is no connection ${uuid} any more` }
}

/** What its latest run came to, where that ended by itself. */
async function lastRun(client: Client, workflowId: string): Promise<Past<{ uuid: string }>['ended']> {
  const handle = client.workflow.getHandle(workflowId)
  const { status, runId } = await handle.describe()
  if (status.name !== 'COMPLETED') return undefined
  return client.workflow.getHandle(workflowId, runId, { followRuns: false }).result()
}
