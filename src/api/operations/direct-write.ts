import type { EntityManager } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import type { ResourceIds } from '../../http/api-error.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { runUserAct, type UserAct } from './user-acts.ts'

type DirectWrite<T> = { ids: ResourceIds | null; act: UserAct; hasChanged?(result: T): boolean }

/**
 * Runs a write that no workflow makes, in one transaction. It is committed only while the request has time left (SPEC §1);
 * otherwise it is rolled back and the request fails with `unavailable`. An outage from the COMMIT on fails the request with
 * `not_confirmed` and `ids` (`RequestDeadline`). The only way in which a route writes rows
 * (test/architecture/single-writers.test.ts). `act`: what it is for a user of the dashboard, recorded in the transaction
 * unless `hasChanged` says that the write found nothing to do.
 */
export function writeDirectly<T>(
  em: EntityManager,
  { ids, act, hasChanged }: DirectWrite<T>,
  write: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return runInTransaction(em, async tx => {
    const result = await runUserAct(tx, { ...act, work: write, ...(hasChanged && { hasChanged }) })
    await tx.flush() // The writes are answered before the deadline allows the commit.
    getRequestDeadline().markStarted(ids, 'postgres')
    return result
  })
}
