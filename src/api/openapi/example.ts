import { EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'

/** A JSON Schema as zod generates it. */
type JsonSchema = Record<string, unknown>

/** Schemas of components, and the examples of those that have one, by name. */
type ExampleSources = { schemas: Record<string, JsonSchema>; namedExamples: Record<string, unknown> }

/** Builds an example value that fits a schema, from examples of its components and fields where there are some. */
export function buildSchemaExample(schema: JsonSchema, components: ExampleSources): unknown {
  const [first] = Array.isArray(schema.examples) ? schema.examples : []
  if (first !== undefined) return first
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return components.namedExamples[name] ?? buildSchemaExample(components.schemas[name] ?? {}, components)
  }
  if (schema.default !== undefined) return schema.default
  const [name] = Array.isArray(schema.enum) ? schema.enum : []
  if (name !== undefined) return name
  const [choice] = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  if (choice) return buildSchemaExample(choice, components)
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...schema.allOf.map(part => buildSchemaExample(part, components)))
  return buildExampleOfType(schema, components)
}

function buildExampleOfType(schema: JsonSchema, components: ExampleSources): unknown {
  const [type] = [schema.type].flat()
  switch (type) {
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
      return EXAMPLE_UUIDS.charge
    case 'date-time':
      return '2026-11-21T12:00:00.000000Z'
    case 'date':
      return '2026-11-21'
    default:
      return ''
  }
}
