import { setTimeout } from 'node:timers/promises'
import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { batchQueries, constantQuery, type Query, runQuery, sendChanges } from '../../db/pipeline/query.ts'
import { findRepeatedRefusal } from '../../db/repositories/attempt-answers.ts'
import { queryAttemptByConnection } from '../../db/repositories/attempts.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { queryPayoutConditions } from '../../db/repositories/pauses.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { isEndedAttempt } from '../../domain/providers/attempt.ts'
import {
  type AwaitedTurn,
  type FindPayoutOutcome,
  type NoAnswerResult,
  PACED,
  type PayoutHandle,
  type PreparePayoutOutcome,
  type RejectedResult,
  type SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import { countPolls, scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type {
  PollPayoutInput,
  PollResult,
  SendPayoutInput,
  SendResult,
} from '../../workflows/contracts/payouts.ts'
import { addNotifiedRejection } from '../provider-notifications/notified-details.ts'
import { throwIfCancelled } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import {
  blockedReason,
  createAttempt,
  getNextPollTime,
  markUnknown,
  operatorBlockedReason,
  recordRefusedAnswer,
} from '../shared/attempts.ts'
import {
  guardNotFoundByEpoch,
  hasSameCredentialsEpoch,
  type ProviderConnection,
  recordCall,
  requireReach,
  toProviderConnection,
} from '../shared/provider-client.ts'
import { transitionAttempt } from '../shared/transition.ts'
import { ACCEPTANCE_TIMEOUT, getAcceptanceDeadline } from './acceptance-deadline.ts'
import {
  HANDLE_EXPIRED,
  isExpiredHandle,
  mayBePrepared,
  mayRepeatToFind,
  openHandle,
  storePreparation,
} from './payout-handle.ts'
import type { AttemptedRow, HoldRefusal, PayoutHandler } from './payout-handler.ts'
import {
  canStartAttempt,
  countRepeat,
  findLiveAttempt,
  isPaced,
  isUnsentAttempt,
  markCalling,
  type OutcomeContext,
  queryAttemptOutcome,
  recordInconclusivePoll,
  recordOrKeepUnknown,
  recordOutcome,
  recordPaced,
  recordRefusal,
  recordUnconnected,
} from './record-outcome.ts'

/**
 * Longest pause of a worker before its call; Temporal times the activity out after it
 * (src/workflows/shared/activity-proxies.ts).
 */
const MAX_SEND_DELAY_MS = 10_000

/**
 * Most sendings of an attempt that are repeated because the worker could not connect while another worker could; the
 * next one ends as unreachable. With the waits between them (`WAITS.sendAgain`) they take half a minute.
 */
const MAX_UNCONNECTED_SENDINGS = 14

/** Most requests to prepare a payout while the provider does not answer, and the time after which none is made. */
const MAX_PREPARATIONS = 3
const MAX_PREPARING_MS = 10_000

/**
 * Sends a payout through one provider. The attempt is committed before the call; an attempt that is already calling is
 * not sent again. Where the provider carries out prepared payouts only, the attempt is committed before the preparation, and
 * the handle that it returns before the call. `firstHandler`: the handler used before the first call, where the payout's row
 * may not exist yet.
 */
export function sendPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  handler: PayoutHandler<Row>,
  firstHandler = handler,
) {
  return async (order: SendPayoutInput): Promise<SendResult> => {
    const first = await commitSending(firstHandler, order)
    if (isSendResult(first)) return first
    const ready = first.isPrepared ? first : await prepare(order, first)
    if (isSendResult(ready)) return ready
    const { outcome, isLeft } = ready.isTooLate
      ? { outcome: ACCEPTANCE_TIMEOUT, isLeft: false }
      : await send(ready)
    const context = { ...dependencies, ...order, sendingNumber: ready.attempt.sendings }
    // Temporal does not retry a sending: without this record a definite outcome would become an unknown one.
    return recordOrKeepUnknown(dependencies, handler, context, () =>
      runInTransaction(dependencies.orm, tx => {
        if (isPaced(outcome)) return recordPaced(tx, handler, context, outcome)
        return isLeft && outcome.kind === 'unreachable'
          ? recordUnconnected(tx, handler, context, outcome)
          : recordOutcome(tx, handler, context, outcome)
      }),
    )
  }

  /**
   * Starts the next call in one transaction, the preparation or the sending. Returns what it needs, or an outcome without a
   * call. Throws where the commit took so long that the workflow has begun to poll.
   */
  async function commitSending(
    lockingHandler: PayoutHandler<Row>,
    order: SendPayoutInput,
    handle?: PayoutHandle,
  ): Promise<SendResult | CommittedSending<Row>> {
    const requestedAtMs = performance.now()
    let sendBeforeMs = 0
    const started = await runInTransaction(
      dependencies.orm,
      async (em): Promise<Query<SendResult | StartedSending<Row>>> => {
        const sending = await startSending(dependencies, em, lockingHandler, {
          ...order,
          requestedAtMs,
          handle,
        })
        if ('statements' in sending) return sending
        if (sending.isPrepared) sending.provider.preconnect()
        // Counted from just before the commit, not from the start, because the transaction may have waited for row
        // locks.
        sendBeforeMs = performance.now() + MAX_SEND_DELAY_MS
        return constantQuery(sending)
      },
    )
    if (isSendResult(started)) return started
    const committedAtMs = performance.now()
    if (committedAtMs > sendBeforeMs)
      throw new Error('The send was not made: the workflow has begun to poll its outcome.')
    // Only a row committed before the acceptance deadline was visible before it.
    return { ...started, isTooLate: committedAtMs > started.acceptBeforeMs }
  }

  /**
   * Has the provider prepare the payout, and starts its sending with the handle in a second transaction. A preparation moves
   * nothing, so several without an answer count as unreachable, and another provider may be tried.
   */
  async function prepare(
    order: SendPayoutInput,
    preparing: CommittedSending<Row>,
  ): Promise<SendResult | CommittedSending<Row>> {
    const { attempt, isTooLate } = preparing
    const { outcome, isLeft } = isTooLate
      ? { outcome: ACCEPTANCE_TIMEOUT, isLeft: false }
      : await requestPreparation(preparing)
    if (isLeft) return { kind: 'not_connected' }
    if (outcome.kind === 'prepared') return commitSending(handler, order, outcome.handle)
    const context = { ...dependencies, ...order, sendingNumber: attempt.sendings }
    return recordOrKeepUnknown(dependencies, handler, context, () =>
      runInTransaction(dependencies.orm, tx =>
        isPaced(outcome)
          ? recordPaced(tx, handler, context, outcome)
          : recordOutcome(tx, handler, context, outcome),
      ),
    )
  }

  /** Asks the provider to prepare the payout, a few times while it does not answer. `isLeft`: another worker is to ask. */
  async function requestPreparation({
    provider,
    row,
    ...payoutAttempt
  }: CommittedSending<Row>): Promise<{ outcome: PreparationOutcome; isLeft: boolean }> {
    const { attempt, connection } = payoutAttempt
    const giveUpAtMs = performance.now() + MAX_PREPARING_MS
    for (let requestCount = 1; ; requestCount++) {
      throwIfCancelled()
      const isFirst = attempt.preparations === 1 && requestCount === 1
      const outcome = await handler.prepare(provider, row, { ...payoutAttempt, isFirst })
      const isLeft = await recordCall(dependencies, dependencies.orm.em.fork(), connection, outcome, 'payout')
      if (isLeft && attempt.preparations <= MAX_UNCONNECTED_SENDINGS) return { outcome: UNPREPARED, isLeft }
      if (outcome.kind !== 'no_answer') return { outcome, isLeft: false }
      if (requestCount >= MAX_PREPARATIONS || performance.now() > giveUpAtMs) {
        const { code, message } = outcome
        return { outcome: { kind: 'unreachable', code, message }, isLeft: false }
      }
      await setTimeout(scaleWait(WAITS.prepareAgain, dependencies.timeScale))
    }
  }

  /** Calls the provider. `isLeft`: the request could not leave this worker, and another one is to make it. */
  async function send(
    sending: CommittedSending<Row>,
  ): Promise<{ outcome: SendPayoutOutcome; isLeft: boolean }> {
    const { attempt, connection, provider, row } = sending
    const outcome = await handler.send(provider, row, sending)
    const isLeft = await recordCall(dependencies, dependencies.orm.em.fork(), connection, outcome, 'payout')
    return { outcome, isLeft: isLeft && attempt.sendings <= MAX_UNCONNECTED_SENDINGS }
  }
}

/**
 * Polls the provider of an attempt by our id; with `canAnswerFromRow` a final outcome is answered from the attempt's
 * row.
 */
export function pollPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  handler: PayoutHandler<Row>,
) {
  const { orm, sealer, timeScale } = dependencies
  return async (order: PollPayoutInput): Promise<PollResult> => {
    const em = orm.em.fork()
    const { operation } = handler
    const { uuid: subjectUuid, connectionUuid } = order
    const attemptQuery = queryAttemptByConnection(em, { operation, subjectUuid, connectionUuid })
    const [attempt, connectionToCall] = await runQuery(
      em,
      batchQueries(attemptQuery, queryConnectionToCall(em, connectionUuid)),
    )
    if (!attempt || isUnsentAttempt(attempt)) return { kind: 'not_started' }
    if (order.canAnswerFromRow && isEndedAttempt(attempt))
      return runQuery(em, queryAttemptOutcome(attempt, subjectUuid))
    const client = toProviderConnection(dependencies, connectionToCall)
    const { connection, provider } = client
    const handle = openHandle(attempt, sealer)
    const isRepeatable =
      !(handle && isExpiredHandle(handle)) &&
      (await mayRepeatToFind(em, attempt, connection, timeScale)) &&
      (await runInTransaction(orm, tx => countRepeat(tx, handler, order)))
    const payout = { subjectUuid, handle, ...(isRepeatable && { repeatThrough: connection }) }
    const providerAnswer = await handler.find(provider, payout, em)
    await requireReach(dependencies, em, connection, providerAnswer)
    const answer = guardNotFoundByEpoch(providerAnswer, { attempt, connection })
    // A notification reopens what has ended: it stays as it is where its provider cannot tell more.
    const hasAnswer = answer.kind !== 'no_answer' || !answer.isLasting
    if (
      isEndedAttempt(attempt) &&
      (!hasAnswer || (await handler.mayShowLaterPayout?.(em, attempt, connection)))
    )
      return runQuery(em, queryAttemptOutcome(attempt, subjectUuid))
    if (answer.kind === 'found')
      answer.payout = await addNotifiedRejection(em, client, answer.payout, referenceOf(subjectUuid))
    const context = { ...dependencies, ...order }
    const record = async (): Promise<PollResult> => recordPoll(connection, order, answer, context)
    return recordOrKeepUnknown(dependencies, handler, context, record)
  }

  async function recordPoll(
    connection: Connection,
    order: PollPayoutInput,
    answer: FindPayoutOutcome,
    context: OutcomeContext,
  ): Promise<PollResult> {
    switch (answer.kind) {
      case 'no_answer':
      case 'awaiting_approval':
      case 'not_found': {
        const code = answer.kind === 'no_answer' ? answer.code : answer.kind
        const nextCheckAt = getNextPollTime(countPolls(order.pollCount, code), timeScale)
        await runInTransaction(orm, tx =>
          recordInconclusivePoll(tx, handler, order, { nextCheckAt, answer, sealer }),
        )
        if (answer.kind === 'not_found')
          return { kind: 'not_found', settleWindowMs: connection.settleWindowMs }
        return { kind: 'unknown', code }
      }
      case 'found':
        return runInTransaction(orm, tx =>
          recordOutcome(tx, handler, context, { kind: 'accepted', payout: answer.payout }),
        )
    }
  }
}

