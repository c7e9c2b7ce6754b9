import type { z } from 'zod'
import { describedEvent, EVENT_BODIES, EVENT_DESCRIPTIONS } from '../../contract/events/event-body.ts'
import {
  batchCalloutSchema,
  calloutAnswerSchema,
  transferCalloutSchema,
} from '../../contract/transfers/callout.ts'
import { EVENT_TYPES } from '../../domain/webhooks/webhook.ts'
import type { AnyRoute } from '../http/route-definition.ts'
import { buildCodeSamples } from './code-samples.ts'
import {
  createOpenApiComponents,
  type JsonSchema,
  OPENAPI_HEADERS,
  type OpenApiComponents,
  toPascalCase,
} from './components.ts'
import { ANY_ERROR } from './errors.ts'
import { NAMED_EXAMPLES } from './named-examples.ts'
import { describeOperation } from './operation.ts'
import { TAG_DESCRIPTIONS, WEBHOOK_TAG } from './tags.ts'

/** Builds the OpenAPI 3.1 document of the routes with an operation id, only from their schemas, so that it cannot differ from them. */
export function buildOpenApiDocument(routes: AnyRoute[]) {
  const components = createOpenApiComponents(NAMED_EXAMPLES)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  components.registerSchema(ANY_ERROR)
  const webhooks = { ...describeWebhooks(components), ...describeCallouts(components) }
  for (const route of routes.filter(({ operationId }) => operationId !== null)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    const operation = describeOperation(route, components)
    const samples = { 'x-codeSamples': buildCodeSamples(route, operation) }
    paths[path] = { ...paths[path], [route.method]: { ...operation, ...samples } }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trilho',
      version: '1',
      description:
        'PIX payments: money moves at most once, a final state is never a guess, nothing accepted is lost.',
      contact: { name: 'The operator of this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAG_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      schemas: { ...components.schemas, Event: describeEvent(components) },
      responses: components.responses,
      examples: components.examples,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An access token of the account' },
      },
      headers: OPENAPI_HEADERS,
    },
  }
}

/** The schema of `Event` in the place of the one that only passes stored bodies on: its `type` decides its `data`. */
function describeEvent(components: ReturnType<typeof createOpenApiComponents>): JsonSchema {
  const { oneOf, ...rest } = components.registerSchema(describedEvent)
  const references = (oneOf as { $ref: string }[]).map(({ $ref }) => $ref)
  const mapping = Object.fromEntries(
    describedEvent.options.map(({ shape }, index) => [shape.type.value, references[index]]),
  )
  return { oneOf, discriminator: { propertyName: 'type', mapping }, ...rest }
}

/** Describes what endpoints of merchants receive: one webhook per kind of event, with its body and its signature. */
function describeWebhooks(components: OpenApiComponents): Record<string, JsonSchema> {
  return Object.fromEntries(
    EVENT_TYPES.map(type => {
      const schema = components.registerSchema(EVENT_BODIES[type])
      const operation = {
        tags: [WEBHOOK_TAG],
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

/** Describes what the server of `callout_url` is asked, and what it answers. */
function describeCallouts(components: OpenApiComponents): Record<string, JsonSchema> {
  const answer = components.registerSchema(calloutAnswerSchema)
  const describe = (noun: string, body: z.ZodType) => {
    const schema = components.registerSchema(body)
    const operation = {
      tags: [WEBHOOK_TAG],
      operationId: `on${toPascalCase(noun)}Callout`,
      summary: `The call-out of a ${noun}`,
      description: `Asks whether a ${noun} that waits for approvals may go on. Sent to \`callout_url\` of the limits, five seconds after the order.`,
      security: [],
      parameters: DELIVERY_HEADERS,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: components.buildExample(schema) } },
      },
      responses: {
        '2XX': {
          description: 'The answer, within 5 seconds and 32 kB; `false` rejects the order',
          content: { 'application/json': { schema: answer, example: { approve: true } } },
        },
        default: { description: 'No answer: asked three times, then the order is rejected' },
      },
    }
    return { post: operation }
  }
  return {
    TRANSFER_APPROVAL: describe('transfer', transferCalloutSchema),
    BATCH_APPROVAL: describe('batch', batchCalloutSchema),
  }
}

/** Headers of every delivery and call-out, those of Standard Webhooks. */
const DELIVERY_HEADERS = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the body, the same in every attempt: process each once',
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
      '`v1,` and base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`, the key being the token of the webhook, or `callout_token` of the limits. After a rotation several, separated by spaces',
    schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
]

const DELIVERY_RESPONSES = {
  '2XX': { description: 'Received, within 15 seconds. Redirects are not followed' },
  410: { description: 'Gone: the webhook becomes DISABLED' },
  default: { description: 'Not received: sent again after 5 s, 5 min, 30 min, 2 h … for 75 hours' },
}
