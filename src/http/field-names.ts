import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'

/** Names of request fields, so that an error about an unknown field can suggest the right one. */

type AnyZodSchema = z.core.$ZodType

/** Common synonyms of our fields, as normalized by `normalizeFieldName`. */
const FIELD_SYNONYMS: Record<string, string> = {
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

/** Largest edit distance between an unknown name and the field it suggests. */
const MAX_TYPOS = 2

/** Suggests the schema field that an unknown name at a path most likely means; undefined where none is close. */
export function suggestField(schema: AnyZodSchema, path: readonly PropertyKey[], name: string) {
  const fieldNames = listFieldsAt(schema, path)
  const written = normalizeFieldName(name)
  const synonym = Object.hasOwn(FIELD_SYNONYMS, written) ? FIELD_SYNONYMS[written] : undefined
  const exact = fieldNames.find(field => normalizeFieldName(field) === written)
  if (exact) return exact
  if (synonym && fieldNames.includes(synonym)) return synonym
  const [nearest] = fieldNames
    .map(field => ({ field, typos: distance(normalizeFieldName(field), written) }))
    .sort((a, b) => a.typos - b.typos)
  return nearest && nearest.typos <= MAX_TYPOS && nearest.typos < written.length ? nearest.field : undefined
}

/** Removes the nulls of optional fields from a value: there null means absent. */
export function omitOptionalNulls(schema: AnyZodSchema, value: unknown): unknown {
  const at = unwrapSchema(schema)
  if (Array.isArray(value) && at._zod.def.type === 'array') {
    const { element } = at._zod.def as z.core.$ZodArrayDef
    return value.map(item => omitOptionalNulls(element, item))
  }
  const shape = getObjectShape(at)
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([name, inner]) => inner !== null || !Object.hasOwn(shape, name) || !isOptionalSchema(shape[name]!),
      )
      .map(([name, inner]) => [
        name,
        Object.hasOwn(shape, name) ? omitOptionalNulls(shape[name]!, inner) : inner,
      ]),
  )
}

function isOptionalSchema({ _zod: { def } }: AnyZodSchema): boolean {
  return def.type === 'optional' || def.type === 'default' || def.type === 'prefault'
}

/** Lists the field names of an object schema. */
export function listFieldNames(schema: AnyZodSchema): string[] {
  return listFieldsAt(schema, [])
}

function listFieldsAt(schema: AnyZodSchema, path: readonly PropertyKey[]): string[] {
  let at: AnyZodSchema | undefined = unwrapSchema(schema)
  for (const step of path) {
    const { def } = at!._zod
    const inner: AnyZodSchema | undefined =
      def.type === 'array' ? (def as z.core.$ZodArrayDef).element : getObjectShape(at!)?.[String(step)]
    if (!inner) return []
    at = unwrapSchema(inner)
  }
  return Object.keys(getObjectShape(at!) ?? {})
}

function getObjectShape({ _zod: { def } }: AnyZodSchema): Record<string, AnyZodSchema> | undefined {
  return def.type === 'object' ? (def as z.core.$ZodObjectDef).shape : undefined
}

/** Returns the input schema inside optional, default and transform wrappers. */
function unwrapSchema(schema: AnyZodSchema): AnyZodSchema {
  const { def } = schema._zod
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return unwrapSchema((def as z.core.$ZodOptionalDef).innerType)
    case 'pipe':
      return unwrapSchema((def as z.core.$ZodPipeDef).in)
    default:
      return schema
  }
}

/** Normalizes a field name: without case, blanks and underscores, so `scheduledFor` equals `scheduled_for`. */
function normalizeFieldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
