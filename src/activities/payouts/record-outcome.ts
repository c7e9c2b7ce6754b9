import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import { constantQuery, mapQuery, noQuery, type Query } from '../../db/pipeline/query.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import { unsentCodeOf } from '../../domain/payouts/unsent-code.ts'
import type {
  FindPayoutOutcome,
  ProviderPayout,
  RejectedResult,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { pendingFollowUps } from '../events/follow-ups.ts'
import type { AttemptedRow, PayoutHandler, SendResult } from './payout-handler.ts'

/** Applies a provider's answer to an attempt and its noun, in one transaction. */

/** The attempts of one connection at one operation. */
export type AttemptKey = { uuid: string; connectionUuid: string }

export const FINAL_ATTEMPT_STATES: readonly Attempt['state'][] = [
  'settled',
  'duplicate',
  'rejected',
  'unreachable',
]

/** The attempt that is under way or unknown; there is at most one (docs/crash-semantics.md). */
export function findLiveAttempt({ attempts }: AttemptedRow): Attempt | undefined {
  return attempts.find(({ state }) => !FINAL_ATTEMPT_STATES.includes(state))
}

/** The order became visible so late that its caller may have been told otherwise: no provider is called (SPEC §4). */
export const ACCEPTANCE_TIMEOUT: RejectedResult = {
  ...{ kind: 'rejected', finality: 'final', code: 'not_taken' },
  message: ERROR_CATALOGUE.not_taken.message,
}

/**
 * `sending`: the sending of the attempt that was answered; absent for a poll. `contradicted` reports an answer that denies money
 * that has settled.
 */
type OutcomeContext = AttemptKey & {
  timeScale: number
  sendingNumber?: number
  onContradiction?: (attempt: Attempt) => void
}

/**
 * Stores the outcome of a provider call under the row lock. A final outcome stays, except that money which moved after all is
 * recorded. Returns the query of the attempt's outcome, to be run at the end of the transaction.
 */
export async function recordOutcome<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  { timeScale, sendingNumber: sending, onContradiction: contradicted, ...order }: OutcomeContext,
  answer: SendPayoutOutcome,
): Promise<Query<SendResult>> {
  // An order that waits at its provider may still be carried out: its outcome is unknown until it is proved to be gone.
  const outcome =
    answer.kind === 'awaiting_approval' ? { ...answer, kind: 'unknown' as const, code: answer.kind } : answer
  const [row] = await outgoing.lock(em, order.uuid, noQuery)
  const attempt = requireAttempt(row, order)
  const taken = outgoing.getOrder?.(row)
  // Whatever its outcome, the call was made before the deadline.
  if (taken?.takeBefore && answer !== ACCEPTANCE_TIMEOUT) taken.takeBefore = null
  const settled = outcome.kind === 'accepted' && outcome.payout.status === 'settled'
  const over = FINAL_ATTEMPT_STATES.includes(attempt.state) || isSuperseded(attempt, sending, outcome)
  const movedAfterAll = settled && (attempt.state === 'rejected' || attempt.state === 'unreachable')
  if (!over || movedAfterAll) {
    if (outcome.kind === 'accepted')
      await applyReportedState(em, outgoing, { row, attempt, reported: outcome.payout })
    else await recordRefusal(em, outgoing, { row, attempt, outcome, timeScale })
    if (answer === ACCEPTANCE_TIMEOUT) await outgoing.endUnaccepted?.(em, row)
  }
  const gone = attempt.state === 'settled' || attempt.state === 'duplicate'
  const contradiction = gone && !isSuperseded(attempt, sending, outcome) ? getRefusalCode(outcome) : undefined
  if (contradiction && attempt.contradictionAt == null) {
    Object.assign(attempt, { contradictionCode: contradiction, contradictionAt: new Date() })
    contradicted?.(attempt)
  }
  if (!settled || !gone || !outgoing.afterSettlement) return queryAttemptOutcome(attempt, order.uuid)
  await outgoing.afterSettlement(em, row, attempt, outcome.payout)
  const { returns } = outcome.payout
  const standing = outgoing.getSnapshot?.(row)
  return mapQuery(pendingFollowUps(order.uuid), left => ({
    kind: 'settled',
    ...left,
    ...(returns === undefined && { returnsUnknown: true }),
    ...standing,
  }))
}

/**
 * Whether an answer is of an earlier sending. Temporal gives up a sending whose worker is silent, and its answer may come late; a
 * refusal then proves nothing about a later sending, nor where a poll has found the payout.
 */
function isSuperseded(
  { sendings, state }: Attempt,
  sending: number | undefined,
  { kind }: SendPayoutOutcome,
): boolean {
  return kind !== 'accepted' && sending !== undefined && (sending !== sendings || state === 'accepted')
}

/** Code of an answer that says that nothing moved. */
function getRefusalCode(outcome: SendPayoutOutcome): string | undefined {
  if (outcome.kind === 'rejected') return outcome.code
  if (outcome.kind !== 'accepted' || outcome.payout.status !== 'rejected') return undefined
  return outcome.payout.code ?? 'rejected'
}

type ReportedPayout<Row> = { row: Row; attempt: Attempt; reported: ProviderPayout }

