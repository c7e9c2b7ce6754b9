import { Connection, DefaultProvider } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'

/** Replaces the priority list of the token's account; 422 names every place that cannot be. */
export async function replaceDefaultProviders(
  em: EntityManager,
  token: Token,
  uuids: string[],
): Promise<void> {
  await em.transactional(inner => replaced(inner, token, uuids))
}

/** Under the account's lock, so that of two replacements at once one follows the other whole. */
async function replaced(em: EntityManager, { accountUuid }: Token, uuids: string[]): Promise<void> {
  await em.execute('select from account where uuid = ? for no key update', [accountUuid])
  const errors = await unfitDefaults(em, accountUuid, uuids)
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  await em.nativeDelete(DefaultProvider, { accountUuid, paymentType: 'PIX' })
  await em.insertMany(
    DefaultProvider,
    uuids.map((connection, index) => ({
      accountUuid,
      paymentType: 'PIX' as const,
      position: index + 1,
      connection,
    })),
  )
}

async function unfitDefaults(em: EntityManager, accountUuid: string, uuids: string[]) {
  const usable = await em.find(Connection, { uuid: uuids, accountUuid, status: 'ACTIVE', isPublic: true })
  const known = new Set(usable.map(connection => connection.uuid))
  const errors: Record<string, string[]> = {}
  for (const [index, uuid] of uuids.entries()) {
    if (uuids.indexOf(uuid) !== index) errors[`provider_uuids.${index}`] = ['must not be named twice']
    else if (!known.has(uuid))
      errors[`provider_uuids.${index}`] = ['must be an active provider of the account']
  }
  return errors
}
