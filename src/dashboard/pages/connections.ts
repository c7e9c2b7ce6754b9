import type { CallerToken } from '../../api/middleware/authenticate.ts'
import { listProviders } from '../../api/providers/find.ts'
import type { EntityManager } from '../../db/client/orm.ts'

/** More than an account has. */
const MAX_CONNECTIONS = 100

/** The connections that a token sees, for a page that offers or names all of them. */
export async function listConnections(em: EntityManager, token: CallerToken) {
  return (await listProviders(em.fork(), token, { page: 1, per_page: MAX_CONNECTIONS })).data
}
