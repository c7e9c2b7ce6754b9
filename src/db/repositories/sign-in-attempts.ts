import { raw } from '@mikro-orm/core'
import type { EntityManager } from '../client/orm.ts'
import { StoredSignInAttempt } from '../entities/sign-in-attempt.ts'

/** Attempts that count against a limit: of sign-ins, second steps and password resets. */

export type SignInHashes = Pick<StoredSignInAttempt, 'emailHash' | 'addressHash'> & {
  deviceHash: Buffer | null
}

export type SignInCounts = Record<'ofDevice' | 'ofEmail' | 'ofNetwork' | 'ofEmailAndNetwork', number>

/** Locks the attempts of these hashes until the end of the transaction, and deletes old ones. */
export async function lockSignInAttempts(em: EntityManager, hashes: Buffer[]): Promise<void> {
  for (const lock of hashes.map(hash => hash.readInt32BE()).sort((a, b) => a - b))
    await em.execute('select pg_advisory_xact_lock(7013008, ?)', [lock])
  await em.nativeDelete(StoredSignInAttempt, { at: { $lt: raw(`now() - interval '1 day'`) } })
}

/** Counts the attempts of the last minutes: on the device, and those on devices that had not signed in before. */
export async function countSignInAttempts(
  em: EntityManager,
  { emailHash, addressHash, deviceHash, minutes }: SignInHashes & { minutes: number },
): Promise<SignInCounts> {
  const [row] = await em.execute<SignInCounts[]>(
    `select count(*) filter (where device_hash is not null)::int as "ofDevice",
       count(*) filter (where device_hash is null and is_email)::int as "ofEmail",
       count(*) filter (where device_hash is null and is_network)::int as "ofNetwork",
       count(*) filter (where device_hash is null and is_email and is_network)::int as "ofEmailAndNetwork"
     from (select device_hash, email_hash = ? as is_email, address_hash = ? as is_network from sign_in_attempt
       where at > now() - ? * interval '1 minute'
         and (device_hash = ? or device_hash is null and (email_hash = ? or address_hash = ?))) counted`,
    [emailHash, addressHash, minutes, deviceHash, emailHash, addressHash],
  )
  return row!
}

export async function insertSignInAttempt(em: EntityManager, hashes: SignInHashes): Promise<void> {
  await em.insert(StoredSignInAttempt, hashes)
}

/** Deletes the attempts on the device; without one, those of the e-mail and network on devices that had not signed in before. */
export async function deleteSignInAttempts(em: EntityManager, hashes: SignInHashes): Promise<void> {
  const { deviceHash } = hashes
  await em.nativeDelete(StoredSignInAttempt, deviceHash ? { deviceHash } : hashes)
}
