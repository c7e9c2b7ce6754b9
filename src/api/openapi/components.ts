import { z } from 'zod'
import { buildSchemaExample, type JsonSchema } from './example.ts'

/** Collects the named schemas of an OpenAPI document while its routes are described. */
export type OpenApiComponents = {
  schemas: Record<string, JsonSchema>
  /** Converts the wire form of a schema to JSON Schema; named parts are added to the components once. */
  registerSchema(schema: z.ZodType): JsonSchema
  buildExample(schema: JsonSchema): unknown
}

export function createOpenApiComponents(): OpenApiComponents {
  const schemas: Record<string, JsonSchema> = {}
  return {
    schemas,
    registerSchema(schema) {
      const {
        $schema: _,
        $defs = {},
        ...own
      } = normalizeSchema(z.toJSONSchema(schema, { io: 'input' })) as JsonSchema
      Object.assign(schemas, $defs)
      return own
    },
    buildExample: schema => buildSchemaExample(schema, schemas),
  }
}

/** Points references to the components, and removes a pattern that only repeats its format. */
function normalizeSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeSchema)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key]) => !(key === 'pattern' && 'format' in value) && !(key === 'id' && 'properties' in value))
    .map(([key, inner]) => [
      key,
      key === '$ref' ? String(inner).replace('#/$defs/', '#/components/schemas/') : normalizeSchema(inner),
    ])
  return Object.fromEntries(entries)
}
