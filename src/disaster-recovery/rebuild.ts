import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { Pause } from '../db/entities/pause.ts'
import { recordOperatorAction } from '../db/repositories/operator-actions.ts'
import { type ChargeState, isIssuedChargeState } from '../domain/charges/charge.ts'
import { buildReopenOptions, type WorkflowClientContext } from '../temporal/workflow-options.ts'
import type { PreRestoreState } from '../workflows/contracts/messages.ts'
import { chargeWorkflowId } from '../workflows/contracts/workflow-ids.ts'
import {
  IS_FINAL,
  isHistoryAhead,
  type MoneyNoun,
  type RestoredRow,
  SELECT_ROW,
  signalMoneyWorkflow,
} from './money-nouns.ts'
import {
  type AttemptStateRow,
  isRowBehindHistory,
  type PayoutHistory,
  readPayoutHistory,
} from './payout-history.ts'
import { rebuildDependent } from './rebuild-dependents.ts'
import {
  buildRebuildMetadata,
  buildRestoredInput,
  findEarlierConnections,
  listCandidates,
  type RebuildableInput,
  restoreOriginalInput,
} from './rebuild-inputs.ts'
import {
  listRunningWorkflows,
  listWorkflowsBetween,
  readWorkflowHistory,
  terminateWorkflow,
  type WorkflowHistory,
} from './workflow-history.ts'

/**
 * After PostgreSQL was restored from a backup, workflows in Temporal are newer than their rows (SPEC §11). Each whose row is
 * missing, or older than what the workflow has seen, is ended and begun anew with its own order, to find out at the
 * providers, by our id, what became of it. It sends nothing, then or later. What a history proves is restored without a
 * question. A workflow whose row has all that it knows is left alone, so that a rebuilding may be repeated, and does nothing
 * on a healthy system.
 */

/** `since`: a moment that the restored rows had reached, or any before it. */
export type RebuildRequest = { since: Date; who: string; reason: string }

export type RebuildOutcome =
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
export async function* rebuildWorkflows(
  engine: WorkflowClientContext,
  em: EntityManager,
  rebuilding: RebuildRequest,
): AsyncGenerator<RebuildOutcome & { life: string }> {
  const { since } = rebuilding
  const pause = await em.findOne(Pause, { accountUuid: null, connectionUuid: null })
  if (!pause || pause.createdAt < since) throw new MoneyOutNotPaused()
  const client = await engine.client()
  // What has begun since the pause has found the restored rows: it is not behind them.
  const between = { since, before: pause.createdAt }
  for (const [id, { isRunning }] of await listWorkflowsBetween(client, MONEY_WORKFLOW_TYPES, between)) {
    const at = { engine, client, em: em.fork(), id, isRunning, pausedAt: pause.createdAt }
    const rebuilt = await rebuildWorkflow(at, rebuilding)
    if (rebuilt) yield { life: id, ...rebuilt }
  }
  for (const [id, life] of await listWorkflowsBetween(client, DEPENDENT_WORKFLOW_TYPES, between)) {
    const rebuilt = await rebuildDependent({ engine, client, em: em.fork(), id, ...life })
    if (rebuilt) yield { life: id, ...rebuilt }
  }
  for (const id of (await listRunningWorkflows(client, ROW_WORKFLOW_TYPES)).keys()) {
    const [noun, uuid] = id.split('/') as [keyof typeof TABLE_BY_ID_PREFIX, string]
    const [row] = await em.execute(`select from ${TABLE_BY_ID_PREFIX[noun]} where uuid = ?`, [uuid])
    if (row) continue
    await terminateWorkflow(client, id, formatTerminationReason(rebuilding))
    yield { life: id, outcome: 'ended' }
  }
}

/** Those that carry their order with them, and money. */
const MONEY_WORKFLOW_TYPES = ['chargeWorkflow', 'transferWorkflow', 'refundWorkflow', 'returnWorkflow']
/** Those that are found again at their providers, or whose end only their history knows. */
const DEPENDENT_WORKFLOW_TYPES = [
  'disputeWorkflow',
  'pixKeyWorkflow',
  'pixKeyRemovalWorkflow',
  'deliveryWorkflow',
]
/** Those that know no more than which row is theirs. */
const ROW_WORKFLOW_TYPES = ['deliveryWorkflow', 'orphanWorkflow']
const TABLE_BY_ID_PREFIX = { webhook: 'delivery', orphan: 'attempt' } as const

/** `pausedAt`: the pause is a row of the restored database, so that every worker reads that from then on. */
type RebuildContext = {
  engine: WorkflowClientContext
  client: Client
  em: EntityManager
  id: string
  isRunning: boolean
  pausedAt: Date
}

/** A sending that began longer ago has answered, or Temporal has given it up (src/workflows/shared/activity-proxies.ts). */
const MAX_CALL_MS = 60_000
const RECHECK_DELAY_MS = 500

