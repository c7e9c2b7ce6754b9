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
import { createAttempt, getNextPollTime, markUnknown, recordRefusedAnswer } from '../shared/attempts.ts'
import { guardNotFoundByEpoch, hasSameCredentialsEpoch } from '../shared/credentials-epoch.ts'
import { blockedReason, operatorBlockedReason } from '../shared/preflight.ts'
import {
  type ProviderConnection,
  recordCall,
  requireReach,
  toProviderConnection,
} from '../shared/provider-client.ts'
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'
import {
  ACCEPTANCE_TIMEOUT,
  canStartAttempt,
  createContradictionReporter,
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
 * not sent again. `first`: the handler used before the call, where the payout's row may not exist yet.
 */
export function sendPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  outgoing: PayoutHandler<Row>,
  first = outgoing,
) {
  return async (order: SendPayoutInput): Promise<SendResult> => {
    const { orm, timeScale } = dependencies
    const requestedAtMs = performance.now()
    const prepared = await runInTransaction(
      orm,
      async (em): Promise<Query<SendResult | CommittedSend<Row>>> => {
        const preparation = await prepareSend(dependencies, em, first, { ...order, requestedAtMs })
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
      onContradiction: createContradictionReporter(dependencies),
    }
    // Temporal does not retry a sending: without this record a definite outcome would become an unknown one.
    return recordOrKeepUnknown(dependencies, outgoing, context, () =>
      runInTransaction(orm, tx =>
        isLeft && outcome.kind === 'unreachable'
          ? recordUnconnected(tx, outgoing, context, outcome)
          : recordOutcome(tx, outgoing, context, outcome),
      ),
    )
  }

  /** Calls the provider. `isLeft`: the request could not leave this worker, and another one is to make it. */
  async function send(
    prepared: CommittedSend<Row>,
  ): Promise<{ outcome: SendPayoutOutcome; isLeft: boolean }> {
    const { attempt, connection, provider, row } = prepared
    const outcome = await outgoing.send(provider, row, prepared)
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
  outgoing: PayoutHandler<Row>,
) {
  const { orm, timeScale } = dependencies
  return async (order: PollPayoutInput): Promise<PollResult> => {
    const em = orm.em.fork()
    const { operation } = outgoing
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
    const answer = await outgoing.find(provider, attempt, em)
    await requireReach(dependencies, em, connection, answer)
    const found = guardNotFoundByEpoch(answer, { attempt, connection })
    if (found.kind === 'found')
      found.payout = await addNotifiedRejection(em, client, found.payout, referenceOf(subjectUuid))
    const context = { ...order, timeScale, onContradiction: createContradictionReporter(dependencies) }
    const record = async (): Promise<PollResult> => recordPoll(connection, order, found, context)
    return recordOrKeepUnknown(dependencies, outgoing, context, record)
  }

  async function recordPoll(
    connection: Connection,
    order: PollPayoutInput,
    found: FindPayoutOutcome,
    context: OutcomeContext,
  ): Promise<PollResult> {
    switch (found.kind) {
      case 'no_answer':
      case 'awaiting_approval':
      case 'not_found': {
        const nextCheckAt = getNextPollTime(order.pollCount, timeScale)
        await runInTransaction(orm, tx => recordInconclusivePoll(tx, outgoing, order, { nextCheckAt, found }))
        if (found.kind === 'not_found')
          return { kind: 'not_found', settleWindowMs: connection.settleWindowMs }
        return { kind: 'unknown', code: found.kind === 'no_answer' ? found.code : found.kind }
      }
      case 'found':
        return runInTransaction(orm, tx =>
          recordOutcome(tx, outgoing, context, { kind: 'accepted', payout: found.payout }),
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
  outgoing: PayoutHandler<Row>,
  { requestedAtMs, ...order }: SendPayoutInput & { requestedAtMs: number },
): Promise<Query<SendResult> | PreparedSend<Row>> {
  const { uuid, connectionUuid } = order
  const callQuery = batchQueries(
    queryConnectionToCall(em, connectionUuid),
    queryPayoutConditions(connectionUuid),
  )
  const [row, [connectionToCall, conditions]] = await outgoing.lock(em, uuid, callQuery)
  const call = toProviderConnection(dependencies, connectionToCall)
  const { connection } = call
  const earlier = row.attempts.find(attempt => attempt.connectionUuid === connectionUuid)
  // A payout that a provider has accepted is never sent again, even if the provider does not find it later.
  if (earlier && hasFinalOutcome(earlier)) return queryAttemptOutcome(earlier, uuid)
  const live = findLiveAttempt(row)
  // A workflow whose history is older than the row does not know the live attempt.
  if (live && live !== earlier)
    return constantQuery({ kind: 'redirect', connectionUuid: live.connectionUuid })
  const isUnsent = live !== undefined && isUnconnected(live)
  if (live && !order.isResend && !isUnsent) return constantQuery({ kind: 'unknown', code: 'interrupted' })
  const { timeScale } = dependencies
  if (live && !isUnsent && !hasSameCredentialsEpoch(live, connection))
    return keepUnknown(live, 'credentials_changed')
  // No provider has the payout now: it may be sent, unless a rule forbids it.
  const acceptBeforeMs = getAcceptanceDeadline(outgoing.getOrder?.(row), conditions, requestedAtMs)
  const closedRefusal = getClosedRefusal(outgoing, row)
  const lateRefusal = performance.now() > acceptBeforeMs ? ACCEPTANCE_TIMEOUT : null
  const repeatedRefusal = live && order.isResend ? await getRepeatedRefusal(em, live, timeScale) : null
  const refusal = closedRefusal ?? live?.refusal ?? repeatedRefusal ?? lateRefusal
  if (refusal) {
    const outcome: RejectedResult = { ...refusal, kind: 'rejected' }
    if (live) await recordRefusal(em, outgoing, { row, attempt: live, outcome, timeScale })
    if (refusal === ACCEPTANCE_TIMEOUT) await outgoing.endUnaccepted?.(em, row)
    const { code, finality } = refusal
    return queryWithFollowUps(uuid, { kind: 'rejected', code, finality })
  }
  if (live) {
    const blocked = operatorBlockedReason(outgoing.operation, conditions)
    if (blocked) return keepUnknown(live, blocked.code)
    markCalling(live, connection)
    return { ...call, row, attempt: live, acceptBeforeMs }
  }
  const blocked = blockedReason(outgoing.operation, connection, conditions)
  const holdRefusal = blocked ? null : await outgoing.holdFunds(em, row, connection)
  const attempt = earlier ?? createPayoutAttempt(em, outgoing, { ...order, row }, connection)
  if (!blocked && !holdRefusal) {
    markCalling(attempt, connection)
    return { ...call, row, attempt, acceptBeforeMs }
  }
  attempt.isRefusedBeforeCall = !blocked
  recordRefusedAnswer(attempt, blocked ?? { kind: 'rejected', finality: 'other_may_help', ...holdRefusal! })
  await outgoing.applyRefusal(em, row, attempt)
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
  outgoing: PayoutHandler<Row>,
  row: Row,
): Omit<RejectedResult, 'kind'> | null {
  const code = outgoing.closedReason?.(row) ?? null
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
