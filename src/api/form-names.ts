/**
 * What the field names of a form say, nested: `a[0][file]` and `a[][file]` are `{ a: [{ file }] }`. A list keeps the
 * places it was sent with, so that what is wrong is named as the sender named it.
 */
export type NamedValue = { name: string; value: unknown }

/** Deeper names and longer lists are no form of ours. */
const MOST_STEPS = 4
const PLACE = /^\d{1,3}$/

type Branch = Map<string, unknown>

/** `repeated` names what was sent twice, by its path; the first one counts. */
export function nested(values: NamedValue[]): { value: Record<string, unknown>; repeated: string[] } {
  const root: Branch = new Map()
  const repeated: string[] = []
  for (const { name, value } of values) {
    const steps = stepsOf(name)
    if (!put(root, steps, value)) repeated.push(steps.join('.'))
  }
  return { value: Object.fromEntries(plainEntries(root)), repeated }
}

/** The path that names a field in errors: `attachments.0.file`. */
export function pathOf(name: string): string {
  return stepsOf(name).join('.')
}

function stepsOf(name: string): string[] {
  const [, first, rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? []
  const steps = [first ?? name, ...[...rest.matchAll(/\[(.*?)\]/g)].map(([, step]) => step!)]
  return steps.length > MOST_STEPS ? [name] : steps
}

/** False where there is something already. */
function put(root: Branch, steps: string[], value: unknown): boolean {
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

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const keys = [...value.keys()]
  if (!keys.every(key => PLACE.test(key))) return Object.fromEntries(plainEntries(value))
  const list: unknown[] = []
  for (const [key, inner] of plainEntries(value)) list[Number(key)] = inner
  return list
}

function plainEntries(branch: Branch): [string, unknown][] {
  return [...branch].map(([key, inner]) => [key, plain(inner)])
}
