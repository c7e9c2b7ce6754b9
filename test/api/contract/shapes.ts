import { fieldsOf, type Row, table } from './document.ts'

/** Holds an answer against the contract's tables: every field there, and of the type that its row names. */

/** Where an object stands decides what its notes ask of it. */
export type Context = 'charge' | 'transfer' | 'refund' | 'dispute' | 'ledger'
type Place = { context: Context; path: string }

const RESOURCES: Record<string, Row[]> = {
  Party: table('Party'),
  'PIX initiation object': table('PIX initiation object'),
  'ledger record': table('Ledger record'),
  Charge: table('Charge (payment)'),
  Split: table('Split'),
  Transfer: table('Transfer (PIX Out)'),
  Dispute: table('Dispute (MED)'),
  Provider: table('Provider'),
}
export const RESOURCE_NAMES = Object.keys(RESOURCES)

/** What is wrong with an object of a resource, each in a sentence; nothing where it is as the contract says. */
export function faultsOf(value: unknown, resource: string, context: Context, path = resource): string[] {
  const rows = RESOURCES[resource]
  if (!rows) throw new Error(`the contract has no table of ${resource}`)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path} is no object`]
  const found = value as Record<string, unknown>
  return rows.flatMap(row => namesOf(row).flatMap(name => fieldFaults(found, row, { context, path }, name)))
}

/** `created_at, updated_at` is two fields in one row. */
function namesOf(row: Row): string[] {
  return row.Field!.split(',').map(name => name.trim())
}

function fieldFaults(found: Record<string, unknown>, row: Row, place: Place, name: string): string[] {
  const path = `${place.path}.${name}`
  const demand = demandOf(row, found, place.context)
  if (!Object.hasOwn(found, name)) return demand === 'required' ? [`${path} is missing`] : []
  if (demand === 'absent') return [`${path} must not be there`]
  const type = narrowed(row, place.context)
  return isOfType(found[name], type, { ...place, path }, row)
}

/** Whether a field must be there, from its type and what its notes say of where it stands. */
function demandOf(row: Row, found: Record<string, unknown>, context: Context) {
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

/** `string in charge and dispute records, number in transfer and refund records` leaves one of the two. */
function narrowed({ Type: type = '', Notes: notes = '' }: Row, context: Context): string {
  for (const [, one, places] of notes.matchAll(/(string|number) in ([\w ]+?) records/g))
    if (places!.includes(context)) return one!
  return type.replace(/, optional$/, '')
}

function isOfType(value: unknown, type: string, place: Place, row: Row): string[] {
  const list = /^array of (.+)$/.exec(type)?.[1]
  if (list !== undefined) {
    if (!Array.isArray(value)) return [`${place.path} is no array`]
    return value.flatMap((item, index) =>
      isOfType(item, list, { ...place, path: `${place.path}.${index}` }, row),
    )
  }
  const inline = /^`\{(.+)\}`$/.exec(type)?.[1]
  if (inline !== undefined) return inlineFaults(value, inline, place)
  const choices = type.split(' or ')
  if (choices.includes('null') && value === null) return []
  const resource = choices.find(choice => RESOURCES[choice])
  if (resource) return faultsOf(value, resource, place.context, place.path)
  if (choices.some(choice => isPlain(value, choice.trim())))
    return typeof value === 'object' ? partsMissing(value, row, place) : []
  return [`${place.path} is ${JSON.stringify(value)}, not ${type}`]
}

/** `{name: string, document: string}` or `{name, document}`, where a type is not told. */
function inlineFaults(value: unknown, inline: string, { path }: Place): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no object`]
  return inline.split(',').flatMap(part => {
    const [name = '', type = 'string'] = part.split(':').map(word => word.trim())
    return isPlain((value as Record<string, unknown>)[name], type) ? [] : [`${path}.${name} is not ${type}`]
  })
}

/** The notes of an object or array name its parts, and sometimes itself. */
function partsMissing(value: unknown, { Field: self, Notes: notes = '' }: Row, { path }: Place): string[] {
  const told = fieldsOf(notes).filter(name => name !== self)
  const keys = keysOf(value)
  if (keys.size === 0) return []
  return told.filter(name => !keys.has(name)).map(name => `${path} has no ${name}`)
}

function keysOf(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return new Set([...own, ...Object.values(value).flatMap(inner => [...keysOf(inner)])])
}

/** Some timestamps carry six fractional digits, others none. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/

export function isPlain(value: unknown, type: string): boolean {
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