async function applyReportedState<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  { row, attempt, reported: told }: ReportedPayout<Row>,
) {
  attempt.endToEnd = told.endToEnd || attempt.endToEnd
  // The provider may have reported the id before, and not again.
  const sending = { ...told, endToEnd: attempt.endToEnd ?? '' }
  clearUnknownMarks(attempt)
  switch (sending.status) {
    case 'in_process':
      attempt.state = 'accepted'
      return outgoing.applyAcceptance(em, row, sending)
    case 'settled':
      return outgoing.applySettlement(em, row, attempt, sending)
    case 'rejected':
      await outgoing.applyAcceptance(em, row, sending)
      Object.assign(attempt, {
        state: 'rejected',
        finality: 'final',
        code: sending.code ?? 'rejected',
        message: sending.message,
      })
      return outgoing.applyRefusal(em, row, attempt)
  }
}

/** Clears the marks of an unknown outcome. */
function clearUnknownMarks(attempt: Attempt): void {
  Object.assign(attempt, { unknownSince: null, nextCheckAt: null, code: null, message: null, finality: null })
  attempt.refusal = null
}

/**
 * Stores that a poll has decided nothing. A call that was interrupted is shown as unknown from now on; an order that waits at its
 * provider shows the provider's code.
 */
export async function recordInconclusivePoll<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  key: AttemptKey,
  { nextCheckAt, found }: { nextCheckAt: Date; found: Exclude<FindPayoutOutcome, { kind: 'found' }> },
): Promise<void> {
  const [row] = await outgoing.lock(em, key.uuid, noQuery)
  const attempt = requireAttempt(row, key)
  if (attempt.state === 'calling')
    Object.assign(attempt, { state: 'unknown', code: 'interrupted', unknownSince: new Date() })
  if (attempt.state !== 'unknown') return
  attempt.nextCheckAt = nextCheckAt
  if (found.kind === 'awaiting_approval') Object.assign(attempt, { code: found.kind, message: found.message })
}

/** Marks an attempt as unknown, with the time of the next poll; the merchant sees both (SPEC §4). */
export function markUnknown(
  attempt: Attempt,
  { asked, timeScale }: { asked: number; timeScale: number },
): void {
  attempt.state = 'unknown'
  attempt.unknownSince ??= new Date()
  attempt.nextCheckAt = getNextPollTime(asked, timeScale)
}

/** Time of the next poll, after `asked` polls. */
export function getNextPollTime(asked: number, timeScale: number): Date {
  return new Date(Date.now() + scaleWait(WAITS.nextPoll(asked + 1), timeScale))
}

type UnacceptedOutcome<Row> = {
  row: Row
  attempt: Attempt
  outcome: Exclude<SendPayoutOutcome, { kind: 'accepted' | 'awaiting_approval' }> & {
    refusal?: Omit<RejectedResult, 'kind'> | undefined
  }
  timeScale: number
}

/** Stores an outcome without acceptance: refused, unreachable or unknown. The caller holds the row lock. */
export async function recordRefusal<Row extends AttemptedRow>(
  em: EntityManager,
  outgoing: PayoutHandler<Row>,
  { row, attempt, outcome, timeScale }: UnacceptedOutcome<Row>,
) {
  if (outcome.kind !== 'unknown') clearUnknownMarks(attempt)
  attempt.state = outcome.kind
  attempt.code = outcome.code
  attempt.message = outcome.message
  attempt.refusal = outcome.refusal ?? attempt.refusal
  if (outcome.kind === 'unknown') return markUnknown(attempt, { asked: 0, timeScale })
  if (outcome.kind === 'rejected') {
    attempt.finality = outcome.finality
    attempt.providerCode = outcome.providerCode
  }
  await outgoing.applyRefusal(em, row, attempt)
}

/** Code and message of a refusal, as the merchant sees them. The message of an unreachable provider names its host: it is replaced. */
export function describeRefusal({ state, code, message, providerCode }: Attempt) {
  if (state === 'unreachable') {
    const why = unsentCodeOf([code])
    return { code: why, message: ERROR_CATALOGUE[why].message }
  }
  return {
    code: code ?? 'provider_rejected',
    message: message ?? ERROR_CATALOGUE.provider_rejected.message,
    ...(providerCode && { provider_code: providerCode }),
  }
}

/** The outcome that an attempt has now. */
export function queryAttemptOutcome(attempt: Attempt, lifeUuid: string): Query<SendResult> {
  const code = attempt.code ?? ''
  const finality = attempt.finality ?? 'final'
  switch (attempt.state) {
    case 'accepted':
      return constantQuery({ kind: 'in_process' })
    case 'settled':
    case 'duplicate':
      return mapQuery(pendingFollowUps(lifeUuid), left => ({ kind: 'settled', ...left }))
    case 'rejected':
      return mapQuery(pendingFollowUps(lifeUuid), left => ({ kind: 'rejected', code, finality, ...left }))
    case 'unreachable':
      return mapQuery(pendingFollowUps(lifeUuid), left => ({ kind: 'unreachable', code, ...left }))
    default:
      return constantQuery({ kind: 'unknown', code })
  }
}

/** The attempt through one connection. Throws where there is none. */
function requireAttempt({ attempts }: AttemptedRow, { uuid, connectionUuid }: AttemptKey): Attempt {
  const attempt = attempts.find(one => one.connectionUuid === connectionUuid)
  if (!attempt) throw new Error(`no attempt at ${uuid} through ${connectionUuid}`)
  return attempt
}
