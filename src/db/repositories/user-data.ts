import type { EntityManager } from '../client/orm.ts'
import { selectValues } from '../select-values.ts'
import type { ErasedCounts, PersonRecord } from './personal-data.ts'

/** Personal data of users of the dashboard, by their e-mail: exported, erased (docs/retention.md). E-mails are in lower case. */

/** Statements by table, each of the e-mail alone; the user first. */
const USER_RECORDS: Record<string, string> = {
  app_user: `select to_jsonb(u) - 'password_hash' from app_user u where email = ? order by created_at`,
  user_invitation: `select to_jsonb(i) - 'token_hash' from user_invitation i where email = ?`,
  dashboard_session: `select to_jsonb(s) - array['hash', 'password_digest', 'csrf'] from dashboard_session s
    where user_uuid in (select uuid from app_user where email = ?)`,
  token: `select to_jsonb(t) - 'hash' from token t where author = ?`,
  approval_request: 'select to_jsonb(r) from approval_request r where maker = ?',
  approval: 'select to_jsonb(a) from approval a where approver = ?',
  operator_action: 'select to_jsonb(a) from operator_action a where actor = ? order by at',
}

/** Reads all that is stored about the users of an e-mail, without secrets and their hashes. Empty where there is no user. */
export async function readUserRecords(em: EntityManager, email: string): Promise<PersonRecord[]> {
  const records: PersonRecord[] = []
  for (const [table, sql] of Object.entries(USER_RECORDS)) {
    const rows = await selectValues<PersonRecord['row']>(em, sql, [email])
    if (table === 'app_user' && rows.length === 0) return []
    records.push(...rows.map(row => ({ table, row })))
  }
  return records
}

/** Locks the newest user of an e-mail. `isEnded`: removed, or a disabled operator; another user of the e-mail may still sign in. */
export async function findUserToErase(
  em: EntityManager,
  email: string,
): Promise<{ uuid: string; isEnded: boolean } | undefined> {
  const users = await em.execute<{ uuid: string; isEnded: boolean }[]>(
    `select uuid, removed_at is not null or (role = 'operator' and disabled_at is not null) as "isEnded"
     from app_user where email = ? order by removed_at nulls first, created_at desc for no key update`,
    [email],
  )
  return users[0]
}

/** Lists the orders of a user that wait for approvals: who ordered them is compared with who approves. */
export function listRunningOfUser(em: EntityManager, email: string): Promise<string[]> {
  return selectValues(
    em,
    `select subject || ' ' || subject_uuid from approval_request where maker = ? and decision is null`,
    [email],
  )
}

/** Erases a user, in the caller's transaction. The row stays, without e-mail, name and password; tokens name it by its uuid. */
export async function eraseUserRows(
  em: EntityManager,
  { uuid, email }: { uuid: string; email: string },
): Promise<ErasedCounts> {
  const erasedEmail = `${uuid}@erased.invalid`
  const statements: [table: string, sql: string, values: unknown[]][] = [
    ['dashboard_session', 'delete from dashboard_session where user_uuid = ? returning uuid', [uuid]],
    ['user_totp', 'delete from user_totp where user_uuid = ? returning uuid', [uuid]],
    ['password_reset', 'delete from password_reset where user_uuid = ? returning uuid', [uuid]],
    [
      'user_invitation',
      `delete from user_invitation where user_uuid = ? or (email = ? and user_uuid is null
         and (revoked_at is not null or expires_at < now())) returning uuid`,
      [uuid, email],
    ],
    ['token', 'update token set author = ? where author = ? returning uuid', [erasedEmail, email]],
    [
      'app_user',
      `update app_user set email = ?, name = null, password_hash = '$argon2id$erased', last_sign_in_at = null,
         removed_at = coalesce(removed_at, now()) where uuid = ? returning uuid`,
      [erasedEmail, uuid],
    ],
  ]
  const counts: ErasedCounts = {}
  for (const [table, sql, values] of statements) {
    const changed = await selectValues<string>(em, sql, values)
    if (changed.length > 0) counts[table] = changed.length
  }
  return counts
}
