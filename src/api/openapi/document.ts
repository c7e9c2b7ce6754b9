import { z } from 'zod'
import { errorBody } from '../../contract/shared/fields.ts'
import type { AnyRoute } from '../http/route-definition.ts'
import { createOpenApiComponents, type JsonSchema } from './components.ts'
import { describeOperation, OPENAPI_HEADERS } from './operation.ts'
import { OPENAPI_TAGS } from './tags.ts'

/** Builds the OpenAPI 3.1 document of the routes with an operation id, only from their schemas, so that it cannot differ from them. */
export function buildOpenApiDocument(routes: AnyRoute[]) {
  const components = createOpenApiComponents()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  components.registerSchema(errorSchema)
  for (const route of routes.filter(({ operationId }) => operationId !== null)) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: describeOperation(route, components) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trilho',
      version: '1',
      description:
        'PIX payments: money moves at most once, a final state is never a guess, nothing accepted is lost.',
    },
    servers: [{ url: '/' }],
    tags: OPENAPI_TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An access token of the account' },
      },
      headers: OPENAPI_HEADERS,
    },
  }
}

const errorSchema = errorBody
  .extend({
    data: z.unknown().optional().meta({ description: 'The resource as it is stored, where there is one' }),
  })
  .meta({ id: 'Error', description: 'Every error of the service' })
