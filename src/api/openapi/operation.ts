import type { z } from 'zod'
import { REFUSALS, type RefusalCode } from '../../domain/errors.ts'
import { type AnyRoute, refusalsOf } from '../route.ts'
import type { Components } from './components.ts'
import type { JsonSchema } from './example.ts'

export type Operation = {
  tags: string[]
  operationId: string
  summary: string
  description?: string
  security?: Record<string, string[]>[]
  parameters: JsonSchema[]
  requestBody?: JsonSchema
  responses: Record<string, JsonSchema>
}

/** One route as OpenAPI tells it. */
export function operation(route: AnyRoute, components: Components): Operation {
  return {
    tags: [/^\/api\/v1\/([\w-]+)/.exec(route.path)?.[1] ?? 'health'],
    operationId: operationId(route),
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.tokens !== 'none' && { security: [{ token: [] }] }),
    parameters: [...pathParameters(route), ...queryParameters(route, components), ...headerParameters(route)],
    ...(route.body !== undefined && { requestBody: requestBody(route, route.body, components) }),
    responses: { ...successes(route, components), ...failures(route) },
  }
}

/** `Read a charge` is `readACharge`. */
function operationId({ summary }: AnyRoute): string {
  const words = summary.split(/\W+/).filter(word => word !== '')
  const [first = '', ...others] = words.map(word => word.toLowerCase())
  return first + others.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function pathParameters({ path }: AnyRoute): JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(name?.toLowerCase().endsWith('uuid') && { format: 'uuid' }) },
  }))
}

function queryParameters({ query }: AnyRoute, components: Components): JsonSchema[] {
  if (!query) return []
  const { properties = {}, required = [] } = components.schemaOf(query)
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    ...(schema.description !== undefined && { description: schema.description }),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }))
}

function headerParameters({ isKeyed }: AnyRoute): JsonSchema[] {
  const requestId = {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Follows the request through answers, logs, events and lives; made where absent',
    schema: { type: 'string', maxLength: 128 },
  }
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key and body give the same answer, however often and from wherever they come',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }
  return isKeyed ? [requestId, key] : [requestId]
}

function requestBody({ bodyAs }: AnyRoute, body: z.ZodType | 'text', components: Components): JsonSchema {
  if (body === 'text') return { content: { 'text/plain': { schema: { type: 'string' } } } }
  const schema = components.schemaOf(body)
  const required = (schema.required as string[] | undefined)?.length !== undefined
  if (bodyAs === 'multipart') return { required, content: { 'multipart/form-data': form(schema) } }
  return { required, content: { 'application/json': { schema, example: components.exampleOf(schema) } } }
}

/** Lists are sent field by field, `name[0][file]`: what OpenAPI calls a deep object. */
function form(schema: JsonSchema): JsonSchema {
  const lists = Object.entries(schema.properties as Record<string, JsonSchema>).filter(
    ([, property]) => property.type === 'array',
  )
  const encoding = Object.fromEntries(lists.map(([name]) => [name, { style: 'deepObject', explode: true }]))
  return { schema, encoding }
}

function successes(route: AnyRoute, components: Components) {
  const { errors: _, ...answers } = route.answers
  const headers = {
    ...headersNamed('X-Request-Id'),
    ...(route.tokens !== 'none' && headersNamed('RateLimit', 'RateLimit-Policy')),
    ...(route.isKeyed && headersNamed('Idempotent-Replayed')),
  }
  const described = Object.entries(answers).map(([status, answer]) => {
    const description = status === '201' ? 'Created' : 'OK'
    if (typeof answer === 'string') {
      return [status, { description, headers, content: { [answer]: { schema: { type: 'string' } } } }]
    }
    const schema = components.schemaOf(answer)
    const content = { 'application/json': { schema, example: components.exampleOf(schema) } }
    return [status, { description, headers, content }]
  })
  return Object.fromEntries(described) as Record<string, JsonSchema>
}

/** One entry per status, with an example per code of the catalogue. */
function failures(route: AnyRoute): Record<string, JsonSchema> {
  const byStatus: Record<string, RefusalCode[]> = {}
  for (const code of refusalsOf(route)) {
    const { status } = REFUSALS[code]
    byStatus[status] = [...(byStatus[status] ?? []), code]
  }
  const described = Object.entries(byStatus).map(([status, codes]) => [
    status,
    {
      description: codes.map(code => `\`${code}\`: ${REFUSALS[code].message}`).join(' '),
      headers: {
        ...headersNamed('X-Request-Id'),
        ...((status === '429' || status === '503') && headersNamed('Retry-After')),
        ...(status === '401' && headersNamed('WWW-Authenticate')),
      },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(codes.map(code => [code, { value: failureExample(code) }])),
        },
      },
    },
  ])
  return Object.fromEntries(described)
}

function failureExample(code: RefusalCode) {
  const errors = { 'splits.0.value': ['is required'] }
  return {
    message: REFUSALS[code].message,
    code,
    ...(code === 'validation_failed' && { errors }),
    request_id: '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d',
  }
}

export const HEADERS: Record<string, JsonSchema> = {
  'X-Request-Id': { description: 'The id of this request', schema: { type: 'string' } },
  RateLimit: { description: 'What is left of the limit of the token', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The limit of the token', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
  'Idempotent-Replayed': {
    description: '`true` where this answer was given before',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } },
}

function headersNamed(...names: (keyof typeof HEADERS)[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
