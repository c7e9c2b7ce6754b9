import type { Attempt } from '../db/entities/attempt.ts'
import type { EntityManager } from '../db/orm.ts'
import { certain, heardAs, NOTHING, type Question } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import type { FindSendingOutcome, Rejected, Sending, SendOutcome } from '../domain/provider.ts'
import { unsentCode } from '../domain/unsent.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { leftToDo } from './left-to-do.ts'
import type { Outgoing, Sent, Tried } from './outgoing.ts'

/** Applies a provider's answer to an attempt and its noun, in one transaction. */

/** The attempts of one connection at one operation. */
export type AttemptKey = { uuid: string; connectionUuid: string }

export const FINAL: readonly Attempt['state'][] = ['settled', 'duplicate', 'rejected', 'unreachable']

/** The attempt that is under way or unknown; there is at most one (docs/crash-semantics.md). */
export function liveAttempt({ attempts }: Tried): Attempt | undefined {
  return attempts.find(({ state }) => !FINAL.includes(state))
}

/** The order became visible so late that its caller may have been told otherwise: no provider is called (SPEC §4). */
export const NOT_TAKEN: Rejected = {
  ...{ kind: 'rejected', finality: 'final', code: 'not_taken' },
  message: REFUSALS.not_taken.message,
}

/**
 * `sending`: the sending of the attempt that was answered; absent for a poll. `contradicted` reports an answer that denies money
 * that has settled.
 */
type Keeping = AttemptKey & {
  timeScale: number
  sending?: number
  contradicted?: (attempt: Attempt) => void
}

/**
 * Stores the outcome of a provider call under the row lock. A final outcome stays, except that money which moved after all is
 * recorded. Returns the query of the attempt's outcome, to be run at the end of the transaction.
 */
export async function keep<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  { timeScale, sending, contradicted, ...order }: Keeping,
  answer: SendOutcome,
): Promise<Question<Sent>> {
  // An order that waits at its provider may still be carried out: its outcome is unknown until it is proved to be gone.
  const outcome =
    answer.kind === 'awaiting_approval' ? { ...answer, kind: 'unknown' as const, code: answer.kind } : answer
  const [row] = await outgoing.lock(em, order.uuid, NOTHING)
  const attempt = attemptBegun(row, order)
  const taken = outgoing.orderOf?.(row)
  // Whatever its outcome, the call was made before the deadline.
  if (taken?.takeBefore && answer !== NOT_TAKEN) taken.takeBefore = null
  const settled = outcome.kind === 'accepted' && outcome.sending.status === 'settled'
  const over = FINAL.includes(attempt.state) || isOvertaken(attempt, sending, outcome)
  const movedAfterAll = settled && (attempt.state === 'rejected' || attempt.state === 'unreachable')
  if (!over || movedAfterAll) {
    if (outcome.kind === 'accepted') await follow(em, outgoing, { row, attempt, told: outcome.sending })
    else await leave(em, outgoing, { row, attempt, outcome, timeScale })
    if (answer === NOT_TAKEN) await outgoing.notTaken?.(em, row)
  }
  const gone = attempt.state === 'settled' || attempt.state === 'duplicate'
  const contradiction = gone && !isOvertaken(attempt, sending, outcome) ? refusedBy(outcome) : undefined
  if (contradiction && attempt.contradictionAt == null) {
    Object.assign(attempt, { contradictionCode: contradiction, contradictionAt: new Date() })
    contradicted?.(attempt)
  }
  if (!settled || !gone || !outgoing.afterwards) return answered(attempt, order.uuid)
  await outgoing.afterwards(em, row, attempt, outcome.sending)
  const { returns } = outcome.sending
  const standing = outgoing.standing?.(row)
  return heardAs(leftToDo(order.uuid), left => ({
    kind: 'settled',
    ...left,
    ...(returns === undefined && { returnsUnsaid: true }),
    ...standing,
  }))
}

/**
 * Whether an answer is of an earlier sending. Temporal gives up a sending whose worker is silent, and its answer may come late; a
 * refusal then proves nothing about a later sending, nor where a poll has found the payout.
 */
function isOvertaken(
  { sendings, state }: Attempt,
  sending: number | undefined,
  { kind }: SendOutcome,
): boolean {
  return kind !== 'accepted' && sending !== undefined && (sending !== sendings || state === 'accepted')
}

/** Code of an answer that says that nothing moved. */
function refusedBy(outcome: SendOutcome): string | undefined {
  if (outcome.kind === 'rejected') return outcome.code
  if (outcome.kind !== 'accepted' || outcome.sending.status !== 'rejected') return undefined
  return outcome.sending.code ?? 'rejected'
}

type Following<Row> = { row: Row; attempt: Attempt; told: Sending }

