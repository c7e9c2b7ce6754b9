import { PASSWORD_RESET_MINUTES } from '../../domain/users/password-reset.ts'
import type { EntityManager } from '../client/orm.ts'
import { PasswordReset } from '../entities/password-reset.ts'

/** Links by which users choose a new password. A link ends when it is used, by any other new password, or by its age. */

/** A user who may choose a new password. */
export type ResettableUser = { uuid: string; email: string; accountUuid: string | null }

const RESETTABLE_SQL = `u.removed_at is null and u.disabled_at is null
  and not exists (select from account a where a.uuid = u.account_uuid and a.status <> 'ACTIVE')`
const PASSWORD_DIGEST_SQL = `sha256(convert_to(u.password_hash, 'UTF8'))`
const USER_COLUMNS_SQL = 'u.uuid, u.email, u.account_uuid as "accountUuid"'

/** Finds the user of an e-mail; null where there is none who may sign in. */
export async function findResettableUser(em: EntityManager, email: string): Promise<ResettableUser | null> {
  const [user] = await em.execute<ResettableUser[]>(
    `select ${USER_COLUMNS_SQL} from app_user u where u.email = ? and ${RESETTABLE_SQL}`,
    [email],
  )
  return user ?? null
}

type NewPasswordReset = { uuid: string; userUuid: string; tokenHash: Buffer; sealedMessage: string | null }

/** Stores a link. Returns false where it was stored before, with its first token. */
export async function insertPasswordReset(
  em: EntityManager,
  { uuid, userUuid, tokenHash, sealedMessage }: NewPasswordReset,
): Promise<boolean> {
  const inserted = await em.execute<object[]>(
    `insert into password_reset (uuid, user_uuid, password_digest, token_hash, sealed_message, created_at, expires_at)
     select ?, u.uuid, ${PASSWORD_DIGEST_SQL}, ?, ?, now(), now() + interval '${PASSWORD_RESET_MINUTES} minutes'
     from app_user u where u.uuid = ? on conflict (uuid) do nothing returning uuid`,
    [uuid, tokenHash, sealedMessage, userUuid],
  )
  return inserted.length > 0
}

/** Deletes the message of a link after it was sent. */
export async function deleteResetMessage(em: EntityManager, uuid: string): Promise<void> {
  await em.nativeUpdate(PasswordReset, uuid, { sealedMessage: null })
}

/**
 * Finds the user of a link that works; null where it was used, is too old or unknown. Locks the user: of concurrent
 * transactions that use the link, the second one finds a new password and gets null.
 */
export async function lockUserOfReset(em: EntityManager, tokenHash: Buffer): Promise<ResettableUser | null> {
  return findUserOfToken(em, tokenHash, 'for update of u')
}

/** Finds the user of a link that works, without a lock. */
export function findUserOfReset(em: EntityManager, tokenHash: Buffer): Promise<ResettableUser | null> {
  return findUserOfToken(em, tokenHash, '')
}

async function findUserOfToken(em: EntityManager, tokenHash: Buffer, lock: string) {
  const [user] = await em.execute<ResettableUser[]>(
    `select ${USER_COLUMNS_SQL} from password_reset r join app_user u on u.uuid = r.user_uuid
     where r.token_hash = ? and r.expires_at > now() and r.password_digest = ${PASSWORD_DIGEST_SQL}
       and ${RESETTABLE_SQL} ${lock}`,
    [tokenHash],
  )
  return user ?? null
}
