import type { z } from 'zod'
import { listAllowingScopes } from '../../domain/tokens/token-scope.ts'
import { MAX_REQUEST_ID_CHARS } from '../../http/limits.ts'
import { type AnyRoute, hasETag } from '../http/route-definition.ts'
import { IDEMPOTENCY_KEY_PATTERN } from '../operations/idempotency.ts'
import { type JsonSchema, type OpenApiComponents, referToHeaders, toPascalCase } from './components.ts'
import { describeErrors } from './errors.ts'
import { describePathParameter, findTag } from './tags.ts'

/** Describes a route as an OpenAPI operation. */
export function describeOperation(route: AnyRoute, components: OpenApiComponents): JsonSchema {
  return {
    tags: [findTag(route.path)],
    operationId: route.operationId,
    summary: route.summary,
    ...describeScopes(route),
    security: route.tokens === 'none' ? [] : [{ token: [] }],
    parameters: [
      ...describePathParameters(route, components),
      ...describeQueryParameters(route, components),
      ...describeHeaderParameters(route),
    ],
    ...(route.body !== undefined && { requestBody: describeRequestBody(route, route.body, components) }),
    responses: { ...describeSuccesses(route, components), ...describeErrors(route, components) },
  }
}

/** Lists the scopes of a token that allow an operation, for people and for programs. */
function describeScopes({ method, scope, description }: AnyRoute): JsonSchema {
  if (scope === undefined) return description ? { description } : {}
  const scopes = listAllowingScopes({ method, scope })
  const sentence = `Token scope: ${scopes.map(one => `\`${one}\``).join(' or ')}.`
  return { description: description ? `${description} ${sentence}` : sentence, 'x-token-scopes': scopes }
}

function describePathParameters({ path, params }: AnyRoute, components: OpenApiComponents): JsonSchema[] {
  const { properties = {} } = params ? components.registerSchema(params) : {}
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...describePathParameter(path, name),
    schema: (properties as Record<string, JsonSchema>)[name],
  }))
}

/** Of a route that takes tables the description names the fields that these have in the query: generated clients send JSON. */
function describeQueryParameters({ query, parseCsv }: AnyRoute, components: OpenApiComponents): JsonSchema[] {
  if (!query || parseCsv) return []
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

function describeHeaderParameters(route: AnyRoute): JsonSchema[] {
  const requestId = {
    name: 'X-Request-Id',
    in: 'header',
    description: `Identifies the request in responses, logs, events and workflows. One is generated where it is absent, or not 1 to ${MAX_REQUEST_ID_CHARS} letters, digits and characters of \`._:/+=@-\``,
    schema: { type: 'string' },
  }
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'The same key and body give the same answer, however often and from wherever they come',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: IDEMPOTENCY_KEY_PATTERN.source },
    example: 'order-1042-payment',
  }
  const knownTag = {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of the answer that the client has: while it is the current one, the answer is 304',
    schema: { type: 'string' },
  }
  return [requestId, ...(route.isIdempotent ? [key] : []), ...(hasETag(route) ? [knownTag] : [])]
}

function describeRequestBody(
  { bodyAs, operationId, parseCsv }: AnyRoute,
  body: z.ZodType | 'text',
  components: OpenApiComponents,
): JsonSchema {
  if (body === 'text') return { content: { 'text/plain': { schema: { type: 'string' } } } }
  const schema = components.registerSchema(body)
  const required = Array.isArray(schema.required) && schema.required.length > 0
  if (bodyAs === 'multipart') return { required, content: { 'multipart/form-data': describeForm(schema) } }
  const named = components.addSchema(`${toPascalCase(operationId ?? '')}Request`, schema)
  return {
    required,
    content: {
      'application/json': { schema: named, example: components.buildExample(named) },
      ...(parseCsv && { 'text/csv': { schema: { type: 'string' } } }),
    },
  }
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
  const { errors: _, errorData: __, ...answers } = route.responses
  const headers = {
    ...referToHeaders('X-Request-Id'),
    ...(route.tokens !== 'none' && referToHeaders('RateLimit', 'RateLimit-Policy')),
    ...(route.isIdempotent && referToHeaders('Idempotent-Replayed')),
    ...(hasETag(route) && referToHeaders('ETag')),
  }
  const described = Object.entries(answers).map(([status, answer]) => {
    const description = ({ 201: 'Created', 202: 'Accepted' } as Record<string, string>)[status] ?? 'OK'
    if (typeof answer === 'string') {
      return [status, { description, headers, content: { [answer]: { schema: describeRaw(answer) } } }]
    }
    const name = `${toPascalCase(route.operationId ?? '')}Response`
    const schema = components.addSchema(name, components.registerSchema(answer))
    const content = { 'application/json': { schema, example: components.buildExample(schema) } }
    return [status, { description, headers, content }]
  })
  return {
    ...(Object.fromEntries(described) as Record<string, JsonSchema>),
    ...(hasETag(route) && {
      304: { description: 'The client has the current answer, by its `If-None-Match`', headers },
    }),
  }
}

/** Describes a body that is sent unchanged: bytes, unless it is text that a program reads as it is. */
function describeRaw(mediaType: string): JsonSchema {
  return mediaType.startsWith('text/') ? { type: 'string' } : { type: 'string', format: 'binary' }
}
