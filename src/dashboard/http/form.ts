import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { z } from 'zod'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { fail } from '../../http/api-error.ts'
import { readTextBody } from '../../http/body.ts'
import { listFieldNames } from '../../http/field-names.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { type FieldErrors, validateSchema } from '../../http/validate.ts'
import { MIN_PASSWORD_LENGTH } from '../../security/passwords.ts'
import { sha256 } from '../../security/sealing.ts'
import { LANGUAGES, type Language } from '../i18n/translator.ts'

/** Parsing and checks of browser forms, and the transactions of their handlers. */

/** Reads the fields of a form, URL-encoded as browsers send a form without files. */
export async function readUrlEncodedForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is('application/x-www-form-urlencoded')) fail('unsupported_media_type')
  return new URLSearchParams(await readTextBody(ctx))
}

/**
 * Forks an entity manager for the handler of a form. Its transactions, and those of its own forks, are committed only while the
 * request has time left (SPEC §1); otherwise they are rolled back and the request fails with `unavailable`. Where the outcome of
 * a COMMIT is unknown, it fails with `not_confirmed`. What a form writes is in a transaction therefore, a single statement too
 * (test/architecture/single-writers.test.ts).
 */
export function forkForForm(em: EntityManager): EntityManager {
  const fork = em.fork({ freshEventManager: true })
  const deadline = getRequestDeadline()
  fork
    .getEventManager()
    .registerSubscriber({ beforeTransactionCommit: async () => deadline.markCommitting() })
  return fork
}

/** Fails with 403 unless the form carries its session's CSRF token and comes from our own page. */
export function requireCsrfToken(request: IncomingMessage, token: string | null, expected: string): void {
  requireSameOrigin(request)
  if (token === null || !timingSafeEqual(sha256(token), sha256(expected))) fail('form_expired')
}

/** Fails with 403 where the browser reports another origin; browsers that report none are checked by the token. */
export function requireSameOrigin(request: IncomingMessage): void {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') fail('form_expired')
}

type FormFields = Record<string, string | string[] | undefined>

/** Validates form fields by a schema of the API; an empty field counts as absent. */
export function validateFormFields<S extends z.ZodType>(
  schema: S,
  fields: FormFields,
  describeIssue?: z.core.$ZodErrorMap,
) {
  return validateSchema(
    schema,
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')),
    'form',
    describeIssue,
  )
}

/** E-mail of a user. */
export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'is too long')
  .pipe(z.email('must be an e-mail address'))

/** Reason of an operator action; stored permanently with the operator's e-mail. */
export const reasonSchema = z.string().trim().min(3, 'must give a reason').max(1_000)

/** Longest accepted password: hashing a longer one would only cost time. */
const MAX_PASSWORD_LENGTH = 1_000

/** Password that a user chooses. */
export const newPasswordSchema = z
  .string()
  .min(MIN_PASSWORD_LENGTH, 'must have at least 12 characters')
  .max(MAX_PASSWORD_LENGTH, 'is too long')

/** Present password of a user, as typed. */
export const presentPasswordSchema = z.string().max(MAX_PASSWORD_LENGTH, 'is too long')

const submissionSchema = z.object({ once: uuidSchema })

/** Reads the Idempotency-Key of a form, its submission id, so that a form sent twice acts once. */
export function readSubmissionKey(form: URLSearchParams | Record<string, unknown>): string {
  return `dashboard ${parseFormFields(submissionSchema, form).once}`
}

/**
 * Parses the form fields that a schema has, or fails with 422 and all errors, those of `errors` included. Other fields
 * of the page are ignored.
 */
export function parseFormFields<S extends z.ZodType>(
  schema: S,
  form: URLSearchParams | Record<string, unknown>,
  errors: FieldErrors = {},
) {
  const fields = form instanceof URLSearchParams ? Object.fromEntries(form) : form
  const fieldNames = listFieldNames(schema)
  const schemaFields = Object.fromEntries(
    Object.entries(fields).filter(([name]) => fieldNames.includes(name)),
  )
  const result = validateFormFields(schema, schemaFields as FormFields)
  if (result.kind === 'valid' && Object.keys(errors).length === 0) return result.value
  return fail('validation_failed', {
    errors: { ...(result.kind === 'invalid' && result.errors), ...errors },
  })
}

