import type { JsonSchema } from './components.ts'

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
