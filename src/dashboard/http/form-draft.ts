import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import { isTokenOfUser } from '../../db/repositories/dashboard-sessions.ts'
import { openSealedValue } from '../authentication/sealed-value.ts'
import { setCookie } from './browser-security.ts'
import type { DashboardContext } from './dashboard-context.ts'
import { requireSameOrigin } from './form.ts'
import { withQuery } from './page.ts'
import type { PageContext } from './page-context.ts'

/**
 * A form that is sent after its session has ended is not carried out, and what was typed waits in a sealed cookie of the form's
 * path until its user signs in again: the page of the form then has it. The user sends it.
 */

const DRAFT_COOKIE = 'trilho_draft'
/** How long a draft waits for its user to sign in again. */
const DRAFT_MAX_AGE_MS = 60 * 60_000
/** Longest value of a cookie that every browser stores (RFC 6265 §6.1, with name): about 4,000 letters of a text, compressed and sealed. */
const MAX_COOKIE_LENGTH = 4_000

/** Fields that belong to the page or to the session that has ended. */
const FIELDS_OF_PAGE = ['_csrf', 'confirmed', 'version', 'understood']
/** The submission id is kept: the form may have been sent before, and its outcome be open. It is not what a user types. */
const SUBMISSION_FIELD = 'once'
/** Fields that are never kept: passwords, codes, secrets and what identifies to a provider. */
const SECRET_FIELD =
  /password|secret|token|credential|certificate|private|api_?key|app_?id|(^|[._])(code|totp|pin)$|auth_code$/i

const draftSchema = z.object({
  kind: z.literal('dashboard-form-draft'),
  userUuid: z.uuid(),
  path: z.string(),
  /** Base64 of the deflated JSON of names and values. */
  fields: z.string(),
  endsAtMs: z.number(),
})

type SubmittedFields = { userUuid: string; fields: [string, unknown][] }

/**
 * Keeps what a user had typed in a form of an earlier session. Returns the address of the form with it; null where the form has
 * no token of a session of this user, nothing was typed, or it is too long. Fails where the form comes from another site.
 */
export async function keepFormDraft(
  context: DashboardContext,
  ctx: RouterContext,
  { userUuid, fields }: SubmittedFields,
): Promise<string | null> {
  requireSameOrigin(ctx.req)
  const texts = fields.filter((field): field is [string, string] => typeof field[1] === 'string')
  const csrf = texts.find(([name]) => name === '_csrf')?.[1]
  if (csrf === undefined || !(await isTokenOfUser(context.orm.em.fork(), { userUuid, csrf }))) return null
  const keptFields = texts.filter(([name]) => !FIELDS_OF_PAGE.includes(name) && !SECRET_FIELD.test(name))
  if (keptFields.every(([name, value]) => name === SUBMISSION_FIELD || value === '')) return null
  const value = context.sealer.seal({
    kind: 'dashboard-form-draft',
    userUuid,
    path: ctx.path,
    fields: deflateRawSync(JSON.stringify(keptFields)).toString('base64'),
    endsAtMs: Date.now() + DRAFT_MAX_AGE_MS,
  } satisfies z.infer<typeof draftSchema>)
  if (value.length > MAX_COOKIE_LENGTH) return null
  setCookie(context, ctx, { name: DRAFT_COOKIE, value, maxAgeMs: DRAFT_MAX_AGE_MS, path: ctx.path })
  return withQuery(ctx.path, { ...ctx.query, draft: '1' })
}

/** Puts the user's draft of this address into the form of the visit. Returns whether there was one. */
export function restoreFormDraft(
  { sealer }: DashboardContext,
  ctx: RouterContext,
  visit: PageContext,
): boolean {
  const draft = openSealedValue(sealer, draftSchema, ctx.cookies.get(DRAFT_COOKIE))
  if (draft?.userUuid !== visit.session.user.uuid || draft.path !== ctx.path) return false
  const texts = inflateRawSync(Buffer.from(draft.fields, 'base64')).toString()
  visit.form = new URLSearchParams(JSON.parse(texts))
  return true
}

/** Deletes the draft of a form that was carried out. */
export function dropFormDraft(context: DashboardContext, ctx: RouterContext): void {
  if (ctx.cookies.get(DRAFT_COOKIE))
    setCookie(context, ctx, { name: DRAFT_COOKIE, value: null, path: ctx.path })
}
