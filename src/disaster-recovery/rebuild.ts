import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import type { EntityManager } from '../db/client/orm.ts'
import { Attempt } from '../db/entities/attempt.ts'
import { DepositReturn } from '../db/entities/deposit-return.ts'
import { Pause } from '../db/entities/pause.ts'
import { Delivery } from '../db/entities/webhook.ts'
import { findAttempts } from '../db/repositories/attempts.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { type OperationState, readOperationState } from '../db/repositories/operation-states.ts'
import {
  type ChargeState,
  chargeMachine,
  isIssuedChargeState,
  isPaidChargeState,
} from '../domain/charges/charge.ts'
import { refundMachine } from '../domain/refunds/refund.ts'
import { DEPENDENT_NOUNS, MONEY_NOUNS, type MoneyNoun, type WorkflowNoun } from '../domain/shared/nouns.ts'
import { isSettledTransferState, transferMachine } from '../domain/transfers/transfer.ts'
import { signalOperation, signalReturn } from '../temporal/signals.ts'
import {
  listRunningWorkflows,
  listWorkflowsBetween,
  readWorkflowHistory,
  terminateWorkflow,
  type WorkflowHistory,
} from '../temporal/workflow-history.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import type { ChargeInput } from '../workflows/contracts/charges.ts'
import { listCandidates } from '../workflows/contracts/orders.ts'
import { REBUILD_WORKFLOW, type RebuiltOperation } from '../workflows/contracts/rebuild.ts'
import type { ReturnPaymentInput } from '../workflows/contracts/unmatched.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { isRowBehindHistory, type PayoutHistory, readPayoutHistory } from './payout-history.ts'
import { rebuildDependent } from './rebuild-dependents.ts'
import {
  buildPreRestoreState,
  findEarlierConnections,
  HISTORY_EXPIRED,
  isRebuilding,
  type RebuildableInput,
  type RebuildOutcome,
  refuseMissingConnections,
  restoreOriginalInput,
  startRebuild,
  terminating,
} from './rebuild-inputs.ts'

/**
 * After PostgreSQL was restored from a backup, workflows in Temporal are newer than their rows (SPEC §11). A workflow whose row is
 * missing, or behind its history, is terminated, and `rebuildWorkflow` writes the row as that of an interrupted operation. The
 * operation's own workflow then goes on from it and finds out at the providers, by our id, what happened; it sends only a transfer
 * that was scheduled and that no provider was called for. What a history proves is restored without polling. A workflow whose row
 * matches its history is left alone, so that a rebuild may be repeated and does nothing on a healthy system.
 */

/** `since`: a moment that the restored rows had reached, or any earlier one. */
type RebuildRequest = { since: Date; actor: string; reason: string }

/** Payouts are not paused: a workflow behind the providers could send a payment again. */
export class MoneyOutNotPaused extends Error {
  constructor() {
    super(
      'money out was not paused after the restore: run `trilho pause all --reach money-out` first, ' +
        'after `trilho resume all` where the backup contained a pause, which would keep its time',
    )
  }
}

/**
 * Rebuilds all workflows that are ahead of the restored rows, and yields each outcome. Safe to repeat: a rebuilt
 * workflow is left alone.
 */
export async function* rebuildWorkflows(
  temporal: TemporalContext,
  em: EntityManager,
  request: RebuildRequest,
): AsyncGenerator<RebuildOutcome & { workflow: string }> {
  const { since } = request
  const pause = await em.findOne(Pause, { accountUuid: null, connectionUuid: null })
  if (!pause || pause.createdAt < since) throw new MoneyOutNotPaused()
  const client = await temporal.client()
  // Workflows started since the pause have read the restored rows and are not ahead of them.
  const range = { since, before: pause.createdAt }
  const money = await listWorkflowsBetween(client, [...typesOf(MONEY_NOUNS), REBUILD_WORKFLOW], range)
  yield* rebuildInBatches(money, async (id, { isRunning }) => {
    const [noun, uuid] = id.split('/') as [MoneyNoun, string]
    if (!MONEY_NOUNS.includes(noun)) return null // A key that was being rebuilt.
    const workflow = { id, noun, uuid, isRunning }
    return rebuildMoneyWorkflow({
      temporal,
      client,
      em: em.fork(),
      pausedAt: pause.createdAt,
      request,
      ...workflow,
    })
  })
  const dependents = await listWorkflowsBetween(
    client,
    [...typesOf(DEPENDENT_NOUNS), REBUILD_WORKFLOW],
    range,
  )
  yield* rebuildInBatches(dependents, (id, state) =>
    rebuildDependent({ temporal, client, em: em.fork(), id, ...state }),
  )
  for (const id of (await listRunningWorkflows(client, typesOf(['delivery', 'orphan']))).keys()) {
    const [noun, uuid] = id.split('/') as [keyof typeof ENTITY_BY_ID_PREFIX, string]
    if ((await em.count<Delivery | Attempt>(ENTITY_BY_ID_PREFIX[noun], uuid)) > 0) continue
    await terminateWorkflow(client, id, formatTerminationReason(request))
    yield { workflow: id, outcome: 'ended' }
  }
}

