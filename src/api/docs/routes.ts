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

  redirectToGuide(router)
  for (const [path, mediaType] of FILE_ROUTES)
    registerRoute(router, 'get', path, {
      operationId: null,
      summary: 'A file of the documentation',
      tokens: 'none',
      params: z.record(z.string(), z.string()),
      responses: { 200: mediaType, errors: ['not_found'] },
      async handle({ params }) {
        const file = path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? '')
        const read = listFiles().get(file) ?? fail('not_found')
        return { body: read(), ...(mediaType === 'text/html' && { headers: PAGE_HEADERS }) }
      },
    })
}

/** Addresses of files by their routes: `/docs/:name` is a language's guide, the API reference or a document. */
const FILE_ROUTES = [
  ['/openapi.json', 'application/json'],
  ['/docs/images/:name', 'image/png'],
  ['/docs/search/:name', 'application/json'],
  ['/docs/:name', 'text/html'],
  ['/docs/:language/:name', 'text/html'],
] as const

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
