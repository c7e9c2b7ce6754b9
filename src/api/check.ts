import type { z } from 'zod'

/** Field path (`splits.0.value`) to what is wrong with it. */
export type FieldErrors = Record<string, string[]>

export type Checked<T> = { kind: 'fine'; value: T } | { kind: 'wrong'; errors: FieldErrors }

/** Reads the wire with a schema; every failure is named at once. `whole` is the path of what concerns no field. */
export function check<S extends z.ZodType>(schema: S, input: unknown, whole: string): Checked<z.output<S>> {
  const result = schema.safeParse(input)
  const errors = result.success ? unstorable(result.data) : noErrors()
  for (const issue of result.error?.issues ?? []) {
    for (const path of pathsOf(issue, whole)) add(errors, path, messageOf(issue, input))
  }
  return Object.keys(errors).length > 0 || !result.success
    ? { kind: 'wrong', errors }
    : { kind: 'fine', value: result.data }
}

/** All failures of several parts of a request, or null. */
export function allErrors(parts: Checked<unknown>[]): FieldErrors | null {
  const errors = Object.assign(noErrors(), ...parts.map(part => (part.kind === 'wrong' ? part.errors : {})))
  return Object.keys(errors).length > 0 ? errors : null
}

function pathsOf(issue: z.core.$ZodIssue, whole: string): string[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => [...path, key].join('.'))
  return [path.join('.') || whole]
}

function messageOf(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === 'unrecognized_keys') return 'is not known here'
  if (isMissing(issue, input)) return 'is required'
  return issue.message
}

function isMissing(issue: z.core.$ZodIssue, input: unknown): boolean {
  if (issue.path.length === 0) return false
  let value = input
  for (const step of issue.path) value = Object(value)[step]
  return value === undefined
}

/** PostgreSQL stores neither NUL nor half a surrogate pair; nothing else a text may hold is refused. */
function unstorable(value: unknown, path: string[] = [], errors = noErrors()): FieldErrors {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed()) {
      add(errors, path.join('.'), 'must not contain NUL characters or broken surrogate pairs')
    }
  } else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    for (const [key, inner] of Object.entries(value)) unstorable(inner, [...path, key], errors)
  }
  return errors
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
