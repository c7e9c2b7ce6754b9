import { setTimeout as sleep } from 'node:timers/promises'
import { needsBatchApproval } from '../../contract/transfers/transfer-batch.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import { Account } from '../../db/entities/account.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { TransferBatch } from '../../db/entities/transfer-batch.ts'
import { constantQuery, mapQuery, type Query } from '../../db/pipeline/query.ts'
import { decideApprovalRequest, lockApproval } from '../../db/repositories/approvals.ts'
import { orderByCircuitState } from '../../db/repositories/circuit-breaker.ts'
import { NO_FOLLOW_UPS, queryFollowUpsOfRow } from '../../db/repositories/follow-ups.ts'
import {
  type BatchCounts,
  cancelPendingItems,
  claimBatchItems,
  countBatchItems,
  lockTransferBatch,
  markStartedItems,
  readAvailableBalances,
  readBatchConnections,
  readItemsInFlight,
  readStartableItems,
  type StartableItem,
} from '../../db/repositories/transfer-batches.ts'
import { findRemainingWait, type RemainingWait } from '../../domain/approvals/approval.ts'
import { computeFeeCents } from '../../domain/ledger/money.ts'
import { SECOND, scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { transferMachine } from '../../domain/transfers/transfer.ts'
import {
  type BatchCancelReason,
  type BatchEvent,
  type BatchWaitReason,
  batchMachine,
} from '../../domain/transfers/transfer-batch.ts'
import { canCarryTransfer, findCarrierNeeds } from '../../domain/transfers/transfer-candidates.ts'
import { isWithinTransferLimit } from '../../domain/transfers/transfer-limit.ts'
import { startMoneyWorkflow } from '../../temporal/start.ts'
import type { AdvanceBatchInput, AdvanceBatchResult } from '../../workflows/contracts/transfer-batches.ts'
import type { TransferInput } from '../../workflows/contracts/transfers.ts'
import { recordBatchEvent } from '../events/record-event.ts'
import { startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { transition } from '../shared/transition.ts'

/** Most transfers of one batch that are on their way to a provider at once: so many that few of them wait, and few others wait for them. */
const MAX_ITEMS_IN_FLIGHT = 4
/** Most items that one step starts: the workflow then continues as new. */
const MAX_ITEMS_PER_STEP = 500
/** Longest time in which a step starts items, before its workflow is asked whether it goes on. */
const STEP_BUDGET_MS = 20 * SECOND
/** Longest wait for the result of one transfer; its workflow goes on. */
const ITEM_RESULT_WAIT_MS = 10 * SECOND
/** Between the starts of two items of a batch: evenly, so that a single transfer rarely finds the workers at several of them. */
const ITEM_INTERVAL_MS = SECOND / 10
/** Between two looks at the transfers on their way while none may be added. */
const IN_FLIGHT_POLL_MS = SECOND / 2

/**
 * Starts the next items of a batch, each as an ordinary transfer with the workflow that `POST /transfers` starts, and says what comes
 * next. Repeatable: an item whose start was interrupted is started again by the same uuid, so that one workflow carries it out.
 */
export function advanceBatch(dependencies: ActivityDependencies) {
  return async ({ uuid, pollCount }: AdvanceBatchInput): Promise<AdvanceBatchResult> => {
    const hasTime = startTimeBudget(STEP_BUDGET_MS)
    for (let startedCount = 0; ; ) {
      const step = await runInTransaction(dependencies.orm, em =>
        claimItems(em, { uuid, pollCount, timeScale: dependencies.timeScale }),
      )
      if (step.kind === 'rest') return { ...step.result, startedCount }
      if (step.kind === 'full') await sleep(IN_FLIGHT_POLL_MS)
      else {
        const { batch, items } = step
        const areStarted = await Promise.all(
          items.map(async (one, place) => {
            await sleep((place + 1) * ITEM_INTERVAL_MS)
            return startItem(dependencies, batch, one)
          }),
        )
        startedCount += areStarted.filter(Boolean).length
        if (!areStarted.every(Boolean)) await sleep(IN_FLIGHT_POLL_MS)
      }
      if (!hasTime() || startedCount >= MAX_ITEMS_PER_STEP)
        return { ...NO_FOLLOW_UPS, state: 'processing', startedCount, next: { kind: 'step' } }
    }
  }
}

/** Cancels a batch that has not ended; its items that were started go on. Returns whether it is cancelled. Repeatable. */
export function cancelBatch({ orm }: ActivityDependencies) {
  return (uuid: string): Promise<boolean> =>
    runInTransaction(orm, async em => {
      const batch = await lockTransferBatch(em, uuid)
      if (batch?.state === 'draft' && (await lockApproval(em, uuid))?.decision === null)
        await decideApprovalRequest(em, uuid, 'withdrawn')
      if (batch && batchMachine.accepts(batch.state, 'cancelled')) await endBatch(em, batch, 'cancelled')
      return batch?.state === 'cancelled'
    })
}

type ClaimedItem = StartableItem & { candidates: string[] }
type BatchStep =
  | { kind: 'items'; batch: TransferBatch; items: ClaimedItem[] }
  /** As many transfers as may be are on their way. */
  | { kind: 'full' }
  | { kind: 'rest'; result: Omit<AdvanceBatchResult, 'startedCount'> }

type StepInput = AdvanceBatchInput & { timeScale: number }

/** Claims the next items of a batch under its lock, or ends it, or finds why it waits. */
async function claimItems(em: EntityManager, input: StepInput): Promise<Query<BatchStep>> {
  const batch = await lockTransferBatch(em, input.uuid)
  // A restored backup may lack it: its items that were started have workflows of their own.
  if (!batch)
    return constantQuery({
      kind: 'rest',
      result: { ...NO_FOLLOW_UPS, state: 'cancelled', next: { kind: 'end' } },
    })
  await markStartedItems(em, batch.uuid)
  const interrupted = await readStartableItems(em, batch.uuid, {
    state: 'starting',
    limit: MAX_ITEMS_IN_FLIGHT,
  })
  const connections = await readBatchConnections(em, batch.candidates)
  if (interrupted.length > 0)
    return constantQuery<BatchStep>({
      kind: 'items',
      batch,
      items: interrupted.map(one => ({ ...one, candidates: listItemCandidates(connections, one) })),
    })
  if (batchMachine.isFinal(batch.state)) return queryRest(batch, { kind: 'end' })
  if (batch.state === 'draft') return applyApproval(em, batch, input)
  const waitMs = batch.scheduledFor ? batch.scheduledFor.getTime() - Date.now() : 0
  if (waitMs > 0) return rest(batch, 'scheduled', waitMs * input.timeScale, input)
  const counts = (await countBatchItems(em, batch.accountUuid, [batch.uuid])).get(batch.uuid)!
  if (batch.mode === 'ALL_VALID' && counts.transfers.failed && counts.items.pending) {
    await endBatch(em, batch, 'cancelled', 'item_failed')
    return queryRest(batch, { kind: 'end' })
  }
  if (!counts.items.pending) {
    if (!areItemsFinal(batch, counts))
      return rest(batch, 'unfinished_items', WAITS.nextBatchPoll(input.pollCount + 1), input)
    await endBatch(em, batch, 'completed')
    return queryRest(batch, { kind: 'end' })
  }
  const account = await em.findOneOrFail(Account, batch.accountUuid)
  if (account.status !== 'ACTIVE') return rest(batch, 'account_blocked', WAITS.retryBatch, input)
  return claimPendingItems(em, batch, connections, input)
}

/** Applies what was decided about a DRAFT batch, or waits until its approval expires. */
async function applyApproval(
  em: EntityManager,
  batch: TransferBatch,
  input: StepInput,
): Promise<Query<BatchStep>> {
  const approval = await lockApproval(em, batch.uuid)
  if (!approval) throw new Error(`batch ${batch.uuid} is a draft that waits for nothing`)
  const { decision, given, at } = approval
  const remaining = decision === null ? findRemainingWait(approval, given, at) : null
  if (remaining) return restUntilApproval(batch, remaining, input)
  if (decision === null) await decideApprovalRequest(em, batch.uuid, 'expired')
  if (decision !== 'approved') {
    await endBatch(em, batch, 'cancelled', decision === 'rejected' ? 'rejected' : 'approval_expired')
    return queryRest(batch, { kind: 'end' })
  }
  batch.waitReason = null
  transition(batch, batchMachine, 'approved', new Date())
  return queryRest(batch, { kind: 'step' })
}

/** Lets a DRAFT batch wait for what is left of its time, or until its call-out needs a step. The times are not scaled any more. */
function restUntilApproval(
  batch: TransferBatch,
  { remainingMs, calloutInMs }: RemainingWait,
  input: StepInput,
): Query<BatchStep> {
  const isCalloutDue = calloutInMs === 0
  const waitMs = Math.min(remainingMs, calloutInMs || remainingMs)
  return rest(batch, 'approval', waitMs * input.timeScale, input, isCalloutDue)
}

async function claimPendingItems(
  em: EntityManager,
  batch: TransferBatch,
  connections: Connection[],
  input: StepInput,
): Promise<Query<BatchStep>> {
  const inFlight = await readItemsInFlight(em, batch)
  const limit = MAX_ITEMS_IN_FLIGHT - inFlight.count
  if (limit <= 0) return constantQuery<BatchStep>({ kind: 'full' })
  const pending = await readStartableItems(em, batch.uuid, { state: 'pending', limit })
  const unpaused = connections.filter(({ isPausedOut }) => !isPausedOut)
  if (unpaused.length === 0) return rest(batch, 'paused', WAITS.retryBatch, input)
  const orderedUuids = await orderByCircuitState(
    em,
    unpaused.map(({ uuid }) => uuid),
  )
  const ordered = orderedUuids.map(uuid => unpaused.find(one => one.uuid === uuid)!)
  const items =
    batch.onShortBalance === 'FAIL'
      ? pending
      : takeCoveredItems(pending, unpaused, {
          balances: await readAvailableBalances(em, batch.accountUuid),
          unheldCents: inFlight.unheldCents,
        })
  if (items.length === 0) return rest(batch, 'insufficient_balance', WAITS.retryBatch, input)
  batch.waitReason = null
  await claimBatchItems(
    em,
    batch.uuid,
    items.map(({ line }) => line),
  )
  return constantQuery<BatchStep>({
    kind: 'items',
    batch,
    items: items.map(one => ({ ...one, candidates: listItemCandidates(ordered, one) })),
  })
}

/**
 * Takes the first items that the highest available balance covers with their fees, beside what the transfers on their way have not held
 * yet. An estimate: the hold of each transfer decides, and one that is short after all waits as a scheduled transfer does.
 */
function takeCoveredItems(
  items: StartableItem[],
  connections: Connection[],
  { balances, unheldCents }: { balances: Map<string, number>; unheldCents: number },
): StartableItem[] {
  const balanceOf = ({ providerAccountUuid }: Connection) => balances.get(providerAccountUuid) ?? 0
  const richest = connections.toSorted((one, other) => balanceOf(other) - balanceOf(one))[0]!
  let leftCents = balanceOf(richest) - unheldCents
  const firstUncovered = items.findIndex(({ valueCents }) => {
    leftCents -= valueCents + computeFeeCents(valueCents, richest.fees.transfer)
    return leftCents < 0
  })
  return firstUncovered === -1 ? items : items.slice(0, firstUncovered)
}

/** Lists the connections that may carry an item, in the order of trying. Where none may, the first one: its transfer then says why. */
function listItemCandidates(connections: Connection[], { details, valueCents }: StartableItem): string[] {
  const needs = findCarrierNeeds(details)
  const able = connections.filter(
    one =>
      one.status === 'ACTIVE' &&
      canCarryTransfer(one.dialect, needs) &&
      isWithinTransferLimit(one, valueCents),
  )
  return (able.length > 0 ? able : connections.slice(0, 1)).map(({ uuid }) => uuid)
}

/**
 * Starts the transfer of an item and waits for its result; false where there is none yet. The next step repeats that by the same uuid, unless the
 * transfer has a row by then.
 */
async function startItem(
  { temporal, sealer, timeScale, log }: ActivityDependencies,
  batch: TransferBatch,
  { transferUuid, valueCents, externalRef, details, candidates, line }: ClaimedItem,
): Promise<boolean> {
  const order: TransferInput = {
    uuid: transferUuid,
    accountUuid: batch.accountUuid,
    requestId: batch.requestId,
    timeScale,
    ...(batch.tokenNumber !== null && { tokenNumber: batch.tokenNumber }),
    ...(batch.userUuid !== null && { userUuid: batch.userUuid }),
    candidates,
    valueCents,
    details: sealer.seal(details),
    batchUuid: batch.uuid,
    // Its sum was approved, so none of its items waits again.
    ...(needsBatchApproval(batch) && { isApproved: true as const }),
    // A scheduled transfer waits for the balance by itself where another order has taken it meanwhile.
    ...(batch.onShortBalance === 'WAIT' && { scheduledFor: new Date().toISOString() }),
  }
  try {
    await startMoneyWorkflow(temporal, 'transfer', order, { externalRef, waitMs: ITEM_RESULT_WAIT_MS })
    return true
  } catch (error) {
    log.info({ batch: batch.uuid, line, error: String(error) }, 'an item of a batch has no result yet')
    return false
  }
}

function areItemsFinal({ itemCount }: TransferBatch, { transfers }: BatchCounts): boolean {
  const finalStates = transferMachine.states.filter(transferMachine.isFinal)
  const finalCount = finalStates.reduce((count, state) => count + (transfers[state] ?? 0), 0)
  return finalCount === itemCount
}

/** Ends a batch and writes its event. The caller holds its lock. */
async function endBatch(
  em: EntityManager,
  batch: TransferBatch,
  event: Extract<BatchEvent, 'completed' | 'cancelled'>,
  reason: BatchCancelReason | null = null,
): Promise<void> {
  const at = new Date()
  if (event === 'cancelled') await cancelPendingItems(em, batch.uuid)
  batch.cancelReason = reason
  batch.waitReason = null
  transition(batch, batchMachine, event, at)
  await recordBatchEvent(em, batch, at)
}

/** Stores why a batch waits, and queries that result. `waitMs`: before it is divided by the time scale. */
function rest(
  batch: TransferBatch,
  reason: BatchWaitReason,
  waitMs: number,
  { timeScale }: StepInput,
  isCalloutDue = false,
): Query<BatchStep> {
  batch.waitReason = reason
  return queryRest(batch, {
    kind: 'wait',
    reason,
    waitMs: scaleWait(waitMs, timeScale),
    ...(isCalloutDue && { isCalloutDue }),
  })
}

function queryRest(batch: TransferBatch, next: AdvanceBatchResult['next']): Query<BatchStep> {
  const { state } = batch
  return mapQuery(queryFollowUpsOfRow(batch), followUps => ({
    kind: 'rest',
    result: { ...followUps, state, next },
  }))
}
