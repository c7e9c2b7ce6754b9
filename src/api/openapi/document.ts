import { z } from 'zod'
import { errorBody } from '../../wire/common.ts'
import type { AnyRoute } from '../route.ts'
import { components } from './components.ts'
import { HEADERS, type Operation, operation } from './operation.ts'

/** OpenAPI 3.1, made from nothing but the routes and their schemas: what is not there cannot be wrong. */
export type OpenApi = ReturnType<typeof openApi>

/** The description of some routes. */
export function openApi(routes: AnyRoute[]) {
  const known = components()
  const paths: Record<string, Record<string, Operation>> = {}
  known.schemaOf(failure)
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operation(route, known) }
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
    paths,
    components: {
      schemas: known.schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'An access token of the account' },
      },
      headers: HEADERS,
    },
  }
}

const failure = errorBody
  .extend({
    data: z.unknown().optional().meta({ description: 'The resource as it is stored, where there is one' }),
  })
  .meta({ id: 'Error', description: 'Every error of the service' })
