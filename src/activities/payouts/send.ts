import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { batchQueries, constantQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { findRepeatedRefusal } from '../../db/repositories/attempt-answers.ts'
import { queryAttemptByConnection } from '../../db/repositories/attempts.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { type PayoutConditions, queryPayoutConditions } from '../../db/repositories/pauses.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import { isEndedAttempt } from '../../domain/providers/attempt.ts'
import type { FindPayoutOutcome, RejectedResult, SendPayoutOutcome } from '../../domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type {
  PollPayoutInput,
  PollResult,
  SendPayoutInput,
  SendResult,
} from '../../workflows/contracts/payouts.ts'
import { addNotifiedRejection } from '../provider-notifications/notified-details.ts'
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
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'
import {
  ACCEPTANCE_TIMEOUT,
  canStartAttempt,
  findLiveAttempt,
  isUnconnected,
  markCalling,
  type OutcomeContext,
  queryAttemptOutcome,
  recordInconclusivePoll,
  recordOrKeepUnknown,
  recordOutcome,
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

/**
 * Sends a payout through one provider. The attempt is committed before the call; an attempt that is already calling is
 * not sent again. `firstHandler`: the handler used before the call, where the payout's row may not exist yet.
 */
export function sendPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  handler: PayoutHandler<Row>,
  firstHandler = handler,
) {
  return async (order: SendPayoutInput): Promise<SendResult> => {
    const { orm, log, timeScale } = dependencies
    const requestedAtMs = performance.now()
    const prepared = await runInTransaction(
      orm,
      async (em): Promise<Query<SendResult | CommittedSend<Row>>> => {
        const preparation = await prepareSend(dependencies, em, firstHandler, { ...order, requestedAtMs })
        if ('statements' in preparation) return preparation
        preparation.provider.preconnect()
        // Counted from just before the commit, not from the start, because the transaction may have waited for row
        // locks.
        return constantQuery({ ...preparation, sendBeforeMs: performance.now() + MAX_SEND_DELAY_MS })
      },
    )
    if ('kind' in prepared) return prepared
    const committedAtMs = performance.now()
    if (committedAtMs > prepared.sendBeforeMs)
      throw new Error('The send was not made: the workflow has begun to poll its outcome.')
    // Only a row committed before the acceptance deadline was visible before it.
    const { outcome, isLeft } =
      committedAtMs > prepared.acceptBeforeMs
        ? { outcome: ACCEPTANCE_TIMEOUT, isLeft: false }
        : await send(prepared)
    const context = {
      ...order,
      timeScale,
      sendingNumber: prepared.attempt.sendings,
      log,
    }
    // Temporal does not retry a sending: without this record a definite outcome would become an unknown one.
    return recordOrKeepUnknown(dependencies, handler, context, () =>
      runInTransaction(orm, tx =>
        isLeft && outcome.kind === 'unreachable'
          ? recordUnconnected(tx, handler, context, outcome)
          : recordOutcome(tx, handler, context, outcome),
      ),
    )
  }

  /** Calls the provider. `isLeft`: the request could not leave this worker, and another one is to make it. */
  async function send(
    prepared: CommittedSend<Row>,
  ): Promise<{ outcome: SendPayoutOutcome; isLeft: boolean }> {
    const { attempt, connection, provider, row } = prepared
    const outcome = await handler.send(provider, row, prepared)
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
  const { orm, log, timeScale } = dependencies
  return async (order: PollPayoutInput): Promise<PollResult> => {
    const em = orm.em.fork()
    const { operation } = handler
    const { uuid: subjectUuid, connectionUuid } = order
    const attemptQuery = queryAttemptByConnection(em, { operation, subjectUuid, connectionUuid })
    const [attempt, connectionToCall] = await runQuery(
      em,
      batchQueries(attemptQuery, queryConnectionToCall(em, connectionUuid)),
    )
    if (!attempt || isUnconnected(attempt)) return { kind: 'not_started' }
    if (order.canAnswerFromRow && isEndedAttempt(attempt))
      return runQuery(em, queryAttemptOutcome(attempt, subjectUuid))
    const client = toProviderConnection(dependencies, connectionToCall)
    const { connection, provider } = client
    const providerAnswer = await handler.find(provider, attempt, em)
    await requireReach(dependencies, em, connection, providerAnswer)
    const answer = guardNotFoundByEpoch(providerAnswer, { attempt, connection })
    if (answer.kind === 'found')
      answer.payout = await addNotifiedRejection(em, client, answer.payout, referenceOf(subjectUuid))
    const context = { ...order, timeScale, log }
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
        const nextCheckAt = getNextPollTime(order.pollCount, timeScale)
        await runInTransaction(orm, tx => recordInconclusivePoll(tx, handler, order, { nextCheckAt, answer }))
        if (answer.kind === 'not_found')
          return { kind: 'not_found', settleWindowMs: connection.settleWindowMs }
        return { kind: 'unknown', code: answer.kind === 'no_answer' ? answer.code : answer.kind }
      }
      case 'found':
        return runInTransaction(orm, tx =>
          recordOutcome(tx, handler, context, { kind: 'accepted', payout: answer.payout }),
        )
    }
  }
}

