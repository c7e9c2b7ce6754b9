import type { Logger } from 'pino'
import type { EntityManager } from '../../db/client/orm.ts'
import { isDataRefusal, runInTransaction } from '../../db/client/transaction.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { constantQuery, noQuery, type Query, sendChanges } from '../../db/pipeline/query.ts'
import { recordAttemptAnswer } from '../../db/repositories/attempt-answers.ts'
import { queryWithFollowUps } from '../../db/repositories/follow-ups.ts'
import { queryPayoutConditions } from '../../db/repositories/pauses.ts'
import type { UnusableAnswerCode } from '../../domain/payouts/order-difference.ts'
import { describeOrderDifference, findOrderDifference } from '../../domain/payouts/ordered-payout.ts'
import { isEndedAttempt, proofOf } from '../../domain/providers/attempt.ts'
import {
  type FindPayoutOutcome,
  PACED,
  type PreparePayoutOutcome,
  type ProviderPayout,
  type RejectedResult,
  type SendPayoutOutcome,
  type UnreachableResult,
} from '../../domain/providers/provider.ts'
import type { Sealer } from '../../security/sealing.ts'
import type { SendResult } from '../../workflows/contracts/payouts.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { clearUnknownMarks, markUnknown, recordRefusedAnswer } from '../shared/attempts.ts'
import { transitionAttempt } from '../shared/transition.ts'
import { ACCEPTANCE_TIMEOUT, getAcceptanceDeadline } from './acceptance-deadline.ts'
import { recordLateEndToEndId } from './late-end-to-end-id.ts'
import { storeProviderHandle } from './payout-handle.ts'
import type { AttemptedRow, PayoutHandler } from './payout-handler.ts'

/** Identifies the attempt at a payout (`uuid`) through one connection. */
export type AttemptKey = { uuid: string; connectionUuid: string }

/** Finds the attempt that is under way or unknown; there is at most one (docs/crash-semantics.md). */
export function findLiveAttempt({ attempts }: AttemptedRow): Attempt | undefined {
  return attempts.find(attempt => !isEndedAttempt(attempt))
}

/**
 * `sendingNumber`: which sending of the attempt was answered; absent for a poll. `pollCount`: number of polls before.
 * `log` gets an answer that denies a settled payout, or that is about another order than ours.
 */
export type OutcomeContext = AttemptKey &
  Pick<ActivityDependencies, 'timeScale' | 'sealer'> & {
    sendingNumber?: number
    pollCount?: number
    log?: Logger
  }

/**
 * Records the outcome of a provider call under the row lock. A final outcome stays, except that a settlement reported
 * after a refusal is recorded, and so is an end-to-end id reported after the settlement. Returns the query of the
 * attempt's outcome, to be run at the end of the transaction.
 */
