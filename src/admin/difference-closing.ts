import type { EntityManager } from '../db/client/orm.ts'
import { Difference } from '../db/entities/reconciliation.ts'
import { ROW_LOCK } from '../db/locks.ts'
import { runAuditedAction } from '../db/repositories/audited-actions.ts'
import { TRANSIENT_PENDING_REASONS } from '../domain/reconciliation/panel-pix.ts'
import { type DifferenceClosing, factsOfDifference } from '../domain/reconciliation/statement-comparison.ts'

type DifferenceAction = { uuid: string; actor: string; reason: string }
export type CloseDifferenceInput = DifferenceAction & {
  closing: DifferenceClosing
  /** Facts that the operator has seen (`factsOfDifference`). */
  facts: string
}
export type ReopenDifferenceInput = DifferenceAction & {
  /** Time of the closing that the operator has seen. */
  closedAt: Date
}

/** Names of the records in the operator actions. */
const ACTIONS = { resolved: 'difference_resolved', accepted: 'difference_accepted' } as const

/** Error of a difference that is not as the operator has seen it; nothing was changed. */
export class StaleDifference extends Error {
  override name = 'StaleDifference'
  readonly current: Difference

  constructor(current: Difference) {
    super(`difference ${current.uuid} has changed`)
    this.current = current
  }
}

/** Returns whether a missing PIX waits for a workflow, or to be booked: it is not closed before that has ended. */
export function isDifferencePending({ pendingReason }: Pick<Difference, 'pendingReason'>): boolean {
  return TRANSIENT_PENDING_REASONS.some(reason => reason === pendingReason)
}

/** Throws StaleDifference unless the difference is open, with the facts that the operator has seen. */
export function requireClosable(difference: Difference, facts: string): void {
  const isOpen = !difference.settledAt && !difference.closedAt && !isDifferencePending(difference)
  if (!isOpen || factsOfDifference(difference.detail) !== facts) throw new StaleDifference(difference)
}

/** Returns whether this operator has closed the difference in this way: the form was sent twice. */
export function isClosedBy(
  difference: Difference,
  { closing, actor, reason }: Pick<CloseDifferenceInput, 'closing' | 'actor' | 'reason'>,
): boolean {
  const { closedAs, closedCause, closedBy, closedReason } = difference
  return (
    closedAs === closing.as && closedCause === closing.cause && closedBy === actor && closedReason === reason
  )
}

/**
 * Closes a difference under its row lock and records it. No money moves. A later comparison that finds the same facts
 * leaves it closed; other facts open it again. A repeat by the same operator changes nothing. Throws StaleDifference.
 */
export async function closeDifference(em: EntityManager, input: CloseDifferenceInput): Promise<void> {
  const { uuid, closing, facts, actor, reason } = input
  if (isClosedBy(await em.fork().findOneOrFail(Difference, uuid), input)) return
  await runAuditedAction(em, {
    by: { actor, reason },
    action: ACTIONS[closing.as],
    subject: differenceSubjectOf(uuid),
    async work(tx) {
      const difference = await tx.findOneOrFail(Difference, uuid, ROW_LOCK)
      requireClosable(difference, facts)
      const { as: closedAs, cause: closedCause } = closing
      const closedBy = { closedBy: actor, closedReason: reason, closedAt: new Date() }
      Object.assign(difference, { closedAs, closedCause, ...closedBy })
    },
  })
}

/** Opens a closed difference again and records it. Throws StaleDifference where it has another closing, or none. */
export async function reopenDifference(
  em: EntityManager,
  { uuid, closedAt, actor, reason }: ReopenDifferenceInput,
): Promise<void> {
  await runAuditedAction(em, {
    by: { actor, reason },
    action: 'difference_reopen',
    subject: differenceSubjectOf(uuid),
    async work(tx) {
      const difference = await tx.findOneOrFail(Difference, uuid, ROW_LOCK)
      if (difference.closedAt?.getTime() !== closedAt.getTime()) throw new StaleDifference(difference)
      const columns = {
        closedAt: null,
        closedAs: null,
        closedCause: null,
        closedBy: null,
        closedReason: null,
      }
      Object.assign(difference, columns)
    },
  })
}

/** Subject of the records of what operators did to a difference. */
export function differenceSubjectOf(uuid: string): string {
  return `difference/${uuid}`
}
