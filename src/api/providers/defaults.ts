import { replaceDefaults } from '../../db/defaults.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { connectionsSeenBy } from '../visible.ts'

/** Replaces the priority list of the token's account, in the token's mode; 422 names every place that cannot be. */
export async function replaceDefaultProviders(
  em: EntityManager,
  token: Token,
  uuids: string[],
): Promise<void> {
  const errors = await unfitDefaults(em, token, uuids)
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  await replaceDefaults(em, { accountUuid: token.accountUuid, mode: token.reaches }, uuids)
}

async function unfitDefaults(em: EntityManager, token: Token, uuids: string[]) {
  const usable = await em.find(Connection, {
    $and: [{ uuid: uuids, accountUuid: token.accountUuid }, connectionsSeenBy(token)],
    status: 'ACTIVE',
    isPublic: true,
  })
  const known = new Set(usable.map(connection => connection.uuid))
  const errors: Record<string, string[]> = {}
  for (const [index, uuid] of uuids.entries()) {
    if (uuids.indexOf(uuid) !== index) errors[`provider_uuids.${index}`] = ['must not be named twice']
    else if (!known.has(uuid))
      errors[`provider_uuids.${index}`] = ['must be an active provider of the account']
  }
  return errors
}
