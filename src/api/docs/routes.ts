import { join } from 'node:path'
import { z } from 'zod'
import { SHARED_ASSETS, serveAssets } from '../../views/assets.ts'
import { buildContentSecurityPolicy } from '../../views/content-security-policy.ts'
import { createViewRenderer } from '../../views/view-renderer.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import {
  DECISIONS,
  DOCUMENT_IMAGES,
  DOCUMENTS,
  type RepositoryDocument,
  RUNBOOKS,
  readDocumentImage,
  readRepositoryDocument,
} from './documents.ts'
import { renderMarkdown } from './markdown.ts'

/**
 * Registers the API documentation, generated from the routes: `/openapi.json` for programs, `/docs` for people, and
 * the written documents.
 */
export const documentationRoutes: RouteRegistrar = router => {
  const views = createViewRenderer('api/docs/views')
  const assets = serveAssets(router.koa, '/docs/assets', {
    ...SHARED_ASSETS,
    'docs.css': join(import.meta.dirname, 'assets/docs.css'),
  })
  const referenceAssets = serveAssets(router.koa, '/docs/assets', {
    'reference.css': join(import.meta.dirname, 'assets/reference.css'),
    'redoc.js': 'redoc/bundles/redoc.standalone.js',
    'reference.js': join(import.meta.dirname, 'assets/reference.js'),
  })
  let openApiJson: string | undefined
  const reference = views.render('reference', {
    assets: { 'rail.svg': assets['rail.svg'], ...referenceAssets },
  })
  const pages = new Map<string, string>()
  const renderDocument = (document: RepositoryDocument) =>
    views.render('document', {
      ...{ ...document, ...renderMarkdown(readRepositoryDocument(document)), assets, pages: DOCUMENTS },
    })

  registerRoute(router, 'get', '/openapi.json', {
    operationId: null,
    summary: 'The OpenAPI document',
    tokens: 'none',
    responses: { 200: 'application/json' },
    async handle() {
      // Built at the first request, after every route is registered.
      openApiJson ??= JSON.stringify(buildOpenApiDocument(router.routes))
      return { body: openApiJson }
    },
  })

  registerRoute(router, 'get', '/docs', {
    operationId: null,
    summary: 'The documentation',
    tokens: 'none',
    responses: { 200: 'text/html' },
    handle: async () => ({ body: reference, headers: REFERENCE_HEADERS }),
  })

  registerRoute(router, 'get', '/docs/:name', {
    operationId: null,
    summary: 'A document',
    tokens: 'none',
    params: z.object({ name: z.enum(SERVED_DOCUMENTS.map(({ name }) => name)) }),
    responses: { 200: 'text/html' },
    async handle({ params: { name } }) {
      const document = SERVED_DOCUMENTS.find(one => one.name === name)!
      const body = pages.get(name) ?? renderDocument(document)
      pages.set(name, body)
      return { body, headers: DOCUMENT_HEADERS }
    },
  })

  registerRoute(router, 'get', '/docs/images/:name', {
    operationId: null,
    summary: 'A picture of a document',
    tokens: 'none',
    params: z.object({ name: z.enum(DOCUMENT_IMAGES) }),
    responses: { 200: 'image/png' },
    handle: async ({ params }) => ({ body: readDocumentImage(params.name) }),
  })
}

const SERVED_DOCUMENTS = [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS]
const DOCUMENT_HEADERS = { 'Content-Security-Policy': buildContentSecurityPolicy() }

/**
 * Redoc fills empty `<style>` elements by script (the first hash), adds one of its scroll bars (the second), and
 * searches in a worker. It has no option to leave out the logo on a server of its makers, so that stays unloaded.
 */
const REFERENCE_HEADERS = {
  'Content-Security-Policy': buildContentSecurityPolicy({
    'script-src': "'self'",
    'style-src':
      "'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
    'connect-src': "'self'",
    'worker-src': 'blob:',
  }),
}
