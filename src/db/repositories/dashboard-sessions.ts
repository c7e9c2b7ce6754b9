import type { UserRole } from '../../domain/users/roles.ts'
import type { EntityManager } from '../client/orm.ts'
import { User } from '../entities/user.ts'
import { UserSession } from '../entities/user-session.ts'
import { selectValues } from '../select-values.ts'

const SESSION_HOURS = 12
/** Duration of a session without user activity. */
const SESSION_IDLE_HOURS = 2

/** A user whose password was verified. */
export type VerifiedUser = {
  userUuid: string
  /** SHA-256 of the password's hash that the password was compared with. */
  passwordDigest: Buffer
}

/**
 * Locks the row of a verified user until the transaction ends; false where the user has another password by now, or was
 * disabled or removed. A transaction that changes these holds the same row, and revokes the sessions under it.
 */
export async function lockVerifiedUser(
  em: EntityManager,
  { userUuid, passwordDigest }: VerifiedUser,
): Promise<boolean> {
  if (!em.isInTransaction()) throw new Error('a row lock needs a transaction')
  const found = await em.execute<object[]>(
    `select uuid from app_user where uuid = ? and sha256(convert_to(password_hash, 'UTF8')) = ?
       and removed_at is null and disabled_at is null for no key update`,
    [userUuid, passwordDigest],
  )
  return found.length > 0
}

/**
 * Inserts a session and records the sign-in. False where the user has changed since the sign-in was verified: another
 * password or second factor, disabled, removed, or of a blocked account. Runs in a transaction: a change of the user is
 * committed before, or waits and revokes the session.
 */
export async function insertSession(
  em: EntityManager,
  { hash, csrf, verified, totpUuid, userAgent, network }: NewSession,
): Promise<boolean> {
  if (!(await lockVerifiedUser(em, verified))) return false
  const { userUuid, passwordDigest } = verified
  // Its own statement: it reads the second factor and the account as of the moment the lock was granted.
  const inserted = await em.execute<object[]>(
    `insert into dashboard_session (hash, user_uuid, password_digest, csrf, user_agent, network, expires_at)
     select ?, u.uuid, ?, ?, ?, ?, now() + interval '${SESSION_HOURS} hours'
     from app_user u left join user_totp t on t.user_uuid = u.uuid left join account a on a.uuid = u.account_uuid
     where u.uuid = ? and t.uuid is not distinct from ?::uuid and (u.account_uuid is null or a.status = 'ACTIVE')
     returning uuid`,
    [hash, passwordDigest, csrf, userAgent, network, userUuid, totpUuid],
  )
  if (inserted.length === 0) return false
  await em.nativeUpdate(User, userUuid, { lastSignInAt: new Date() })
  return true
}

type NewSession = {
  hash: Buffer
  csrf: string
  verified: VerifiedUser
  /** The second factor whose code was accepted; null where the user had none. */
  totpUuid: string | null
  /** What the browser calls itself, and the network of its address: the user recognises the session by them. */
  userAgent: string
  network: string
}

/** A signed-in user and their session. */
export type DashboardSession = {
  sessionHash: string
  csrf: string
  user: { uuid: string; email: string; name: string | null; role: UserRole }
  /** The merchant's account, or the one that an operator has opened to read. */
  account: { uuid: string; name: string; timeZone: string } | null
}

/**
 * Finds a session by its hash; null where it was signed out, expired or idle, or belongs to a disabled or removed user, a blocked account
 * or an older password. User activity extends it.
 */
export async function findValidSession(
  em: EntityManager,
  hash: Buffer,
  { isUserActive }: { isUserActive: boolean },
): Promise<DashboardSession | null> {
  const [row] = await em.execute<DashboardSession[]>(
    `with found as (
       select s.hash, s.csrf, json_build_object('uuid', u.uuid, 'email', u.email, 'name', u.name, 'role', u.role) as "user",
         case when a.uuid is not null then json_build_object('uuid', a.uuid, 'name', a.name, 'timeZone', a.time_zone) end as account
       from dashboard_session s join app_user u on u.uuid = s.user_uuid 
         left join account a on a.uuid = coalesce(u.account_uuid, s.opened_account_uuid)
       where s.hash = ? and s.revoked_at is null and s.expires_at > now()
         and s.last_seen_at > now() - interval '${SESSION_IDLE_HOURS} hours'
         and u.disabled_at is null and u.removed_at is null and s.password_digest = sha256(convert_to(u.password_hash, 'UTF8'))
         and (u.account_uuid is null or a.status = 'ACTIVE')
     ), seen as (
       update dashboard_session s set last_seen_at = now() from found
       where s.hash = found.hash and ? and s.last_seen_at < now() - interval '1 minute'
     )
     select encode(hash, 'hex') as "sessionHash", csrf, "user", account from found`,
    [hash, isUserActive],
  )
  return row ?? null
}

