import type { EntityManager } from '../client/orm.ts'

/** Attempts to sign in that failed or are undecided, by hashes (table `sign_in_attempt`). */

/** `deviceHash` is null for a device that has not signed in before. */
export type SignInHashes = { emailHash: Buffer; addressHash: Buffer; deviceHash: Buffer | null }

export type SignInCounts = Record<'ofDevice' | 'ofEmail' | 'ofNetwork' | 'ofEmailAndNetwork', number>

/** Locks the attempts of these hashes until the end of the transaction, and deletes old ones. */
export async function lockSignInAttempts(em: EntityManager, hashes: Buffer[]): Promise<void> {
  for (const lock of hashes.map(hash => hash.readInt32BE()).sort((a, b) => a - b))
    await em.execute('select pg_advisory_xact_lock(7013008, ?)', [lock])
  await em.execute(`delete from sign_in_attempt where at < now() - interval '1 day'`)
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

export async function insertSignInAttempt(em: EntityManager, hashes: SignInHashes) {
  const values = [hashes.emailHash, hashes.addressHash, hashes.deviceHash]
  await em.execute(
    'insert into sign_in_attempt (email_hash, address_hash, device_hash) values (?, ?, ?)',
    values,
  )
}

/** Deletes the attempts on the device; without one, those of the e-mail and network on devices that had not signed in before. */
export async function deleteSignInAttempts(em: EntityManager, hashes: SignInHashes): Promise<void> {
  const { emailHash, addressHash, deviceHash } = hashes
  await em.execute(
    `delete from sign_in_attempt
     where device_hash = ? or (?::bytea is null and device_hash is null and email_hash = ? and address_hash = ?)`,
    [deviceHash, deviceHash, emailHash, addressHash],
  )
}