export async function recordOutcome<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { timeScale, sealer, sendingNumber, pollCount = 0, log, ...key }: OutcomeContext,
  answer: SendPayoutOutcome,
): Promise<Query<SendResult>> {
  // A payout that awaits approval at its provider may still be carried out: its outcome is unknown until its absence is
  // proved.
  const outcome =
    answer.kind === 'awaiting_approval' ? { ...answer, kind: 'unknown' as const, code: answer.kind } : answer
  const [row] = await handler.lock(em, key.uuid, noQuery)
  const attempt = requireAttempt(row, key)
  const order = handler.getOrder?.(row)
  // The API has confirmed the order to its client since the worker read it: it is sent all the same.
  if (answer === ACCEPTANCE_TIMEOUT && order?.acceptBefore == null)
    return markUnconnected(attempt, { ...key, sendingNumber }, CONFIRMED_MESSAGE)
  // The call was made before the acceptance deadline, whatever its outcome.
  if (order?.acceptBefore && answer !== ACCEPTANCE_TIMEOUT) order.acceptBefore = null
  const ordered = handler.getOrdered(row)
  const difference = outcome.kind === 'accepted' ? findOrderDifference(ordered, outcome.payout) : null
  if (outcome.kind === 'accepted' && difference) {
    const message = describeOrderDifference(difference, ordered, outcome.payout)
    const cause = { code: difference, message, pollCount, timeScale, log }
    return recordUnusableAnswer(em, attempt, cause)
  }
  const settled = outcome.kind === 'accepted' && outcome.payout.status === 'settled'
  const isFinal = isEndedAttempt(attempt) || isSuperseded(attempt, sendingNumber, outcome)
  const isLateSettlement = settled && proofOf(attempt) === 'not_done'
  // Answers are recorded only while the outcome is unknown or late: otherwise the row of the attempt has the answer.
  const isUnresolved = attempt.state === 'unknown' || (attempt.state === 'accepted' && !settled)
  if (isUnresolved || isLateSettlement || outcome.kind === 'unknown')
    await recordAttemptAnswer(em, attempt, answer)
  storeProviderHandle(attempt, answer, sealer)
  if (!isFinal || isLateSettlement) {
    if (outcome.kind === 'accepted')
      await applyReportedState(em, handler, { row, attempt, reported: outcome.payout })
    else await recordRefusal(em, handler, { row, attempt, outcome, timeScale })
    if (answer === ACCEPTANCE_TIMEOUT) await handler.endUnaccepted?.(em, row)
  }
  const hasMoved = proofOf(attempt) === 'done'
  const contradiction =
    hasMoved && !isSuperseded(attempt, sendingNumber, outcome) ? getRefusalCode(outcome) : undefined
  if (contradiction) recordContradiction(attempt, contradiction, log)
  if (settled && hasMoved) await recordLateEndToEndId(em, attempt, outcome.payout.endToEnd)
  if (!settled || !hasMoved || !handler.afterSettlement) return queryAttemptOutcome(attempt, key.uuid)
  await handler.afterSettlement(em, row, attempt, outcome.payout)
  const { returns } = outcome.payout
  return queryWithFollowUps(key.uuid, {
    kind: 'settled',
    ...(returns === undefined && { returnsUnknown: true }),
    ...handler.getSnapshot?.(row),
  })
}

type UnusableAnswer = Pick<OutcomeContext, 'timeScale' | 'log'> & {
  code: UnusableAnswerCode
  message: string
  pollCount: number
}

/**
 * Records that no outcome can be taken from a provider's answer, with the cause: it has a payout under our id that is not the
 * one that was ordered, or PostgreSQL refuses its data. No state changes, except that an attempt whose call was interrupted is
 * unknown now. The caller holds the row lock. Returns the query of the attempt's outcome.
 */
async function recordUnusableAnswer(
  em: EntityManager,
  attempt: Attempt,
  { code, message, pollCount, timeScale, log }: UnusableAnswer,
): Promise<Query<SendResult>> {
  await recordAttemptAnswer(em, attempt, { kind: 'unknown', code, message })
  recordContradiction(attempt, code, log)
  if (isEndedAttempt(attempt)) return queryAttemptOutcome(attempt, attempt.subjectUuid)
  if (attempt.state !== 'accepted') {
    Object.assign(attempt, { code, message })
    markUnknown(attempt, { pollCount, timeScale })
  }
  return constantQuery({ kind: 'unknown', code })
}

/**
 * Records an answer by a transaction. Where PostgreSQL refuses the provider's data, it would refuse them again and again: the
 * payout keeps its state, and the cause is recorded and shown (SPEC §6).
 */
export async function recordOrKeepUnknown<Row extends AttemptedRow, Result>(
  { orm }: Pick<ActivityDependencies, 'orm'>,
  handler: PayoutHandler<Row>,
  { pollCount = 0, timeScale, log, ...key }: OutcomeContext,
  record: () => Promise<Result>,
): Promise<Result | SendResult> {
  try {
    return await record()
  } catch (error) {
    if (!isDataRefusal(error)) throw error
    const { code, constraint } = error as { code?: string; constraint?: string }
    const message = `PostgreSQL refuses to record the provider's answer: ${constraint ?? code}`
    return runInTransaction(orm, async em => {
      const [row] = await handler.lock(em, key.uuid, noQuery)
      const order = handler.getOrder?.(row)
      if (order?.acceptBefore) order.acceptBefore = null // The call was made before the acceptance deadline.
      const cause = { code: 'not_recordable' as const, message, pollCount, timeScale, log }
      return recordUnusableAnswer(em, requireAttempt(row, key), cause)
    })
  }
}

