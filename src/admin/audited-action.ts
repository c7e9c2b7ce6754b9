import type { EntityManager } from '../db/client/orm.ts'
import { runInTransaction } from '../db/client/transaction.ts'
import { type OperatorActionRecord, recordOperatorAction } from '../db/repositories/operator-actions.ts'

/** `subject`: may depend on the result of the work. */
export type AuditedAction<T> = Omit<OperatorActionRecord, 'subject'> & {
  subject: string | ((result: T) => string)
  work: (em: EntityManager) => Promise<T>
}

/** Runs work and records operator and reason in the same transaction. */
export function runAuditedAction<T>(
  em: EntityManager,
  { subject, work, ...action }: AuditedAction<T>,
): Promise<T> {
  return runInTransaction(em, async tx => {
    const result = await work(tx)
    await recordOperatorAction(tx, {
      ...action,
      subject: typeof subject === 'string' ? subject : subject(result),
    })
    return result
  })
}
