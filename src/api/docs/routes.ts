import { z } from 'zod'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import { buildReferencePage } from '../openapi/reference-page.ts'
import {
  buildDocumentPage,
  DECISIONS,
  DOCUMENT_IMAGES,
  DOCUMENTS,
  RUNBOOKS,
  readDocumentImage,
} from './documents.ts'
import { DOCS_CONTENT_SECURITY_POLICY, type DocumentationPage, renderDocumentationPage } from './page.ts'

/**
 * Registers the API documentation, generated from the routes: `/openapi.json` for programs, `/docs` for people, and
 * the written documents.
 */
export const documentationRoutes: RouteRegistrar = router => {
  // Built at the first request, after every route is registered.
  const document = memoize(() =>
    buildOpenApiDocument(router.routes.filter(({ path }) => /^\/(api\/|\w+z$)/.test(path))),
  )
  const json = memoize(() => JSON.stringify(document()))
  const reference = memoize(() => renderLinkedPage(buildReferencePage(document())))
  const pages = new Map(
    SERVED_DOCUMENTS.map(one => [one.name, memoize(() => renderLinkedPage(buildDocumentPage(one)))]),
  )

  registerRoute(router, 'get', '/openapi.json', {
    summary: 'The OpenAPI document',
    tokens: 'none',
    responses: { 200: 'application/json' },
    handle: async () => ({ body: json() }),
  })

  registerRoute(router, 'get', '/docs', {
    summary: 'The documentation',
    tokens: 'none',
    responses: { 200: 'text/html' },
    handle: async () => ({ body: reference(), headers: DOCS_HEADERS }),
  })

  registerRoute(router, 'get', '/docs/:name', {
    summary: 'A document',
    tokens: 'none',
    params: z.object({ name: z.enum(SERVED_DOCUMENTS.map(({ name }) => name)) }),
    responses: { 200: 'text/html' },
    handle: async ({ params }) => ({ body: pages.get(params.name)!(), headers: DOCS_HEADERS }),
  })

  registerRoute(router, 'get', '/docs/images/:name', {
    summary: 'A picture of a document',
    tokens: 'none',
    params: z.object({ name: z.enum(DOCUMENT_IMAGES) }),
    responses: { 200: 'image/png' },
    handle: async ({ params }) => ({ body: readDocumentImage(params.name) }),
  })
}

const DOCS_HEADERS = { 'Content-Security-Policy': DOCS_CONTENT_SECURITY_POLICY }
const SERVED_DOCUMENTS = [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS]
const PAGE_LINKS = [...DOCUMENTS, { name: '', title: 'API reference' }]

function renderLinkedPage(page: DocumentationPage): string {
  return renderDocumentationPage(page, PAGE_LINKS)
}

function memoize<T>(make: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