/** Records an answer that contradicts the order or an earlier report, and logs it once, where a log is given. */
export function recordContradiction(attempt: Attempt, contradictionCode: string, log?: Logger): void {
  if (attempt.contradictionCode === contradictionCode) return
  Object.assign(attempt, { contradictionCode, contradictionAt: new Date() })
  const { operation, subjectUuid: subject, uuid, connectionUuid: connection } = attempt
  log?.error(
    { operation, subject, attempt: uuid, connection, code: contradictionCode },
    'the provider contradicts the order, or its earlier report of a settlement',
  )
}

/**
 * Tells whether an answer belongs to an earlier sending. Temporal times out a sending whose worker sends no heartbeat,
 * and its answer may arrive late. Such a refusal proves nothing about a later sending, nor about a payout that a poll
 * has found.
 */
function isSuperseded(
  { sendings, state }: Attempt,
  sendingNumber: number | undefined,
  { kind }: SendPayoutOutcome,
): boolean {
  if (kind === 'accepted' || sendingNumber === undefined) return false
  return sendingNumber !== sendings || state === 'accepted'
}

/** Code of a live attempt whose request did not leave its worker: it may be sent again without further proof. */
const NOT_CONNECTED = 'not_connected'

const CONFIRMED_MESSAGE =
  'not called: stored after its acceptance deadline; it was confirmed to its client since'

/** Tells whether the last request of a live attempt did not leave the worker, or was not made because of its provider's pace. */
function isUnmade({ state, code }: Attempt): boolean {
  return state === 'calling' && (code === NOT_CONNECTED || code === PACED)
}

/** Tells whether a live attempt provably has no order under way: it is still prepared, or its request was not made. */
export function isUnsentAttempt(attempt: Attempt): boolean {
  return attempt.state === 'preparing' || isUnmade(attempt)
}

/**
 * Records that the request of a sending could not leave the worker, without ending the attempt: the payout's row and its
 * hold stay as they are, and the same id may be sent again. Where the attempt is no longer that sending's, its outcome is
 * returned instead.
 */
export async function recordUnconnected<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { sendingNumber, ...key }: AttemptKey & { sendingNumber: number },
  { message }: UnreachableResult,
): Promise<Query<SendResult>> {
  const [row] = await handler.lock(em, key.uuid, noQuery)
  const attempt = requireAttempt(row, key)
  const order = handler.getOrder?.(row)
  // The call was made before the acceptance deadline.
  if (order?.acceptBefore && isCurrentSending(attempt, sendingNumber)) order.acceptBefore = null
  return markUnconnected(attempt, { ...key, sendingNumber }, message)
}

function markUnconnected(
  attempt: Attempt,
  { uuid, sendingNumber }: AttemptKey & { sendingNumber: number | undefined },
  message: string,
): Query<SendResult> {
  if (!isCurrentSending(attempt, sendingNumber)) return queryAttemptOutcome(attempt, uuid)
  Object.assign(attempt, { code: NOT_CONNECTED, message })
  return constantQuery({ kind: 'not_connected' })
}

/** An order that was not sent, because the pace of its provider left no room for it, and that has a place among those that wait. */
type PacedResult = UnreachableResult & { retryAfterMs: number }

/** Tells whether a call was not made and is to be made at a later time, which its result names. */
export function isPaced(outcome: SendPayoutOutcome | PreparePayoutOutcome): outcome is PacedResult {
  return outcome.kind === 'unreachable' && outcome.retryAfterMs !== undefined
}

/**
 * Records that a payout waits for its turn in the pace of its provider: nothing was sent, so the call does not count, and the row and
 * its hold stay as they are. One whose outcome was unknown before, and was proved absent, is unknown again, so that it is polled
 * meanwhile. An attempt that was never sent may be prepared anew.
 * Where the attempt is no longer that call's, its outcome is returned instead.
 */
