import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { readText } from '../api/body.ts'
import { type Checked, check } from '../api/check.ts'
import { refuse } from '../api/errors.ts'
import { sha256 } from '../sealing.ts'

/** What a browser's form sends, read and trusted no further than its token reaches. */

/** The fields of a form; only as browsers send them without a file. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) refuse('unsupported_media_type')
  return new URLSearchParams(await readText(request))
}

/** Of the session that sends it, and from a page of ours: else 403. */
export function requireOwnForm(request: IncomingMessage, sent: string | null, expected: string): void {
  requireOwnSite(request)
  if (sent === null || !timingSafeEqual(sha256(sent), sha256(expected))) refuse('form_expired')
}

/** What a browser itself says of where a form stood; those that do not say it send the token all the same. */
export function requireOwnSite(request: IncomingMessage): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') refuse('form_expired')
}

type Fields = Record<string, string | string[] | undefined>

/** Fields by a schema of the wire; what was left empty was not sent. */
export function checkFields<S extends z.ZodType>(schema: S, fields: Fields): Checked<z.output<S>> {
  return check(schema, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')), 'form')
}

/** The same, or 422 with all that is wrong. */
export function required<S extends z.ZodType>(schema: S, fields: Record<string, unknown>): z.output<S> {
  const checked = checkFields(schema, fields as Fields)
  return checked.kind === 'fine' ? checked.value : refuse('validation_failed', { errors: checked.errors })
}

/** An amount as Brazilians write it (`1.234,56`), or as programs do (`1234.56`), for a schema to judge. */
export function amountText(text: string): string {
  const bare = text.replaceAll(/[\sR$]/g, '')
  if (bare.includes(',')) return bare.replaceAll('.', '').replace(',', '.')
  return /^\d{1,3}(\.\d{3})+$/.test(bare) ? bare.replaceAll('.', '') : bare
}
