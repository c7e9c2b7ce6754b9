import { z } from 'zod'
import { exampleOf, type JsonSchema } from './example.ts'

/** The named schemas of an OpenAPI document, gathered while its routes are told. */
export type Components = {
  schemas: Record<string, JsonSchema>
  /** The wire's side of a schema; what has a name in it goes to the components, once. */
  schemaOf(schema: z.ZodType): JsonSchema
  exampleOf(schema: JsonSchema): unknown
}

export function components(): Components {
  const schemas: Record<string, JsonSchema> = {}
  return {
    schemas,
    schemaOf(schema) {
      const { $schema: _, $defs = {}, ...own } = tidy(z.toJSONSchema(schema, { io: 'input' })) as JsonSchema
      Object.assign(schemas, $defs)
      return own
    },
    exampleOf: schema => exampleOf(schema, schemas),
  }
}

/** References point to the components, and a pattern that only repeats its format is left out. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key]) => !(key === 'pattern' && 'format' in value) && !(key === 'id' && 'properties' in value))
    .map(([key, inner]) => [
      key,
      key === '$ref' ? String(inner).replace('#/$defs/', '#/components/schemas/') : tidy(inner),
    ])
  return Object.fromEntries(entries)
}
