/**
 * A form value and its field name. Names nest: `a[0][file]` and `a[][file]` are `{ a: [{ file }] }`. A list keeps the
 * indexes it was sent with, so that errors use the merchant's own paths.
 */
export type FormValue = { name: string; value: unknown }

/** Limits of nesting and of list length; no form of the contract exceeds them. */
const MAX_NAME_DEPTH = 4
const LIST_INDEX = /^\d{1,3}$/

type NameTree = Map<string, unknown>

/** Nests form values by their names. `repeatedPaths` lists the paths that were sent twice; the first value counts. */
export function nestFormValues(values: FormValue[]): {
  value: Record<string, unknown>
  repeatedPaths: string[]
} {
  const root: NameTree = new Map()
  const repeated: string[] = []
  for (const { name, value } of values) {
    const steps = splitFieldName(name)
    if (!putValue(root, steps, value)) repeated.push(steps.join('.'))
  }
  return { value: Object.fromEntries(toPlainEntries(root)), repeatedPaths: repeated }
}

/** Converts a form name to the path used in errors: `attachments.0.file`. */
export function toFieldPath(name: string): string {
  return splitFieldName(name).join('.')
}

function splitFieldName(name: string): string[] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  const steps = [first ?? name, ...[...rest.matchAll(/\[(.*?)\]/g)].map(([, step]) => step!)]
  return steps.length > MAX_NAME_DEPTH ? [name] : steps
}

/** Stores a value in the tree; returns false where the path already has one. */
function putValue(root: NameTree, steps: string[], value: unknown): boolean {
  let branch = root
  for (const step of steps.slice(0, -1)) {
    const key = step === '' ? String(branch.size) : step
    const inner = branch.get(key) ?? new Map()
    if (!(inner instanceof Map)) return false
    branch.set(key, inner)
    branch = inner
  }
  const last = steps.at(-1)!
  const key = last === '' ? String(branch.size) : last
  if (branch.has(key)) return false
  branch.set(key, value)
  return true
}

function toPlainValue(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const keys = [...value.keys()]
  if (!keys.every(key => LIST_INDEX.test(key))) return Object.fromEntries(toPlainEntries(value))
  const list: unknown[] = []
  for (const [key, inner] of toPlainEntries(value)) list[Number(key)] = inner
  return list
}

function toPlainEntries(branch: NameTree): [string, unknown][] {
  return [...branch].map(([key, inner]) => [key, toPlainValue(inner)])
}
