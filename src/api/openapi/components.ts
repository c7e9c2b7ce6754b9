import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { EXAMPLE_UUIDS } from '../../contract/shared/example-values.ts'

/** A JSON Schema as zod generates it. */
export type JsonSchema = Record<string, unknown>

/** Collects the named parts of an OpenAPI document while its routes are described. */
export type OpenApiComponents = {
  schemas: Record<string, JsonSchema>
  responses: Record<string, JsonSchema>
  examples: Record<string, JsonSchema>
  /** Converts the wire form of a schema to JSON Schema; named parts are added to the components once. */
  registerSchema(schema: z.ZodType): JsonSchema
  /** Adds a schema under a name that generators can use, unless it is a reference; returns the reference. */
  addSchema(name: string, schema: JsonSchema): JsonSchema
  /** Adds a response or an example under a name, which other operations may have added; returns the reference. */
  addResponse(name: string, response: JsonSchema): JsonSchema
  addExample(name: string, value: unknown): JsonSchema
  /** Builds an example that fits a schema, from the named examples of the components that it refers to. */
  buildExample(schema: JsonSchema): unknown
}

/** `namedExamples`: of components, by name. */
export function createOpenApiComponents(namedExamples: Record<string, unknown>): OpenApiComponents {
  const schemas: Record<string, JsonSchema> = {}
  const responses: Record<string, JsonSchema> = {}
  const examples: Record<string, JsonSchema> = {}
  return {
    schemas,
    responses,
    examples,
    registerSchema(schema) {
      const {
        $schema: _,
        $defs = {},
        ...ownSchema
      } = normalizeSchema(z.toJSONSchema(schema, { io: 'input' })) as JsonSchema
      for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>))
        addOnce(schemas, name, definition)
      return ownSchema
    },
    addSchema(name, schema) {
      if (schema.$ref !== undefined) return schema
      addOnce(schemas, name, schema)
      return { $ref: `#/components/schemas/${name}` }
    },
    addResponse(name, response) {
      addOnce(responses, name, response)
      return { $ref: `#/components/responses/${name}` }
    },
    addExample(name, value) {
      addOnce(examples, name, { value })
      return { $ref: `#/components/examples/${name}` }
    },
    buildExample: schema => buildSchemaExample(schema, { schemas, namedExamples }),
  }
}

function addOnce(components: Record<string, JsonSchema>, name: string, component: JsonSchema): void {
  const existing = components[name]
  if (existing && !isDeepStrictEqual(existing, component))
    throw new Error(`two components of the OpenAPI document are named ${name}`)
  components[name] = component
}

/**
 * Rewrites what zod generates: references point to the components; limits of every JavaScript integer, patterns that only
 * repeat a format and rules that every object keeps are left out; a constant is an enum and a nullable type a list of
 * types, which more generators read. Left out as well: the alternatives of a file's type, of which generators make a type
 * that is no file, and defaults, with which an optional field becomes a required one of their types. Descriptions say both.
 */
function normalizeSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalizeSchema)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([key, inner]) => !isRedundant(key, inner, value))
    .map(([key, inner]) => {
      if (key === '$ref') return [key, String(inner).replace('#/$defs/', '#/components/schemas/')]
      if (key === 'const' && 'type' in value) return ['enum', [inner]]
      return [key, key === 'examples' ? inner : normalizeSchema(inner)]
    })
  return joinNullableTypes(Object.fromEntries(entries))
}

function isRedundant(key: string, inner: unknown, schema: object): boolean {
  switch (key) {
    case 'pattern':
      return 'format' in schema
    case 'id':
      return 'properties' in schema
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER
    case 'default':
      return typeof inner !== 'object' || Array.isArray(inner) // A property of this name has a schema.
    case 'anyOf':
    case 'contentEncoding':
      return Object(schema).format === 'binary'
    case 'propertyNames':
      return Object.keys(Object(inner)).join() === 'type'
    default:
      return false
  }
}

function joinNullableTypes(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema as { anyOf?: JsonSchema[] }
  if (anyOf?.length !== 2 || anyOf[1]?.type !== 'null') return schema
  const [{ type, ...first } = {}] = anyOf
  if (typeof type !== 'string' || 'enum' in first || 'properties' in first) return schema
  return { ...first, type: [type, 'null'], ...rest }
}

/** Writes createPayment and not_found as names of components: CreatePayment, NotFound. */
export function toPascalCase(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Schemas of components, and the examples of those that have one, by name. */
type ExampleSources = { schemas: Record<string, JsonSchema>; namedExamples: Record<string, unknown> }

/** Builds an example value that fits a schema, from examples of its components and fields where there are some. */
function buildSchemaExample(schema: JsonSchema, components: ExampleSources): unknown {
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
      return EXAMPLE_TEXTS[String(schema.format)] ?? ''
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return null
  }
}

/** Example texts by their format. */
const EXAMPLE_TEXTS: Record<string, string> = {
  uuid: EXAMPLE_UUIDS.charge,
  'date-time': '2026-11-21T12:00:00.000000Z',
  date: '2026-11-21',
}

/** Headers of responses. */
export const OPENAPI_HEADERS: Record<string, JsonSchema> = {
  'X-Request-Id': { description: 'The id of this request', schema: { type: 'string' } },
  RateLimit: {
    description: 'Requests left of the limit of the token, and the seconds until it is whole again',
    schema: { type: 'string', examples: ['"token";r=187;t=2'] },
  },
  'RateLimit-Policy': {
    description: 'The limit of the token: requests, and the seconds they are counted in',
    schema: { type: 'string', examples: ['"token";q=200;w=2'] },
  },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
  'Idempotent-Replayed': {
    description: '`true` where this answer was given before',
    schema: { type: 'string', enum: ['true'] },
  },
  ETag: {
    description: 'Names this content; weak, because the bytes differ by encoding',
    schema: { type: 'string', examples: ['W/"IlGOXnJmGLPI8q3vQm9rtQ2SUHVzl4fKVwVf3w0y1pM"'] },
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } },
}

export function referToHeaders(...names: (keyof typeof OPENAPI_HEADERS)[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
