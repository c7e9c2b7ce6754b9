import { randomUUID } from 'node:crypto'
import { type EntityManager, runInTransaction } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import {
  batchQueries,
  constantQuery,
  mapQuery,
  type Query,
  runQuery,
  transactionReturning,
} from '../../db/pipeline/query.ts'
import { queryAttemptByConnection } from '../../db/repositories/attempts.ts'
import { recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import { type PayoutConditions, queryPayoutConditions } from '../../db/repositories/payout-conditions.ts'
import { referenceOf } from '../../domain/pix/identifiers.ts'
import type { RejectedResult, SendPayoutOutcome } from '../../domain/providers/provider.ts'
import { pendingFollowUps } from '../events/follow-ups.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { guardNotFoundByEpoch, hasSameCredentialsEpoch } from '../shared/credentials-epoch.ts'
import { blockedReason, operatorBlockedReason } from '../shared/preflight.ts'
import { type ProviderConnection, toProviderConnection } from '../shared/provider-client.ts'
import { createContradictionReporter } from './contradiction.ts'
import type {
  AttemptedRow,
  PayoutHandler,
  PollPayoutInput,
  PollResult,
  SendPayoutInput,
  SendResult,
} from './payout-handler.ts'
import {
  ACCEPTANCE_TIMEOUT,
  type AttemptKey,
  FINAL_ATTEMPT_STATES,
  findLiveAttempt,
  getNextPollTime,
  markUnknown,
  queryAttemptOutcome,
  recordInconclusivePoll,
  recordOutcome,
  recordRefusal,
} from './record-outcome.ts'

/** Sends payouts, at most once, and polls them (SPEC §6). */

/** A worker that paused for longer has been given up by Temporal (src/workflows/shared/activity-proxies.ts). */
const MAX_SEND_DELAY_MS = 10_000

/**
 * Sends through one provider. The attempt is committed before the call; an attempt that is already calling is not sent again.
 * `first`: the noun's rules before the call, where its row may not exist yet.
 */
export function sendPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  outgoing: PayoutHandler<Row>,
  first = outgoing,
) {
  return async (order: SendPayoutInput): Promise<SendResult> => {
    const { orm, timeScale } = dependencies
    const askedAt = performance.now()
    const begun = await transactionReturning(
      orm,
      async (em): Promise<Query<SendResult | CommittedSend<Row>>> => {
        const beginning = await prepareSend(dependencies, em, first, { ...order, askedAt })
        if ('statements' in beginning) return beginning
        beginning.provider.preconnect()
        // From before the commit; not from the start, because it may have waited for its locks.
        return constantQuery({ ...beginning, sendBeforeMs: performance.now() + MAX_SEND_DELAY_MS })
      },
    )
    if ('kind' in begun) return begun
    const committedAt = performance.now()
    if (committedAt > begun.sendBeforeMs)
      throw new Error('It is too late to send: the workflow asks about it by now.')
    // Only a commit before the deadline was visible before it.
    const outcome = committedAt > begun.acceptBeforeMs ? ACCEPTANCE_TIMEOUT : await send(begun)
    const kept = { ...order, timeScale, sendingNumber: begun.attempt.sendings }
    const contradicted = createContradictionReporter(dependencies, begun.connection)
    return transactionReturning(orm, tx =>
      recordOutcome(tx, outgoing, { ...kept, onContradiction: contradicted }, outcome),
    )
  }

  async function send(begun: CommittedSend<Row>): Promise<SendPayoutOutcome> {
    const outcome = await outgoing.send(begun.provider, begun.row, begun)
    await recordCircuitResult(dependencies.orm.em.fork(), begun.connection, outcome)
    return outcome
  }
}

/** Polls the provider of an attempt by our id; with `canAnswerFromRow` a final outcome is answered from the row. */
export function pollPayout<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  outgoing: PayoutHandler<Row>,
) {
  return async (order: PollPayoutInput): Promise<PollResult> => {
    const { orm, timeScale } = dependencies
    const em = orm.em.fork()
    const { operation } = outgoing
    const { uuid: subjectUuid, connectionUuid } = order
    const begun = queryAttemptByConnection(em, { operation, subjectUuid, connectionUuid })
    const [attempt, called] = await runQuery(
      em,
      batchQueries(begun, queryConnectionToCall(em, connectionUuid)),
    )
    if (!attempt) return { kind: 'not_started' }
    if (order.canAnswerFromRow && FINAL_ATTEMPT_STATES.includes(attempt.state))
      return runQuery(em, queryAttemptOutcome(attempt, subjectUuid))
    const { connection, provider } = toProviderConnection(dependencies, called)
    const answer = await outgoing.find(provider, attempt, em)
    await recordCircuitResult(em, connection, answer)
    const found = guardNotFoundByEpoch(answer, { attempt, connection })
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
      case 'found': {
        const kept = {
          ...order,
          timeScale,
          onContradiction: createContradictionReporter(dependencies, connection),
        }
        return transactionReturning(orm, tx =>
          recordOutcome(tx, outgoing, kept, { kind: 'accepted', payout: found.payout }),
        )
      }
    }
  }
}

type PreparedSend<Row> = ProviderConnection & {
  attempt: Attempt
  row: Row
  /** Acceptance deadline by `performance.now()`: committed later, the row may not have been visible in time, and is not sent. */
  acceptBeforeMs: number
}
type CommittedSend<Row> = PreparedSend<Row> & { sendBeforeMs: number }

