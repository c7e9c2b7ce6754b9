import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { recordAct } from '../db/acts.ts'
import { Connection } from '../db/entities/connection.ts'
import { Pause } from '../db/entities/pause.ts'
import type { EntityManager } from '../db/orm.ts'
import { type ChargeState, isCarried } from '../domain/charge.ts'
import { chargeId } from '../workflows/ids.ts'
import type { Restored } from '../workflows/messages.ts'
import { endLife, livesBetween, type Past, pastOf, runningLives } from './past-lives.ts'
import { rebuildDependent } from './rebuild-dependents.ts'
import { IS_OVER, isSuperseded, type Noun, type RebuiltRow, SELECT, tellNoun } from './rebuild-nouns.ts'
import { candidatesOf, doubtedBefore, lifeOf, type Order, restoredOf, wholeOf } from './rebuild-orders.ts'
import { type AttemptRow, isBehind, type SendingHistory, sendingHistoryOf } from './sending-history.ts'
import { again, type Engine } from './start.ts'

/**
 * After PostgreSQL was restored from a backup, workflows in Temporal are newer than their rows (SPEC §11). Each whose row is
 * missing, or older than what the workflow has seen, is ended and begun anew with its own order, to find out at the
 * providers, by our id, what became of it. It sends nothing, then or later. What a history proves is restored without a
 * question. A workflow whose row has all that it knows is left alone, so that a rebuilding may be repeated, and does nothing
 * on a healthy system.
 */

/** `since`: a moment that the restored rows had reached, or any before it. */
export type Rebuilding = { since: Date; who: string; reason: string }

