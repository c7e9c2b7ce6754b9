import type { MovementReason } from '../ledger/movement.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../shared/brasilia-day.ts'
import { DAY } from '../shared/intervals.ts'
import { createStateMachine } from '../shared/state-machine.ts'
import type { DisputeKind } from './dispute.ts'

/** SPEC §5: the account contests what its provider has returned by a dispute. */

export const CONTEST_STATUSES = ['PENDING', 'PROCESSING', 'ACCEPTED', 'REJECTED'] as const
export type ContestStatus = (typeof CONTEST_STATUSES)[number]
export type ContestState = 'pending' | 'sent' | 'accepted' | 'rejected'
export type ContestEvent = 'sent' | 'accepted' | 'rejected'

/**
 * State machine of a contest. No provider takes contests by its API: an operator hands it to the provider and records that it
 * was `sent`, and then the decision.
 */
export const contestMachine = createStateMachine<ContestState, ContestStatus, ContestEvent>({
  pending: { status: 'PENDING', on: { sent: 'sent' } },
  sent: { status: 'PROCESSING', on: { accepted: 'accepted', rejected: 'rejected' } },
  accepted: { status: 'ACCEPTED', on: {}, isFinal: true },
  rejected: { status: 'REJECTED', on: {}, isFinal: true },
})

/** A return by a dispute is contested within 80 days (docs/specification.md §5), days of Brasília. */
const CONTEST_PERIOD_DAYS = 80

/** Computes until when a return may be contested: the end of the 80th day after its own, exclusive. */
export function computeContestEnd(returnedAt: Date): Date {
  return computeBrasiliaDayEnd(computeBrasiliaDay(new Date(returnedAt.getTime() + CONTEST_PERIOD_DAYS * DAY)))
}

/** Computes from when on a return may still be contested at a moment: the begin of the 80th day before it, inclusive. */
export function computeContestableSince(now: Date): Date {
  return computeBrasiliaDayEnd(computeBrasiliaDay(new Date(now.getTime() - (CONTEST_PERIOD_DAYS + 1) * DAY)))
}

/**
 * Code of the catalogue that refuses a contest of this dispute; null where it may be contested. `returnedAt`: settlement of its latest
 * return, null where nothing was returned. A dispute is contested once.
 */
export function contestErrorCodeOf({
  kind,
  returnedAt,
  hasContest,
  now,
}: {
  kind: DisputeKind
  returnedAt: Date | null
  hasContest: boolean
  now: Date
}): 'med_not_contestable' | 'contest_period_over' | null {
  if (kind !== 'RECEIVED_MED' || returnedAt === null || hasContest) return 'med_not_contestable'
  return now.getTime() < computeContestEnd(returnedAt).getTime() ? null : 'contest_period_over'
}

/** The dispute cannot be contested, by a code of the catalogue; nothing was written. */
export class NotContestable extends Error {
  override name = 'NotContestable'
  readonly code: NonNullable<ReturnType<typeof contestErrorCodeOf>>

  constructor(code: NotContestable['code']) {
    super(code)
    this.code = code
  }
}

/** What an operator records of a contest; `movementUuid`: the movement that has credited what came back. */
export type ContestRecord =
  | { event: 'sent'; protocol: string }
  | { event: 'accepted'; movementUuid: string }
  | { event: 'rejected' }

/** Reasons of the movements by which the money of an accepted contest may have come back: credits that belong to nothing else. */
export const REINSTATEMENT_REASONS = [
  'deposit',
  'provider_credit',
  'adjustment',
] as const satisfies readonly MovementReason[]

/** Why a record of an operator is refused; nothing was written. The message is written for the operator. */
export class ContestError extends Error {
  override name = 'ContestError'
  readonly reason: 'not_contested' | 'decided' | 'no_credit' | 'too_much' | 'other_contest'

  constructor(reason: ContestError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
