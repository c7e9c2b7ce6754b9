import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { fail } from '../../http/api-error.ts'
import { SHARED_ASSETS, serveAssets } from '../../views/assets.ts'
import { buildContentSecurityPolicy } from '../../views/content-security-policy.ts'
import type { RouteRegistrar } from '../app.ts'
import { type ApiRouter, registerRoute } from '../http/route.ts'
import { DOCUMENTATION_FOLDER, type DocumentationFiles, readDocumentation } from './documentation-files.ts'

/**
 * Renders a page when it is first read, next to the sources. Null in a build: it reads the files that were written ahead,
 * and loads neither the renderer nor its libraries.
 */
const renderer = existsSync(DOCUMENTATION_FOLDER) ? null : await import('./render-documentation.ts')

/**
 * Registers the documentation: `/openapi.json` for programs, and under `/docs` the guide in each language, the API reference,
 * and the documents of the repository.
 */
export const documentationRoutes: RouteRegistrar = router => {
  const assets = serveDocumentationAssets(router)
  let files: DocumentationFiles | undefined
  const listFiles = () => {
    files ??= renderer
      ? renderer.renderDocumentation({ routes: router.routes, assets })
      : readDocumentation(DOCUMENTATION_FOLDER)
    return files
  }
  // After every route is registered and before the first request, whose deadline it could exceed under load.
  setImmediate(listFiles)
  /** Reads a file by its path; fails with 404 where there is none. */
  const readFile = (...segments: string[]) => {
    const read = listFiles().get(`/${segments.join('/')}`) ?? fail('not_found')
    return read()
  }

  redirectToGuide(router)

  registerRoute(router, 'get', '/openapi.json', {
    operationId: null,
    summary: 'The OpenAPI document',
    tokens: 'none',
    responses: { 200: 'application/json' },
    handle: async () => ({ body: readFile('openapi.json') }),
  })

  registerRoute(router, 'get', '/docs/images/:name', {
    operationId: null,
    summary: 'A picture of a document',
    tokens: 'none',
    params: z.object({ name: z.string() }),
    responses: { 200: 'image/png', errors: ['not_found'] },
    handle: async ({ params }) => ({ body: readFile('docs', 'images', params.name) }),
  })

  registerRoute(router, 'get', '/docs/search/:name', {
    operationId: null,
    summary: 'The sections that the search of the documentation finds, by language',
    tokens: 'none',
    params: z.object({ name: z.string() }),
    responses: { 200: 'application/json', errors: ['not_found'] },
    handle: async ({ params }) => ({ body: readFile('docs', 'search', params.name) }),
  })

  registerRoute(router, 'get', '/docs/:name', {
    operationId: null,
    summary: 'The guide of a language, the API reference, or a document',
    tokens: 'none',
    params: z.object({ name: z.string() }),
    responses: { 200: 'text/html', errors: ['not_found'] },
    handle: async ({ params }) => ({ body: readFile('docs', params.name), headers: PAGE_HEADERS }),
  })

  registerRoute(router, 'get', '/docs/:language/:name', {
    operationId: null,
    summary: 'A page of the guide',
    tokens: 'none',
    params: z.object({ language: z.string(), name: z.string() }),
    responses: { 200: 'text/html', errors: ['not_found'] },
    handle: async ({ params: { language, name } }) => ({
      body: readFile('docs', language, name),
      headers: PAGE_HEADERS,
    }),
  })
}

/** Serves the assets of the pages; returns their addresses, with those of `search.js`, which a page loads by script. */
export function serveDocumentationAssets({ koa }: Pick<ApiRouter, 'koa'>) {
  return serveAssets(koa, '/docs/assets', {
    ...SHARED_ASSETS,
    'docs.css': join(import.meta.dirname, 'assets/docs.css'),
    'docs.js': join(import.meta.dirname, 'assets/docs.js'),
    'search.js': SEARCH_LIBRARY,
  })
}

/** The module of the search for browsers, which its package does not export by name. */
const SEARCH_LIBRARY = join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../es/index.js')

/** Redirects `/docs` to the guide in the language that the browser prefers. */
function redirectToGuide({ koa }: ApiRouter): void {
  koa.get('/docs', ctx => {
    ctx.vary('Accept-Language')
    const language = String(ctx.acceptsLanguages('en', 'pt', 'pt-BR')).slice(0, 2)
    ctx.redirect(language === 'pt' ? '/docs/pt' : '/docs/en')
  })
}

const PAGE_HEADERS = {
  'Content-Security-Policy': buildContentSecurityPolicy({
    'script-src': "'self'",
    'connect-src': "'self'",
  }),
}