/** Null where there is nothing to do. */
async function rebuildWorkflow(
  at: RebuildContext,
  rebuilding: RebuildRequest,
): Promise<RebuildOutcome | null> {
  const { client, em, id, isRunning } = at
  const [noun, uuid] = id.split('/') as [MoneyNoun, string]
  const [row]: RestoredRow[] = await em.execute(SELECT_ROW[noun], [uuid])
  if (noun === 'return' && !row) return null // Reconciliation brings its PIX back, and begins it.
  const isDone = row && IS_FINAL[noun](row.state)
  if (isRunning && (isDone || (noun === 'charge' && row && isIssuedChargeState(row.state as ChargeState))))
    return null
  const past = await readWorkflowHistory<RebuildableInput>(client, id, uuid)
  if (isDone) return past && isHistoryAhead(noun, row.state, past.result) ? requestPoll(at, row) : null
  if (row && noun === 'charge' && isIssuedChargeState(row.state as ChargeState))
    return rebuildIssuedCharge(at, row, past?.result)
  if (!past) return { outcome: 'impossible', why: 'Temporal has forgotten what was ordered' }
  const before = past.lastInput.restored
  if (row && past.isRunning && before && !before.isScheduled) return { outcome: 'under_way' }
  const history = await readPayoutHistory(client, {
    ...{ workflowId: id, runIds: past.runIds, restoredAt: at.pausedAt },
    earlierConnections: findEarlierConnections(past.input),
  })
  if (past.isRunning && isCallPending(history)) {
    // A slow worker may be about to write the row: only what it answers tells whether that is behind.
    await sleep(RECHECK_DELAY_MS)
    return rebuildWorkflow(at, rebuilding)
  }
  if (past.isRunning && !(row ? await isRowBehind(at, row, history) : !history.hasNoActivity)) return null
  const restored = buildRestoredInput(past, history)
  const missing = await findMissingConnections(em, restoreOriginalInput(past.input))
  if (missing.length > 0)
    return { outcome: 'impossible', why: `there is no connection ${missing.join(', ')} any more` }
  await restartWorkflow(at, { history: past, restored, request: rebuilding })
  return { outcome: restored.isScheduled ? 'waits' : 'rebuilt', row: row ? 'behind' : 'missing' }
}

function isCallPending({ callStartedAt: callSince }: PayoutHistory): boolean {
  return callSince !== undefined && Date.now() - callSince.getTime() < MAX_CALL_MS
}

async function requestPoll(
  { engine, id }: RebuildContext,
  { connection_uuid }: RestoredRow,
): Promise<RebuildOutcome> {
  const [noun, uuid] = id.split('/') as [MoneyNoun, string]
  await signalMoneyWorkflow(engine, noun, { uuid, connectionUuid: connection_uuid })
  return { outcome: 'asked' }
}

/** A charge whose provider has its payload, and whose workflow is over though its row is not. */
async function rebuildIssuedCharge(
  at: RebuildContext,
  row: RestoredRow,
  ended: string | undefined,
): Promise<RebuildOutcome> {
  const { engine, client, id } = at
  if (row.state !== 'pending' || (ended !== 'cancelled' && ended !== 'expired')) return requestPoll(at, row)
  const resume = id.split('/')[1]!
  await client.workflow.start('chargeWorkflow', {
    ...buildReopenOptions(engine, chargeWorkflowId(resume)),
    args: [{ reopen: resume, timeScale: engine.timeScale, restored: { ended } }],
  })
  return { outcome: 'restored' }
}

async function isRowBehind(
  { em, id }: RebuildContext,
  { state }: RestoredRow,
  history: PayoutHistory,
): Promise<boolean> {
  const [noun, uuid] = id.split('/') as [MoneyNoun, string]
  if (noun === 'charge') return history.isIssued
  const attempts: AttemptStateRow[] = await em.execute(
    'select connection_uuid, state from attempt where operation = ? and subject_uuid = ?',
    [noun, uuid],
  )
  return isRowBehindHistory(history, { state, attempts })
}

/** Opened after the backup was made: whoever it was must be connected again before anything of it can be found. */
async function findMissingConnections(em: EntityManager, order: RebuildableInput): Promise<string[]> {
  const needed = listCandidates(order)
  const there = await em.find(Connection, { uuid: { $in: needed } }, { fields: ['uuid'] })
  return needed.filter(uuid => !there.some(connection => connection.uuid === uuid))
}

type RestartInput = {
  history: WorkflowHistory<RebuildableInput>
  restored: PreRestoreState
  request: RebuildRequest
}

/** The act is written down first. A life that was ended and could not be begun is found by the next rebuilding. */
async function restartWorkflow(
  { engine, client, em, id }: RebuildContext,
  { history: past, restored, request: rebuilding }: RestartInput,
): Promise<void> {
  const { who, reason } = rebuilding
  const order = { ...restoreOriginalInput(past.input), restored }
  const seen = { provider: listCandidates(order)[0]!, externalRef: past.externalRef }
  await recordOperatorAction(em, { who, act: 'rebuild', subject: id, reason })
  await terminateWorkflow(client, id, formatTerminationReason(rebuilding))
  const type = `${id.split('/')[0]}Workflow`
  await client.workflow.start(type, {
    ...buildRebuildMetadata(id, order, seen),
    taskQueue: engine.taskQueue,
    args: [order],
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // Somebody may have woken it meanwhile, from a row that is behind.
    workflowIdConflictPolicy: 'TERMINATE_EXISTING',
  })
}

function formatTerminationReason({ since, who }: RebuildRequest): string {
  return `the database was restored to ${since.toISOString()}; rebuilt by ${who}`
}
