import { fieldsOf, readTable, type TableRow } from './document.ts'

/** Compares a response with the contract's tables: every field exists and has the type of its row. */

/** The place of an object decides which notes apply to it. */
export type RecordContext = 'charge' | 'transfer' | 'refund' | 'dispute' | 'ledger'
type SchemaPosition = { context: RecordContext; path: string }

const RESOURCES: Record<string, TableRow[]> = {
  Party: readTable('Party'),
  'PIX initiation object': readTable('PIX initiation object'),
  'ledger record': readTable('Ledger record'),
  Charge: readTable('Charge (payment)'),
  Split: readTable('Split'),
  Transfer: readTable('Transfer (PIX Out)'),
  Dispute: readTable('Dispute (MED)'),
  Provider: readTable('Provider'),
}
export const RESOURCE_NAMES = Object.keys(RESOURCES)

/** Answers each error of an object as a sentence; an empty list where it matches the contract. */
export function findShapeFaults(
  value: unknown,
  resource: string,
  context: RecordContext,
  path = resource,
): string[] {
  const rows = RESOURCES[resource]
  if (!rows) throw new Error(`the contract has no table of ${resource}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`]
  const found = value as Record<string, unknown>
  return rows.flatMap(row =>
    fieldNamesOf(row).flatMap(name => findFieldFaults(found, row, { context, path }, name)),
  )
}

/** `created_at, updated_at` is two fields in one row. */
function fieldNamesOf(row: TableRow): string[] {
  return row.Field!.split(',').map(name => name.trim())
}

function findFieldFaults(
  found: Record<string, unknown>,
  row: TableRow,
  place: SchemaPosition,
  name: string,
): string[] {
  const path = `${place.path}.${name}`
  const demand = requirementOf(row, found, place.context)
  if (!Object.hasOwn(found, name)) return demand === 'required' ? [`${path} is missing`] : []
  if (demand === 'absent') return [`${path} must not be there`]
  const type = narrowType(row, place.context)
  return findTypeFaults(found[name], type, { ...place, path }, row)
}

/** Whether a field is required, from its type and the notes about its place. */
function requirementOf(row: TableRow, found: Record<string, unknown>, context: RecordContext) {
  const { Type: type = '', Notes: notes = '' } = row
  if (/, optional$/.test(type)) return 'optional'
  if (notes.startsWith('absent on')) return notes.includes(context) ? 'optional' : 'required'
  const only = /present on ([\w ,/]+) records/.exec(notes)?.[1]
  if (only !== undefined) return only.includes(context) ? 'required' : 'optional'
  if (notes.includes("on a charge's")) return context === 'charge' ? 'required' : 'optional'
  if (notes.startsWith('only on a transfer rejected'))
    return found.status === 'FAILED' ? 'required' : 'absent'
  if (row.Field === 'balances') return 'optional'
  return 'required'
}

/** `string in charge and dispute records, number in transfer and refund records` selects one of the two. */
function narrowType({ Type: type = '', Notes: notes = '' }: TableRow, context: RecordContext): string {
  for (const [, one, places] of notes.matchAll(/(string|number) in ([\w ]+?) records/g))
    if (places!.includes(context)) return one!
  return type.replace(/, optional$/, '')
}

function findTypeFaults(value: unknown, type: string, place: SchemaPosition, row: TableRow): string[] {
  const list = /^array of (.+)$/.exec(type)?.[1]
  if (list !== undefined) {
    if (!Array.isArray(value)) return [`${place.path} is no array`]
    return value.flatMap((item, index) =>
      findTypeFaults(item, list, { ...place, path: `${place.path}.${index}` }, row),
    )
  }
  const inline = /^`\{(.+)\}`$/.exec(type)?.[1]
  if (inline !== undefined) return findInlineFaults(value, inline, place)
  const choices = type.split(' or ')
  if (choices.includes('null') && value === null) return []
  const resource = choices.find(choice => RESOURCES[choice])
  if (resource) return findShapeFaults(value, resource, place.context, place.path)
  if (choices.some(choice => matchesPlainType(value, choice.trim())))
    return typeof value === 'object' ? findMissingParts(value, row, place) : []
  return [`${place.path} is ${JSON.stringify(value)}, not ${type}`]
}

/** `{name: string, document: string}` or `{name, document}`, where a type is not given. */
function findInlineFaults(value: unknown, inline: string, { path }: SchemaPosition): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`]
  return inline.split(',').flatMap(part => {
    const [name = '', type = 'string'] = part.split(':').map(word => word.trim())
    return matchesPlainType((value as Record<string, unknown>)[name], type)
      ? []
      : [`${path}.${name} is not ${type}`]
  })
}

/** The notes of an object or array name its parts, and sometimes itself. */
function findMissingParts(
  value: unknown,
  { Field: self, Notes: notes = '' }: TableRow,
  { path }: SchemaPosition,
): string[] {
  const documented = fieldsOf(notes).filter(name => name !== self)
  const keys = keysOf(value)
  if (keys.size === 0) return []
  return documented.filter(name => !keys.has(name)).map(name => `${path} has no ${name}`)
}

function keysOf(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return new Set([...own, ...Object.values(value).flatMap(inner => [...keysOf(inner)])])
}

/** Some timestamps carry six fractional digits, others none. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/

export function matchesPlainType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'integer':
      return Number.isInteger(value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'timestamp':
      return typeof value === 'string' && TIMESTAMP.test(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'array':
      return Array.isArray(value)
    default:
      throw new Error(`the contract names a type that this test does not know: ${type}`)
  }
}
