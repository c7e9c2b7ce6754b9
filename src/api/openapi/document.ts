import { describedEvent } from '../../contract/events/event-body.ts'
import type { AnyRoute } from '../http/route-definition.ts'
import { buildCodeSamples } from './code-samples.ts'
import { createOpenApiComponents, type JsonSchema } from './components.ts'
import { ANY_ERROR } from './errors.ts'
import { OPENAPI_HEADERS } from './headers.ts'
import { NAMED_EXAMPLES } from './named-examples.ts'
import { describeOperation } from './operation.ts'
import { OPENAPI_TAGS } from './tags.ts'
import { describeWebhooks, WEBHOOK_TAG } from './webhooks.ts'

/** Builds the OpenAPI 3.1 document of the routes with an operation id, only from their schemas, so that it cannot differ from them. */
export function buildOpenApiDocument(routes: AnyRoute[]) {
  const components = createOpenApiComponents(NAMED_EXAMPLES)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  components.registerSchema(ANY_ERROR)
  const webhooks = describeWebhooks(components)
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
    tags: [...OPENAPI_TAGS.map(({ name, description }) => ({ name, description })), WEBHOOK_TAG],
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
