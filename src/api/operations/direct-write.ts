import type { EntityManager } from '../../db/client/orm.ts'
import type { ResourceIds } from '../../http/api-error.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'

/**
 * Runs a write that no workflow makes, in one transaction. It is committed only while the request has time left (SPEC §1);
 * otherwise it is rolled back and the request fails with `unavailable`. An outage from the COMMIT on fails the request with
 * `not_confirmed` and `ids` (`RequestDeadline`). The only way in which a route writes rows
 * (test/architecture/single-writers.test.ts).
 */
export function writeDirectly<T>(
  em: EntityManager,
  ids: ResourceIds | null,
  write: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  return em.transactional(async tx => {
    const result = await write(tx)
    await tx.flush()
    getRequestDeadline().markStarted(ids, 'postgres')
    return result
  })
}