/** Workflows that are rebuilt at once: each waits for Temporal most of its time, and the command has ten connections. */
const BATCH_SIZE = 8

async function* rebuildInBatches<State>(
  workflows: Map<string, State>,
  rebuild: (id: string, state: State) => Promise<RebuildOutcome | null>,
): AsyncGenerator<RebuildOutcome & { workflow: string }> {
  const entries = [...workflows]
  for (let start = 0; start < entries.length; start += BATCH_SIZE) {
    const batch = entries.slice(start, start + BATCH_SIZE)
    const outcomes = await Promise.all(
      batch.map(async ([id, state]) => ({ workflow: id, outcome: await rebuild(id, state) })),
    )
    for (const { workflow, outcome } of outcomes) if (outcome) yield { workflow, ...outcome }
  }
}

const typesOf = (nouns: readonly WorkflowNoun[]) => nouns.map(noun => WORKFLOWS[noun].type)

/** Entities of the workflows whose input is only the id of their row. */
const ENTITY_BY_ID_PREFIX = { webhook: Delivery, orphan: Attempt }

/** `pausedAt`: the pause is a row of the restored database, so every worker reads that database from then on. */
type RebuildContext = {
  temporal: TemporalContext
  client: Client
  em: EntityManager
  pausedAt: Date
  request: RebuildRequest
  id: string
  noun: MoneyNoun
  uuid: string
  isRunning: boolean
}

/** Limit of a sending; Temporal then times it out (src/workflows/shared/activity-proxies.ts). */
const MAX_CALL_MS = 60_000
const RECHECK_DELAY_MS = 500

/** Rebuilds the workflow of a charge or payout; null if there is nothing to do. */
async function rebuildMoneyWorkflow(context: RebuildContext): Promise<RebuildOutcome | null> {
  const { client, em, id, noun, uuid, isRunning } = context
  const isOrderLost = noun === 'return' && (await isReturnOrderLost(context))
  const row = isOrderLost ? undefined : await readOperationState(em, noun, uuid)
  // Reconciliation records its PIX again and starts the return.
  if (noun === 'return' && !row && !isOrderLost) return null
  const isDone = row && IS_FINAL[noun](row.state)
  const isIssued = row && noun === 'charge' && isIssuedChargeState(row.state as ChargeState)
  if (isRunning && (isDone || isIssued)) return null
  const history = await readWorkflowHistory<RebuildableInput>(client, id, uuid)
  if (isDone)
    return history && isHistoryAhead(noun, row.state, history.result) ? requestPoll(context, row) : null
  if (isIssued) return rebuildIssuedCharge(context, row, history)
  if (!history) return HISTORY_EXPIRED
  const original = restoreOriginalInput(history.input)
  const candidates = listCandidates(original)
  if (isRebuilding(history, row !== undefined)) return { outcome: 'under_way' }
  const payouts = await readPayoutHistory(client, {
    workflowId: id,
    runIds: history.runIds,
    restoredAt: context.pausedAt,
    earlierConnections: findEarlierConnections(history.input),
  })
  const { callStartedAt } = payouts
  if (history.isRunning && callStartedAt && Date.now() - callStartedAt.getTime() < MAX_CALL_MS) {
    // A slow worker may be about to write the row; whether that is behind is known only after the call's outcome.
    await sleep(RECHECK_DELAY_MS)
    return rebuildMoneyWorkflow(context)
  }
  // The order of a return was stored before its workflow was started.
  const hadRow = isOrderLost || !payouts.hasNoActivity
  if (history.isRunning && !(row ? await isRowBehind(context, row, payouts) : hadRow)) return null
  const restored = buildPreRestoreState(history, payouts)
  const refusal = await refuseMissingConnections(em, candidates)
  if (refusal) return refusal
  await terminateAndRebuild(
    context,
    { noun, order: original, restored } as RebuiltOperation,
    history.externalRef,
  )
  return { outcome: restored.isScheduled ? 'waits' : 'rebuilt', row: row ? 'behind' : 'missing' }
}

