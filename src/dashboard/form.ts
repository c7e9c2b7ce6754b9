import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { readText } from '../api/body.ts'
import { type Checked, check } from '../api/check.ts'
import { refuse } from '../api/errors.ts'
import { fieldNames } from '../api/fields.ts'
import { sha256 } from '../sealing.ts'
import { LANGUAGES, type Language } from './words.ts'

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

/** The fields of a form that a schema has, checked, or 422 with all that is wrong. A form also carries fields of its page. */
export function required<S extends z.ZodType>(schema: S, fields: Record<string, unknown>): z.output<S> {
  const known = fieldNames(schema)
  const sent = Object.fromEntries(Object.entries(fields).filter(([name]) => known.includes(name)))
  const checked = checkFields(schema, sent as Fields)
  return checked.kind === 'fine' ? checked.value : refuse('validation_failed', { errors: checked.errors })
}

/** What is said of a field that holds no amount. */
export const NO_AMOUNT = 'must be an amount in reais, as in 1234.56 or 1234,56'

/**
 * An amount as Brazilians (`1.234,56`), the English (`1,234.56`) or programs (`1234.56`) write it, as a program does; null
 * where it is none. `1.234` and `1,234` are a thousand in the one language and nothing in the other: there only the page's
 * own language is read.
 */
export function amountText(text: string, language: Language): string | null {
  const bare = text.trim().replace(/^R\$\s*(?=\d)/, '')
  if (bare === '') return ''
  const others = ONE_MARK_BEFORE_THREE.test(bare) ? [] : LANGUAGES
  const read = [language, ...others].find(one => WRITTEN[one].test(bare))
  if (!read) return null
  return read === 'en' ? bare.replaceAll(',', '') : bare.replaceAll('.', '').replace(',', '.')
}

const ONE_MARK_BEFORE_THREE = /^\d+[.,]\d{3}$/
const WRITTEN: Record<Language, RegExp> = {
  'pt-BR': /^(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d{1,2})?$/,
  en: /^(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d{1,2})?$/,
}
