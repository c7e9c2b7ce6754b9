import type { z } from 'zod'
import {
  type DescribeIssue,
  describeInFieldTerms,
  type FieldMessage,
  formatFieldMessage,
} from './field-message.ts'
import { suggestField } from './field-suggestion.ts'
import { MAX_FIELD_ERRORS } from './limits.ts'

/** Field path (`splits.0.value`) to its error messages. */
export type FieldErrors = Record<string, FieldMessage[]>

export type ValidationResult<T> = { kind: 'valid'; value: T } | { kind: 'invalid'; errors: FieldErrors }

/** Validates wire input and reports all failures at once. `bodyPath` is the path of errors that concern no field. */
export function validateSchema<S extends z.ZodType>(
  schema: S,
  input: unknown,
  bodyPath: string,
  describeIssue = describeInFieldTerms,
): ValidationResult<z.output<S>> {
  const checked = withStorableCheck(schema)
  const result = checked.safeParse(input, { error: describeIssue })
  if (result.success) return { kind: 'valid', value: result.data }
  const errors: FieldErrors = Object.create(null) // Merchants choose the names of unknown fields.
  for (const [index, issue] of result.error.issues.entries()) {
    const describe: DescribeIssue = error => checked.safeParse(input, { error }).error?.issues[index]?.message
    const message = isFieldMissing(issue, input) ? 'is required' : toFieldMessage(issue, describe)
    if (issue.code === 'unrecognized_keys') addUnknownKeyErrors(errors, schema, issue)
    else addFieldError(errors, issue.path.map(String).join('.') || bodyPath, message)
  }
  return { kind: 'invalid', errors }
}

/** Keeps the errors of as many fields as one answer names, and says that there are more. */
export function limitFieldErrors(errors: FieldErrors): FieldErrors {
  const entries = Object.entries(errors)
  if (entries.length <= MAX_FIELD_ERRORS) return errors
  return Object.assign(Object.create(null), Object.fromEntries(entries.slice(0, MAX_FIELD_ERRORS)), {
    body: [
      {
        text: 'has errors in {count} fields; the first {max} are listed',
        gaps: { count: entries.length, max: MAX_FIELD_ERRORS },
      },
    ],
  })
}

/** Merges the errors of several parts of a request; null where all are valid. */
export function mergeErrors(parts: ValidationResult<unknown>[]): FieldErrors | null {
  const partErrors = parts.map(part => (part.kind === 'invalid' ? part.errors : {}))
  const errors: FieldErrors = Object.assign(Object.create(null), ...partErrors)
  return Object.keys(errors).length > 0 ? errors : null
}

/** Adds an error for each unknown key: ignoring one could lose what the merchant meant by it. */
function addUnknownKeyErrors(
  errors: FieldErrors,
  schema: z.ZodType,
  { path, keys }: Extract<z.core.$ZodIssue, { code: 'unrecognized_keys' }>,
) {
  for (const key of keys) {
    const suggestion = suggestField(schema, path, key)
    const message =
      suggestion === undefined
        ? 'is not a known field'
        : { text: 'is not a known field; did you mean {field}?', gaps: { field: suggestion } }
    addFieldError(errors, [...path.map(String), key].join('.'), message)
  }
}

/** Messages of our own have the code `custom`, or a text that the dashboard's dictionary has. */
function toFieldMessage(issue: z.core.$ZodIssue, describe: DescribeIssue): FieldMessage {
  const { message: text } = issue
  if (issue.code !== 'custom') return { text, describe }
  return issue.params ? { text, gaps: issue.params } : text
}

function isFieldMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.path.length === 0) return false
  let value = input
  for (const step of issue.path) {
    // The text of a query whose parts are a list: an empty part is there.
    if (typeof value === 'string') return false
    value = Object(value)[step]
  }
  return value === undefined
}

/**
 * Extends a schema with the check that PostgreSQL can store the value. Cached, because building a schema costs many
 * times what a validation does.
 */
function withStorableCheck<S extends z.ZodType>(schema: S): S {
  const cached = STORABLE_SCHEMAS.get(schema) as S | undefined
  if (cached) return cached
  const extended = schema.superRefine(
    (value, context) => {
      for (const path of findUnstorablePaths(value, collectInvalidPaths(context.issues)))
        context.addIssue({ code: 'custom', path, message: UNSTORABLE_MESSAGE })
    },
    { when: () => true }, // Runs even where other checks have failed.
  )
  STORABLE_SCHEMAS.set(schema, extended)
  return extended
}
const STORABLE_SCHEMAS = new WeakMap<z.ZodType, z.ZodType>()
const UNSTORABLE_MESSAGE = 'must not contain NUL characters or broken surrogate pairs'

/**
 * Finds the paths of texts with NUL or half a surrogate pair, the only ones that PostgreSQL cannot store. Skips
 * invalid paths, which were not parsed.
 */
function findUnstorablePaths(value: unknown, invalidPaths: Set<string>, path: string[] = []): string[][] {
  if (invalidPaths.has(path.join('.'))) return []
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? [path] : []
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    findUnstorablePaths(inner, invalidPaths, [...path, key]),
  )
}

/** Collects the paths of the schema's issues, without `unrecognized_keys`, which must not hide other errors. */
function collectInvalidPaths(issues: z.core.$ZodRawIssue[]): Set<string> {
  const pathIssues = issues.filter(issue => issue.code !== 'unrecognized_keys')
  return new Set(pathIssues.map(({ path = [] }) => path.join('.')))
}

function addFieldError(errors: FieldErrors, path: string, message: FieldMessage) {
  const messages = errors[path] ?? []
  const text = formatFieldMessage(message)
  if (!messages.some(other => formatFieldMessage(other) === text)) messages.push(message)
  errors[path] = messages
}

/** Formats the messages as the API sends them. */
export function formatFieldErrors(errors: FieldErrors): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => [path, messages.map(formatFieldMessage)]),
  )
}
