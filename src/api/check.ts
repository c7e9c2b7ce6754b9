import type { z } from 'zod'
import { suggestField } from './fields.ts'

/** Field path (`splits.0.value`) to what is wrong with it. */
export type FieldErrors = Record<string, string[]>

export type Checked<T> = { kind: 'fine'; value: T } | { kind: 'wrong'; errors: FieldErrors }

/** Reads the wire with a schema; every failure is named at once. `whole` is the path of what concerns no field. */
export function check<S extends z.ZodType>(schema: S, input: unknown, whole: string): Checked<z.output<S>> {
  const result = storable(schema).safeParse(input)
  if (result.success) return { kind: 'fine', value: result.data }
  const errors = noErrors()
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') addUnknown(errors, schema, issue)
    else add(errors, issue.path.map(String).join('.') || whole, messageOf(issue, input))
  }
  return { kind: 'wrong', errors }
}

/** All failures of several parts of a request, or null. */
export function allErrors(parts: Checked<unknown>[]): FieldErrors | null {
  const errors = Object.assign(noErrors(), ...parts.map(part => (part.kind === 'wrong' ? part.errors : {})))
  return Object.keys(errors).length > 0 ? errors : null
}

/** A name that the schema does not have is an error of its own: what it was meant to say must not be lost. */
function addUnknown(
  errors: FieldErrors,
  schema: z.ZodType,
  { path, keys }: Extract<z.core.$ZodIssue, { code: 'unrecognized_keys' }>,
) {
  for (const key of keys) {
    const meant = suggestField(schema, path, key)
    const message = meant === undefined ? 'is not known here' : `is not known here; did you mean ${meant}?`
    add(errors, [...path.map(String), key].join('.'), message)
  }
}

function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  if (isMissing(issue, input)) return 'is required'
  return issue.message
}

function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.path.length === 0) return false
  let value = input
  for (const step of issue.path) value = Object(value)[step]
  return value === undefined
}

/** The schema, and whether what it has read can be stored. Made once: making one costs many times what reading with it does. */
function storable<S extends z.ZodType>(schema: S): S {
  const known = STORABLE.get(schema) as S | undefined
  if (known) return known
  const made = schema.superRefine(
    (value, context) => {
      for (const path of unstorable(value, wrongPaths(context.issues)))
        context.addIssue({ code: 'custom', path, message: UNSTORABLE })
    },
    { when: () => true }, // Of what else is wrong, too.
  )
  STORABLE.set(schema, made)
  return made
}
const STORABLE = new WeakMap<z.ZodType, z.ZodType>()
const UNSTORABLE = 'must not contain NUL characters or broken surrogate pairs'

/** PostgreSQL stores neither NUL nor half a surrogate pair; nothing else a text may hold is refused. What is wrong was not read. */
function unstorable(value: unknown, wrong: Set<string>, path: string[] = []): string[][] {
  if (wrong.has(path.join('.'))) return []
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? [path] : []
  if (typeof value !== 'object' || value === null || value instanceof Date) return []
  return Object.entries(value).flatMap(([key, inner]) => unstorable(inner, wrong, [...path, key]))
}

/** Paths of the schema's issues, without `unrecognized_keys`: an unknown key must not hide other errors of its object. */
function wrongPaths(issues: z.core.$ZodRawIssue[]): Set<string> {
  const found = issues.filter(issue => issue.code !== 'unrecognized_keys')
  return new Set(found.map(({ path = [] }) => path.join('.')))
}

/** Without a prototype, so that every name is a field's: callers choose the names of what nobody knows. */
function noErrors(): FieldErrors {
  return Object.create(null)
}

function add(errors: FieldErrors, path: string, message: string) {
  const messages = errors[path] ?? []
  if (!messages.includes(message)) messages.push(message)
  errors[path] = messages
}
