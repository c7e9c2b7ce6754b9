import type { EntityManager } from '../client/orm.ts'

/** What users had typed when their session ended (table `form_draft`). */

/** How long a draft waits for its user to sign in again. */
const DRAFT_HOURS = 1

/** The user of a session that is no longer valid. */
export type EndedSession = { userUuid: string; accountUuid: string | null }

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

export type FormDraft = { userUuid: string; path: string; sealedFields: string }

/** Stores the draft of a form, in place of an earlier one, and deletes what has expired. */
export async function storeFormDraft(
  em: EntityManager,
  { userUuid, path, sealedFields }: FormDraft,
): Promise<void> {
  await em.execute(
    `insert into form_draft (uuid, user_uuid, path, sealed_fields, expires_at)
     values (gen_random_uuid(), ?, ?, ?, now() + interval '${DRAFT_HOURS} hours')
     on conflict (user_uuid, path) do update set sealed_fields = excluded.sealed_fields, expires_at = excluded.expires_at`,
    [userUuid, path, sealedFields],
  )
  await em.execute('delete from form_draft where expires_at < now()')
}

/** Finds the sealed fields of a user's draft of a form; null where there is none. */
export async function findFormDraft(
  em: EntityManager,
  { userUuid, path }: Omit<FormDraft, 'sealedFields'>,
): Promise<string | null> {
  const [row] = await em.execute<{ sealed_fields: string }[]>(
    'select sealed_fields from form_draft where user_uuid = ? and path = ? and expires_at > now()',
    [userUuid, path],
  )
  return row?.sealed_fields ?? null
}

export function deleteFormDraft(em: EntityManager, { userUuid, path }: Omit<FormDraft, 'sealedFields'>) {
  return em.execute('delete from form_draft where user_uuid = ? and path = ?', [userUuid, path])
}
