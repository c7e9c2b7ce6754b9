import { randomBytes } from 'node:crypto'
import type { EntityManager } from '../../db/client/orm.ts'
import type { UserRole } from '../../db/entities/user.ts'
import { sha256 } from '../../security/sealing.ts'

const SESSION_HOURS = 12
/** Duration of a session without user activity. */
const SESSION_IDLE_HOURS = 2

/** A signed-in user and their session. An operator belongs to no account. */
export type DashboardSession = {
  sessionHash: string
  csrf: string
  user: { uuid: string; email: string; role: UserRole }
  account: { uuid: string; name: string } | null
}

/** Creates a session and returns the secret for the cookie; only its hash is stored. */
export async function createSession(em: EntityManager, userUuid: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await em.execute(
    `insert into dashboard_session (hash, user_uuid, password_digest, csrf, expires_at)
     select ?, uuid, sha256(convert_to(password_hash, 'UTF8')), ?, now() + interval '${SESSION_HOURS} hours'
     from app_user where uuid = ?`,
    [sha256(secret), randomBytes(32).toString('base64url'), userUuid],
  )
  await em.execute(`delete from dashboard_session where expires_at < now() - interval '1 day'`)
  return secret
}

type SessionRow = {
  csrf: string
  user_uuid: string
  email: string
  role: UserRole
  account_uuid: string | null
  account_name: string | null
}

/**
 * Finds the session of a cookie secret; null where it was signed out, expired or idle, or belongs to a disabled user,
 * a blocked account or an older password. User activity extends it; polling by a page does not.
 */
export async function findSession(
  em: EntityManager,
  secret: string,
  { isUserActive: isPerson }: { isUserActive: boolean },
): Promise<DashboardSession | null> {
  const hash = sha256(secret)
  const [row] = await em.execute<SessionRow[]>(
    `with found as (
       select s.hash, s.csrf, u.uuid as user_uuid, u.email, u.role, a.uuid as account_uuid, a.name as account_name
       from dashboard_session s join app_user u on u.uuid = s.user_uuid left join account a on a.uuid = u.account_uuid
       where s.hash = ? and s.revoked_at is null and s.expires_at > now()
         and s.last_seen_at > now() - interval '${SESSION_IDLE_HOURS} hours'
         and u.disabled_at is null and s.password_digest = sha256(convert_to(u.password_hash, 'UTF8'))
         and (a.uuid is null or a.status = 'ACTIVE')
     ), seen as (
       update dashboard_session s set last_seen_at = now() from found
       where s.hash = found.hash and ? and s.last_seen_at < now() - interval '1 minute'
     )
     select * from found`,
    [hash, isPerson],
  )
  if (!row) return null
  return {
    sessionHash: hash.toString('hex'),
    csrf: row.csrf,
    user: { uuid: row.user_uuid, email: row.email, role: row.role },
    account: row.account_uuid === null ? null : { uuid: row.account_uuid, name: row.account_name ?? '' },
  }
}

/** Revokes a session: its cookie grants no access any more, in any browser. */
export async function revokeSession(em: EntityManager, { sessionHash }: DashboardSession): Promise<void> {
  await em.execute(`update dashboard_session set revoked_at = now() where hash = decode(?, 'hex')`, [
    sessionHash,
  ])
}
