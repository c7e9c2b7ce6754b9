import { v7 as createOrderedUuid } from 'uuid'
import type { EntityManager } from '../../db/client/orm.ts'
import { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { ERROR_CATALOGUE, failureOf } from '../../domain/errors/error-catalogue.ts'
import { type PreflightCode, unsentCodeOf } from '../../domain/payouts/unsent-code.ts'
import type { AttemptEvent, AttemptOperation } from '../../domain/providers/attempt.ts'
import type { RejectedResult, UnknownResult, UnreachableResult } from '../../domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { transitionAttempt } from './transition.ts'

/** Stores attempts of every operation: before the provider is called, and the provider's answer after it. */

type AttemptToCreate = Pick<Attempt, 'operation' | 'subjectUuid' | 'position'> & {
  state?: 'preparing' | 'calling'
}

/** Creates the attempt at an operation through one connection, before its call. */
export function createAttempt(em: EntityManager, attempt: AttemptToCreate, connection: Connection): Attempt {
  return em.create(Attempt, {
    uuid: createOrderedUuid(),
    state: 'calling',
    ...attempt,
    connectionUuid: connection.uuid,
    providerAccountUuid: connection.providerAccountUuid,
    credentialsEpoch: connection.credentialsEpoch,
  })
}

type RefusedAnswer = RejectedResult | UnreachableResult | UnknownResult

const REFUSED_ANSWER_EVENTS = {
  rejected: 'refused',
  unreachable: 'not_reached',
  unknown: 'unanswered',
} as const satisfies Record<RefusedAnswer['kind'], AttemptEvent>

/** Stores an answer that is no acceptance, by the event that it is. The caller holds the row lock of the operation. */
export function recordRefusedAnswer(
  attempt: Attempt,
  answer: RefusedAnswer,
  event: AttemptEvent = REFUSED_ANSWER_EVENTS[answer.kind],
): void {
  transitionAttempt(attempt, event)
  if (attempt.state === 'unknown') attempt.unknownSince ??= new Date()
  else clearUnknownMarks(attempt)
  attempt.code = answer.code
  attempt.message = answer.message
  attempt.refusedBy = null
  attempt.providerMessage = null
  if (answer.kind !== 'rejected') return
  attempt.refusedBy = answer.refusedBy ?? 'provider'
  attempt.providerMessage = answer.providerMessage ?? null
  attempt.finality = answer.finality
  attempt.providerCode = answer.providerCode ?? null
}

/** Removes what was stored while the outcome of an attempt was unknown, except from when until when it was unknown. */
export function clearUnknownMarks(attempt: Attempt): void {
  if (attempt.unknownSince) {
    attempt.wasUnknownFrom ??= attempt.unknownSince
    // The clock of the worker that has marked it as unknown may be ahead.
    attempt.wasUnknownUntil = new Date(Math.max(Date.now(), attempt.unknownSince.getTime()))
  }
  Object.assign(attempt, { unknownSince: null, nextCheckAt: null, code: null, message: null, finality: null })
  Object.assign(attempt, { refusal: null, refusedBy: null, providerMessage: null })
}

/** Marks an attempt as unknown, with the time of the next poll; the merchant sees both (SPEC §4). */
export function markUnknown(
  attempt: Attempt,
  { pollCount, timeScale }: { pollCount: number; timeScale: number },
): void {
  transitionAttempt(attempt, 'unanswered')
  attempt.unknownSince ??= new Date()
  attempt.nextCheckAt = getNextPollTime(pollCount, timeScale)
}

/** Returns the time of the next poll, after `pollCount` polls. */
export function getNextPollTime(pollCount: number, timeScale: number): Date {
  return new Date(Date.now() + scaleWait(WAITS.nextPoll(pollCount + 1), timeScale))
}

/**
 * Returns code and message of a refusal as the API shows them to the merchant. The message of an unreachable provider
 * is replaced, because it names the provider's host.
 */
export function describeRefusal({ state, code, message, providerCode }: Attempt) {
  if (state === 'unreachable') return failureOf(unsentCodeOf([code]))
  return {
    code: code ?? 'provider_rejected',
    message: message ?? ERROR_CATALOGUE.provider_rejected.message,
    ...(providerCode && { provider_code: providerCode }),
  }
}

const PAUSED = unsent('paused', 'paused by an operator')
const BLOCKED = unsent('account_blocked', 'the account is blocked')
const INACTIVE = unsent('provider_inactive', 'the connection is not ACTIVE')

/** Builds the result of a request that was not sent: the next candidate may be tried now, and the same one later. */
function unsent(code: PreflightCode, message: string): UnreachableResult & { code: PreflightCode } {
  return { kind: 'unreachable', code, message }
}

/** Operations that need an ACTIVE connection (SPEC §6). Refunds and returns of money received through it need none. */
const ACTIVE_ONLY_OPERATIONS: readonly AttemptOperation[] = [
  'issue',
  'transfer',
  'create_key',
  'create_recurrence',
]

/** Blocks set by an operator. They are read before every call, because a call may come long after its request. */
type OperatorBlocks = { isPaused: boolean; isAccountBlocked?: boolean }

/** Returns why a connection may start no new attempt now, or null (SPEC §6, §9). */
export function blockedReason(operation: AttemptOperation, { status }: Connection, blocks: OperatorBlocks) {
  return ACTIVE_ONLY_OPERATIONS.includes(operation) && status !== 'ACTIVE'
    ? INACTIVE
    : operatorBlockedReason(operation, blocks)
}

/** Returns which operator block forbids a call, or null. A blocked account sends no transfer; refunds go on. */
export function operatorBlockedReason(
  operation: AttemptOperation,
  { isPaused, isAccountBlocked = false }: OperatorBlocks,
) {
  if (operation === 'transfer' && isAccountBlocked) return BLOCKED
  return isPaused ? PAUSED : null
}