/** Reads an amount in reais; undefined where the field is empty. An invalid one is added to `errors`. */
export function readAmount(
  { form, language }: { form: URLSearchParams; language: Language },
  name: string,
  errors: FieldErrors,
): number | undefined {
  const amount = normalizeAmount(form.get(name) ?? '', language)
  if (amount === null) errors[name] = [AMOUNT_FORMAT_MESSAGE]
  return amount ? Number(amount) : undefined
}

/** Reads a text field; undefined where it is empty. */
export function readText(form: URLSearchParams, name: string): string | undefined {
  return form.get(name)?.trim() || undefined
}

/** A line of a text area: a name, a colon and a text. */
const NAMED_TEXT = /^([^:]*[^:\s])\s*:\s*(.+)$/

/** Reads a text area with one named text on each line; undefined where it is empty. Errors are added to `errors`. */
export function readNamedTexts(
  form: URLSearchParams,
  name: string,
  errors: FieldErrors,
): { name: string; value: string }[] | undefined {
  const lines = (form.get(name) ?? '').split('\n').flatMap(line => line.trim() || [])
  const texts = lines.flatMap(line => {
    const [, textName, value] = NAMED_TEXT.exec(line) ?? []
    return textName === undefined || value === undefined ? [] : { name: textName, value }
  })
  if (texts.length < lines.length) errors[name] = ['must have a name, a colon and a text on each line']
  return texts.length === 0 ? undefined : texts
}

/** Reads named texts as `metadata` of a body, whose names are unique. */
export function readMetadata(form: URLSearchParams, errors: FieldErrors): Record<string, string> | undefined {
  const texts = readNamedTexts(form, 'metadata', errors)
  const names = new Set(texts?.map(({ name }) => name))
  if (texts && names.size < texts.length) errors.metadata = ['must have each name once']
  return texts && Object.fromEntries(texts.map(({ name, value }) => [name, value]))
}

/** Reads the selected checkboxes of a name, possibly none; undefined where the form has no such checkboxes. */
export function readCheckboxes(form: URLSearchParams, name: string): string[] | undefined {
  return form.has(name) ? form.getAll(name).filter(value => value !== '') : undefined
}

/** Cleans the text of a search, which PostgreSQL compares: it has no place for a NUL or half a surrogate pair. */
export function cleanSearchText(text: string, maxLength: number): string {
  return text.trim().replaceAll('\0', '').toWellFormed().slice(0, maxLength)
}

/** Message for a field that holds no amount. */
export const AMOUNT_FORMAT_MESSAGE = 'must be an amount in reais, as in 1234.56 or 1234,56'

/**
 * Converts an amount in Brazilian (`1.234,56`), English (`1,234.56`) or program (`1234.56`) notation to program
 * notation; null where it is none. `1.234` and `1,234` mean a thousand in one language and are invalid in the other,
 * so for these only the page's own language counts.
 */
export function normalizeAmount(text: string, language: Language): string | null {
  const bare = text.trim().replace(/^R\$\s*(?=\d)/, '')
  if (bare === '') return ''
  const others = AMBIGUOUS_SEPARATOR.test(bare) ? [] : LANGUAGES
  const style = [language, ...others].find(one => AMOUNT_PATTERNS[one].test(bare))
  if (!style) return null
  return style === 'en' ? bare.replaceAll(',', '') : bare.replaceAll('.', '').replace(',', '.')
}

const AMBIGUOUS_SEPARATOR = /^\d+[.,]\d{3}$/
const AMOUNT_PATTERNS: Record<Language, RegExp> = {
  'pt-BR': /^(\d+|[1-9]\d{0,2}(\.\d{3})+)(,\d{1,2})?$/,
  en: /^(\d+|[1-9]\d{0,2}(,\d{3})+)(\.\d{1,2})?$/,
}