type StartedSending<Row> = ProviderConnection & {
  attempt: Attempt
  row: Row
  /** False while the provider is still to prepare the payout. */
  isPrepared: boolean
  handle: PayoutHandle | undefined
  turn: AwaitedTurn
  /**
   * Acceptance deadline on the clock of `performance.now()`: a row committed later may not have been visible in time
   * and is not sent.
   */
  acceptBeforeMs: number
}
type CommittedSending<Row> = StartedSending<Row> & { isTooLate: boolean }
type PreparationOutcome = Exclude<PreparePayoutOutcome, NoAnswerResult>

/** Never recorded: the attempt stays in preparation, and another worker goes on. */
const UNPREPARED: PreparationOutcome = { kind: 'unreachable', code: 'not_connected', message: '' }

function isSendResult<Row>(value: SendResult | StartedSending<Row>): value is SendResult {
  return 'kind' in value
}

/**
 * Decides under the row lock what is called next, and stores it in the attempt: a preparation, a sending, or nothing. `handle`:
 * what the preparation before has returned. Returns what the call needs, or the query of an outcome without a call, to be run
 * at the end of the transaction.
 */
async function startSending<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  em: EntityManager,
  handler: PayoutHandler<Row>,
  {
    requestedAtMs,
    handle,
    ...order
  }: SendPayoutInput & { requestedAtMs: number; handle: PayoutHandle | undefined },
): Promise<Query<SendResult> | StartedSending<Row>> {
  const { uuid, connectionUuid } = order
  const callQuery = batchQueries(
    queryConnectionToCall(em, connectionUuid),
    queryPayoutConditions(connectionUuid),
  )
  const [row, [connectionToCall, conditions]] = await handler.lock(em, uuid, callQuery)
  const call = toProviderConnection(dependencies, connectionToCall)
  const { connection } = call
  const earlierAttempt = row.attempts.find(attempt => attempt.connectionUuid === connectionUuid)
  // A payout that a provider has accepted is never sent again, even if the provider does not find it later.
  if (earlierAttempt && hasFinalOutcome(earlierAttempt)) return queryAttemptOutcome(earlierAttempt, uuid)
  const liveAttempt = findLiveAttempt(row)
  // A workflow whose history is older than the row does not know the live attempt.
  if (liveAttempt && liveAttempt !== earlierAttempt)
    return constantQuery({ kind: 'redirect', connectionUuid: liveAttempt.connectionUuid })
  const isUnsent = liveAttempt !== undefined && isUnsentAttempt(liveAttempt)
  const isPreparing = liveAttempt?.state === 'preparing'
  if (liveAttempt && !order.isResend && !isUnsent)
    return constantQuery({ kind: 'unknown', code: 'interrupted' })
  const { timeScale } = dependencies
  if (liveAttempt && !isUnsent && !hasSameCredentialsEpoch(liveAttempt, connection))
    return keepUnknown(liveAttempt, 'credentials_changed')
  // No provider has the payout now: it may be sent, unless a rule forbids it.
  const acceptableOrder = handler.getOrder?.(row)
  if (handle && acceptableOrder?.acceptBefore) {
    acceptableOrder.acceptBefore = null // The row was visible before its deadline: the preparation was called in time.
    await sendChanges(em) // Before the attempt's update, whose trigger reads it.
  }
  const acceptBeforeMs = getAcceptanceDeadline(acceptableOrder, conditions, requestedAtMs)
  const closedRefusal = getClosedRefusal(handler, row)
  const lateRefusal = performance.now() > acceptBeforeMs ? ACCEPTANCE_TIMEOUT : null
  const repeatedRefusal =
    liveAttempt && order.isResend ? await getRepeatedRefusal(em, liveAttempt, timeScale) : null
  const refusal = closedRefusal ?? liveAttempt?.refusal ?? repeatedRefusal ?? lateRefusal
  if (refusal) {
    const outcome: RejectedResult = { ...refusal, kind: 'rejected' }
    if (liveAttempt) await recordRefusal(em, handler, { row, attempt: liveAttempt, outcome, timeScale })
    if (refusal === ACCEPTANCE_TIMEOUT) await handler.endUnaccepted?.(em, row)
    const { code, finality } = refusal
    return queryWithFollowUps(uuid, { kind: 'rejected', code, finality })
  }
  if (liveAttempt && !isPreparing) {
    const blocked = operatorBlockedReason(handler.operation, conditions)
    return blocked ? keepUnknown(liveAttempt, blocked.code) : start(liveAttempt)
  }
  const blocked = blockedReason(handler.operation, connection, conditions)
  const holdRefusal = blocked || isPreparing ? null : await handler.holdFunds(em, row, connection)
  const firstState = handler.needsPreparation(call.provider, row) ? 'preparing' : 'calling'
  const attempt =
    earlierAttempt ?? createPayoutAttempt(em, handler, { ...order, row, state: firstState }, connection)
  if (!blocked && !holdRefusal) return start(attempt)
  attempt.isRefusedBeforeCall = !blocked
  attempt.missingCents = (!blocked && holdRefusal?.missingCents) || null
  recordRefusedAnswer(attempt, blocked ?? toRejectedResult(holdRefusal!))
  await handler.applyRefusal(em, row, attempt)
  return queryAttemptOutcome(attempt, uuid)

  /** Starts the preparation of an attempt that has no handle to be sent by, and else its sending. */
  async function start(attempt: Attempt): Promise<Query<SendResult> | StartedSending<Row>> {
    // An attempt that has ended without its turn has no place any more.
    const hasWaited = handle !== undefined || liveAttempt?.code === PACED
    const isBatchItem = handler.isBatchItem?.(row) ?? false
    const turn = { maxWaitMs: order.maxTurnWaitMs ?? 0, hasWaited, isBatchItem }
    const started = { ...call, row, attempt, acceptBeforeMs, turn }
    if (!handler.needsPreparation(call.provider, row)) {
      markCalling(attempt, connection)
      return { ...started, isPrepared: true, handle: undefined }
    }
    const usableHandle = handle ?? openHandle(attempt, dependencies.sealer)
    if (usableHandle && !isExpiredHandle(usableHandle)) {
      if (handle) storePreparation(attempt, handle, dependencies.sealer)
      markCalling(attempt, connection)
      return { ...started, isPrepared: true, handle: usableHandle }
    }
    if (!handle && mayBePrepared(attempt)) {
      transitionAttempt(attempt, 'preparation_started')
      attempt.preparations += 1
      return { ...started, isPrepared: false, handle: undefined }
    }
    await recordRefusal(em, handler, { row, attempt, outcome: HANDLE_EXPIRED, timeScale })
    return queryAttemptOutcome(attempt, uuid)
  }

  /** Keeps the attempt unknown, so that its workflow polls it until it may be sent again. */
  function keepUnknown(attempt: Attempt, code: string): Query<SendResult> {
    attempt.code = code
    markUnknown(attempt, { pollCount: 0, timeScale })
    return constantQuery({ kind: 'unknown', code })
  }
}

