import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { recordAct } from '../db/acts.ts'
import { Connection } from '../db/entities/connection.ts'
import { Pause } from '../db/entities/pause.ts'
import type { EntityManager } from '../db/orm.ts'
import { type ChargeState, charge, isCarried } from '../domain/charge.ts'
import type { Machine } from '../domain/machine.ts'
import { refund } from '../domain/refund.ts'
import { transfer } from '../domain/transfer.ts'
import type { ChargeOrder, RefundOrder, Restored, TransferOrder } from '../workflows/messages.ts'
import { endLife, livesBetween, type Past, pastOf, runningLives } from './past-lives.ts'
import { chargeLife, type Engine, sendingLife } from './start.ts'
import { tellCharge } from './tell.ts'

/**
 * After PostgreSQL was restored from a backup, lives in Temporal are newer than their rows (SPEC §11). Each whose row is
 * missing, or stands where it stood then, is ended and begun anew with its own order, to find out at the providers, by our
 * id, what became of it. It sends nothing, then or later.
 */

/** `since`: a moment that the restored rows had reached, or any before it. */
export type Rebuilding = { since: Date; who: string; reason: string }

export type Rebuilt =
  | { outcome: 'rebuilt'; row: 'missing' | 'behind' }
  /** Its time had not come when money out was paused, so that nobody was called for it: it goes on as ordered. */
  | { outcome: 'waits'; row: 'missing' | 'behind' }
  /** A charge whose life was over: its provider is asked what is new. */
  | { outcome: 'asked' }
  /** Rebuilt before, and still finding out. */
  | { outcome: 'under_way' }
  /** It had only its row to go on with, and that is gone. */
  | { outcome: 'ended' }
  | { outcome: 'impossible'; why: string }

/** Money could still leave, and a life that is behind could send again what has gone. */
export class MoneyOutNotPaused extends Error {
  constructor() {
    super(
      'money out was not paused after the restore: `trilho pause all --reach money-out` comes first, ' +
        'after `trilho resume all` where the backup contained a pause, which would keep its time',
    )
  }
}

/** Safe to repeat: what is rebuilt already is left alone. */
export async function* rebuildLives(
  engine: Engine,
  em: EntityManager,
  rebuilding: Rebuilding,
): AsyncGenerator<Rebuilt & { life: string }> {
  const { since } = rebuilding
  const pause = await em.findOne(Pause, { accountUuid: null, connectionUuid: null })
  if (!pause || pause.createdAt < since) throw new MoneyOutNotPaused()
  const client = await engine.client()
  // What has begun since the pause has found the restored rows: it is not behind them.
  const before = pause.createdAt
  for (const [id, { isRunning }] of await livesBetween(client, LIVES, { since, before })) {
    const rebuilt = await lookAt(
      { engine, client, em: em.fork(), id, isRunning, pausedAt: before },
      rebuilding,
    )
    if (rebuilt) yield { life: id, ...rebuilt }
  }
  for (const id of (await runningLives(client, LIVES_OF_ROWS)).keys()) {
    const [noun, uuid] = id.split('/') as [keyof typeof ROWS, string]
    const [row] = await em.execute(`select from ${ROWS[noun]} where uuid = ?`, [uuid])
    if (row) continue
    await endLife(client, id, whyEnded(rebuilding))
    yield { life: id, outcome: 'ended' }
  }
}

/** Those that carry their order with them; what they become is a table each. */
const LIVES = ['chargeWorkflow', 'transferWorkflow', 'refundWorkflow']
const TABLES: Record<Noun, Pick<Machine<string, string, string>, 'isOver'>> = { charge, transfer, refund }
type Noun = 'charge' | 'transfer' | 'refund'

/** Those that know no more than which row is theirs. */
const LIVES_OF_ROWS = ['deliveryWorkflow', 'orphanWorkflow']
const ROWS = { webhook: 'delivery', orphan: 'attempt' } as const

type Row = { state: string; connection_uuid: string }
type Order = ChargeOrder | TransferOrder | RefundOrder
type At = {
  engine: Engine
  client: Client
  em: EntityManager
  id: string
  isRunning: boolean
  /** Since when no money leaves. */
  pausedAt: Date
}

