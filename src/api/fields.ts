import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'

/** What the fields of a request are called, so that a field of another name gets a helpful answer. */

type Schema = z.core.$ZodType

/** What callers write who mean a field of ours, in the spelling of `plain`. */
const SYNONYMS: Record<string, string> = {
  amount: 'value',
  total: 'value',
  price: 'value',
  cents: 'value',
  key: 'pix_key',
  chave: 'pix_key',
  valor: 'value',
  reference: 'external_ref',
  externalid: 'external_ref',
  correlationid: 'external_ref',
  provider: 'provider_uuid',
  schedule: 'scheduled_for',
  scheduleddate: 'scheduled_for',
  expiration: 'expires_in',
  expiresat: 'expires_in',
  cpf: 'document',
  cnpj: 'document',
  taxid: 'document',
  secret: 'token',
  split: 'splits',
  recipient: 'recipient_account_uuid',
}

/** So many letters may differ between what was written and what was meant. */
const MOST_TYPOS = 2

/** The field of a schema that an unknown name at a path most likely means, or undefined. */
export function suggestField(schema: Schema, path: readonly PropertyKey[], name: string): string | undefined {
  const known = fieldsAt(schema, path)
  const written = plain(name)
  const synonym = Object.hasOwn(SYNONYMS, written) ? SYNONYMS[written] : undefined
  const exact = known.find(field => plain(field) === written)
  if (exact) return exact
  if (synonym && known.includes(synonym)) return synonym
  const [nearest] = known
    .map(field => ({ field, typos: distance(plain(field), written) }))
    .sort((a, b) => a.typos - b.typos)
  return nearest && nearest.typos <= MOST_TYPOS && nearest.typos < written.length ? nearest.field : undefined
}

/** A value without the nulls of optional fields: null there is the same as absent. */
export function withoutOptionalNulls(schema: Schema, value: unknown): unknown {
  const at = unwrapped(schema)
  if (Array.isArray(value) && at._zod.def.type === 'array') {
    const { element } = at._zod.def as z.core.$ZodArrayDef
    return value.map(item => withoutOptionalNulls(element, item))
  }
  const shape = shapeOf(at)
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, inner]) => inner !== null || !Object.hasOwn(shape, name) || !isOptional(shape[name]!))
      .map(([name, inner]) => [
        name,
        Object.hasOwn(shape, name) ? withoutOptionalNulls(shape[name]!, inner) : inner,
      ]),
  )
}

function isOptional({ _zod: { def } }: Schema): boolean {
  return def.type === 'optional' || def.type === 'default' || def.type === 'prefault'
}

/** The names of the fields that a schema of an object has. */
export function fieldNames(schema: Schema): string[] {
  return fieldsAt(schema, [])
}

function fieldsAt(schema: Schema, path: readonly PropertyKey[]): string[] {
  let at: Schema | undefined = unwrapped(schema)
  for (const step of path) {
    const { def } = at!._zod
    const inner: Schema | undefined =
      def.type === 'array' ? (def as z.core.$ZodArrayDef).element : shapeOf(at!)?.[String(step)]
    if (!inner) return []
    at = unwrapped(inner)
  }
  return Object.keys(shapeOf(at!) ?? {})
}

function shapeOf({ _zod: { def } }: Schema): Record<string, Schema> | undefined {
  return def.type === 'object' ? (def as z.core.$ZodObjectDef).shape : undefined
}

/** The schema of what a caller writes, without what makes it optional, gives it a default or transforms it. */
function unwrapped(schema: Schema): Schema {
  const { def } = schema._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapped((def as z.core.$ZodOptionalDef).innerType)
    case 'pipe':
      return unwrapped((def as z.core.$ZodPipeDef).in)
    default:
      return schema
  }
}

/** Without case, blanks and underscores: `scheduledFor` is `scheduled_for`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
