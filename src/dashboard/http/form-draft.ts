import type { RouterContext } from '@koa/router'
import {
  deleteFormDraft,
  findEndedSession,
  findFormDraft,
  isTokenOfUser,
  storeFormDraft,
} from '../../db/repositories/form-drafts.ts'
import { readMultipartForm } from '../../http/multipart.ts'
import { sha256 } from '../../security/sealing.ts'
import { cookieName } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { readUrlEncodedForm, requireSameOrigin } from './form.ts'
import { withQuery } from './page.ts'
import type { PageContext } from './page-context.ts'

/**
 * A form that is sent after its session has ended is not carried out, and what was typed waits, sealed, until its user
 * signs in again: the page of the form then has it. The user sends it.
 */

/** Fields that belong to the page or to the session that has ended. */
const FIELDS_OF_PAGE = ['_csrf', 'confirmed', 'version', 'understood']
/** The submission id is kept: the form may have been sent before, and its outcome be open. It is not what a user types. */
const SUBMISSION_FIELD = 'once'
/** Fields that are never stored: passwords, codes, secrets and what identifies to a provider. */
const SECRET_FIELD =
  /password|secret|token|credential|certificate|private|api_?key|app_?id|(^|[._])(code|totp|pin)$|auth_code$/i

type DraftRequest = { sessionCookie: string; isMultipart: boolean; cleanup: AsyncDisposableStack }

/** Stores the fields of a form whose session has ended. Returns the address of the form with them; null where none is stored. */
export async function keepFormDraft(
  context: DashboardContext,
  ctx: RouterContext,
  { sessionCookie, isMultipart, cleanup }: DraftRequest,
): Promise<string | null> {
  const secret = ctx.cookies.get(cookieName(sessionCookie, context))
  // A request of a script is not a form that a user has sent.
  if (!secret || ctx.get('HX-Request') === 'true') return null
  const em = context.orm.em.fork()
  const ended = await findEndedSession(em, sha256(secret))
  if (!ended) return null
  const fields = isMultipart
    ? await readMultipartTexts(context, ctx, { cleanup, accountUuid: ended.accountUuid })
    : [...(await readUrlEncodedForm(ctx))]
  return keepFieldsOfUser(context, ctx, { userUuid: ended.userUuid, fields })
}

/**
 * Stores the fields of a form of an earlier session of the user, who has signed in again in another tab. Returns the address of
 * the form with them; null where the form is not of such a session.
 */
export async function keepFormOfEarlierSession(
  context: DashboardContext,
  ctx: RouterContext,
  { session, form, upload }: PageContext,
): Promise<string | null> {
  if (ctx.get('HX-Request') === 'true') return null
  const fields = [...form, ...Object.entries(upload).filter(isText)]
  return keepFieldsOfUser(context, ctx, { userUuid: session.user.uuid, fields })
}

type TypedFields = { userUuid: string; fields: [string, string][] }

/** Stores what was typed, if the form has the token of any session of the user; null where it has not, or nothing was typed. */
async function keepFieldsOfUser(
  { orm, sealer }: DashboardContext,
  ctx: RouterContext,
  { userUuid, fields }: TypedFields,
): Promise<string | null> {
  requireSameOrigin(ctx.req)
  const csrf = fields.find(([name]) => name === '_csrf')?.[1]
  if (csrf === undefined || !(await isTokenOfUser(orm.em.fork(), { userUuid, csrf }))) return null
  const kept = fields.filter(([name]) => !FIELDS_OF_PAGE.includes(name) && !SECRET_FIELD.test(name))
  if (kept.every(([name, value]) => name === SUBMISSION_FIELD || value === '')) return null
  const sealedFields = sealer.seal({ kind: 'form-draft', fields: kept })
  await storeFormDraft(orm.em.fork(), { userUuid, path: ctx.path, sealedFields })
  return withQuery(ctx.path, { ...ctx.query, draft: '1' })
}

function isText(field: [string, unknown]): field is [string, string] {
  return typeof field[1] === 'string'
}

/** Reads the texts of a form with files. The files are read and deleted: the page asks for them again. */
async function readMultipartTexts(
  { router }: DashboardContext,
  ctx: RouterContext,
  { cleanup, accountUuid }: { cleanup: AsyncDisposableStack; accountUuid: string | null },
): Promise<[string, string][]> {
  const form = await readMultipartForm(ctx, {
    cleanup,
    formSemaphore: router.formSemaphore,
    accountUuid: accountUuid ?? undefined,
    beforeBody: async () => {},
  })
  return Object.entries(form.value).filter(isText)
}

/** Puts the user's draft of this address into the form of the visit. Returns whether there was one. */
export async function restoreFormDraft(
  { sealer }: DashboardContext,
  visit: PageContext,
  path: string,
): Promise<boolean> {
  const sealed = await findFormDraft(visit.em.fork(), { userUuid: visit.session.user.uuid, path })
  if (sealed === null) return false
  const { fields } = sealer.open<{ fields: [string, string][] }>(sealed)
  visit.form = new URLSearchParams(fields)
  return true
}

/** Deletes the user's draft of a form that was carried out. */
export async function dropFormDraft(visit: PageContext, path: string): Promise<void> {
  await deleteFormDraft(visit.em.fork(), { userUuid: visit.session.user.uuid, path })
}
