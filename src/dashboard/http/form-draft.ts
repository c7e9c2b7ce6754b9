import type { RouterContext } from '@koa/router'
import {
  deleteFormDraft,
  findEndedSession,
  findFormDraft,
  storeFormDraft,
} from '../../db/repositories/form-drafts.ts'
import { readMultipartForm } from '../../http/multipart.ts'
import { sha256 } from '../../security/sealing.ts'
import { cookieName } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { readUrlEncodedForm, requireCsrfToken } from './form.ts'
import { withQuery } from './page.ts'
import type { PageContext } from './page-context.ts'

/**
 * A form that is sent after its session has ended is not carried out, and what was typed waits, sealed, until its user
 * signs in again: the page of the form then has it. The user sends it.
 */

/** Fields that belong to the page or to the session that has ended. */
const FIELDS_OF_PAGE = ['_csrf', 'confirmed', 'version', 'once', 'understood']
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
  requireCsrfToken(ctx.req, fields.find(([name]) => name === '_csrf')?.[1] ?? null, ended.csrf)
  const kept = fields.filter(([name]) => !FIELDS_OF_PAGE.includes(name) && !SECRET_FIELD.test(name))
  if (kept.every(([, value]) => value === '')) return null
  const sealedFields = context.sealer.seal({ kind: 'form-draft', fields: kept })
  await storeFormDraft(em, { userUuid: ended.userUuid, path: ctx.path, sealedFields })
  return withQuery(ctx.path, { ...ctx.query, draft: '1' })
}

/** Reads the texts of a form with files. The files are read and deleted: the page asks for them again. */
async function readMultipartTexts(
  { router }: DashboardContext,
  ctx: RouterContext,
  { cleanup, accountUuid }: { cleanup: AsyncDisposableStack; accountUuid: string | null },
): Promise<[string, string][]> {
  const form = await readMultipartForm(ctx, {
    ...{ cleanup, formSemaphore: router.formSemaphore, accountUuid: accountUuid ?? undefined },
    beforeBody: async () => {},
  })
  return Object.entries(form.value).filter((field): field is [string, string] => typeof field[1] === 'string')
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