export async function recordPaced<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { sendingNumber, timeScale, ...key }: OutcomeContext,
  { code, message, retryAfterMs }: PacedResult,
): Promise<Query<SendResult>> {
  const [row] = await handler.lock(em, key.uuid, noQuery)
  const attempt = requireAttempt(row, key)
  if (attempt.state !== 'preparing' && !isCurrentSending(attempt, sendingNumber))
    return queryAttemptOutcome(attempt, key.uuid)
  const order = handler.getOrder?.(row)
  if (order?.acceptBefore) order.acceptBefore = null // It was stored before its acceptance deadline.
  Object.assign(attempt, { code, message })
  if (attempt.state === 'calling') attempt.sendings -= 1 // Compared with the refusals by `findRepeatedRefusal`.
  if (attempt.unknownSince) {
    markUnknown(attempt, { pollCount: 0, timeScale })
    return constantQuery({ kind: 'unknown', code })
  }
  if (attempt.sendings === 0) transitionAttempt(attempt, 'paced')
  return constantQuery({ kind: 'paced', retryAfterMs })
}

function isCurrentSending({ state, sendings }: Attempt, sendingNumber: number | undefined): boolean {
  return state === 'calling' && sendings === sendingNumber
}

/** Marks an attempt as calling and counts one more sending. */
export function markCalling(attempt: Attempt, { credentialsEpoch }: Pick<Connection, 'credentialsEpoch'>) {
  // From here on a request may leave.
  if (isUnmade(attempt) || attempt.code === PACED) Object.assign(attempt, { code: null, message: null })
  transitionAttempt(attempt, 'called')
  Object.assign(attempt, {
    isRefusedBeforeCall: false,
    missingCents: null,
    refusedBy: null,
    providerMessage: null,
  })
  attempt.credentialsEpoch = credentialsEpoch
  attempt.sendings += 1
}

function getRefusalCode(outcome: SendPayoutOutcome): string | undefined {
  if (outcome.kind === 'rejected') return outcome.code
  if (outcome.kind !== 'accepted' || outcome.payout.status !== 'rejected') return undefined
  return outcome.payout.code ?? 'provider_rejected'
}

type ReportedPayout<Row> = { row: Row; attempt: Attempt; reported: ProviderPayout }

async function applyReportedState<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { row, attempt, reported }: ReportedPayout<Row>,
) {
  attempt.endToEnd = reported.endToEnd || attempt.endToEnd
  // The provider may have reported the end-to-end id earlier and omit it now.
  const payout = { ...reported, endToEnd: attempt.endToEnd ?? '' }
  clearUnknownMarks(attempt)
  switch (payout.status) {
    case 'in_process':
      transitionAttempt(attempt, 'accepted')
      return handler.applyAcceptance(em, row, payout)
    case 'settled':
      attempt.settledCents = payout.cents
      return handler.applySettlement(em, row, attempt, payout)
    case 'rejected':
      await handler.applyAcceptance(em, row, payout)
      transitionAttempt(attempt, 'refused')
      Object.assign(attempt, {
        finality: 'final',
        code: payout.code ?? 'provider_rejected',
        message: payout.message,
        refusedBy: 'provider',
        providerMessage: payout.providerMessage ?? null,
      })
      return handler.applyRefusal(em, row, attempt)
  }
}

/**
 * Counts a sending of the same order that is to learn the outcome of the one before, in a transaction that is committed before it: from
 * then on a refusal of the earlier sending proves nothing, and its outcome is unknown. Returns whether the order may be repeated still:
 * not once the attempt has ended or its payout is accepted, nothing was sent, or nothing proves that the sending before was made in time.
 */
export async function countRepeat<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  key: AttemptKey,
): Promise<boolean> {
  const requestedAtMs = performance.now()
  const [row, conditions] = await handler.lock(em, key.uuid, queryPayoutConditions(key.connectionUuid))
  const attempt = requireAttempt(row, key)
  if (isUnsentAttempt(attempt)) return false
  if (attempt.state !== 'calling' && attempt.state !== 'unknown') return false
  const order = handler.getOrder?.(row)
  // The worker may have ended before the first call: this one would then be the first.
  if (performance.now() > getAcceptanceDeadline(order, conditions, requestedAtMs)) return false
  if (order?.acceptBefore) {
    order.acceptBefore = null // The row is visible before its deadline.
    await sendChanges(em) // Before the attempt's update, whose trigger reads it.
  }
  if (attempt.state === 'calling') markInterrupted(attempt)
  attempt.sendings += 1
  return true
}

