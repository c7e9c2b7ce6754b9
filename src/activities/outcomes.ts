import type { Attempt } from '../db/entities/attempt.ts'
import type { EntityManager } from '../db/orm.ts'
import { certain, heardAs, NOTHING, type Question } from '../db/questions.ts'
import { REFUSALS } from '../domain/errors.ts'
import type { FindSendingOutcome, Rejected, Sending, SendOutcome } from '../domain/provider.ts'
import { unsentCode } from '../domain/unsent.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { leftToDo } from './left-to-do.ts'
import type { Outgoing, Sent, Tried } from './outgoing.ts'

/** What a provider's answer does to an attempt and its noun, in the transaction that keeps it. */

/** The attempts of one connection at one operation. */
export type AttemptKey = { uuid: string; connectionUuid: string }

export const FINAL: readonly Attempt['state'][] = ['settled', 'duplicate', 'rejected', 'unreachable']

/** The attempt that is under way or in doubt; there is at most one (docs/crash-semantics.md). */
export function liveAttempt({ attempts }: Tried): Attempt | undefined {
  return attempts.find(({ state }) => !FINAL.includes(state))
}

/** The order became visible so late that its caller may have been told otherwise: no provider is called (SPEC §4). */
export const NOT_TAKEN: Rejected = {
  ...{ kind: 'rejected', finality: 'final', code: 'not_taken' },
  message: REFUSALS.not_taken.message,
}

/**
 * `sending`: which sending of the attempt was answered, where it is one that was. `contradicted` reports an answer that
 * says of settled money that it did not move.
 */
type Keeping = AttemptKey & {
  timeScale: number
  sending?: number
  contradicted?: (attempt: Attempt) => void
}

/**
 * Keeps what a provider said. A final word once kept stays, except that money which did move is always followed. What its
 * attempt says then is to be asked where the transaction ends.
 */
export async function keep<Row extends Tried>(
  em: EntityManager,
  outgoing: Outgoing<Row>,
  { timeScale, sending, contradicted, ...order }: Keeping,
  answer: SendOutcome,
): Promise<Question<Sent>> {
  // An order that stands at its provider may still be carried out: until it is proved to be gone, that is not known.
  const outcome =
    answer.kind === 'awaiting_approval' ? { ...answer, kind: 'unknown' as const, code: answer.kind } : answer
  const [row] = await outgoing.lock(em, order.uuid, NOTHING)
  const attempt = attemptBegun(row, order)
  const taken = outgoing.orderOf?.(row)
  // Whatever a call came to, it was made in time.
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
 * Temporal gives up a sending whose worker is silent, and its answer may come after all. That it was not taken proves
 * nothing of one that was sent since, nor where the provider was found to have it.
 */
function isOvertaken(
  { sendings, state }: Attempt,
  sending: number | undefined,
  { kind }: SendOutcome,
): boolean {
  return kind !== 'accepted' && sending !== undefined && (sending !== sendings || state === 'accepted')
}

/** The code by which an answer says that nothing moved. */
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
  // Its id may have been told before, and not again.
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

/** Whatever was in doubt about it no longer is. */
function isKnown(attempt: Attempt): void {
  Object.assign(attempt, { unknownSince: null, nextCheckAt: null, code: null, message: null, finality: null })
  attempt.refusal = null
}

/**
 * Keeps that an answer has decided nothing. A call that broke off in the middle is from now on shown as what it is: not
 * known. An order that stands at its provider shows what that says of it.
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

/** Not known since then, and when its life asks next: the merchant is shown both meanwhile (SPEC §4). */
export function doubt(attempt: Attempt, { asked, timeScale }: { asked: number; timeScale: number }): void {
  attempt.state = 'unknown'
  attempt.unknownSince ??= new Date()
  attempt.nextCheckAt = nextCheck(asked, timeScale)
}

/** When the life will ask next, after it has asked so often. */
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

/** Keeps that nothing was accepted: the money stays with us, or its whereabouts are unknown. Under the row's lock. */
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

/** Why nothing was done, as the merchant is told: what is known of one that nobody reached names its provider's host. */
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

/** What an attempt says now. */
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

/** The attempt of one connection, which was begun. */
function attemptBegun({ attempts }: Tried, { uuid, connectionUuid }: AttemptKey): Attempt {
  const attempt = attempts.find(one => one.connectionUuid === connectionUuid)
  if (!attempt) throw new Error(`no attempt at ${uuid} through ${connectionUuid}`)
  return attempt
}