/** Returns the refusal of a payout whose provider has refused every sending alike, and provably has none of them (SPEC §6). */
async function getRepeatedRefusal(
  em: EntityManager,
  attempt: Attempt,
  timeScale: number,
): Promise<Omit<RejectedResult, 'kind'> | null> {
  const waitMs = scaleWait(WAITS.countRepeatedRefusal, timeScale)
  const status = await findRepeatedRefusal(em, attempt, waitMs)
  if (status === null) return null
  const message = `The provider has refused all ${attempt.sendings} sendings with ${status}, and has none of them.`
  return { code: 'provider_rejected', finality: 'other_may_help', providerCode: status, message }
}

/** Builds the refusal of an order whose money could not be held: nothing is sent. */
function toRejectedResult({ finality, code, message }: HoldRefusal): RejectedResult {
  return { kind: 'rejected', finality: finality ?? 'other_may_help', code, message, refusedBy: 'service' }
}

function getClosedRefusal<Row extends AttemptedRow>(
  handler: PayoutHandler<Row>,
  row: Row,
): Omit<RejectedResult, 'kind'> | null {
  const code = handler.closedReason?.(row) ?? null
  if (code === null) return null
  return { code, finality: 'final', message: 'It may not be sent any more.', refusedBy: 'service' }
}

/** Tells whether an attempt keeps its outcome: accepted, or ended so that it may not be sent again. */
function hasFinalOutcome(attempt: Attempt): boolean {
  if (attempt.state === 'accepted') return true
  return isEndedAttempt(attempt) && !canStartAttempt(attempt)
}

/** Creates the attempt at a payout through one connection; its position is after all earlier attempts. */
export function createPayoutAttempt<Row extends AttemptedRow>(
  em: EntityManager,
  { operation }: PayoutHandler<Row>,
  {
    uuid: subjectUuid,
    row: { attempts },
    state = 'calling',
  }: { uuid: string; row: Row; state?: 'preparing' | 'calling' },
  connection: Connection,
): Attempt {
  const attempt = createAttempt(em, { operation, subjectUuid, position: attempts.length, state }, connection)
  attempts.push(attempt)
  return attempt
}
