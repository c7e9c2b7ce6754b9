import type { EntityManager } from '../../db/client/orm.ts'
import { failNotConfirmed, type ResourceIds } from '../../http/api-error.ts'
import { isOutage } from '../../http/outage.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'

/**
 * Runs a write that no workflow makes, in one transaction. It is committed only while the request has time left (SPEC §1);
 * otherwise it is rolled back and the request fails with `unavailable`. Where the outcome of the COMMIT is unknown, the
 * request fails with `not_confirmed` and `ids`. The only way in which a route writes rows (test/architecture/single-writers.test.ts).
 */
export async function writeDirectly<T>(
  em: EntityManager,
  ids: ResourceIds | null,
  write: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const deadline = getRequestDeadline()
  let isCommitting = false
  try {
    return await em.transactional(async tx => {
      const result = await write(tx)
      await tx.flush()
      deadline.markStarted(ids, 'postgres')
      isCommitting = true
      return result
    })
  } catch (error) {
    if (isCommitting && isOutage(error)) failNotConfirmed(ids, error)
    throw error
  }
}
