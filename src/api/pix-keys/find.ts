import { PixKey } from '../../db/entities/pix-key.ts'
import type { EntityManager } from '../../db/orm.ts'
import { normalizedPixKey, SHOWN_KEY_STATES } from '../../domain/pix-key.ts'
import { type PixKeysQuery, showPixKey } from '../../wire/pix-key.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { newestFirst, pageOf } from '../pagination.ts'

/** A key's order by primary key, whoever's it is. */
export function findPixKey(em: EntityManager, uuid: string) {
  return em.findOne(PixKey, uuid, { populate: ['connection'] })
}

/** A key of the token's account and provider by its text, or 404. */
export async function pixKeyOf(em: EntityManager, token: Token, key: string): Promise<PixKey> {
  const where = { key: normalizedPixKey(key), ...visibleTo(token) }
  return (await em.findOne(PixKey, where, { populate: ['connection'] })) ?? refuse('not_found')
}

/** One page of the keys that a token sees, newest first. */
export async function listPixKeys(em: EntityManager, token: Token, query: PixKeysQuery) {
  const [rows, total] = await em.findAndCount(
    PixKey,
    { ...visibleTo(token), ...(query.type && { type: { $in: query.type } }) },
    { populate: ['connection'], ...newestFirst(query) },
  )
  return pageOf({ ...query, total, rows: rows.map(showPixKey) })
}

/** The simulator's keys are a world of their own, in which the same text may be a key again. */
function visibleTo(token: Token) {
  return {
    accountUuid: token.accountUuid,
    isSimulated: token.mode === 'test',
    state: { $in: [...SHOWN_KEY_STATES] },
    ...(token.connectionUuid !== null && { connection: token.connectionUuid }),
  }
}