/** Tells whether the database lacks the order of an account that a return was started by. */
async function isReturnOrderLost({ client, em, id, uuid }: RebuildContext): Promise<boolean> {
  const history = await readWorkflowHistory<ReturnPaymentInput>(client, id, uuid)
  const order = history?.input.order ?? history?.lastInput.order
  return order !== undefined && (await em.count(DepositReturn, order.uuid)) === 0
}

/** Signals the workflow, as a provider notification does, to poll its provider. */
async function requestPoll(
  { temporal, noun, uuid }: RebuildContext,
  { connectionUuid }: OperationState,
): Promise<RebuildOutcome> {
  const notification = { notificationUuid: randomUUID(), connectionUuid }
  if (noun === 'return') await signalReturn(temporal, { uuid, connectionUuid }, notification)
  else await signalOperation(temporal, noun, uuid, notification)
  return { outcome: 'asked' }
}

/** Rebuilds a charge whose provider has its payload, and whose workflow has completed though its row is not final. */
async function rebuildIssuedCharge(
  context: RebuildContext,
  row: OperationState,
  history: WorkflowHistory<RebuildableInput> | null,
): Promise<RebuildOutcome> {
  const ended = history?.result
  if (!history || row.state !== 'pending' || (ended !== 'cancelled' && ended !== 'expired'))
    return requestPoll(context, row)
  const order = restoreOriginalInput(history.input) as ChargeInput
  const restored = { orderedAt: history.startedAt.toISOString(), ended }
  // Where workers ran before, one has reopened it from its row, without that end: joined, it would not write it. A payment that the
  // terminated run was notified of is found by reconciliation, as after every restore.
  const attributes = { provider: row.connectionUuid, externalRef: history.externalRef }
  await startRebuild(terminating(context.temporal), { noun: 'charge', order, restored }, attributes)
  return { outcome: 'restored' }
}

async function isRowBehind(
  { em, noun, uuid }: RebuildContext,
  { state }: OperationState,
  history: PayoutHistory,
) {
  if (noun === 'charge') return history.isIssued
  const attempts = await findAttempts(em, { operation: noun, subjectUuid: uuid })
  return isRowBehindHistory(history, { state, attempts })
}

/** Starts the rebuild of an operation after recording the operator action. If only terminated, the next command finds it. */
async function terminateAndRebuild(
  { temporal, client, em, id, request }: RebuildContext,
  operation: RebuiltOperation,
  externalRef: string | undefined,
): Promise<void> {
  await runAuditedAction(em, { by: request, action: 'rebuild', subject: id })
  await terminateWorkflow(client, id, formatTerminationReason(request))
  // A notification may have reopened it meanwhile, from a row that is behind.
  await startRebuild(terminating(temporal), operation, { externalRef })
}

function formatTerminationReason({ since, actor }: RebuildRequest): string {
  return `the database was restored to ${since.toISOString()}; rebuilt by ${actor}`
}

const IS_FINAL: Record<MoneyNoun, (state: string) => boolean> = {
  charge: state => chargeMachine.isFinal(state as ChargeState),
  transfer: state => transferMachine.isFinal(state as never),
  refund: state => refundMachine.isFinal(state as never),
  return: state => state !== 'held' && state !== 'returning',
}

/** Returns whether the workflow's result is ahead of a final row: money moved after the row's end. */
function isHistoryAhead(noun: MoneyNoun, state: string, result: string | undefined): boolean {
  switch (noun) {
    case 'charge':
      return !isPaidChargeState(state) && state !== 'failed' && isPaidChargeState(result)
    case 'transfer':
      return (
        isSettledTransferState(result) &&
        (!isSettledTransferState(state) || (state !== result && state !== 'refunded' && result !== 'paid'))
      )
    case 'refund':
      return state === 'failed' && result === 'settled'
    case 'return':
      return (state === 'not_returned' || state === 'kept') && result === 'settled'
  }
}
