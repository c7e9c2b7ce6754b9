import { randomUUID } from 'node:crypto'
import { HOUR } from '../../domain/shared/intervals.ts'
import type { EntityManager } from '../client/orm.ts'
import { FormDraft, UserSession } from '../entities/user-session.ts'

/** What users had typed when their session ended (table `form_draft`). */

/** How long a draft waits for its user to sign in again. */
const DRAFT_MS = HOUR

/** The user of a session that is no longer valid. */
export type EndedSession = { userUuid: string; accountUuid: string | null }

/** Finds the session of a cookie, even if it has ended; null for a disabled or removed user, and after the row was deleted. */
export async function findEndedSession(em: EntityManager, hash: Buffer): Promise<EndedSession | null> {
  const session = await em.findOne(
    UserSession,
    { hash, user: { disabledAt: null, removedAt: null } },
    { populate: ['user'], disableIdentityMap: true },
  )
  return session && { userUuid: session.user.uuid, accountUuid: session.user.accountUuid ?? null }
}

/** Returns whether a form's token is of a session of this user, present or ended. */
export async function isTokenOfUser(
  em: EntityManager,
  { userUuid, csrf }: { userUuid: string; csrf: string },
): Promise<boolean> {
  return (await em.count(UserSession, { user: userUuid, csrf })) > 0
}

type DraftAddress = Pick<FormDraft, 'userUuid' | 'path'>

/** Stores the draft of a form, in place of an earlier one, and deletes what has expired. */
export async function storeFormDraft(
  em: EntityManager,
  draft: DraftAddress & Pick<FormDraft, 'sealedFields'>,
): Promise<void> {
  await em
    .createQueryBuilder(FormDraft)
    .insert({ uuid: randomUUID(), ...draft, expiresAt: new Date(Date.now() + DRAFT_MS) })
    .onConflict(['userUuid', 'path'])
    .merge(['sealedFields', 'expiresAt'])
    .execute()
  await em.nativeDelete(FormDraft, { expiresAt: { $lt: new Date() } })
}

/** Finds the sealed fields of a user's draft of a form; null where there is none. */
export async function findFormDraft(
  em: EntityManager,
  { userUuid, path }: DraftAddress,
): Promise<string | null> {
  const draft = await em.findOne(
    FormDraft,
    { userUuid, path, expiresAt: { $gt: new Date() } },
    { disableIdentityMap: true },
  )
  return draft?.sealedFields ?? null
}

/** Deletes a user's draft of a form. */
export async function deleteFormDraft(em: EntityManager, { userUuid, path }: DraftAddress): Promise<void> {
  await em.nativeDelete(FormDraft, { userUuid, path })
}
