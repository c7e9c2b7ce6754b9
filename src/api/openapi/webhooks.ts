import { EVENT_BODIES, EVENT_DESCRIPTIONS } from '../../contract/events/event-body.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import type { JsonSchema, OpenApiComponents } from './components.ts'
import { toPascalCase } from './names.ts'

/** Tag of what is received. With a tag of paths, generators would write two clients into one file and keep the second. */
export const WEBHOOK_TAG = {
  name: 'webhook-events',
  description: 'What the endpoints of the merchant receive: one signed request per event.',
}

/** Describes what endpoints of merchants receive: one webhook per kind of event, with its body and its signature. */
export function describeWebhooks(components: OpenApiComponents): Record<string, JsonSchema> {
  return Object.fromEntries(
    EVENT_TYPES.map(type => {
      const schema = components.registerSchema(EVENT_BODIES[type])
      const operation = {
        tags: [WEBHOOK_TAG.name],
        operationId: `on${toPascalCase(type.toLowerCase())}Event`,
        summary: `A ${type} event`,
        description: EVENT_DESCRIPTIONS[type],
        security: [],
        parameters: DELIVERY_HEADERS,
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: components.buildExample(schema) } },
        },
        responses: DELIVERY_RESPONSES,
      }
      return [type, { post: operation }]
    }),
  )
}

/** Headers of every delivery, those of Standard Webhooks. */
const DELIVERY_HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same in every attempt: process each once',
    schema: { type: 'string', format: 'uuid' },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'Seconds since 1970 of this attempt; refuse one that is more than five minutes off',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1795608268',
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,` and base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, the key being the token of the webhook. After a rotation several, separated by spaces',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
]

const DELIVERY_RESPONSES = {
  '2XX': { description: 'Received, within 15 seconds. Redirects are not followed' },
  410: { description: 'Gone: the webhook becomes DISABLED' },
  default: { description: 'Not received: sent again after 5 s, 5 min, 30 min, 2 h … for 75 hours' },
}
