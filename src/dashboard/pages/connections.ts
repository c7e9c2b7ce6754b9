import type { CallerToken } from '../../api/authorization/authenticate.ts'
import { listProviders } from '../../api/operations/providers.ts'
import type { EntityManager } from '../../db/client/orm.ts'

/** Upper limit of connections on one page, more than any account has. */
const MAX_CONNECTIONS = 100

/** Lists all connections that a token may see, for a page that offers or names them. */
export async function listConnections(em: EntityManager, token: CallerToken) {
  return (await listProviders(em.fork(), token, { page: 1, per_page: MAX_CONNECTIONS })).data
}
