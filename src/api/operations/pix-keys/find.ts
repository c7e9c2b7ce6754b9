import { type PixKeysQuery, showPixKey } from '../../../contract/pix-keys/pix-key.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { PixKey } from '../../../db/entities/pix-key.ts'
import { normalizePixKey } from '../../../domain/pix-keys/key-format.ts'
import { LISTED_KEY_STATES } from '../../../domain/pix-keys/pix-key.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { buildListPage, newestFirstOptions } from '../pagination.ts'

export function findPixKey(em: EntityManager, uuid: string) {
  return em.findOne(PixKey, uuid, { populate: ['connection'] })
}

export async function requireVisiblePixKey(em: EntityManager, token: CallerToken, key: string) {
  const where = { key: normalizePixKey(key), ...buildPixKeyVisibilityFilter(token) }
  return (await em.findOne(PixKey, where, { populate: ['connection'] })) ?? fail('not_found')
}

export async function listPixKeys(em: EntityManager, token: CallerToken, query: PixKeysQuery) {
  const [rows, total] = await em.findAndCount(
    PixKey,
    { ...buildPixKeyVisibilityFilter(token), ...(query.type && { type: { $in: query.type } }) },
    { populate: ['connection'], ...newestFirstOptions(query) },
  )
  return buildListPage({ ...query, total, rows: rows.map(showPixKey) })
}

/** Builds the filter of visible keys. Simulated keys are separate: the same text may exist again as a real key. */
function buildPixKeyVisibilityFilter(token: CallerToken) {
  return {
    accountUuid: token.accountUuid,
    isSimulated: token.mode === 'test',
    state: { $in: [...LISTED_KEY_STATES] },
    ...(token.connectionUuid !== null && { connection: token.connectionUuid }),
  }
}