/** Everything that the call needs, or the query of the outcome that there is already, to be run at the end of the transaction. */
async function prepareSend<Row extends AttemptedRow>(
  dependencies: ActivityDependencies,
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  { askedAt, ...order }: SendPayoutInput & { askedAt: number },
): Promise<Query<SendResult> | PreparedSend<Row>> {
  const { uuid, connectionUuid } = order
  const through = batchQueries(
    queryConnectionToCall(em, connectionUuid),
    queryPayoutConditions(connectionUuid),
  )
  const [row, [called, conditions]] = await outgoing.lock(em, uuid, through)
  const by = toProviderConnection(dependencies, called)
  const { connection } = by
  const earlier = row.attempts.find(attempt => attempt.connectionUuid === connectionUuid)
  // What a provider has accepted is never sent again, whatever it finds later.
  if (earlier && hasFinalOutcome(earlier)) return queryAttemptOutcome(earlier, uuid)
  const live = findLiveAttempt(row)
  // A workflow whose history was rolled back does not know of the live attempt.
  if (live && live !== earlier)
    return constantQuery({ kind: 'redirect', connectionUuid: live.connectionUuid })
  if (live && !order.isResend) return constantQuery({ kind: 'unknown', code: 'interrupted' })
  const { timeScale } = dependencies
  if (live && !hasSameCredentialsEpoch(live, connection)) return stay(live, 'credentials_changed')
  // No provider has it now: it may be sent, unless a rule forbids it.
  const takeBefore = getAcceptanceDeadline(outgoing.getOrder?.(row), conditions, askedAt)
  const over = getClosedRefusal(outgoing, row)
  const refusal = over ?? live?.refusal ?? (performance.now() > takeBefore ? ACCEPTANCE_TIMEOUT : null)
  if (refusal) {
    const outcome: RejectedResult = { ...refusal, kind: 'rejected' }
    if (live) await recordRefusal(em, outgoing, { row, attempt: live, outcome, timeScale })
    if (refusal === ACCEPTANCE_TIMEOUT) await outgoing.endUnaccepted?.(em, row)
    const { code, finality } = refusal
    return mapQuery(pendingFollowUps(uuid), left => ({ kind: 'rejected', code, finality, ...left }))
  }
  if (live) {
    const held = operatorBlockedReason(outgoing.operation, conditions)
    if (held) return stay(live, held.code)
    markCalling(live, connection)
    return { ...by, row, attempt: live, acceptBeforeMs: takeBefore }
  }
  const barred = blockedReason(outgoing.operation, connection, conditions)
  const attempt = earlier ?? createPayoutAttempt(em, outgoing, { ...order, row }, connection)
  if (barred) Object.assign(attempt, barred)
  else {
    const refusal = await outgoing.holdFunds(em, row, { attempt, connection })
    if (!refusal) {
      markCalling(attempt, connection)
      return { ...by, row, attempt, acceptBeforeMs: takeBefore }
    }
    Object.assign(attempt, { state: 'rejected', finality: 'other_may_help', ...refusal })
  }
  await outgoing.applyRefusal(em, row, attempt)
  return queryAttemptOutcome(attempt, uuid)

  /** Keeps the attempt unknown, so that it is polled until it may be sent again. */
  function stay(inDoubt: Attempt, code: string): Query<SendResult> {
    inDoubt.code = code
    markUnknown(inDoubt, { asked: 0, timeScale })
    return constantQuery({ kind: 'unknown', code })
  }
}

/** Counts one more sending of the attempt. */
function markCalling(attempt: Attempt, { credentialsEpoch }: Connection): void {
  attempt.state = 'calling'
  attempt.credentialsEpoch = credentialsEpoch
  attempt.sendings += 1
}

/**
 * Acceptance deadline of the commit's acknowledgement, by `performance.now()`. The transaction began at the earliest when it was
 * requested, so a process that pauses in between is early, never late.
 */
function getAcceptanceDeadline(
  order: { takeBefore?: Date | null | undefined } | undefined,
  { transactionStartedAtMs: beganAtMs }: PayoutConditions,
  askedAt: number,
): number {
  return order?.takeBefore ? askedAt + order.takeBefore.getTime() - beganAtMs : Number.POSITIVE_INFINITY
}

function getClosedRefusal<Row extends AttemptedRow>(
  outgoing: PayoutHandler<Row>,
  row: Row,
): Omit<RejectedResult, 'kind'> | null {
  const code = outgoing.closedReason?.(row) ?? null
  return code === null ? null : { code, finality: 'final', message: 'the operation ended before it was sent' }
}

/** Whether the outcome is kept: the provider has it, or it has ended and may not be tried again. */
function hasFinalOutcome(attempt: Attempt): boolean {
  if (attempt.state === 'accepted') return true
  return FINAL_ATTEMPT_STATES.includes(attempt.state) && !canStartAttempt(attempt)
}

/**
 * Whether an ended attempt may be sent again by the same id: it never left, or our own balance was too low, which may have grown
 * since. What a provider has refused is not sent to it again: none documents that the id of a refused order may be used again.
 */
function canStartAttempt({ state, code, sendings }: Attempt): boolean {
  if (state !== 'rejected') return state === 'unreachable'
  return code === 'insufficient_balance' && sendings === 0
}

/** Creates the attempt of one connection, before its call, after all earlier ones. */
export function createPayoutAttempt<Row extends AttemptedRow>(
  em: EntityManager,
  { operation }: PayoutHandler<Row>,
  { uuid, connectionUuid, row }: AttemptKey & { row: Row },
  { providerAccountUuid, credentialsEpoch }: Connection,
): Attempt {
  const attempt = em.create(Attempt, {
    uuid: randomUUID(),
    operation,
    subjectUuid: uuid,
    connectionUuid,
    providerAccountUuid,
    credentialsEpoch,
    position: row.attempts.length,
    reference: referenceOf(uuid),
    state: 'calling',
  })
  row.attempts.push(attempt)
  return attempt
}