async function follow<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  { row, attempt, told }: Following<Row>,
) {
  attempt.endToEnd = told.endToEnd || attempt.endToEnd
  // The provider may have reported the id before, and not again.
  const sending = { ...told, endToEnd: attempt.endToEnd ?? '' }
  isKnown(attempt)
  switch (sending.status) {
    case 'in_process':
      attempt.state = 'accepted'
      return outgoing.accepted(em, row, sending)
    case 'settled':
      return outgoing.settled(em, row, attempt, sending)
    case 'rejected':
      await outgoing.accepted(em, row, sending)
      Object.assign(attempt, {
        state: 'rejected',
        finality: 'final',
        code: sending.code ?? 'rejected',
        message: sending.message,
      })
      return outgoing.refused(em, row, attempt)
  }
}

/** Clears the marks of an unknown outcome. */
function isKnown(attempt: Attempt): void {
  Object.assign(attempt, { unknownSince: null, nextCheckAt: null, code: null, message: null, finality: null })
  attempt.refusal = null
}

/**
 * Stores that a poll has decided nothing. A call that was interrupted is shown as unknown from now on; an order that waits at its
 * provider shows the provider's code.
 */
export async function stayInDoubt<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  key: AttemptKey,
  { nextCheckAt, found }: { nextCheckAt: Date; found: Exclude<FindSendingOutcome, { kind: 'found' }> },
): Promise<void> {
  const [row] = await outgoing.lock(em, key.uuid, NOTHING)
  const attempt = attemptBegun(row, key)
  if (attempt.state === 'calling')
    Object.assign(attempt, { state: 'unknown', code: 'interrupted', unknownSince: new Date() })
  if (attempt.state !== 'unknown') return
  attempt.nextCheckAt = nextCheckAt
  if (found.kind === 'awaiting_approval') Object.assign(attempt, { code: found.kind, message: found.message })
}

/** Marks an attempt as unknown, with the time of the next poll; the merchant sees both (SPEC §4). */
export function doubt(attempt: Attempt, { asked, timeScale }: { asked: number; timeScale: number }): void {
  attempt.state = 'unknown'
  attempt.unknownSince ??= new Date()
  attempt.nextCheckAt = nextCheck(asked, timeScale)
}

/** Time of the next poll, after `asked` polls. */
export function nextCheck(asked: number, timeScale: number): Date {
  return new Date(Date.now() + scaled(WAITS.askAgain(asked + 1), timeScale))
}

type Leaving<Row> = {
  row: Row
  attempt: Attempt
  outcome: Exclude<SendOutcome, { kind: 'accepted' | 'awaiting_approval' }> & {
    refusal?: Omit<Rejected, 'kind'> | undefined
  }
  timeScale: number
}

/** Stores an outcome without acceptance: refused, unreachable or unknown. The caller holds the row lock. */
export async function leave<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  { row, attempt, outcome, timeScale }: Leaving<Row>,
) {
  if (outcome.kind !== 'unknown') isKnown(attempt)
  attempt.state = outcome.kind
  attempt.code = outcome.code
  attempt.message = outcome.message
  attempt.refusal = outcome.refusal ?? attempt.refusal
  if (outcome.kind === 'unknown') return doubt(attempt, { asked: 0, timeScale })
  if (outcome.kind === 'rejected') {
    attempt.finality = outcome.finality
    attempt.providerCode = outcome.providerCode
  }
  await outgoing.refused(em, row, attempt)
}

/** Code and message of a refusal, as the merchant sees them. The message of an unreachable provider names its host: it is replaced. */
export function refusalOf({ state, code, message, providerCode }: Attempt) {
  if (state === 'unreachable') {
    const why = unsentCode([code])
    return { code: why, message: REFUSALS[why].message }
  }
  return {
    code: code ?? 'provider_rejected',
    message: message ?? REFUSALS.provider_rejected.message,
    ...(providerCode && { provider_code: providerCode }),
  }
}

/** The outcome that an attempt has now. */
export function answered(attempt: Attempt, lifeUuid: string): Question<Sent> {
  const code = attempt.code ?? ''
  const finality = attempt.finality ?? 'final'
  switch (attempt.state) {
    case 'accepted':
      return certain({ kind: 'in_process' })
    case 'settled':
    case 'duplicate':
      return heardAs(leftToDo(lifeUuid), left => ({ kind: 'settled', ...left }))
    case 'rejected':
      return heardAs(leftToDo(lifeUuid), left => ({ kind: 'rejected', code, finality, ...left }))
    case 'unreachable':
      return heardAs(leftToDo(lifeUuid), left => ({ kind: 'unreachable', code, ...left }))
    default:
      return certain({ kind: 'unknown', code })
  }
}

/** The attempt through one connection. Throws where there is none. */
function attemptBegun({ attempts }: Tried, { uuid, connectionUuid }: AttemptKey): Attempt {
  const attempt = attempts.find(one => one.connectionUuid === connectionUuid)
  if (!attempt) throw new Error(`no attempt at ${uuid} through ${connectionUuid}`)
  return attempt
}
