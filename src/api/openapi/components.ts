import { z } from 'zod'

/** A JSON Schema as zod generates it. */
export type JsonSchema = Record<string, unknown>

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

/** Builds an example value that fits a schema, from the schema's own examples where it has some. */
function buildSchemaExample(schema: JsonSchema, components: Record<string, JsonSchema>): unknown {
  const referred =
    typeof schema.$ref === 'string' ? components[schema.$ref.split('/').at(-1) ?? ''] : undefined
  if (referred) return buildSchemaExample(referred, components)
  const examples = [(schema.examples as unknown[] | undefined)?.[0], schema.const, schema.default]
  const first = examples.find(value => value !== undefined) ?? (schema.enum as unknown[] | undefined)?.[0]
  if (first !== undefined) return first
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  if (choice) return buildSchemaExample(choice, components)
  return buildExampleOfType(schema, components)
}

function buildExampleOfType(schema: JsonSchema, components: Record<string, JsonSchema>): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).map(([name, inner]) => [
          name,
          buildSchemaExample(inner, components),
        ]),
      )
    case 'array':
      return schema.items ? [buildSchemaExample(schema.items as JsonSchema, components)] : []
    case 'string':
      return buildExampleText(schema.format)
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return null
  }
}

function buildExampleText(format: unknown): string {
  switch (format) {
    case 'uuid':
      return '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21'
    case 'date-time':
      return '2026-11-21T12:00:00.000000Z'
    case 'date':
      return '2026-11-21'
    default:
      return 'text'
  }
}
