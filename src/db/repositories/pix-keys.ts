import { EXISTING_KEY_STATES, type PixKeyType } from '../../domain/pix-keys/pix-key.ts'
import type { EntityManager } from '../client/orm.ts'
import { PixKey } from '../entities/pix-key.ts'
import { selectValue } from '../select-values.ts'

/** The database's rules of PIX keys, queried before an insert would break them. */

/** Counts the keys of a type that an account has or may have, without the collection keys of its connections. */
export async function countPixKeys(
  em: EntityManager,
  { accountUuid, type, isSimulated }: { accountUuid: string; type: PixKeyType; isSimulated: boolean },
): Promise<number> {
  return Number(await selectValue(em, 'select count_pix_keys(?, ?, ?)', [accountUuid, type, isSimulated]))
}

/** Returns whether a key is, or may be, registered already. */
export async function isPixKeyRegistered(em: EntityManager, key: { key: string; isSimulated: boolean }) {
  return (await em.count(PixKey, { ...key, state: { $in: [...EXISTING_KEY_STATES] } })) > 0
}

/** Returns whether a connection collects by this key, or an open charge can be paid to it. */
export function isPixKeyInUse(
  em: EntityManager,
  { key, isSimulated }: Pick<PixKey, 'key' | 'isSimulated'>,
): Promise<boolean> {
  return selectValue(em, 'select pix_key_is_in_use(?, ?)', [key, isSimulated])
}

/** Counts the creation of a key; returns the seconds until the account may create another, 0 where this one is counted. */
export function countPixKeyCreation(em: EntityManager, accountUuid: string): Promise<number> {
  return selectValue(em, 'select count_pix_key_creation(?)', [accountUuid])
}
