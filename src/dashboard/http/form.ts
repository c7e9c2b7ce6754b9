import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { fail } from '../../api/http/api-error.ts'
import { readTextBody } from '../../api/http/body.ts'
import { listFieldNames } from '../../api/http/field-names.ts'
import { type ValidationResult, validateSchema } from '../../api/http/validate.ts'
import { sha256 } from '../../security/sealing.ts'
import { LANGUAGES, type Language } from '../i18n/translator.ts'

/** What a browser's form sends, read and trusted no further than its token reaches. */

/** The fields of a form; only as browsers send them without a file. */
export async function readUrlEncodedForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) fail('unsupported_media_type')
  return new URLSearchParams(await readTextBody(request))
}

/** Of the session that sends it, and from a page of ours: else 403. */
export function requireCsrfToken(request: IncomingMessage, sent: string | null, expected: string): void {
  requireSameOrigin(request)
  if (sent === null || !timingSafeEqual(sha256(sent), sha256(expected))) fail('form_expired')
}

/** What a browser itself says of where a form stood; those that do not say it send the token all the same. */
export function requireSameOrigin(request: IncomingMessage): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') fail('form_expired')
}

type FormFields = Record<string, string | string[] | undefined>

/** Fields by a schema of the wire; what was left empty was not sent. */
export function validateFormFields<S extends z.ZodType>(
  schema: S,
  fields: FormFields,
): ValidationResult<z.output<S>> {
  return validateSchema(
    schema,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')),
    'form',
  )
}

/** The fields of a form that a schema has, checked, or 422 with all that is wrong. A form also carries fields of its page. */
export function parseFormFields<S extends z.ZodType>(
  schema: S,
  fields: Record<string, unknown>,
): z.output<S> {
  const known = listFieldNames(schema)
  const sent = Object.fromEntries(Object.entries(fields).filter(([name]) => known.includes(name)))
  const checked = validateFormFields(schema, sent as FormFields)
  return checked.kind === 'valid' ? checked.value : fail('validation_failed', { errors: checked.errors })
}

/** What is said of a field that holds no amount. */
export const AMOUNT_FORMAT_MESSAGE = 'must be an amount in reais, as in 1234.56 or 1234,56'

/**
 * An amount as Brazilians (`1.234,56`), the English (`1,234.56`) or programs (`1234.56`) write it, as a program does; null
 * where it is none. `1.234` and `1,234` are a thousand in the one language and nothing in the other: there only the page's
 * own language is read.
 */
export function normalizeAmount(text: string, language: Language): string | null {
  const bare = text.trim().replace(/^R\$\s*(?=\d)/, '')
  if (bare === '') return ''
  const others = AMBIGUOUS_SEPARATOR.test(bare) ? [] : LANGUAGES
  const read = [language, ...others].find(one => AMOUNT_PATTERNS[one].test(bare))
  if (!read) return null
  return read === 'en' ? bare.replaceAll(',', '') : bare.replaceAll('.', '').replace(',', '.')
}

const AMBIGUOUS_SEPARATOR = /^\d+[.,]\d{3}$/
const AMOUNT_PATTERNS: Record<Language, RegExp> = {
  'pt-BR': /^(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d{1,2})?$/,
  en: /^(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d{1,2})?$/,
}