/** Null where there is nothing to do: of what came after its end reconciliation tells, as ever. */
async function lookAt(at: At, rebuilding: Rebuilding): Promise<Rebuilt | null> {
  const { engine, client, em, id, isRunning } = at
  const [noun, uuid] = id.split('/') as [Noun, string]
  const [row]: Row[] = await em.execute(`select state, connection_uuid from ${noun} where uuid = ?`, [uuid])
  if (row && TABLES[noun].isOver(row.state)) return null
  if (row && noun === 'charge' && isCarried(row.state as ChargeState)) {
    if (isRunning) return null // Each of its steps begins from the row, whatever it knows.
    const past = await pastOf<ChargeOrder>(client, id, uuid)
    if (past?.ended === 'cancelled') await em.execute(WAS_CANCELLED, [uuid])
    await tellCharge(engine, uuid, { noticeUuid: randomUUID(), connectionUuid: row.connection_uuid })
    return { outcome: 'asked' }
  }
  const past = await pastOf<Order>(client, id, uuid)
  if (!past) return { outcome: 'impossible', why: 'Temporal has forgotten what was ordered' }
  const restored = restoredOf(past, at)
  const before = past.lastInput.restored
  if (row && past.isRunning && restored.waits) return null
  if (row && past.isRunning && before && !before.waits) return { outcome: 'under_way' }
  const missing = await missingConnections(em, wholeOf(past.order))
  if (missing.length > 0)
    return { outcome: 'impossible', why: `there is no connection ${missing.join(', ')} any more` }
  await beginAnew(at, { past, restored, rebuilding })
  return { outcome: restored.waits ? 'waits' : 'rebuilt', row: row ? 'behind' : 'missing' }
}

/** Its provider may have forgotten it since: the life asks as one whose request may be why. */
const WAS_CANCELLED = `update charge set cancel_unanswered = true,
  cancel_requested_at = coalesce(cancel_requested_at, now()) where uuid = ?`

function restoredOf(
  { order, orderedAt, ended, connectionUuid, isRunning }: Past<Order>,
  { pausedAt }: At,
): Restored {
  const goesOn = 'goesOn' in order ? order.goesOn : undefined
  const due = 'scheduledFor' in order && order.scheduledFor ? Date.parse(order.scheduledFor) : 0
  return {
    orderedAt: order.restored?.orderedAt ?? goesOn?.orderedAt ?? orderedAt.toISOString(),
    ...(ended !== undefined && { ended }),
    ...(connectionUuid !== undefined && { connectionUuid }),
    ...(isRunning && due > pausedAt.getTime() && { waits: true }),
  }
}

/** Opened after the backup was made: whoever it was must be connected again before anything of it can be found. */
async function missingConnections(em: EntityManager, order: Order): Promise<string[]> {
  const needed = candidatesOf(order)
  const there = await em.find(Connection, { uuid: { $in: needed } }, { fields: ['uuid'] })
  return needed.filter(uuid => !there.some(connection => connection.uuid === uuid))
}

function candidatesOf(order: Order): string[] {
  return 'candidates' in order ? order.candidates : [order.connectionUuid]
}

type Anew = { past: Past<Order>; restored: Restored; rebuilding: Rebuilding }

/** The act is written down first. A life that was ended and could not be begun is found by the next rebuilding. */
async function beginAnew(
  { engine, client, em, id }: At,
  { past, restored, rebuilding }: Anew,
): Promise<void> {
  const { who, reason } = rebuilding
  const order = { ...wholeOf(past.order), restored }
  const seen = { provider: candidatesOf(order)[0]!, externalRef: past.externalRef }
  await recordAct(em, { who, act: 'rebuild', subject: id, reason })
  await endLife(client, id, whyEnded(rebuilding))
  const type = `${id.split('/')[0]}Workflow`
  await client.workflow.start(type, {
    ...(type === 'chargeWorkflow' ? chargeLife(order, seen) : sendingLife(id, order, seen)),
    taskQueue: engine.taskQueue,
    args: [order],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // Somebody may have woken it meanwhile, from a row that is behind.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  })
}

/** What was ordered, whichever of its runs is remembered: one that went on knows who had been asked before. */
function wholeOf(order: Order): Order {
  const { takeBefore: _, goesOn, ...whole } = { takeBefore: undefined, goesOn: undefined, ...order }
  return { ...whole, ...(goesOn && 'candidates' in goesOn && { candidates: goesOn.candidates }) }
}

function whyEnded({ since, who }: Rebuilding): string {
  return `the database was restored to ${since.toISOString()}; rebuilt by ${who}`
}