/** Marks the outcome of an attempt as unknown: what its provider has of it is not known. */
export function markInterrupted(attempt: Attempt): void {
  transitionAttempt(attempt, 'unanswered')
  Object.assign(attempt, { code: 'interrupted', message: null, finality: null, unknownSince: new Date() })
}

/** An answer of a provider that says no outcome, and when the attempt is polled next. */
type InconclusivePoll = {
  nextCheckAt: Date
  answer: Exclude<FindPayoutOutcome, { kind: 'found' }>
  sealer: Sealer
}

/** Records a poll without an outcome. An attempt whose call was interrupted becomes unknown. */
export async function recordInconclusivePoll<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  key: AttemptKey,
  poll: InconclusivePoll,
): Promise<void> {
  const [row] = await handler.lock(em, key.uuid, noQuery)
  const attempt = requireAttempt(row, key)
  if (attempt.state === 'calling') markInterrupted(attempt)
  await recordInconclusiveAnswer(em, attempt, poll)
}

/**
 * Records an answer without an outcome about an attempt whose outcome is unknown. One that awaits approval at its
 * provider gets the provider's code, and the handle that the provider reports. The caller holds the row lock.
 */
export async function recordInconclusiveAnswer(
  em: EntityManager,
  attempt: Attempt,
  { nextCheckAt, answer, sealer }: InconclusivePoll,
): Promise<void> {
  storeProviderHandle(attempt, answer, sealer)
  if (attempt.state !== 'unknown') return
  await recordAttemptAnswer(em, attempt, answer)
  attempt.nextCheckAt = nextCheckAt
  if (answer.kind !== 'awaiting_approval') return
  Object.assign(attempt, { code: answer.kind, message: answer.message })
  storeProviderHandle(attempt, answer, sealer)
}

type UnacceptedOutcome<Row> = {
  row: Row
  attempt: Attempt
  outcome: Exclude<SendPayoutOutcome, { kind: 'accepted' | 'awaiting_approval' }> & {
    refusal?: Omit<RejectedResult, 'kind'> | undefined
  }
  timeScale: number
}

/** Records an outcome without acceptance: refused, unreachable or unknown. The caller holds the row lock. */
export async function recordRefusal<Row extends AttemptedRow>(
  em: EntityManager,
  handler: PayoutHandler<Row>,
  { row, attempt, outcome, timeScale }: UnacceptedOutcome<Row>,
) {
  recordRefusedAnswer(attempt, outcome)
  attempt.refusal = outcome.refusal ?? attempt.refusal
  if (outcome.kind === 'unknown') return markUnknown(attempt, { pollCount: 0, timeScale })
  await handler.applyRefusal(em, row, attempt)
}

/**
 * Tells whether an ended attempt may be sent again under the same id: it never left the worker, or the ledger's
 * available balance was too low, which may have grown since. A payout that a provider has refused is not sent to it
 * again: no provider documents that the id of a refused payout may be used again.
 */
export function canStartAttempt({ state, isRefusedBeforeCall }: Attempt): boolean {
  return state === 'unreachable' || (state === 'rejected' && isRefusedBeforeCall)
}

/** Returns the query of an attempt's current outcome, with the pending follow-ups of its owner. */
export function queryAttemptOutcome(attempt: Attempt, ownerUuid: string): Query<SendResult> {
  const code = attempt.code ?? ''
  const canRetry = canStartAttempt(attempt) && { canRetry: true as const }
  switch (attempt.state) {
    case 'accepted':
      return constantQuery({ kind: 'in_process' })
    case 'settled':
    case 'duplicate':
      return queryWithFollowUps(ownerUuid, { kind: 'settled' })
    case 'rejected':
      return queryWithFollowUps(ownerUuid, {
        kind: 'rejected',
        code,
        finality: attempt.finality ?? 'final',
        ...canRetry,
      })
    case 'unreachable':
      return queryWithFollowUps(ownerUuid, { kind: 'unreachable', code })
    default:
      return constantQuery({ kind: 'unknown', code })
  }
}

function requireAttempt({ attempts }: AttemptedRow, { uuid, connectionUuid }: AttemptKey): Attempt {
  const attempt = attempts.find(one => one.connectionUuid === connectionUuid)
  if (!attempt) throw new Error(`no attempt at ${uuid} through ${connectionUuid}`)
  return attempt
}