type PreparedSend<Row> = ProviderConnection & {
  attempt: Attempt
  row: Row
  /**
   * Acceptance deadline on the clock of `performance.now()`: a row committed later may not have been visible in time
   * and is not sent.
   */
  acceptBeforeMs: number
}
type CommittedSend<Row> = PreparedSend<Row> & { sendBeforeMs: number }

/**
 * Prepares a provider call under the row lock and stores its attempt. Returns what the call needs, or the query of an
 * outcome without a call, to be run at the end of the transaction.
 */
async function prepareSend<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { requestedAtMs, ...order }: SendPayoutInput & { requestedAtMs: number },
): Promise<Query<SendResult> | PreparedSend<Row>> {
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
  const isUnsent = liveAttempt !== undefined && isUnconnected(liveAttempt)
  if (liveAttempt && !order.isResend && !isUnsent)
    return constantQuery({ kind: 'unknown', code: 'interrupted' })
  const { timeScale } = dependencies
  if (liveAttempt && !isUnsent && !hasSameCredentialsEpoch(liveAttempt, connection))
    return keepUnknown(liveAttempt, 'credentials_changed')
  // No provider has the payout now: it may be sent, unless a rule forbids it.
  const acceptBeforeMs = getAcceptanceDeadline(handler.getOrder?.(row), conditions, requestedAtMs)
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
  if (liveAttempt) {
    const blocked = operatorBlockedReason(handler.operation, conditions)
    if (blocked) return keepUnknown(liveAttempt, blocked.code)
    markCalling(liveAttempt, connection)
    return { ...call, row, attempt: liveAttempt, acceptBeforeMs }
  }
  const blocked = blockedReason(handler.operation, connection, conditions)
  const holdRefusal = blocked ? null : await handler.holdFunds(em, row, connection)
  const attempt = earlierAttempt ?? createPayoutAttempt(em, handler, { ...order, row }, connection)
  if (!blocked && !holdRefusal) {
    markCalling(attempt, connection)
    return { ...call, row, attempt, acceptBeforeMs }
  }
  attempt.isRefusedBeforeCall = !blocked
  recordRefusedAnswer(attempt, blocked ?? { kind: 'rejected', finality: 'other_may_help', ...holdRefusal! })
  await handler.applyRefusal(em, row, attempt)
  return queryAttemptOutcome(attempt, uuid)

  /** Keeps the attempt unknown, so that its workflow polls it until it may be sent again. */
  function keepUnknown(attempt: Attempt, code: string): Query<SendResult> {
    attempt.code = code
    markUnknown(attempt, { pollCount: 0, timeScale })
    return constantQuery({ kind: 'unknown', code })
  }
}

/**
 * Returns the latest time at which the commit may be acknowledged, on the clock of `performance.now()`. PostgreSQL
 * starts the transaction no earlier than the worker requests it, so a worker that pauses in between gets an earlier
 * deadline, never a later one.
 */
function getAcceptanceDeadline(
  order: { acceptBefore?: Date | null | undefined } | undefined,
  { transactionStartedAtMs }: PayoutConditions,
  requestedAtMs: number,
): number {
  if (!order?.acceptBefore) return Number.POSITIVE_INFINITY
  return requestedAtMs + order.acceptBefore.getTime() - transactionStartedAtMs
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

function getClosedRefusal<Row extends AttemptedRow>(
  handler: PayoutHandler<Row>,
  row: Row,
): Omit<RejectedResult, 'kind'> | null {
  const code = handler.closedReason?.(row) ?? null
  return code === null ? null : { code, finality: 'final', message: 'It may not be sent any more.' }
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
  { uuid: subjectUuid, row: { attempts } }: { uuid: string; row: Row },
  connection: Connection,
): Attempt {
  const attempt = createAttempt(em, { operation, subjectUuid, position: attempts.length }, connection)
  attempts.push(attempt)
  return attempt
}
