import { createHash } from 'node:crypto'
import type { Routes } from '../app.ts'
import { openApi } from '../openapi/document.ts'
import { documentationPage } from '../openapi/page.ts'
import { STYLE } from '../openapi/style.ts'
import { route } from '../route.ts'

/** The merchants' interface, told by its routes: for machines at `/openapi.json`, for people at `/docs`. */
export const documentationRoutes: Routes = router => {
  // At the first request: by then every route has registered itself.
  const document = once(() => openApi(router.described.filter(({ path }) => /^\/(api\/|\w+z$)/.test(path))))
  const json = once(() => JSON.stringify(document()))
  const page = once(() => documentationPage(document()))

  route(router, {
    method: 'get',
    path: '/openapi.json',
    summary: 'The OpenAPI document',
    tokens: 'none',
    answers: { 200: 'application/json' },
    async handle() {
      return { body: json() }
    },
  })

  route(router, {
    method: 'get',
    path: '/docs',
    summary: 'The documentation',
    tokens: 'none',
    answers: { 200: 'text/html' },
    async handle() {
      return { body: page(), headers: { 'Content-Security-Policy': POLICY } }
    },
  })
}

const STYLE_HASH = createHash('sha256').update(STYLE.text).digest('base64')
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'`

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
