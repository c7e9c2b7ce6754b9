/** A JSON Schema as zod generates it. */
export type JsonSchema = Record<string, unknown>

/** Builds an example value that fits a schema, from the schema's own examples where it has some. */
export function buildSchemaExample(schema: JsonSchema, components: Record<string, JsonSchema>): unknown {
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
