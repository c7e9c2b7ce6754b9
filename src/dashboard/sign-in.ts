import { refuse } from '../api/errors.ts'
import { Account } from '../db/entities/account.ts'
import { User } from '../db/entities/user.ts'
import type { EntityManager } from '../db/orm.ts'
import { passwordFits } from '../passwords.ts'
import { sha256 } from '../sealing.ts'

/** Failures after which nobody is let in for a while: for one e-mail, and from one address. */
const MOST_PER_EMAIL = 10
const MOST_PER_ADDRESS = 30
const WINDOW_MINUTES = 15

export type SignInTry = { email: string; password: string; address: string }

/**
 * The user whose e-mail and password these are; the same refusal for every other case, after the same time. Only who has
 * the password hears that the account is blocked.
 */
export async function whoSignsIn(em: EntityManager, asked: SignInTry): Promise<User> {
  const email = asked.email.trim().toLowerCase()
  const id = await countedTry(em, email, asked.address)
  const user = await em.findOne(User, { email }, { populate: ['passwordHash'] })
  const fits = await passwordFits(asked.password, user?.passwordHash ?? null)
  if (!user || !fits || user.disabledAt) refuse('sign_in_refused')
  if (user.accountUuid && (await em.count(Account, { uuid: user.accountUuid, status: 'BLOCKED' })) > 0)
    refuse('account_blocked')
  await em.execute('delete from sign_in_try where id = ? or email_hash = ?', [id, sha256(email)])
  return user
}

/**
 * Counts the try before the password is looked at, under the locks of its e-mail and its address: however many come at
 * once, through however many processes, no more than the limit reach a password.
 */
async function countedTry(em: EntityManager, email: string, address: string): Promise<string> {
  const [emailHash, addressHash] = [sha256(email), sha256(address)]
  return em.fork().transactional(async inner => {
    const locks = [emailHash, addressHash].map(hash => hash.readInt32BE()).sort((a, b) => a - b)
    for (const lock of locks) await inner.execute('select pg_advisory_xact_lock(7013008, ?)', [lock])
    await inner.execute(`delete from sign_in_try where at < now() - interval '1 day'`)
    const [row] = await inner.execute<{ of_email: string; of_address: string }[]>(
      `select count(*) filter (where email_hash = ?) as of_email,
         count(*) filter (where address_hash = ?) as of_address
       from sign_in_try where at > now() - interval '${WINDOW_MINUTES} minutes' and (email_hash = ? or address_hash = ?)`,
      [emailHash, addressHash, emailHash, addressHash],
    )
    if (Number(row!.of_email) >= MOST_PER_EMAIL || Number(row!.of_address) >= MOST_PER_ADDRESS)
      refuse('too_many_sign_ins', { retryAfterS: WINDOW_MINUTES * 60 })
    const [written] = await inner.execute<{ id: string }[]>(
      'insert into sign_in_try (email_hash, address_hash) values (?, ?) returning id',
      [emailHash, addressHash],
    )
    return written!.id
  })
}
