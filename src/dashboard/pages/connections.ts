import type { Token } from '../../api/auth.ts'
import { listProviders } from '../../api/providers/find.ts'
import type { EntityManager } from '../../db/orm.ts'

/** More than an account has. */
const MOST = 100

/** The connections that a token sees, for a page that offers or names all of them. */
export async function connectionsOf(em: EntityManager, token: Token) {
  return (await listProviders(em.fork(), token, { page: 1, per_page: MOST })).data
}
