import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import { OperatorAction } from '../entities/operator-action.ts'

/** Who acts, and why. `actor` is the e-mail of a user, the user of the command line, or the process that acts by itself. */
export type ActionAuthor = {
  actor: string
  reason: string
  /** The account whose own user acts; absent for operators, the command line and processes. */
  actorAccountUuid?: string | null
}

export type AuditedAction<T> = {
  by: ActionAuthor
  /** Name of the action in snake case. */
  action: string
  /** What the action is done to, as its page finds it: a workflow id, `account/<uuid>`. May depend on the result of the work. */
  subject: string | ((result: T) => string)
  /**
   * Writes the rows. Absent where the action is a signal, or the start of a workflow: the caller sends it once this record is
   * committed, so that none is sent without one.
   */
  work?(tx: EntityManager): Promise<T>
  /** Returns whether the work has changed anything: otherwise nothing is recorded. By default it has unless it returns false. */
  hasChanged?(result: T): boolean
}

/**
 * Runs an action and records its author, reason and subject in one transaction: that of the caller, or one of its own. The only
 * writer of `operator_action` (docs/adding-an-operators-act.md, test/architecture/audited-actions.test.ts).
 */
export function runAuditedAction<T = void>(
  em: EntityManager,
  {
    by: { actor, reason, actorAccountUuid = null },
    action,
    subject,
    work,
    hasChanged = value => value !== false,
  }: AuditedAction<T>,
): Promise<T> {
  return runInTransaction(em, async tx => {
    const result = (await work?.(tx)) as T
    if (!hasChanged(result)) return result
    tx.create(OperatorAction, {
      uuid: randomUUID(),
      actor,
      action,
      subject: typeof subject === 'string' ? subject : subject(result),
      reason,
      accountUuid: actorAccountUuid,
    })
    await tx.flush() // The writes are answered before the deadline of a form allows its commit.
    return result
  })
}

/** Action of a note about an object, whose text is the reason: author and time are recorded, and nothing changes them. */
export const NOTE_ACTION = 'note'

/** Reason of what a user does in the dashboard, where no page asks for one. */
export const DASHBOARD_REASON = 'in the dashboard'

/** Converts a user of the dashboard to the author of an action, which has no reason of its own. */
export function toActionAuthor({
  email: actor,
  accountUuid: actorAccountUuid,
}: {
  email: string
  accountUuid: string | null
}): ActionAuthor {
  return { actor, actorAccountUuid, reason: DASHBOARD_REASON }
}