/** The user of a session that is no longer valid. */
type EndedSession = { userUuid: string; accountUuid: string | null }

/** Finds the session of a cookie, even if it has ended; null for a disabled or removed user, and after the row was deleted. */
export async function findEndedSession(em: EntityManager, hash: Buffer): Promise<EndedSession | null> {
  const [row] = await em.execute<EndedSession[]>(
    `select u.uuid as "userUuid", u.account_uuid as "accountUuid"
     from dashboard_session s join app_user u on u.uuid = s.user_uuid
     where s.hash = ? and u.disabled_at is null and u.removed_at is null`,
    [hash],
  )
  return row ?? null
}

/** Returns whether a form's token is of a session of this user, present or ended. */
export async function isTokenOfUser(
  em: EntityManager,
  { userUuid, csrf }: { userUuid: string; csrf: string },
): Promise<boolean> {
  const rows = await em.execute('select from dashboard_session where user_uuid = ? and csrf = ? limit 1', [
    userUuid,
    csrf,
  ])
  return rows.length > 0
}

/** Opens an account for an operator's session, so that it reads the pages of its merchant; null closes it. */
export async function setOpenedAccount(
  em: EntityManager,
  { sessionHash, accountUuid }: { sessionHash: string; accountUuid: string | null },
): Promise<void> {
  const session = { hash: Buffer.from(sessionHash, 'hex'), user: { role: 'operator' as const } }
  await em.nativeUpdate(UserSession, session, { openedAccountUuid: accountUuid })
}

/** Revokes a session by its hash: its cookie grants no access any more, in any browser. */
export async function revokeSession(em: EntityManager, hash: Buffer): Promise<void> {
  await em.nativeUpdate(UserSession, { hash, revokedAt: null }, { revokedAt: new Date() })
}

/**
 * Revokes the sessions of one user by e-mail or uuid, or of all users of an account. Called in the transaction of the
 * change that ends them: it locks the users, so that a sign-in that overlaps is committed and revoked, or finds the change.
 */
export async function revokeUserSessions(
  em: EntityManager,
  { email, uuid, accountUuid }: { email?: string; uuid?: string; accountUuid?: string },
): Promise<void> {
  if (!em.isInTransaction()) throw new Error('a row lock needs a transaction')
  const users = await selectValues<string>(
    em,
    `select uuid from app_user where email = ? or uuid = ? or account_uuid = ? order by uuid for no key update`,
    [email ?? null, uuid ?? null, accountUuid ?? null],
  )
  await em.nativeUpdate(UserSession, { user: { $in: users }, revokedAt: null }, { revokedAt: new Date() })
}

/** A session of a user, as the user's own page lists it. */
export type ListedSession = {
  uuid: string
  userAgent: string | null
  network: string | null
  createdAt: Date
  lastSeenAt: Date
  isCurrent: boolean
}

/** Lists the valid sessions of the user of a session, the latest seen first. */
export function listOwnSessions(
  em: EntityManager,
  { user, sessionHash }: DashboardSession,
): Promise<ListedSession[]> {
  return em.execute<ListedSession[]>(
    `select s.uuid, s.user_agent as "userAgent", s.network, s.created_at as "createdAt",
       s.last_seen_at as "lastSeenAt", s.hash = decode(?, 'hex') as "isCurrent"
     from dashboard_session s join app_user u on u.uuid = s.user_uuid
     where s.user_uuid = ? and s.revoked_at is null and s.expires_at > now()
       and s.last_seen_at > now() - interval '${SESSION_IDLE_HOURS} hours'
       and s.password_digest = sha256(convert_to(u.password_hash, 'UTF8'))
     order by "isCurrent" desc, s.last_seen_at desc limit ${MAX_LISTED_SESSIONS}`,
    [sessionHash, user.uuid],
  )
}

const MAX_LISTED_SESSIONS = 100

/** Revokes one session of the user of this session by its uuid, or all but this one. */
export async function revokeOtherSessions(
  em: EntityManager,
  { user, sessionHash }: DashboardSession,
  uuid?: string,
): Promise<void> {
  const others = { user: user.uuid, hash: { $ne: Buffer.from(sessionHash, 'hex') }, revokedAt: null }
  await em.nativeUpdate(UserSession, { ...others, ...(uuid && { uuid }) }, { revokedAt: new Date() })
}

/** Keeps a session after its user's password has changed, which ends all others. */
export async function keepSessionOfNewPassword(
  em: EntityManager,
  { sessionHash }: DashboardSession,
): Promise<void> {
  await em.execute(
    `update dashboard_session s set password_digest = sha256(convert_to(u.password_hash, 'UTF8'))
     from app_user u where u.uuid = s.user_uuid and s.hash = decode(?, 'hex')`,
    [sessionHash],
  )
}
