import type { z } from 'zod'
import { ERROR_CATALOGUE, type ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { type AnyRoute, listErrorCodes } from '../http/route-definition.ts'
import type { JsonSchema, OpenApiComponents } from './components.ts'
import { OPENAPI_TAGS } from './tags.ts'

/** Describes a route as an OpenAPI operation. */
export function describeOperation(route: AnyRoute, components: OpenApiComponents): JsonSchema {
  return {
    ...describeTags(route),
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description && { description: route.description }),
    ...(route.tokens !== 'none' && { security: [{ token: [] }] }),
    parameters: [
      ...describePathParameters(route),
      ...describeQueryParameters(route, components),
      ...describeHeaderParameters(route),
    ],
    ...(route.body !== undefined && { requestBody: describeRequestBody(route, route.body, components) }),
    responses: { ...describeSuccesses(route, components), ...describeErrors(route) },
  }
}

function describeTags({ path }: AnyRoute) {
  const tag = OPENAPI_TAGS.find(({ paths }) => paths.test(path))
  return tag && { tags: [tag.name] }
}

function describePathParameters({ path }: AnyRoute): JsonSchema[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', ...(name?.toLowerCase().endsWith('uuid') && { format: 'uuid' }) },
  }))
}

function describeQueryParameters({ query }: AnyRoute, components: OpenApiComponents): JsonSchema[] {
  if (!query) return []
  const { properties = {}, required = [] } = components.registerSchema(query)
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    ...(schema.description !== undefined && { description: schema.description }),
    ...(schema.type === 'array' && { style: 'form', explode: false }),
    schema,
  }))
}

function describeHeaderParameters({ isIdempotent: isKeyed }: AnyRoute): JsonSchema[] {
  const requestId = {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Identifies the request in responses, logs, events and workflows; generated where absent',
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

function describeRequestBody(
  { bodyAs }: AnyRoute,
  body: z.ZodType | 'text',
  components: OpenApiComponents,
): JsonSchema {
  if (body === 'text') return { content: { 'text/plain': { schema: { type: 'string' } } } }
  const schema = components.registerSchema(body)
  const required = (schema.required as string[] | undefined)?.length !== undefined
  if (bodyAs === 'multipart') return { required, content: { 'multipart/form-data': describeForm(schema) } }
  return { required, content: { 'application/json': { schema, example: components.buildExample(schema) } } }
}

/** Describes a form. Its lists are sent field by field, `name[0][file]`, which OpenAPI calls a deep object. */
function describeForm(schema: JsonSchema): JsonSchema {
  const lists = Object.entries(schema.properties as Record<string, JsonSchema>).filter(
    ([, property]) => property.type === 'array',
  )
  const encoding = Object.fromEntries(lists.map(([name]) => [name, { style: 'deepObject', explode: true }]))
  return { schema, encoding }
}

function describeSuccesses(route: AnyRoute, components: OpenApiComponents) {
  const { errors: _, ...answers } = route.responses
  const headers = {
    ...referToHeaders('X-Request-Id'),
    ...(route.tokens !== 'none' && referToHeaders('RateLimit', 'RateLimit-Policy')),
    ...(route.isIdempotent && referToHeaders('Idempotent-Replayed')),
  }
  const described = Object.entries(answers).map(([status, answer]) => {
    const description = status === '201' ? 'Created' : 'OK'
    if (typeof answer === 'string') {
      return [status, { description, headers, content: { [answer]: { schema: { type: 'string' } } } }]
    }
    const schema = components.registerSchema(answer)
    const content = { 'application/json': { schema, example: components.buildExample(schema) } }
    return [status, { description, headers, content }]
  })
  return Object.fromEntries(described) as Record<string, JsonSchema>
}

function describeErrors(route: AnyRoute): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(listErrorCodes(route), code => String(ERROR_CATALOGUE[code].status))
  const described = Array.from(byStatus, ([status, codes]) => [
    status,
    {
      description: codes.map(code => `\`${code}\`: ${ERROR_CATALOGUE[code].message}`).join(' '),
      headers: {
        ...referToHeaders('X-Request-Id'),
        ...((status === '429' || status === '503') && referToHeaders('Retry-After')),
        ...(status === '401' && referToHeaders('WWW-Authenticate')),
      },
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(codes.map(code => [code, { value: buildErrorExample(code) }])),
        },
      },
    },
  ])
  return Object.fromEntries(described)
}

function buildErrorExample(code: ErrorCode) {
  const errors = { 'splits.0.value': ['is required'] }
  return {
    message: ERROR_CATALOGUE[code].message,
    code,
    ...(code === 'validation_failed' && { errors }),
    request_id: '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d',
  }
}

export const OPENAPI_HEADERS: Record<string, JsonSchema> = {
  'X-Request-Id': { description: 'The id of this request', schema: { type: 'string' } },
  RateLimit: { description: 'Requests left of the limit of the token', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'The limit of the token', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer', minimum: 1 } },
  'Idempotent-Replayed': {
    description: '`true` where this answer was given before',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } },
}

function referToHeaders(...names: (keyof typeof OPENAPI_HEADERS)[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
