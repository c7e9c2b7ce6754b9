import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { SHARED_ASSETS, serveAssets } from '../../views/assets.ts'
import { buildContentSecurityPolicy } from '../../views/content-security-policy.ts'
import { createViewRenderer } from '../../views/view-renderer.ts'
import type { RouteRegistrar } from '../app.ts'
import { type ApiRouter, registerRoute } from '../http/route.ts'
import { buildOpenApiDocument } from '../openapi/document.ts'
import {
  DECISIONS,
  DOCUMENT_IMAGES,
  DOCUMENTS,
  RUNBOOKS,
  readDocumentImage,
  readRepositoryDocument,
} from './documents.ts'
import { GUIDE_LANGUAGES, GUIDE_PAGES, type GuideLanguage, guidePath } from './guide-pages.ts'
import { GUIDE_PHRASES } from './guide-phrases.ts'
import { createPageRenderer } from './pages.ts'
import { listSearchSections } from './search-sections.ts'

/**
 * Registers the documentation: `/openapi.json` for programs, generated from the routes; under `/docs` the guide in each
 * language, the API reference, and the documents of the repository.
 */
export const documentationRoutes: RouteRegistrar = router => {
  const views = createViewRenderer(join(import.meta.dirname, 'views'))
  const { 'search.js': searchLibrary = '', ...assets } = serveAssets(router.koa, '/docs/assets', {
    ...SHARED_ASSETS,
    'docs.css': join(import.meta.dirname, 'assets/docs.css'),
    'docs.js': join(import.meta.dirname, 'assets/docs.js'),
    'search.js': SEARCH_LIBRARY,
  })
  const referenceAssets = serveAssets(router.koa, '/docs/assets', {
    'reference.css': join(import.meta.dirname, 'assets/reference.css'),
    'redoc.js': { file: 'redoc/bundles/redoc.standalone.js', edit: omitRedocLogo },
    'reference.js': join(import.meta.dirname, 'assets/reference.js'),
  })
  const pages = createPageRenderer(views, { assets, searchLibrary })
  const reference = views.render('reference', {
    assets: { 'rail.svg': assets['rail.svg'], ...referenceAssets },
  })
  let openApi: { document: ReturnType<typeof buildOpenApiDocument>; text: string } | undefined
  const readOpenApi = () => {
    if (openApi) return openApi
    const document = buildOpenApiDocument(router.routes)
    openApi = { document, text: JSON.stringify(document) }
    return openApi
  }
  // After every route is registered and before the first request, whose deadline it could exceed under load.
  setImmediate(readOpenApi)
  const searchSections = new Map<GuideLanguage, string>()
  const buildSearchSections = (language: GuideLanguage) =>
    JSON.stringify(
      listSearchSections(
        listSearchedPages(language),
        listOperations(readOpenApi().document),
        GUIDE_PHRASES[language].reference,
      ),
    )

  redirectToGuide(router)

  registerRoute(router, 'get', '/openapi.json', {
    operationId: null,
    summary: 'The OpenAPI document',
    tokens: 'none',
    responses: { 200: 'application/json' },
    handle: async () => ({ body: readOpenApi().text }),
  })

  registerRoute(router, 'get', '/docs/reference', {
    operationId: null,
    summary: 'The API reference',
    tokens: 'none',
    responses: { 200: 'text/html' },
    handle: async () => ({ body: reference, headers: REFERENCE_HEADERS }),
  })

  registerRoute(router, 'get', '/docs/images/:name', {
    operationId: null,
    summary: 'A picture of a document',
    tokens: 'none',
    params: z.object({ name: z.enum(DOCUMENT_IMAGES) }),
    responses: { 200: 'image/png' },
    handle: async ({ params }) => ({ body: readDocumentImage(params.name) }),
  })

  for (const language of GUIDE_LANGUAGES) {
    registerRoute(router, 'get', `/docs/search/${language}.json`, {
      operationId: null,
      summary: 'The sections that the search of the documentation finds',
      tokens: 'none',
      responses: { 200: 'application/json' },
      async handle() {
        const body = searchSections.get(language) ?? buildSearchSections(language)
        searchSections.set(language, body)
        return { body }
      },
    })

    for (const page of GUIDE_PAGES[language])
      registerRoute(router, 'get', page.path, {
        operationId: null,
        summary: 'A page of the guide',
        tokens: 'none',
        responses: { 200: 'text/html' },
        handle: async () => ({
          body: pages.renderGuidePage(page),
          headers: DOCUMENT_HEADERS,
        }),
      })
  }

  registerRoute(router, 'get', '/docs/:name', {
    operationId: null,
    summary: 'A document',
    tokens: 'none',
    params: z.object({ name: z.enum(REPOSITORY_DOCUMENTS.map(({ name }) => name)) }),
    responses: { 200: 'text/html' },
    handle: async ({ params }) => ({
      body: pages.renderDocumentPage(REPOSITORY_DOCUMENTS.find(({ name }) => name === params.name)!),
      headers: DOCUMENT_HEADERS,
    }),
  })
}

const REPOSITORY_DOCUMENTS = [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS]

/** The module of the search for browsers, which its package does not export by name. */
const SEARCH_LIBRARY = join(dirname(createRequire(import.meta.url).resolve('minisearch')), '../es/index.js')

/** Redirects `/docs` to the guide in the language that the browser prefers. */
function redirectToGuide({ koa }: ApiRouter): void {
  koa.get('/docs', ctx => {
    ctx.vary('Accept-Language')
    const language = String(ctx.acceptsLanguages('en', 'pt', 'pt-BR')).slice(0, 2)
    ctx.redirect(guidePath(language === 'pt' ? 'pt' : 'en', 'index'))
  })
}

function listSearchedPages(language: GuideLanguage) {
  const documents = DOCUMENTS.map(document => ({ ...document, path: `/docs/${document.name}` }))
  return [...GUIDE_PAGES[language], ...documents].map(document => ({
    title: document.title,
    path: document.path,
    markdown: readRepositoryDocument(document),
  }))
}

function listOperations({ paths }: ReturnType<typeof buildOpenApiDocument>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary }]) => ({
      ...{ path, method },
      operationId: String(operationId),
      summary: String(summary),
    })),
  )
}

const DOCUMENT_HEADERS = {
  'Content-Security-Policy': buildContentSecurityPolicy({
    'script-src': "'self'",
    'connect-src': "'self'",
  }),
}

/**
 * Redoc fills empty `<style>` elements by script (the first hash), adds one of its scroll bars (the second), and
 * searches in a worker.
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

/**
 * Redoc shows a logo from a server of its makers, without an option against it, and no logo where that cannot be loaded.
 * In place of its address, an empty one makes it do the latter with no request.
 */
function omitRedocLogo(script: string): string {
  return script.replace('https://cdn.redoc.ly/redoc/logo-mini.svg', 'data:,')
}
