import { describe, expect, test } from '@jest/globals'

/** The parts of a JSON Schema that say which fields are optional. `z.toJSONSchema` makes one from an SDK's zod schema. */
type FieldSchema = {
  properties?: Record<string, FieldSchema>
  required?: readonly string[]
  items?: FieldSchema
  anyOf?: readonly FieldSchema[]
  additionalProperties?: unknown
}

/** One documented answer of a provider, and the call that it answers. */
export type DocumentedAnswerExample = {
  /** The answer with every field that the provider documents, once each; a list has one item. */
  answer: object
  /**
   * Paths of the fields without which the answer proves nothing, such as `pix[].valor`. Every other field is optional for
   * the adapter. None may be one that `schema` makes optional.
   */
  needed: readonly string[]
  /** The published schema of the answer: a field that it makes optional must be in `answer`, and must not be needed. */
  schema?: object
  /** Optional fields of `schema` that another field of `answer` excludes, as a person's document excludes a company's. */
  alternatives?: readonly string[]
  /** Paths of optional amounts: they may be absent, but of another type the answer proves nothing. */
  amounts?: readonly string[]
  /** Makes the call with this answer; returns the part of its outcome that no optional field may change. */
  call(answer: unknown): Promise<unknown>
}

/**
 * Tests, for each documented answer of an adapter, that no optional field decides the outcome: each field that is not
 * needed is dropped, set to null, and replaced by a value of each other type, one change at a time. For use by an adapter's test:
 *
 *     describeOptionalFields('Acme', {
 *       'findTransfer, settled': {
 *         answer: { id: 'transfer1', value: 1050, status: 'DONE', receiver: { name: 'Maria' } },
 *         needed: ['id', 'value', 'status'],
 *         schema: z.toJSONSchema(acmeSdk.TransferSchema) or a schema of its OpenAPI without references,
 *         async call(answer) {
 *           const provider = openAcme(createScriptedPool({ answer: { status: 200, body: JSON.stringify(answer) } }))
 *           const found = await provider.findTransfer({ id: 'transfer1' })
 *           return found.kind === 'found' ? found.payout.status : found
 *         },
 *       },
 *     })
 *
 * `call` returns what must not depend on an optional field: the kind, the status, the amount; not the receiver's name.
 * What only an optional field tells, `call` leaves out.
 */
export function describeOptionalFields(
  name: string,
  examples: Readonly<Record<string, DocumentedAnswerExample>>,
): void {
  describe(`${name}: optional fields`, () => {
    test.each(Object.entries(examples))('%s', async (_title, { answer, needed, call, ...published }) => {
      const paths = listPaths(answer)
      expect(needed.filter(path => !paths.includes(path))).toEqual([])
      const optional = published.schema ? listOptionalPaths(published.schema) : []
      expect(optional.filter(path => needed.includes(path))).toEqual([])
      const present = [...paths, ...(published.alternatives ?? [])]
      expect(optional.filter(path => !present.includes(path))).toEqual([])

      const expected = await call(answer)
      const faults: object[] = []
      const isTried = (change: string, path: string) =>
        !published.amounts?.includes(path) || change === 'dropped' || change === 'is null'
      for (const path of paths.filter(path => !needed.includes(path)))
        for (const [change, changed] of listChanges(answer, path)) {
          if (!isTried(change, path)) continue
          const outcome = await call(changed)
          if (JSON.stringify(outcome) !== JSON.stringify(expected)) faults.push({ path, change, outcome })
        }
      expect(faults).toEqual([])
    })
  })
}

/** Lists the paths of all fields of a value, of items of lists by their first one. */
function listPaths(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return listPaths(value[0], `${prefix}[]`)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([field, content]) => {
    const path = joinPath(prefix, field)
    return [path, ...listPaths(content, path)]
  })
}

/** Lists the paths of the fields that a schema does not require, and those inside them that it does not require either. */
function listOptionalPaths(schema: FieldSchema, prefix = ''): string[] {
  const { properties = {}, required = [], items, anyOf = [] } = schema
  const own = Object.entries(properties).flatMap(([field, content]) => {
    const path = joinPath(prefix, field)
    return [...(required.includes(field) ? [] : [path]), ...listOptionalPaths(content, path)]
  })
  const ofItems = items ? listOptionalPaths(items, `${prefix}[]`) : []
  return [...new Set([...own, ...ofItems, ...anyOf.flatMap(one => listOptionalPaths(one, prefix))])]
}

/** Lists copies of an answer without the field of a path, with null there, and with a value of each other type. */
function listChanges(answer: object, path: string): [change: string, changed: unknown][] {
  const dropped = structuredClone(answer)
  const owner = findOwner(dropped, path)
  const original = owner[lastField(path)]
  delete owner[lastField(path)]
  const replacements = [null, ...OTHER_VALUES.filter(other => typeOf(other) !== typeOf(original))]
  return [
    ['dropped', dropped],
    ...replacements.map((replacement): [string, unknown] => {
      const changed = structuredClone(answer)
      findOwner(changed, path)[lastField(path)] = replacement
      return [`is ${JSON.stringify(replacement)}`, changed]
    }),
  ]
}

const OTHER_VALUES = ['odd', 7, true, [], ['odd'], {}, { odd: 1 }]

function findOwner(answer: object, path: string): Record<string, unknown> {
  let owner: unknown = answer
  for (const part of path.split('.').slice(0, -1)) {
    const [field = '', ...lists] = part.split('[]')
    owner = (owner as Record<string, unknown>)[field]
    for (const _ of lists) owner = (owner as unknown[])[0]
  }
  return owner as Record<string, unknown>
}

function lastField(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1)
}

function joinPath(prefix: string, field: string): string {
  return prefix === '' ? field : `${prefix}.${field}`
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