export type Rebuilt =
  | { outcome: 'rebuilt'; row: 'missing' | 'behind' }
  /** Nobody was called for it: it goes on as ordered. */
  | { outcome: 'waits'; row: 'missing' | 'behind' }
  /** Its row was given the end that its history proves. */
  | { outcome: 'restored' }
  /** Its workflow had seen more than its row: its provider is asked what is new. */
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
  const between = { since, before: pause.createdAt }
  for (const [id, { isRunning }] of await livesBetween(client, LIVES, between)) {
    const at = { engine, client, em: em.fork(), id, isRunning, pausedAt: pause.createdAt }
    const rebuilt = await lookAt(at, rebuilding)
    if (rebuilt) yield { life: id, ...rebuilt }
  }
  for (const [id, life] of await livesBetween(client, DEPENDENT_LIVES, between)) {
    const rebuilt = await rebuildDependent({ engine, client, em: em.fork(), id, ...life })
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

/** Those that carry their order with them, and money. */
const LIVES = ['chargeWorkflow', 'transferWorkflow', 'refundWorkflow', 'returnWorkflow']
/** Those that are found again at their providers, or whose end only their history knows. */
const DEPENDENT_LIVES = ['medWorkflow', 'pixKeyWorkflow', 'pixKeyRemovalWorkflow', 'deliveryWorkflow']
/** Those that know no more than which row is theirs. */
const LIVES_OF_ROWS = ['deliveryWorkflow', 'orphanWorkflow']
const ROWS = { webhook: 'delivery', orphan: 'attempt' } as const

/** `pausedAt`: the pause is a row of the restored database, so that every worker reads that from then on. */
type At = {
  engine: Engine
  client: Client
  em: EntityManager
  id: string
  isRunning: boolean
  pausedAt: Date
}

/** A sending that began longer ago has answered, or Temporal has given it up (src/workflows/activities.ts). */
const LONGEST_CALL_MS = 60_000
const LOOK_AGAIN_MS = 500

/** Null where there is nothing to do. */
async function lookAt(at: At, rebuilding: Rebuilding): Promise<Rebuilt | null> {
  const { client, em, id, isRunning } = at
  const [noun, uuid] = id.split('/') as [Noun, string]
  const [row]: RebuiltRow[] = await em.execute(SELECT[noun], [uuid])
  if (noun === 'return' && !row) return null // Reconciliation brings its PIX back, and begins it.
  const isDone = row && IS_OVER[noun](row.state)
  if (isRunning && (isDone || (noun === 'charge' && row && isCarried(row.state as ChargeState)))) return null
  const past = await pastOf<Order>(client, id, uuid)
  if (isDone) return past && isSuperseded(noun, row.state, past.ended) ? ask(at, row) : null
  if (row && noun === 'charge' && isCarried(row.state as ChargeState)) return carried(at, row, past?.ended)
  if (!past) return { outcome: 'impossible', why: 'Temporal has forgotten what was ordered' }
  const before = past.lastInput.restored
  if (row && past.isRunning && before && !before.waits) return { outcome: 'under_way' }
  const history = await sendingHistoryOf(client, {
    ...{ workflowId: id, runIds: past.runIds, restoredBy: at.pausedAt },
    begunBefore: doubtedBefore(past.order),
  })
  if (past.isRunning && isUnderWay(history)) {
    // A slow worker may be about to write the row: only what it answers tells whether that is behind.
    await sleep(LOOK_AGAIN_MS)
    return lookAt(at, rebuilding)
  }
  if (past.isRunning && !(row ? await isRowBehind(at, row, history) : !history.isUntouched)) return null
  const restored = restoredOf(past, history)
  const missing = await missingConnections(em, wholeOf(past.order))
  if (missing.length > 0)
    return { outcome: 'impossible', why: `there is no connection ${missing.join(', ')} any more` }
  await beginAnew(at, { past, restored, rebuilding })
  return { outcome: restored.waits ? 'waits' : 'rebuilt', row: row ? 'behind' : 'missing' }
}

function isUnderWay({ callSince }: SendingHistory): boolean {
  return callSince !== undefined && Date.now() - callSince.getTime() < LONGEST_CALL_MS
}

async function ask({ engine, id }: At, { connection_uuid }: RebuiltRow): Promise<Rebuilt> {
  const [noun, uuid] = id.split('/') as [Noun, string]
  await tellNoun(engine, noun, { uuid, connectionUuid: connection_uuid })
  return { outcome: 'asked' }
}

/** A charge whose provider has its payload, and whose workflow is over though its row is not. */
async function carried(at: At, row: RebuiltRow, ended: string | undefined): Promise<Rebuilt> {
  const { engine, client, id } = at
  if (row.state !== 'pending' || (ended !== 'cancelled' && ended !== 'expired')) return ask(at, row)
  const resume = id.split('/')[1]!
  await client.workflow.start('chargeWorkflow', {
    ...again(engine, chargeId(resume)),
    args: [{ resume, timeScale: engine.timeScale, restored: { ended } }],
  })
  return { outcome: 'restored' }
}

async function isRowBehind({ em, id }: At, { state }: RebuiltRow, history: SendingHistory): Promise<boolean> {
  const [noun, uuid] = id.split('/') as [Noun, string]
  if (noun === 'charge') return history.isIssued
  const attempts: AttemptRow[] = await em.execute(
    'select connection_uuid, state from attempt where operation = ? and subject_uuid = ?',
    [noun, uuid],
  )
  return isBehind(history, { state, attempts })
}

/** Opened after the backup was made: whoever it was must be connected again before anything of it can be found. */
async function missingConnections(em: EntityManager, order: Order): Promise<string[]> {
  const needed = candidatesOf(order)
  const there = await em.find(Connection, { uuid: { $in: needed } }, { fields: ['uuid'] })
  return needed.filter(uuid => !there.some(connection => connection.uuid === uuid))
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
    ...lifeOf(id, order, seen),
    taskQueue: engine.taskQueue,
    args: [order],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // Somebody may have woken it meanwhile, from a row that is behind.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  })
}

function whyEnded({ since, who }: Rebuilding): string {
  return `the database was restored to ${since.toISOString()}; rebuilt by ${who}`
}
