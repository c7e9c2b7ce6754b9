import type { z } from 'zod'
import { suggestField } from './field-names.ts'

/** Field path (`splits.0.value`) to what is wrong with it. */
export type FieldErrors = Record<string, string[]>

export type ValidationResult<T> = { kind: 'valid'; value: T } | { kind: 'invalid'; errors: FieldErrors }

/** Reads the wire with a schema; every failure is named at once. `whole` is the path of what concerns no field. */
export function validateSchema<S extends z.ZodType>(
  schema: S,
  input: unknown,
  whole: string,
): ValidationResult<z.output<S>> {
  const result = withStorableCheck(schema).safeParse(input)
  if (result.success) return { kind: 'valid', value: result.data }
  const errors = createFieldErrors()
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') addUnknownKeyErrors(errors, schema, issue)
    else addFieldError(errors, issue.path.map(String).join('.') || whole, formatIssueMessage(issue, input))
  }
  return { kind: 'invalid', errors }
}

/** All failures of several parts of a request, or null. */
export function mergeErrors(parts: ValidationResult<unknown>[]): FieldErrors | null {
  const errors = Object.assign(
    createFieldErrors(),
    ...parts.map(part => (part.kind === 'invalid' ? part.errors : {})),
  )
  return Object.keys(errors).length > 0 ? errors : null
}

/** A name that the schema does not have is an error of its own: what it was meant to say must not be lost. */
function addUnknownKeyErrors(
  errors: FieldErrors,
  schema: z.ZodType,
  { path, keys }: Extract<z.core.$ZodIssue, { code: 'unrecognized_keys' }>,
) {
  for (const key of keys) {
    const meant = suggestField(schema, path, key)
    const message = meant === undefined ? 'is not known here' : `is not known here; did you mean ${meant}?`
    addFieldError(errors, [...path.map(String), key].join('.'), message)
  }
}

function formatIssueMessage(issue: z.core.$ZodIssue, input: unknown): string {
  if (isFieldMissing(issue, input)) return 'is required'
  return issue.message
}

function isFieldMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.path.length === 0) return false
  let value = input
  for (const step of issue.path) value = Object(value)[step]
  return value === undefined
}

/** The schema, and whether what it has read can be stored. Made once: making one costs many times what reading with it does. */
function withStorableCheck<S extends z.ZodType>(schema: S): S {
  const known = STORABLE_SCHEMAS.get(schema) as S | undefined
  if (known) return known
  const made = schema.superRefine(
    (value, context) => {
      for (const path of findUnstorablePaths(value, collectInvalidPaths(context.issues)))
        context.addIssue({ code: 'custom', path, message: UNSTORABLE_MESSAGE })
    },
    { when: () => true }, // Of what else is wrong, too.
  )
  STORABLE_SCHEMAS.set(schema, made)
  return made
}
const STORABLE_SCHEMAS = new WeakMap<z.ZodType, z.ZodType>()
const UNSTORABLE_MESSAGE = 'must not contain NUL characters or broken surrogate pairs'

/** PostgreSQL stores neither NUL nor half a surrogate pair; nothing else a text may hold is refused. What is wrong was not read. */
function findUnstorablePaths(value: unknown, wrong: Set<string>, path: string[] = []): string[][] {
  if (wrong.has(path.join('.'))) return []
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? [path] : []
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  return Object.entries(value).flatMap(([key, inner]) => findUnstorablePaths(inner, wrong, [...path, key]))
}

/** Paths of the schema's issues, without `unrecognized_keys`: an unknown key must not hide other errors of its object. */
function collectInvalidPaths(issues: z.core.$ZodRawIssue[]): Set<string> {
  const found = issues.filter(issue => issue.code !== 'unrecognized_keys')
  return new Set(found.map(({ path = [] }) => path.join('.')))
}

/** Without a prototype, so that every name is a field's: callers choose the names of what nobody knows. */
function createFieldErrors(): FieldErrors {
  return Object.create(null)
}

function addFieldError(errors: FieldErrors, path: string, message: string) {
  const messages = errors[path] ?? []
  if (!messages.includes(message)) messages.push(message)
  errors[path] = messages
}
