import { replaceDefaults } from '../../db/defaults.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import { uuid } from '../../wire/common.ts'
import { MOST_DEFAULTS } from '../../wire/provider.ts'
import type { Token } from '../auth.ts'
import type { Refused } from '../candidates.ts'
import type { FieldErrors } from '../check.ts'
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

/** The same for a body that its schema has refused already, as far as its list can be read: all is said at once. */
export async function alsoUnfit({ em, token, body }: Refused): Promise<FieldErrors> {
  const { provider_uuids } = Object(body)
  if (!Array.isArray(provider_uuids) || provider_uuids.length > MOST_DEFAULTS) return {}
  const uuids = provider_uuids.map(one => uuid.safeParse(one).data)
  return unfitDefaults(em, token, uuids)
}

/** One that cannot be read is not ours to judge. */
async function unfitDefaults(
  em: EntityManager,
  token: Token,
  uuids: (string | undefined)[],
): Promise<FieldErrors> {
  const named = uuids.filter(uuid => uuid !== undefined)
  const usable = await em.find(Connection, {
    $and: [{ uuid: named, accountUuid: token.accountUuid }, connectionsSeenBy(token)],
    status: 'ACTIVE',
    isPublic: true,
  })
  const known = new Set(usable.map(connection => connection.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    if (uuid === undefined) continue
    if (uuids.indexOf(uuid) !== index) errors[`provider_uuids.${index}`] = ['must not be named twice']
    else if (!known.has(uuid))
      errors[`provider_uuids.${index}`] = ['must be an active provider of the account']
  }
  return errors
}
