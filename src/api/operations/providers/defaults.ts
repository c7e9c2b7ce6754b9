import { MAX_DEFAULT_PROVIDERS } from '../../../contract/providers/provider.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Connection } from '../../../db/entities/connection.ts'
import { replaceDefaultConnections } from '../../../db/repositories/default-providers.ts'
import { fail } from '../../../http/api-error.ts'
import type { FieldErrors } from '../../../http/validate.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { connectionScopeOf } from '../../authorization/scope.ts'
import type { InvalidBodyRequest } from '../../routing/provider-candidates.ts'

/** Replaces the default providers of the token's account and mode; 422 names every entry that is not allowed. */
export async function replaceDefaultProviders(
  em: EntityManager,
  token: CallerToken,
  uuids: string[],
): Promise<void> {
  const errors = await findInvalidDefaults(em, token, uuids)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  await replaceDefaultConnections(em, { accountUuid: token.accountUuid, mode: token.modeScope }, uuids)
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectDefaultProviderErrors({
  em,
  token,
  body,
}: InvalidBodyRequest): Promise<FieldErrors> {
  const { provider_uuids } = Object(body)
  if (!Array.isArray(provider_uuids) || provider_uuids.length > MAX_DEFAULT_PROVIDERS) return {}
  const uuids = provider_uuids.map(one => uuidSchema.safeParse(one).data)
  return findInvalidDefaults(em, token, uuids)
}

/** Finds the entries that may not be defaults; entries that are no UUID are left to the schema. */
async function findInvalidDefaults(
  em: EntityManager,
  token: CallerToken,
  uuids: (string | undefined)[],
): Promise<FieldErrors> {
  const distinctUuids = uuids.filter(uuid => uuid !== undefined)
  const usable = await em.find(Connection, {
    $and: [{ uuid: distinctUuids, accountUuid: token.accountUuid }, connectionScopeOf(token)],
    status: 'ACTIVE',
    isPublic: true,
  })
  const usableUuids = new Set(usable.map(connection => connection.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    if (uuid === undefined) continue
    if (uuids.indexOf(uuid) !== index) errors[`provider_uuids.${index}`] = ['must not be repeated']
    else if (!usableUuids.has(uuid))
      errors[`provider_uuids.${index}`] = ['must be an active provider of the account']
  }
  return errors
}
