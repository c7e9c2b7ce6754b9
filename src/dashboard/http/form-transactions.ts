import type { EntityManager } from '../../db/client/orm.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'

/**
 * Forks an entity manager for the handler of a form. Its transactions, and those of its own forks, are committed only while the
 * request has time left (SPEC §1); otherwise they are rolled back and the request fails with `unavailable`. Where the outcome of
 * a COMMIT is unknown, it fails with `not_confirmed`. What a form writes is in a transaction therefore, a single statement too
 * (test/architecture/single-writers.test.ts).
 */
export function forkForForm(em: EntityManager): EntityManager {
  const fork = em.fork({ freshEventManager: true })
  const deadline = getRequestDeadline()
  fork
    .getEventManager()
    .registerSubscriber({ beforeTransactionCommit: async () => deadline.markCommitting() })
  return fork
}
